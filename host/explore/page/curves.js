"use strict";
/* Curves: a metric against an axis, one curve per value of another, a panel per value of a third. */

/* ---- values, of one result or of two ----------------------------------------------------------------------------- */

/* The number that is drawn of a metric: of result A or B, or their ratio. */
function valueAt(result, array, position) {
  if (state.file !== "ratio" || files.length < 2) return result.value(array, position);
  const other = files[1].find(array.name);
  return other ? files[1].value(other, position) / files[0].value(array, position) : NaN;
}
const currentResult = () => files[state.file === "B" && files.length > 1 ? 1 : 0];

/* Numbers of every array that a drawing needs. */
async function loadFor(names) {
  for (const result of files) {
    await result.load(result.status);
    for (const name of names) await result.load(result.find(name));
  }
}

/* ---- lines through the runs -------------------------------------------------------------------------------------- */

/* All positions along some axes, one after the other: calls `each`. */
function every(axes, position, each, from = 0) {
  if (from === axes.length) return each();
  for (let i = 0; i < axes[from].shown; i++) {
    position[axes[from].number] = i;
    every(axes, position, each, from + 1);
  }
}

/* Axes by what is made of them. */
function sortAxes(result, drawn) {
  const kinds = {at: [], all: [], best: [], median: []};
  for (const d of movedAxes(result)) {
    if (drawn.includes(d)) continue;
    const place = placeOf(d);
    kinds[typeof place === "number" ? "at" : place].push(d);
  }
  return kinds;
}

/* The run that stands for all along the axes of best and median: {value, run}. Best: smallest in size. */
function reduce(result, array, kinds, position) {
  const axes = kinds.best.concat(kinds.median);
  if (axes.length === 0) return {value: valueAt(result, array, position), run: result.index(position)};
  const list = [];
  every(kinds.median, position, () => {
    let best = null;
    every(kinds.best, position, () => {
      const value = valueAt(result, array, position);
      if (value === value && (!best || Math.abs(value) < Math.abs(best.value))) best = {value, run: result.index(position)};
    });
    if (best) list.push(best);
  });
  if (list.length === 0) return {value: NaN, run: -1};
  list.sort((a, b) => a.value - b.value);
  return list[Math.floor((list.length - 1) / 2)];
}

function startPosition(result) {
  const position = new Array(result.dimensions.length).fill(0);
  for (const d of result.axes) if (typeof placeOf(d) === "number") position[d.number] = placeOf(d);
  return position;
}

/* A curve along course `x`: its numbers, and which runs they are of. */
function curveAlong(result, array, x, kinds, position) {
  const line = {xs: [], ys: [], runs: []};
  for (const i of x.values ? d3.range(x.d.shown).sort((a, b) => x.values[a] - x.values[b]) : d3.range(x.d.shown)) {
    position[x.d.number] = i;
    const {value, run} = reduce(result, array, kinds, position);
    line.xs.push(x.values ? x.values[i] : i);
    line.ys.push(value);
    line.runs.push(run);
  }
  return line;
}

/* What panels and curves differ in: a dimension and its positions; one of none. */
function partsOf(result, array, name) {
  const d = name === "signal" ? array.signals : axisOf(result, name);
  return d ? d3.range(d.shown).map(i => ({d, i, words: (name === "signal" ? "" : d.name + " ") + d.words[i]})) : [{d: null, i: 0, words: ""}];
}

const labelOf = (result, array, signal) => {
  const unit = state.file === "ratio" ? "" : result.unitOf(array, signal);
  return (state.file === "ratio" ? array.label + ", B / A" : array.label) + (unit ? " [" + unit + "]" : "");
};

const MOST_LINES = 4000;

function panelOfCurves(result, array, x, curve, panel, notes) {
  const position = startPosition(result), drawn = [x.d, axisOf(result, state.curve), axisOf(result, state.panel)].filter(Boolean);
  const kinds = sortAxes(result, drawn), lines = [], crowd = kinds.all.length > 0, dot = !x.joined ? (x.d.shown > MANY ? 1.6 : 4) : crowd || x.d.shown > 60 ? 0 : 5;
  if (array.signals) position[array.signals.number] = signalOf(array);
  if (panel.d) position[panel.d.number] = panel.i;
  for (const part of curve) {
    if (part.d) position[part.d.number] = part.i;
    every(kinds.all, position, () => {
      if (lines.length >= MOST_LINES) return;
      const line = curveAlong(result, array, x, kinds, position);
      lines.push(Object.assign(line, {joined: x.joined, dot, colour: COLOURS[part.i % COLOURS.length], series: part, alpha: crowd ? 0.5 : !x.joined && x.d.shown > MANY ? 0.7 : 1, width: crowd ? 1 : 1.6, position: position.slice()}));
    });
  }
  if (lines.length >= MOST_LINES) notes.add("the first " + MOST_LINES + " lines of each panel are drawn; choose fewer with the sliders");
  return lines;
}

