"use strict";
/* What can be chosen: metric, signal, axes, and a slider for every axis that is not drawn. */

function element(tag, attributes, ...children) {
  const e = document.createElement(tag);
  for (const key of Object.keys(attributes || {}))
    if (key.startsWith("on")) e.addEventListener(key.slice(2), attributes[key]);
    else if (attributes[key] !== undefined && attributes[key] !== false) e.setAttribute(key, attributes[key] === true ? "" : attributes[key]);
  e.append(...children);
  return e;
}

function set(changes) {
  Object.assign(state, changes);
  delete state.zoom;
  writeAddress();
  update();
}

/* `options`: [value, words]. */
function select(name, words, options, value, change) {
  const list = element("select", {name, "aria-label": words, onchange: e => change(e.target.value)}, ...options.map(([v, w]) => element("option", {value: v, selected: v === value}, w)));
  return element("label", {}, words, list);
}

function tick(name, words, value, change) {
  return element("label", {class: "tick"}, element("input", {type: "checkbox", name, checked: value, onchange: e => change(e.target.checked)}), words);
}

const titled = d => d.name + (d.unit && d.unit !== "1" ? " [" + d.unit + "]" : "");

/* A position, or what is made of all of them. */
function slider(d) {
  const place = placeOf(d), ways = ["at", "all"].concat(state.view === "curves" || state.view === "map" ? ["best", "median"] : []), fixed = typeof place === "number", key = "at." + d.name;
  const said = element("output", {}, fixed ? d.words[place] : {all: "all values", best: "the best of all", median: "the median of all"}[place]);
  const range = element("input", {type: "range", min: 0, max: d.shown - 1, step: 1, value: fixed ? place : 0, disabled: !fixed, "aria-label": d.name, "aria-valuetext": fixed ? d.words[place] : place,
    oninput: e => set({[key]: e.target.value})});
  const how = element("select", {"aria-label": "how " + d.name + " is taken", onchange: e => set({[key]: e.target.value === "at" ? "0" : e.target.value})},
    ...ways.map(v => element("option", {value: v, selected: fixed ? v === "at" : v === place}, v)));
  return element("fieldset", {class: "slider", "data-axis": d.name}, titled(d), element("span", {}), range, how, said);
}

/* The axes that the view draws, which have no slider. */
function drawnAxes(result) {
  const names = {curves: [courseOf(result).d.name, state.curve, state.panel], map: [state.x, state.y, state.panel], cost: [state.panel], runs: [], table: []}[state.view];
  return names.map(n => axisOf(result, n)).filter(Boolean);
}

function choices(result) {
  const list = [], view = state.view, metric = metricOf(result), axes = movedAxes(result);
  const named = (arrays, some) => arrays.filter(some || (() => true)).map(a => [a.name, a.label === a.name ? a.name : a.label + " (" + a.name + ")"]);
  const over = (some, none) => (none ? [["", none]] : []).concat(axes.filter(some).map(d => [d.name, titled(d)]));
  if (files.length > 1) list.push(select("file", "result", [["A", "A: " + files[0].name], ["B", "B: " + files[1].name], ["ratio", "B / A"]], state.file, file => set({file})));
  if (result.metrics.length > 0) list.push(select("metric", "metric", named(result.metrics), state.metric, m => set({metric: m, signal: undefined})));
  if (metric && metric.signals && state.panel !== "signal") {
    const words = i => (i === null ? "" : metric.signals.labels ? metric.signals.labels[i] : String(i)), all = view === "cost" ? [["", "the largest of all"]] : [];
    list.push(select("signal", metric.signals.name, all.concat(metric.signals.words.map((w, i) => [words(i), w])), words(view === "cost" ? costSignal(metric) : signalOf(metric)), s => set({signal: s})));
  }
  if (view === "cost") list.push(select("cost", "cost", named(result.metrics, a => a.count), state.cost, cost => set({cost})));
  if (view === "curves") list.push(select("x", "x", coursesOf(result).filter(c => c.d.shown > 1).map(c => [c.name, titled(c)]), state.x, x => set({x})));
  if (view === "map") list.push(select("x", "x", over(numeric), state.x, x => set({x})));
  if (view === "map") list.push(select("y", "y", over(numeric), state.y, y => set({y})));
  if (view === "curves") list.push(select("curve", "one curve per", over(d => d !== courseOf(result).d, "no axis"), state.curve, curve => set({curve})));
  if (view === "curves" || view === "map" || view === "cost") list.push(select("panel", "one panel per", [["", "no axis"]].concat(metric && metric.signals ? [["signal", metric.signals.name]] : [], over(d => d.shown <= 24 && d.name !== state.x)), state.panel, panel => set({panel})));
  if (view === "curves") list.push(tick("xlog", "x logarithmic", scaleIsLog("x", result), on => set({xlog: on ? "1" : "0"})));
  if (view !== "runs" && view !== "table") list.push(tick("ylog", view === "map" ? "colours logarithmic" : "y logarithmic", scaleIsLog("y", result), on => set({ylog: on ? "1" : "0"})));
  const drawn = drawnAxes(result);
  for (const d of axes) if (!drawn.includes(d)) list.push(slider(d));
  return list;
}

/* As the reader wants it, else as suits the numbers. */
function scaleIsLog(which, result) {
  const said = state[which + "log"];
  if (said !== undefined && said !== "") return said === "1";
  if (which === "y") return usualLog;
  const {values} = courseOf(result);
  return Boolean(values && spreadsLog(values.slice().sort((a, b) => a - b)));
}

/* Builds the choices anew, with the focus where it was. */
function showChoices(result) {
  const form = document.getElementById("choices"), active = document.activeElement;
  const mark = form.contains(active) ? active.tagName + "|" + (active.name || active.getAttribute("aria-label")) : "";
  form.replaceChildren(...choices(result));
  for (const e of form.querySelectorAll("select, input"))
    if (e.tagName + "|" + (e.name || e.getAttribute("aria-label")) === mark) e.focus();
}

function showViews(result) {
  document.getElementById("views").replaceChildren(...VIEWS.filter(v => ABLE[v](result)).map(v => element("button", {type: "button", role: "tab", "data-view": v, "aria-selected": String(state.view === v), onclick: () => {
    const pair = usualPair(result), x = usualX(result);
    set(v === "map" && state.view !== "map" ? {view: v, x: pair[0].name, y: pair[1].name} : v === "curves" && state.view === "map" ? {view: v, x: x ? x.name : ""} : {view: v});
  }}, v)));
}
