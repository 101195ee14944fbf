"use strict";
/* Error against cost: a line per method, the lower left envelope of its runs; the best eight in colour. */

/* A method is a choice of all that is no step size, tolerance or parameter. */
const methodAxes = result => movedAxes(result).filter(d => d.role === "combination" && d.name !== state.panel);

/* Runs that no other is both cheaper and more accurate than, by cost. */
function envelope(points) {
  points.sort((a, b) => a.cost - b.cost || a.error - b.error);
  const front = [];
  for (const p of points) if (front.length === 0 || p.error < front[front.length - 1].error) front.push(p);
  return front;
}

/* The error that a method reaches at a cost; Infinity below its cheapest run. */
function errorAt(front, cost) {
  let error = Infinity;
  for (const p of front) if (p.cost <= cost) error = p.error;
  return error;
}

/* Best first: by the number of common best runs that are theirs, then by the mean error over costs. */
function rankMethods(methods) {
  const all = envelope(methods.flatMap(m => m.front.map(p => Object.assign({method: m}, p)))), costs = all.map(p => p.cost);
  for (const m of methods) {
    m.share = all.filter(p => p.method === m).length;
    m.mean = d3.mean(costs, c => Math.log(Math.min(errorAt(m.front, c), 1e300))) || 0;
  }
  return methods.sort((a, b) => b.share - a.share || a.mean - b.mean);
}

/* Adds a run to its method: the largest error of all signals, or that of the chosen one. */
function addRun(result, array, cost, position, points) {
  let error = NaN;
  for (const s of array.signals && !state.signal ? d3.range(array.signals.shown) : [signalOf(array)]) {
    if (array.signals) position[array.signals.number] = s;
    const value = Math.abs(valueAt(result, array, position));
    if (!(value <= error)) error = value;
  }
  const paid = valueAt(result, cost, position);
  if (error === error && paid === paid) points.push({cost: paid, error, run: result.index(position)});
}

function panelOfCost(result, array, cost, part) {
  const position = startPosition(result), axes = methodAxes(result), varied = axes.filter(d => placeOf(d) === "all"), methods = [];
  const open = movedAxes(result).filter(d => !axes.includes(d) && d.name !== state.panel && typeof placeOf(d) !== "number");
  if (part.d) position[part.d.number] = part.i;
  every(varied, position, () => {
    const points = [], words = varied.map(d => (numeric(d) ? d.name + " " : "") + d.words[position[d.number]]);
    every(open, position, () => addRun(result, array, cost, position, points));
    if (points.length > 0) methods.push({words, name: words.join(", ") || "all runs", front: envelope(points), runs: points.length});
  });
  return {methods: rankMethods(methods), title: part.words};
}

/* What tells a method from the others that are named. */
const distinction = (m, others) => m.words.filter((w, i) => others.some(o => o.words[i] !== w)).join(", ") || m.name;

async function costScene(result) {
  const array = metricOf(result), counts = result.metrics.filter(a => a.count), cost = counts.find(a => a.name === state.cost) || counts[0], notes = new Set(), most = COLOURS.length;
  await loadFor([array.name, cost.name]);
  const panels = partsOf(result, array, state.panel === "signal" ? "" : state.panel).map(part => panelOfCost(result, array, cost, part));
  const best = panels[0].methods.slice(0, most), names = best.map(m => m.name), signal = array.signals && state.signal ? signalOf(array) : null;
  const scene = {panels: [], legend: best.map((m, i) => ({name: distinction(m, best), colour: COLOURS[i]})), notes};
  for (const p of panels) {
    const line = m => {
      const at = names.indexOf(m.name);
      return {xs: m.front.map(q => q.cost), ys: m.front.map(q => q.error), runs: m.front.map(q => q.run), joined: true, dot: at < 0 ? 0 : 5, colour: at < 0 ? ink("grey") : COLOURS[at], width: at < 0 ? 1 : 1.8, words: m.name};
    };
    scene.panels.push({title: p.title, lines: p.methods.map(line).reverse(), signal: signal,
      x: {label: cost.label, log: true}, y: {label: (array.signals && signal === null ? "largest " : "") + labelOf(result, array, signal)}});
  }
  const grey = panels[0].methods.length - names.length;
  if (grey > 0) notes.add(grey + " more methods are grey");
  if (array.signals && !state.signal) notes.add("of all " + array.signals.name + "s the largest error counts");
  finishCost(scene);
  return scene;
}

function finishCost(scene) {
  const xs = scene.panels.flatMap(p => p.lines.flatMap(l => l.xs)), ys = scene.panels.flatMap(p => p.lines.flatMap(l => l.ys));
  usualLog = d3.min(ys) > 0 || ys.some(v => v > 0);
  const log = state.ylog ? state.ylog === "1" : usualLog;
  for (const panel of scene.panels) {
    panel.x.log = state.xlog ? state.xlog === "1" : d3.min(xs) > 0;
    panel.x.domain = ends(xs, panel.x.log);
    panel.y.log = log;
    panel.y.domain = ends(ys, log);
  }
}
