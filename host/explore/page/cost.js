"use strict";
/* Error against cost: a line for each method, its runs that no other of its own beats; the best eight in colour, by the
 * rule of cs_rank_order (host/core/rank.h). */

/* A method is a choice of all that is no step size, tolerance or parameter: which one a position along an axis belongs to. */
const methodOf = (d, i) => (d.role !== "combination" ? 0 : d.methods ? d.methods[i] : i);

/* Runs that no other is both cheaper and more accurate than, by cost. */
function envelope(points) {
  points.sort((a, b) => a.cost - b.cost || a.error - b.error || a.run - b.run);
  const front = [];
  for (const p of points) if (front.length === 0 || p.error < front[front.length - 1].error) front.push(p);
  return front;
}

/* The costs at which `own` reaches the errors of a common front, divided by its costs; none where it does not. */
function ratiosOf(front, own) {
  const ratios = [];
  let k = 0;
  for (const p of front) {
    while (k < own.length && own[k].error > p.error) k++;
    if (k === own.length) break;
    ratios.push(own[k].cost === p.cost ? 1 : own[k].cost / p.cost);
  }
  return ratios;
}

/* Best first: by points of the common fronts that are theirs, then by the median cost of reaching these, then by how
 * many they reach. */
function rankMethods(methods, cases) {
  const fronts = d3.range(cases).map(c => envelope(methods.flatMap(m => m.fronts[c]))), points = d3.sum(fronts, f => f.length);
  for (const m of methods) m.share = 0;
  for (const front of fronts) for (const p of front) p.method.share++;
  for (const m of methods) {
    const ratios = fronts.flatMap((front, c) => ratiosOf(front, m.fronts[c])).sort((a, b) => a - b), middle = Math.floor((points - 1) / 2);
    m.reached = ratios.length;
    m.dearer = points > 0 && middle < ratios.length ? ratios[middle] : Infinity;
  }
  return methods.sort((a, b) => b.share - a.share || (a.dearer === b.dearer ? 0 : a.dearer - b.dearer) || b.reached - a.reached || a.number - b.number);
}

/* The number of the signal whose errors are drawn; null: the largest of all count. */
function costSignal(array) {
  if (!array.signals) return null;
  if (array.signals.shown === 1) return 0;
  if (state.signal === "") return null;
  const at = array.signals.labels ? array.signals.labels.indexOf(state.signal === undefined ? array.usual_signal : state.signal) : -1;
  return at < 0 ? null : at;
}

/* The error of a run: of one signal, or the largest of all. */
function errorOf(result, array, position, signal) {
  let error = NaN;
  for (const s of signal === null && array.signals ? d3.range(array.signals.shown) : [signal]) {
    if (array.signals) position[array.signals.number] = s;
    const value = Math.abs(valueAt(result, array, position));
    if (!(value <= error)) error = value;
    if (value !== value) return NaN;
  }
  return error;
}

/* All methods, ranked over all problems, whichever is drawn: colours stay when a slider of a parameter moves. */
const lastContest = {key: "", contest: null};
function contestOf(result, array, cost) {
  const axes = movedAxes(result), key = JSON.stringify([state.file, array.name, cost.name, state.signal, state.panel, axes.filter(d => d.role !== "case").map(placeOf)]);
  if (lastContest.key === key) return lastContest.contest;
  const signals = state.panel === "signal" && array.signals ? d3.range(array.signals.shown) : [costSignal(array)];
  const problems = axes.filter(d => d.role === "case" || d.name === state.panel), walked = axes.filter(d => problems.includes(d) || placeOf(d) === "all");
  const varied = walked.filter(d => !problems.includes(d) && d.role === "combination"), position = startPosition(result), methods = new Map();
  const cases = problems.reduce((n, d) => n * d.shown, signals.length);
  every(walked, position, () => {
    const name = varied.map(d => methodOf(d, position[d.number])).join(), paid = valueAt(result, cost, position);
    if (!methods.has(name)) methods.set(name, {number: 0, at: position.slice(), fronts: d3.range(cases).map(() => [])});
    const method = methods.get(name), start = problems.reduce((n, d) => n * d.shown + position[d.number], 0) * signals.length;
    signals.forEach((signal, s) => {
      const error = errorOf(result, array, position, signal);
      if (error > 0 && paid > 0) method.fronts[start + s].push({cost: paid, error, run: result.index(position), method});
    });
  });
  const list = Array.from(methods.values()), places = list.map(m => varied.map(d => d.methods ? d.methods.indexOf(methodOf(d, m.at[d.number])) : m.at[d.number]));
  const order = d3.range(list.length).sort((a, b) => places[a].reduce((less, v, i) => less || v - places[b][i], 0));
  order.forEach((i, number) => (list[i].number = number));
  for (const m of list) m.fronts = m.fronts.map(envelope);
  lastContest.key = key;
  return (lastContest.contest = {methods: rankMethods(list, cases), varied, problems, signals});
}

