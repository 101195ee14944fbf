"use strict";
/* All runs side by side: a line through every axis and metric for each run; ranges are brushed. */

const MOST_DRAWN = 12000, MOST_MOVING = 1200; /* lines; while a range is being dragged */
const BEYOND = 1e9; /* times the median: values that grew without bound, and would take the axis for themselves */

/* What stands side by side: axes, then metrics, the chosen one and counts first. */
function columnsOf(result) {
  const chosen = metricOf(result), others = result.metrics.filter(a => a !== chosen && !a.name.match(/^(eigenvalue|event_time$|event_kind)/));
  const axes = movedAxes(result).flatMap(d => (d.columns && d.columns.length > 0 ? columnsMoved(d) : [{name: d.name, label: titled(d), d, of: p => (numeric(d) ? d.values[p[d.number]] : p[d.number]), values: numeric(d) ? d.values : null, words: numeric(d) ? null : d.words}]));
  for (const c of axes) c.marks = c.values && Array.from(new Set(c.values));
  const metrics = [chosen].concat(others.filter(a => a.count), others.filter(a => !a.count && a.ranked)).filter(Boolean).slice(0, 5);
  return axes.concat(metrics.map(a => ({name: a.name, label: labelOf(result, a, signalFor(a)), array: a, of: p => {
    const at = p.slice();
    if (a.signals) at[a.signals.number] = signalFor(a);
    return valueAt(result, a, at);
  }})));
}
/* The settings that an axis changes together, each a column; its own positions where nothing varies. */
function columnsMoved(d) {
  const moved = d.columns.filter(c => new Set(c.values || c.labels).size > 1);
  if (moved.length === 0) return [{name: d.name, label: d.name, d, of: p => p[d.number], values: null, words: d.words}];
  return moved.map(c => {
    const words = c.labels ? Array.from(new Set(c.labels)) : null, name = d.name + "_" + c.name;
    return {name, label: c.name + (c.unit && c.unit !== "1" ? " [" + c.unit + "]" : ""), d, of: words ? p => words.indexOf(c.labels[p[d.number]]) : p => c.values[p[d.number]], values: words ? null : c.values, words};
  });
}
/* The chosen signal where an array has it. */
function signalFor(a) {
  return a.signals ? (a.signals.labels ? Math.max(0, a.signals.labels.indexOf(state.signal)) : 0) : null;
}

/* Whether a run is among those that are drawn of too many: by a hash, which favours no value of any axis. */
const drawnOf = (run, runs) => runs <= MOST_DRAWN || Math.imul(run + 1, 0x9e3779b1) >>> 0 < (MOST_DRAWN / runs) * 2 ** 32;

/* Ranges by column: "name:from:to;..." in data. */
function rangesOf() {
  const ranges = new Map();
  for (const part of (state.ranges || "").split(";")) {
    const [name, a, b] = part.split(":").map(decode);
    if (b !== undefined) ranges.set(name, [Number(a), Number(b)]);
  }
  return ranges;
}
function setRange(name, range) {
  const ranges = rangesOf();
  if (range) ranges.set(name, range);
  else ranges.delete(name);
  state.ranges = Array.from(ranges, ([n, [a, b]]) => [encodeURIComponent(n), a, b].join(":")).join(";");
  writeAddress();
}

/* Calls `each` with all runs at the sliders' places, and all along axes that have none; the position is changed later. */
function runsShown(result, each) {
  const position = startPosition(result), open = movedAxes(result).filter(d => typeof placeOf(d) !== "number");
  every(open, position, () => each(result.index(position), position));
}

async function runsScene(result) {
  const columns = columnsOf(result), notes = new Set();
  await loadFor(columns.filter(c => c.array).map(c => c.array.name));
  const rows = [];
  let total = 0;
  runsShown(result, (run, position) => {
    total++;
    if (drawnOf(run, result.runs)) rows.push({run, values: columns.map(c => c.of(position))});
  });
  if (rows.length < total) notes.add(rows.length + " of " + total + " runs are drawn, chosen evenly; the table has all");
  columns.forEach((c, i) => {
    const values = rows.map(r => (c.array && c.array.ranked ? Math.abs(r.values[i]) : r.values[i])).filter(v => v === v);
    c.log = !c.words && (c.array ? c.array.ranked || c.array.count : true) && d3.min(values) > 0 && (c.array ? d3.max(values) > 30 * d3.min(values) : spreadsLog(Array.from(new Set(c.values)).sort((a, b) => a - b)));
    const middle = c.log && c.array && c.array.ranked ? d3.median(values) : NaN;
    if (d3.max(values) > BEYOND * middle) {
      const inner = values.filter(v => v <= BEYOND * middle);
      notes.add(values.length - inner.length + " values of " + c.name + " are beyond its axis");
      c.domain = ends(inner, true);
    } else c.domain = c.words ? [-0.4, c.words.length - 0.6] : ends(values, c.log);
    if (c.array && c.array.ranked) rows.forEach(r => (r.values[i] = Math.abs(r.values[i])));
  });
  return {parallel: {columns, rows}, panels: [], legend: [], notes};
}