async function curvesScene(result) {
  const array = metricOf(result), x = courseOf(result), notes = new Set();
  const orders = result.arrays.filter(a => a.expected_of === array.name || a.name === array.name + "_order");
  await loadFor([array.name]);
  for (const a of orders) await result.load(a);
  const curve = partsOf(result, array, state.curve === x.d.name ? "" : state.curve), panels = partsOf(result, array, state.panel === x.d.name ? "" : state.panel);
  const scene = {panels: [], legend: [], notes, orders};
  for (const part of panels) {
    const signal = state.panel === "signal" ? part.i : signalOf(array);
    scene.panels.push({title: part.words, lines: panelOfCurves(result, array, x, curve, part, notes), x: {label: titled(x), words: x.values ? null : x.words}, y: {label: labelOf(result, array, signal)}, signal});
  }
  const values = scene.panels.flatMap(p => p.lines.flatMap(l => l.ys));
  finishAxes(scene, array, values, result, x);
  if (array.radius && state.file !== "ratio") for (const panel of scene.panels) panel.rules = [1];
  scene.legend = curve.filter(p => p.d).map(p => ({name: p.words + orderWords(result, scene, p), colour: COLOURS[p.i % COLOURS.length]}));
  return scene;
}

let usualLog = false;

/* Scales of all panels: errors of both signs are drawn by size where the scale is logarithmic. */
function finishAxes(scene, array, values, result, x) {
  const sizes = array.ranked ? values.map(Math.abs) : values;
  const finite = sizes.filter(v => v === v), least = d3.min(finite), most = d3.max(finite);
  usualLog = Boolean(array.ranked || array.radius ? most > 0 && (array.ranked || least > 0) && most > 3 * (least || 0) : least > 0 && most > 100 * least);
  const log = scaleIsLog("y", result);
  if (log && array.ranked)
    for (const panel of scene.panels) {
      for (const line of panel.lines || []) line.ys = line.ys.map(Math.abs);
      if (values.some(v => v < 0)) panel.y.label = "|" + panel.y.label.replace(/( \[.*)?$/, "|$1");
    }
  const drawn = log ? sizes : values, zeros = log ? drawn.filter(v => v <= 0).length : 0;
  if (zeros > 0) scene.notes.add(zeros + " values that are not positive are not on the logarithmic axis");
  const failed = values.length - values.filter(v => v === v).length;
  if (failed > 0) scene.notes.add(failed + " of " + values.length + " values are missing: runs that failed or were skipped");
  for (const panel of scene.panels) {
    panel.x.log = panel.x.log !== undefined ? panel.x.log : Boolean(x.values) && scaleIsLog("x", result);
    panel.x.domain = panel.x.domain || ends(x.values || [-0.3, x.d.shown - 0.7], panel.x.log);
    panel.y.log = log;
    panel.y.domain = ends(drawn, log);
  }
}

/* ---- fitted orders ----------------------------------------------------------------------------------------------- */

/* {order, expected} of the curve through a position; null without a fit along the axis that is drawn. */
function orderAt(result, scene, position, signal) {
  const fitted = scene.orders && scene.orders.find(a => !a.expected_of), theory = scene.orders && scene.orders.find(a => a.expected_of);
  const array = metricOf(result);
  if (!fitted || !theory || result.dimensions[theory.along] !== courseOf(result).d || state.file === "ratio") return null;
  const at = position.slice();
  if (array.signals) at[array.signals.number] = signal;
  return {order: fitted.numbers[result.item(fitted, at)], expected: theory.numbers[result.item(theory, at)]};
}

function orderWords(result, scene, part) {
  if (scene.panels.length !== 1) return "";
  const lines = scene.panels[0].lines.filter(l => l.series === part);
  const found = lines.length === 1 ? orderAt(result, scene, lines[0].position, scene.panels[0].signal) : null;
  return found && Number.isFinite(found.order) ? ": order " + found.order.toFixed(2) + (Number.isFinite(found.expected) ? ", in theory " + brief(found.expected) : "") : "";
}