/* The cases of a panel: one, or all along the axes that are not at one place. */
function casesOf(contest, part, signal) {
  let list = [0];
  for (const d of contest.problems) {
    const place = part.d === d ? part.i : placeOf(d), range = typeof place === "number" ? [place] : d3.range(d.shown);
    list = list.flatMap(c => range.map(i => c * d.shown + i));
  }
  return list.map(c => c * contest.signals.length + contest.signals.indexOf(signal));
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

/* Settings of an axis that changes several: those that belong to the method, "explicit", "iterations 2". */
function methodSettings(d, m, best) {
  const own = d.columns.filter(c => !d.methods || (c.labels || c.values).every((v, i) => v === (c.labels || c.values)[d.methods.indexOf(d.methods[i])]));
  const at = n => n.at[d.number], differ = c => best.some(n => (c.labels || c.values)[at(n)] !== (c.labels || c.values)[at(best[0])]);
  const words = own.filter(c => c.labels), suffice = best.every(a => best.every(b => methodOf(d, at(a)) === methodOf(d, at(b)) || words.some(c => c.labels[at(a)] !== c.labels[at(b)])));
  return own.filter(c => differ(c) && (c.labels || !suffice)).map(c => (c.labels ? c.labels[at(m)] : c.name + " " + brief(c.values[at(m)])));
}

const valueWords = (d, i) => (d.labels ? d.words[i] : d.nature === "order" ? d.name + " " + d.words[i] : d.name + " = " + d.words[i] + (d.unit && d.unit !== "1" ? " " + d.unit : ""));

/* What tells a method from the others in colour. */
function distinction(contest, m, best) {
  const differ = contest.varied.filter(d => best.some(n => methodOf(d, n.at[d.number]) !== methodOf(d, best[0].at[d.number])));
  return differ.flatMap(d => (d.columns && d.columns.length > 0 ? methodSettings(d, m, best) : [valueWords(d, m.at[d.number])])).join(", ") || "runs";
}

/* All of its settings. */
const nameOf = (contest, m) => contest.varied.map(d => (d.columns && d.columns.length > 0 ? d.words[m.at[d.number]] : valueWords(d, m.at[d.number]))).join(", ") || "all runs";

/* ---- the scene --------------------------------------------------------------------------------------------------- */

async function costScene(result) {
  const array = metricOf(result), counts = result.metrics.filter(a => a.count), cost = counts.find(a => a.name === state.cost) || counts[0], notes = new Set(), most = COLOURS.length;
  await loadFor([array.name, cost.name]);
  const contest = contestOf(result, array, cost), best = contest.methods.slice(0, most), scene = {panels: [], legend: [], notes};
  for (const part of partsOf(result, array, state.panel)) {
    const signal = state.panel === "signal" && array.signals ? part.i : costSignal(array), cases = casesOf(contest, part, signal);
    const mixed = cases.length > 1, front = m => cases.flatMap(c => m.fronts[c]); /* of many problems points, of each those that no other beats */
    const line = (m, at) => {
      const f = front(m), grey = at >= most;
      return {xs: f.map(q => q.cost), ys: f.map(q => q.error), runs: f.map(q => q.run), joined: !mixed, dot: grey ? (mixed ? 1.6 : 0) : mixed ? (f.length > MANY ? 1.6 : 4) : 5, colour: grey ? ink("grey") : COLOURS[at], width: grey ? 1 : 1.8, words: nameOf(contest, m), method: m};
    };
    const unit = array.signals && signal === null ? "largest " : "", of = array.signals && signal !== null && state.panel !== "signal" && array.signals.shown > 1 ? " of " + array.signals.words[signal] : "";
    scene.panels.push({title: part.words, lines: contest.methods.map(line).reverse(), signal,
      x: {label: cost.label, log: true, whole: true}, y: {label: unit + labelOf(result, array, signal).replace(/( \[[^\]]*\])?$/, of + "$1")}});
  }
  const end = m => d3.min(scene.panels[0].lines.find(l => l.method === m).ys) || 0;
  scene.legend = best.map((m, i) => ({name: distinction(contest, m, best), colour: COLOURS[i], end: end(m)})).sort((a, b) => b.end - a.end);
  const grey = contest.methods.length - best.length, problems = contest.problems.filter(d => d.name !== state.panel).map(d => d.name).join(", ");
  if (grey > 0) notes.add(best.length + " of " + contest.methods.length + " methods are in colour, those with most of the runs that no other beats" + (problems ? " at all values of " + problems : ""));
  if (array.signals && state.panel !== "signal" && costSignal(array) === null) notes.add("of all " + array.signals.name + "s the largest error counts");
  finishCost(scene);
  return scene;
}

/* Errors without those that lie far above nine tenths of all, which would compress the lines: as `bound` in
 * host/figure/figure_pieces.c. */
function withoutFar(ys, log, notes) {
  const sorted = ys.slice().sort((a, b) => a - b), far = 30 * sorted[Math.floor(0.9 * (sorted.length - 1))];
  if (!log || !(d3.max(ys) > 30 * far)) return ys;
  notes.add("the largest values lie beyond the axis");
  return ys.filter(y => y <= far).concat(far);
}

function finishCost(scene) {
  const xs = scene.panels.flatMap(p => p.lines.flatMap(l => l.xs)), ys = scene.panels.flatMap(p => p.lines.flatMap(l => l.ys));
  usualLog = d3.min(ys) > 0 || ys.some(v => v > 0);
  const log = state.ylog ? state.ylog === "1" : usualLog;
  for (const panel of scene.panels) {
    panel.x.log = state.xlog ? state.xlog === "1" : d3.min(xs) > 0;
    panel.x.domain = ends(xs, panel.x.log);
    panel.y.log = log;
    panel.y.domain = ends(withoutFar(ys, log, scene.notes), log);
  }
}
