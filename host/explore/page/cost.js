"use strict";
/* Error against cost: a line for each method, its runs that no other of its own beats; the best eight in colour, by the
 * rule of cs_rank_order (host/table/rank.h). */

/* A method is a choice of all that is no step size, tolerance or parameter: the first position of that to which a position
 * along an axis belongs. */
const methodOf = (d, i) => (d.role !== "combination" ? 0 : d.methods ? d.methods.indexOf(d.methods[i]) : i);

/* The runs of each bucket that no other of it is both cheaper and more accurate than, by cost: those of bucket b are
 * numbers start[b] to start[b + 1] - 1 of the other arrays. */
function frontsOf({bucket, cost, error, run}, buckets) {
  const fair = i => error[i] > 0 && cost[i] > 0, from = new Uint32Array(buckets + 1), start = new Uint32Array(buckets + 1);
  for (let i = 0; i < bucket.length; i++) if (fair(i)) from[bucket[i] + 1]++;
  for (let b = 0; b < buckets; b++) from[b + 1] += from[b];
  const order = new Uint32Array(from[buckets]), next = from.slice();
  for (let i = 0; i < bucket.length; i++) if (fair(i)) order[next[bucket[i]]++] = i;
  let kept = 0;
  for (let b = 0; b < buckets; b++) {
    const own = order.slice(from[b], from[b + 1]).sort((p, q) => cost[p] - cost[q] || error[p] - error[q] || run[p] - run[q]);
    let least = Infinity;
    for (const i of own) {
      if (error[i] >= least) continue;
      least = error[i];
      order[kept++] = i;
    }
    start[b + 1] = kept;
  }
  const take = list => order.subarray(0, kept).reduce((to, i, k) => ((to[k] = list[i]), to), new list.constructor(kept));
  return {start, bucket: take(bucket), cost: take(cost), error: take(error), run: take(run)};
}

/* Of points `front` and those from `k` to `end`, both by cost, those that no other beats. */
function mergeFronts({cost, error, run}, front, k, end) {
  const both = [];
  for (let i = 0; i < front.length || k < end; ) {
    const f = front[i], old = k === end || (i < front.length && (cost[f] - cost[k] || error[f] - error[k] || run[f] - run[k]) < 0), p = old ? f : k;
    if (old) i++;
    else k++;
    if (both.length === 0 || error[p] < error[both[both.length - 1]]) both.push(p);
  }
  return both;
}

/* The costs at which points from `k` to `end` reach the errors of a common front, divided by its costs; none where they do
 * not. */
function addRatios({cost, error}, front, k, end, ratios) {
  for (const p of front) {
    while (k < end && error[k] > error[p]) k++;
    if (k === end) break;
    ratios.push(cost[k] === cost[p] ? 1 : cost[k] / cost[p]);
  }
}

/* Best first: by points of the common fronts that are theirs, then by the median cost of reaching these, then by how
 * many they reach. */
