"use strict";
/* What is looked at: kept in the address behind #, so that a view can be sent to others. */

const VIEWS = ["curves", "map", "cost", "runs", "table"];

const state = {};

/* Axes with something to choose, of numbers, and those that a comparison varies. */
const movedAxes = result => result.axes.filter(d => d.shown > 1);
const numeric = d => Boolean(d.values) && !(d.columns && d.columns.length > 0);

/* What can run along x: axes, and the numbers that one changes together with others: {name, d, values, words, unit}. */
function coursesOf(result) {
  const list = [];
  for (const d of result.axes) {
    const columns = (d.columns || []).filter(c => c.values && new Set(c.values).size > 1);
    list.push({name: d.name, d, values: numeric(d) ? d.values : null, words: d.words, unit: d.unit, joined: true});
    for (const c of columns) list.push({name: d.name + "_" + c.name, d, values: c.values, words: null, unit: c.unit, joined: false});
  }
  return list;
}
function courseOf(result) {
  const list = coursesOf(result), x = usualX(result);
  return list.find(c => c.name === state.x) || list.find(c => c.d === x) || list[0];
}

/* The axis along which a metric is drawn at first: a step size or tolerance, else the longest one of numbers. */
function usualX(result) {
  const axes = movedAxes(result), steps = axes.filter(d => d.nature === "step" && numeric(d));
  const numbers = axes.filter(numeric);
  const longest = list => list.reduce((a, b) => (b.shown > a.shown ? b : a));
  return steps.length > 0 ? longest(steps) : numbers.length > 0 ? longest(numbers) : axes.length > 0 ? longest(axes) : result.axes[0] || null;
}

/* For maps: the two longest axes of numbers. */
function usualPair(result) {
  const numbers = movedAxes(result).filter(numeric).sort((a, b) => b.shown - a.shown);
  if (numbers.length < 2) return null;
  const [a, b] = numbers.slice(0, 2);
  return a.nature === "step" ? [b, a] : [a, b];
}

/* Whether the result has what a view shows. */
const ABLE = {
  curves: result => result.metrics.length > 0,
  map: result => result.metrics.length > 0 && usualPair(result) !== null,
  cost: result => result.metrics.some(a => a.count) && result.metrics.some(a => !a.count),
  runs: result => result.runs > 1,
  table: () => true
};

function usualState(result) {
  const kind = result.start.kind, pair = usualPair(result), x = usualX(result);
  const metric = result.metrics.find(a => a.name === result.start.metric) || result.metrics[0];
  const s = {view: [kind === "cost" ? "cost" : kind === "map" ? "map" : "curves", "curves", "table"].find(v => ABLE[v](result)), metric: metric ? metric.name : "", file: "A"};
  const cost = result.metrics.filter(a => a.cost > 0).sort((a, b) => a.cost - b.cost)[0];
  s.cost = cost ? cost.name : "";
  const moved = x && !numeric(x) ? coursesOf(result).find(c => c.d === x && c.values) : null;
  s.x = s.view === "map" ? pair[0].name : moved ? moved.name : x ? x.name : "";
  s.y = pair ? pair[1].name : "";
  const others = movedAxes(result).filter(d => d !== x || s.view === "map");
  const curve = others.filter(d => d.nature === "order").concat(others.filter(d => d.nature === "word"), others).filter(d => d.shown <= 12)[0];
  s.curve = s.view !== "map" && curve ? curve.name : "";
  s.panel = "";
  return s;
}

/* `at.AXIS`: a position, or all, best, median. */
function readAddress() {
  const s = {};
  for (const part of location.hash.slice(1).split("&")) {
    const equal = part.indexOf("=");
    if (equal > 0) s[decode(part.slice(0, equal))] = decode(part.slice(equal + 1));
  }
  return s;
}
function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch (wrong) {
    return "";
  }
}

function writeAddress() {
  const parts = Object.keys(state).filter(k => ((k === "curve" || k === "signal") && state[k] === "") || (state[k] !== "" && state[k] !== undefined)) /* no curve is a choice, and so is no signal */.map(k => encodeURIComponent(k) + "=" + encodeURIComponent(state[k]));
  try {
    history.replaceState(null, "", "#" + parts.join("&"));
  } catch (refused) {
    /* a page within another one, as in a notebook, has no address of its own */
  }
}

/* Takes what of an address fits the result. */
function takeState(result, given) {
  for (const key of Object.keys(state)) delete state[key];
  Object.assign(state, usualState(result));
  const axes = result.axes.map(d => d.name), metrics = result.metrics.map(a => a.name);
  const legal = {view: VIEWS.filter(v => ABLE[v](result)), metric: metrics, cost: metrics, x: coursesOf(result).map(c => c.name), y: axes, curve: axes.concat(""), panel: axes.concat("signal", ""), file: ["A", "B", "ratio"]};
  for (const key of Object.keys(given)) {
    const value = given[key], at = key.startsWith("at.") ? result.axes.find(d => d.name === key.slice(3)) : null;
    if (legal[key] ? legal[key].includes(value) : at ? ["all", "best", "median"].includes(value) || Number(value) < at.shown : !key.startsWith("at.")) state[key] = value;
  }
}

const metricOf = result => result.find(state.metric) || null;
const axisOf = (result, name) => result.axes.find(d => d.name === name) || null;

/* The position of the chosen signal; null: the metric has none. */
function signalOf(array) {
  if (!array || !array.signals) return null;
  const at = array.signals.labels ? array.signals.labels.indexOf(state.signal) : Number(state.signal);
  return at > 0 ? at : 0;
}

/* Problems of a sample, which a figure of costs shows all at once. */
const isSample = d => d.role === "case" && Boolean(d.columns) && d.columns.length > 0 && d.shown > COLOURS.length;

/* Where the slider of an axis is: a position, or a word. */
function placeOf(d) {
  const at = state["at." + d.name];
  const all = state.view === "runs" || state.view === "table" || (state.view === "cost" && d.role !== "case");
  if (at === undefined) return all || (state.view === "cost" && isSample(d)) ? "all" : 0;
  return /^[0-9]/.test(at) ? Math.min(Number(at), d.shown - 1) : all ? "all" : at;
}
