"use strict";
/* Maps: a metric as colours over two axes of numbers, with the boundary of stability. */

/* The largest spectral radius that counts as stable, docs/methods.md section 8. */
const STABLE = 1 + 1e-9;

/* Middles between values in ascending order, and the ends beyond: the edges of cells. */
function edgesOf(values, log) {
  const v = log ? values.map(Math.log) : values.slice();
  if (v.length === 1) return log ? [values[0] / 2, values[0] * 2] : [values[0] - 0.5, values[0] + 0.5];
  const edges = [v[0] - (v[1] - v[0]) / 2];
  for (let i = 1; i < v.length; i++) edges.push((v[i - 1] + v[i]) / 2);
  edges.push(v[v.length - 1] + (v[v.length - 1] - v[v.length - 2]) / 2);
  return log ? edges.map(Math.exp) : edges;
}

/* Colours of numbers, {of, place, shade, keys}: two hues where 1 or 0 divides them. A number has a place, 0 to 1 for the
 * first hue and 1 to 2 for the second, and that a shade. */
function coloursOf(values, array, log) {
  const [least, most] = [d3.min(values), d3.max(values)], far = v => Math.min(1, Math.max(0, v));
  if (!(least <= most)) return {of: () => "#888", place: () => 0, shade: () => "#888", keys: []};
  const spread = log ? v => Math.log(v / least) / Math.log(most / least || 2) : v => (v - least) / (most - least || 1);
  let place = v => far(spread(v)), shade = d3.interpolateViridis;
  if (array.radius && state.file !== "ratio") {
    const high = Math.log(Math.max(most, 1.001));
    place = v => (v <= STABLE ? 0.999 * far((v - least) / (1 - least || 1)) : 1 + far(Math.log(v) / high));
    shade = p => (p < 1 ? d3.interpolateBlues(0.85 - 0.6 * p) : d3.interpolateOranges(0.3 + 0.6 * (p - 1)));
  } else if (!log && least < 0 && most > 0) {
    const size = Math.max(-least, most);
    place = v => (v < 0 ? 0.999 * far(-v / size) : 1 + far(v / size));
    shade = p => (p < 1 ? d3.interpolateBlues(0.15 + 0.75 * p) : d3.interpolateOranges(0.15 + 0.75 * (p - 1)));
  }
  const of = v => shade(place(v)), steps = d3.range(5).map(i => (log ? least * (most / least) ** (i / 4) : least + ((most - least) * i) / 4)).concat(array.radius && least < 1 && most > 1 ? [1] : []);
  return {of, place, shade, keys: steps.sort((a, b) => a - b).map(v => ({name: brief(v), colour: of(v)})).filter((k, i, list) => list.findIndex(o => o.name === k.name) === i)};
}

function panelOfMap(result, array, x, y, part) {
  const position = startPosition(result), kinds = sortAxes(result, [x, y, axisOf(result, state.panel)].filter(Boolean));
  kinds.best = kinds.best.concat(kinds.all);
  const plain = kinds.best.length + kinds.median.length === 0, up = d => d3.range(d.shown).sort((a, b) => d.values[a] - d.values[b]), columns = up(x), rows = up(y);
  if (array.signals) position[array.signals.number] = signalOf(array);
  if (part.d) position[part.d.number] = part.i;
  const map = {xs: columns.map(i => x.values[i]), ys: rows.map(i => y.values[i]), values: new Float64Array(columns.length * rows.length), runs: new Float64Array(columns.length * rows.length)};
  let at = 0;
  for (const j of rows)
    for (const i of columns) {
      position[x.number] = i;
      position[y.number] = j;
      const found = plain ? null : reduce(result, array, kinds, position);
      map.values[at] = plain ? valueAt(result, array, position) : found.value;
      map.runs[at++] = plain ? result.index(position) : found.run;
    }
  return {title: part.words, x: {label: titled(x)}, y: {label: titled(y)}, map, position, signal: state.panel === "signal" ? part.i : signalOf(array)};
}

/* The cell at a place; null: outside. */
function cellAt(map, x, y) {
  const i = d3.bisectRight(map.xEdges, x) - 1, j = d3.bisectRight(map.yEdges, y) - 1;
  return i < 0 || j < 0 || i >= map.xs.length || j >= map.ys.length ? null : {at: j * map.xs.length + i, i, j};
}

/* A picture of the box: of every pixel the cell it is in. */
function paintMap(panel, xScale, yScale, box) {
  const map = panel.map, ratio = window.devicePixelRatio || 1, w = Math.round(box.width * ratio), h = Math.round(box.height * ratio);
  const canvas = element("canvas", {width: w, height: h}), context = canvas.getContext("2d"), image = context.createImageData(w, h), to = new Uint32Array(image.data.buffer);
  const column = Int32Array.from({length: w}, (_, p) => d3.bisectRight(map.xEdges, xScale.invert(box.left + (p + 0.5) / ratio)) - 1);
  for (let q = 0; q < h; q++) {
    const j = d3.bisectRight(map.yEdges, yScale.invert(box.top + (q + 0.5) / ratio)) - 1;
    if (j < 0 || j >= map.ys.length) continue;
    for (let p = 0; p < w; p++) {
      const i = column[p];
      if (i >= 0 && i < map.xs.length) to[q * w + p] = map.paint[j * map.xs.length + i];
    }
  }
  context.putImageData(image, 0, 0);
  return canvas;
}

/* Colours of all cells as pixels, of some thousand shades. `size`: what is coloured of a number. */
function paintCells(map, colours, size) {
  const shades = Uint32Array.from({length: 4097}, (_, i) => pixelOf(colours.shade(i / 2048)));
  map.paint = Uint32Array.from(map.values, v => (v === v ? shades[Math.floor(colours.place(size(v)) * 2048)] : 0));
}