function rankMethods(methods, cases, points) {
  const {start, bucket} = points, rows = methods.map(m => m.number * cases);
  const fronts = d3.range(cases).map(c => rows.reduce((front, row) => mergeFronts(points, front, start[row + c], start[row + c + 1]), []));
  const all = d3.sum(fronts, f => f.length), middle = Math.floor((all - 1) / 2);
  for (const front of fronts) for (const p of front) methods[Math.floor(bucket[p] / cases)].share++;
  for (const m of methods) {
    const ratios = [];
    fronts.forEach((front, c) => addRatios(points, front, start[rows[m.number] + c], start[rows[m.number] + c + 1], ratios));
    m.reached = ratios.length;
    m.dearer = all > 0 && middle < ratios.length ? Float64Array.from(ratios).sort()[middle] : Infinity;
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

/* At all positions along some axes, in their order, the sum of what each place adds to `from`. */
function sumsAlong(axes, from, add) {
  let sums = Uint32Array.of(from);
  for (const d of axes) {
    const more = new Uint32Array(sums.length * d.shown), added = d3.range(d.shown).map(i => add(d, i));
    let k = 0;
    for (const sum of sums) for (const a of added) more[k++] = sum + a;
    sums = more;
  }
  return sums;
}

/* Where the numbers of an array lie that belong to all positions along some axes, beginning at `position`. */
const itemsAlong = (result, array, axes, position) => sumsAlong(axes, result.item(array, position), (d, i) => i * result.stride(array, d.number));

/* What valueAt has at all of them, in size. */
function sizesAlong(result, array, axes, position) {
  const from = (file, a) => {
    const at = itemsAlong(file, file.status, axes, position), items = itemsAlong(file, a, axes, position), status = file.status.numbers, sizes = new Float64Array(at.length);
    for (let i = 0; i < at.length; i++) {
      const value = status[at[i]] === 0 ? Math.abs(a.numbers[items[i]]) : NaN;
      sizes[i] = value < Infinity ? value : NaN;
    }
    return sizes;
  };
  if (state.file !== "ratio" || files.length < 2) return from(result, array);
  const other = files[1].find(array.name), below = from(files[0], array), above = other ? from(files[1], other) : below.map(() => NaN);
  return above.map((v, i) => v / below[i]);
}

/* Errors of the runs: of one signal, or the largest of all. */
function errorsAlong(result, array, axes, position, signal) {
  const of = s => {
    if (array.signals) position[array.signals.number] = s;
    return sizesAlong(result, array, axes, position);
  };
  if (!array.signals || signal !== null) return of(signal);
  return d3.range(array.signals.shown).map(of).reduce((most, sizes) => most.map((v, i) => Math.max(v, sizes[i]))); /* NaN wins */
}

/* All methods, ranked over all problems, whichever is drawn: colours stay when a slider of a parameter moves. */
const lastContest = {key: "", contest: null};
function contestOf(result, array, cost) {
  const axes = movedAxes(result), key = JSON.stringify([state.file, array.name, cost.name, state.signal, state.panel, axes.filter(d => d.role !== "case").map(placeOf)]);
  if (lastContest.key === key) return lastContest.contest;
  const signals = state.panel === "signal" && array.signals ? d3.range(array.signals.shown) : [costSignal(array)];
  const problems = axes.filter(d => d.role === "case" || d.name === state.panel), walked = axes.filter(d => problems.includes(d) || placeOf(d) === "all");
  const varied = walked.filter(d => !problems.includes(d) && d.role === "combination"), position = startPosition(result);
  for (const d of walked) position[d.number] = 0;
  const steps = new Map(); /* what a place along an axis adds to the number of a bucket, a method's runs of a case */
  let cases = signals.length, count = 1, methods = [{at: position.slice()}];
  for (const d of problems.slice().reverse()) {
    const step = cases;
    steps.set(d, i => i * step);
    cases *= d.shown;
  }
  for (const d of varied.slice().reverse()) {
    const firsts = d3.range(d.shown).filter(i => methodOf(d, i) === i), step = count * cases;
    steps.set(d, i => firsts.indexOf(methodOf(d, i)) * step);
    count *= firsts.length;
    methods = firsts.flatMap(i => methods.map(m => ({at: m.at.map((p, n) => (n === d.number ? i : p))})));
  }
  methods.forEach((m, number) => Object.assign(m, {number, share: 0}));
  const run = itemsAlong(result, result.status, walked, position), paid = sizesAlong(result, cost, walked, position);
  const ofAll = (make, type) => joinLists(signals.map(make), type), points = frontsOf({
    bucket: ofAll((_, s) => sumsAlong(walked, s, (d, i) => (steps.has(d) ? steps.get(d)(i) : 0)), Uint32Array),
    error: ofAll(signal => errorsAlong(result, array, walked, position, signal), Float64Array),
    cost: ofAll(() => paid, Float64Array),
    run: ofAll(() => run, Uint32Array)
  }, count * cases);
  lastContest.key = key;
  return (lastContest.contest = {methods: rankMethods(methods, cases, points), cases, points, varied, problems, signals});
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

/* What a method's points have in some cases. */
function frontOf({points, cases: all}, m, cases, name) {
  const list = points[name], pieces = cases.map(c => list.subarray(points.start[m.number * all + c], points.start[m.number * all + c + 1]));
  return pieces.length === 1 ? pieces[0] : joinLists(pieces, list.constructor);
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

/* Settings of an axis that changes several: those that belong to the method and do something, "explicit",
 * "iterations 2". */
function methodSettings(d, m, best) {
  const own = d.columns.filter(c => !d.methods || (c.labels || c.values).every((v, i) => v === (c.labels || c.values)[d.methods.indexOf(d.methods[i])]));
  const at = n => n.at[d.number], differ = c => best.some(n => (c.labels || c.values)[at(n)] !== (c.labels || c.values)[at(best[0])]);
  const words = own.filter(c => c.labels), suffice = best.every(a => best.every(b => methodOf(d, at(a)) === methodOf(d, at(b)) || words.some(c => c.labels[at(a)] !== c.labels[at(b)])));
  return own.filter(c => differ(c) && (c.labels || !suffice) && !(c.idle && c.idle[at(m)])).map(c => (c.labels ? c.labels[at(m)] : c.name + " " + brief(c.values[at(m)])));
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
  const contest = contestOf(result, array, cost), best = contest.methods.slice(0, most), scene = {panels: [], legend: [], notes}, others = ink("grey");
  for (const part of partsOf(result, array, state.panel)) {
    const signal = state.panel === "signal" && array.signals ? part.i : costSignal(array), cases = casesOf(contest, part, signal);
    const mixed = cases.length > 1; /* points of many problems, of each those that no other beats */
    const line = (m, at) => {
      const grey = at >= most, [xs, ys, runs] = ["cost", "error", "run"].map(name => frontOf(contest, m, cases, name));
      return {xs, ys, runs, joined: !mixed, dot: grey ? (mixed ? 1.6 : 0) : mixed ? (xs.length > MANY ? 1.6 : 4) : 5, colour: grey ? others : COLOURS[at], width: grey ? 1 : 1.8, method: m, get words() { return nameOf(contest, m); }};
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
  const limit = ys.reduce((most, y) => Math.max(most, y), 0) / 900, place = Math.floor(0.9 * (ys.length - 1));
  if (!log || ys.reduce((n, y) => n + (y < limit), 0) <= place) return ys;
  const far = 30 * ys.slice().sort()[place];
  notes.add("the largest values are above the axis and not shown");
  return ys.map(y => Math.min(y, far));
}

function finishCost(scene) {
  const [xs, ys] = ["xs", "ys"].map(name => joinLists(scene.panels.flatMap(p => p.lines.map(l => l[name])), Float64Array));
  usualLog = ys.length > 0;
  const log = state.ylog ? state.ylog === "1" : usualLog, x = {log: state.xlog ? state.xlog === "1" : xs.length > 0}, y = {log};
  x.domain = ends(xs, x.log);
  y.domain = ends(withoutFar(ys, log, scene.notes), log);
  for (const panel of scene.panels) {
    Object.assign(panel.x, x);
    Object.assign(panel.y, y);
  }
}