function showParallel(scene) {
  const {columns, rows} = scene.parallel, drawing = document.getElementById("drawing"), width = Math.max(columns.length * 100, drawing.clientWidth), height = Math.max(320, Math.min(560, window.innerHeight * 0.65));
  const ratio = window.devicePixelRatio || 1, canvas = element("canvas", {width: width * ratio, height: height * ratio, style: "width:" + width + "px;height:" + height + "px"});
  drawing.className = "scrolls";
  drawing.style.height = height + (width > drawing.clientWidth ? 18 : 0) + "px"; /* with a bar to scroll by */
  drawing.replaceChildren(canvas);
  const context = canvas.getContext("2d"), svg = d3.select(drawing).append("svg").attr("width", width).attr("height", height), top = 40, bottom = height - 16;
  context.scale(ratio, ratio);
  columns.forEach((c, i) => {
    c.px = 100 + (i * (width - 130)) / Math.max(1, columns.length - 1);
    c.scale = scaleOf(c, [bottom, top]);
  });
  for (const r of rows) r.py = r.values.map((v, i) => (v === v && !(columns[i].log && !(v > 0)) ? Math.max(top - 6, Math.min(bottom + 6, columns[i].scale(v))) : NaN));
  const last = columns.findIndex(c => c.array), heat = last >= 0 ? d3.scaleSequential(d3.interpolateViridis).domain([top, bottom]) : null;
  const paint = moving => paintParallel(context, {columns, rows, width, height, heat, last, moving});
  columns.forEach((c, i) => addBrush(svg, c, i, {top, bottom, paint, last: i === columns.length - 1}));
  shown.scene = null;
  shown.parallel = {svg, scene, canvas};
  svg.on("mousemove", function () {
    readRow(scene, nearestRow(scene.parallel, d3.mouse(this)));
  }).on("click", function () {
    const row = nearestRow(scene.parallel, d3.mouse(this));
    if (row && !d3.event.defaultPrevented) pinRun(row.run);
  });
  paint();
}

const within = (row, columns, ranges) => columns.every((c, i) => !ranges.has(c.name) || (row.values[i] >= ranges.get(c.name)[0] && row.values[i] <= ranges.get(c.name)[1]));

/* Lines of about one colour are stroked together, some at a time. */
function paintLines(pen, xs, rows, style) {
  const at = [], py = [];
  for (const [i, r] of rows.entries()) {
    at.push(...xs, NaN);
    py.push(...r.py, NaN);
    if (i % 40 === 39 || i === rows.length - 1) pen.line(at.splice(0), py.splice(0), style);
  }
}

function paintParallel(context, {columns, rows, width, height, heat, last, moving}) {
  const ranges = rangesOf(), pen = new CanvasPen(context), xs = columns.map(c => c.px), step = moving ? Math.max(1, Math.ceil(rows.length / MOST_MOVING)) : 1;
  const some = rows.filter((_, i) => i % step === 0), inside = some.filter(r => within(r, columns, ranges)), outside = ranges.size > 0 ? some.filter(r => !within(r, columns, ranges)) : [];
  const kept = rows.reduce((n, r) => n + within(r, columns, ranges), 0), shades = d3.nest().key(r => (heat && r.py[last] === r.py[last] ? heat(40 + Math.round((r.py[last] - 40) / 24) * 24) : COLOURS[0])).entries(inside);
  context.clearRect(0, 0, width, height);
  paintLines(pen, xs, outside, {colour: ink("line"), width: 1, alpha: 0.5});
  for (const shade of shades) paintLines(pen, xs, shade.values, {colour: shade.key, width: 1, alpha: Math.max(0.15, Math.min(0.8, 600 / some.length))});
  document.getElementById("reading").textContent = ranges.size > 0 ? kept + " of " + rows.length + " runs are within the ranges" : rows.length + " runs; drag along an axis to choose a range";
}

/* An axis with its brush. */
function addBrush(svg, c, i, {top, bottom, paint, last}) {
  const g = svg.append("g").attr("class", "frame").attr("transform", "translate(" + c.px + ",0)");
  g.call(axisOn(d3.axisLeft, c.scale, c, bottom - top));
  g.append("text").attr("y", i % 2 === 0 ? 14 : 30).attr("x", last ? 28 : 0).attr("text-anchor", last ? "end" : "middle").text(shorten(c.label, 22));
  const brush = d3.brushY().extent([[-9, top], [9, bottom]]).on("brush end", () => {
    if (!d3.event.sourceEvent) return;
    const s = d3.event.selection;
    setRange(c.name, s ? [c.scale.invert(s[1]), c.scale.invert(s[0])] : null);
    paint(d3.event.type === "brush");
  });
  const range = rangesOf().get(c.name), b = g.append("g").call(brush);
  if (range) b.call(brush.move, [c.scale(range[1]), c.scale(range[0])]);
}

function nearestRow({columns, rows}, [x, y]) {
  const ranges = rangesOf();
  let i = 0, best = null, least = 14;
  while (i + 2 < columns.length && x > columns[i + 1].px) i++;
  const f = columns.length > 1 ? (x - columns[i].px) / (columns[i + 1].px - columns[i].px) : 0;
  for (const r of rows) {
    const away = Math.abs((columns.length > 1 ? r.py[i] + f * (r.py[i + 1] - r.py[i]) : r.py[i]) - y);
    if (away < least && within(r, columns, ranges)) {
      least = away;
      best = r;
    }
  }
  return best;
}