/* Where a radius passes 1 between the points of the map. */
function contourOf(map, log) {
  const line = {xs: [], ys: [], joined: true, colour: ink("ink"), width: 1.2};
  if (map.xs.length < 2 || map.ys.length < 2) return line;
  const shapes = d3.contours().size([map.xs.length, map.ys.length]).thresholds([1])(Array.from(map.values, v => (v === v ? Math.log(Math.max(v, 1e-300) / STABLE) + 1 : 2)));
  const place = (values, p, isLog) => {
    const at = Math.max(0, Math.min(values.length - 1, p - 0.5)), i = Math.min(values.length - 2, Math.floor(at)), f = at - i;
    return isLog ? values[i] * (values[i + 1] / values[i]) ** f : values[i] + (values[i + 1] - values[i]) * f;
  };
  const inside = (p, n) => p > 0.5 && p < n - 0.5;
  for (const ring of shapes.flatMap(s => s.coordinates.flat())) {
    for (const [p, q] of ring) {
      const real = inside(p, map.xs.length) && inside(q, map.ys.length);
      line.xs.push(real ? place(map.xs, p, log.x) : NaN);
      line.ys.push(real ? place(map.ys, q, log.y) : NaN);
    }
    line.xs.push(NaN);
    line.ys.push(NaN);
  }
  return line;
}

/* Where the file says that stability changes along one of the axes. */
function crossingsOf(result, panel, x, y) {
  const line = {xs: [], ys: [], runs: null, dot: 2.5, colour: ink("ink")}, position = panel.position.slice();
  for (const [along, across, to] of [[x, y, "xs"], [y, x, "ys"]]) {
    const array = result.find(along.name + "_crossings");
    if (!array || !array.numbers || array.over.includes(along)) continue;
    const crossing = array.over.find(d => !d.role);
    for (let j = 0; j < across.shown; j++)
      for (let c = 0; c < crossing.shown; c++) {
        position[across.number] = j;
        position[crossing.number] = c;
        const value = array.numbers[result.item(array, position)];
        if (!(value === value)) continue;
        line[to].push(value);
        line[to === "xs" ? "ys" : "xs"].push(across.values[j]);
      }
  }
  return line;
}

/* Points around the boundary, of this panel's slice. */
async function refinedOf(result, panel, x, y) {
  const part = result.points, lines = [];
  if (!part || state.file === "ratio") return lines;
  const find = d => part.find(d.name), radius = part.find("spectral_radius"), needed = result.axes.map(find).concat(radius);
  if (needed.some(a => !a)) return lines;
  for (const a of needed) await part.load(a);
  const same = result.axes.filter(d => d !== x && d !== y && numeric(d)), worded = result.axes.some(d => d !== x && d !== y && !numeric(d) && d.shown > 1);
  if (worded) return lines;
  for (const stable of [true, false]) {
    const line = {xs: [], ys: [], runs: null, dot: 2, colour: stable ? "#08519c" : "#d94801"};
    for (let i = 0; i < radius.numbers.length; i++) {
      if (radius.numbers[i] <= STABLE !== stable || same.some(d => find(d).numbers[i] !== d.values[panel.position[d.number]])) continue;
      line.xs.push(find(x).numbers[i]);
      line.ys.push(find(y).numbers[i]);
    }
    lines.push(line);
  }
  return lines;
}

async function mapScene(result) {
  const array = metricOf(result), pair = usualPair(result), notes = new Set();
  const x = axisOf(result, state.x) && numeric(axisOf(result, state.x)) ? axisOf(result, state.x) : pair[0];
  const y = axisOf(result, state.y) && state.y !== x.name ? axisOf(result, state.y) : pair.find(d => d !== x);
  await loadFor([array.name, x.name + "_crossings", y.name + "_crossings"]);
  const scene = {panels: partsOf(result, array, state.panel).map(part => panelOfMap(result, array, x, y, part)), notes, legend: []};
  const values = scene.panels.flatMap(p => Array.from(p.map.values)).filter(v => v === v), missing = scene.panels.reduce((n, p) => n + p.map.values.length, 0) - values.length;
  const sizes = array.ranked ? values.map(Math.abs) : values, least = d3.min(sizes), most = d3.max(sizes);
  usualLog = !array.radius && least > 0 && most > 100 * least;
  const log = scaleIsLog("y", result) && d3.min(sizes) > 0, colours = coloursOf(log ? sizes : values, array, log);
  for (const panel of scene.panels) {
    const map = panel.map;
    panel.x.log = scaleIsLog("x", result);
    panel.y.log = spreadsLog(map.ys);
    map.xEdges = edgesOf(map.xs, panel.x.log);
    map.yEdges = edgesOf(map.ys, panel.y.log);
    panel.x.domain = [map.xEdges[0], map.xEdges[map.xs.length]];
    panel.y.domain = [map.yEdges[0], map.yEdges[map.ys.length]];
    paintCells(map, colours, log && array.ranked ? Math.abs : v => v);
    map.find = (px, py) => {
      const cell = cellAt(map, px, py);
      return cell ? {run: map.runs[cell.at], value: map.values[cell.at], at: cell.at} : null;
    };
    const crossings = crossingsOf(result, panel, x, y), searched = crossings.xs.length > 0;
    panel.lines = searched ? [crossings] : array.radius && state.file !== "ratio" ? [contourOf(map, {x: panel.x.log, y: panel.y.log})] : [];
    panel.lines.push(...(await refinedOf(result, panel, x, y)));
  }
  scene.legend = [{name: labelOf(result, array, scene.panels[0].signal) + ":", colour: "transparent"}].concat(colours.keys);
  if (missing > 0) notes.add(missing + " points have no value: runs that failed or were skipped");
  return scene;
}
