"use strict";
/* What the pointer is at, and the run that a click pins. */

/* The settings of a run in words. */
function settingsOf(result, position) {
  return movedAxes(result).map(d => d.name + " " + (numeric(d) ? brief(d.values[position[d.number]]) + (d.unit && d.unit !== "1" ? " " + d.unit : "") : d.words[position[d.number]])).join(", ") || "the only run";
}

/* How far a point of a map is from the boundary along x, in words. */
function distanceWords(result, position) {
  const d = axisOf(result, state.x), array = d && result.find(d.name + "_crossings");
  if (state.view !== "map" || !array || !array.numbers || array.over.includes(d)) return "";
  const crossing = array.over.find(o => !o.role), at = position.slice(), here = d.values[position[d.number]];
  const values = d3.range(crossing.shown).map(c => {
    at[crossing.number] = c;
    return array.numbers[result.item(array, at)];
  }).filter(v => v === v);
  if (values.length === 0) return "";
  const next = values.reduce((a, b) => (Math.abs(b - here) < Math.abs(a - here) ? b : a));
  return "; stability changes at " + d.name + " " + brief(next) + ", " + brief(next / here) + " times this";
}

function read(panel, mouse) {
  const found = nearest(panel, mouse), out = document.getElementById("reading"), result = currentResult(), array = metricOf(result);
  shown.svg.selectAll("circle.near").remove();
  if (!found) {
    out.textContent = "";
    return;
  }
  const t = zoomOf(panel), value = panel.map ? found.value : found.line.ys[found.at], position = found.run >= 0 ? result.position(found.run) : null;
  const order = position && panel.signal !== undefined && !panel.map ? orderAt(result, shown.scene, position, panel.signal) : null;
  const signal = array.signals && panel.signal !== null && panel.signal !== undefined ? " of " + array.signals.words[panel.signal] : "";
  out.replaceChildren(element("b", {id: "value", "data-run": found.run}, whole(value)), " " + array.name + signal + (panel.x.label && found.line && found.line.words ? ", " + panel.x.label + " " + whole(found.line.xs[found.at]) : ""), element("br"),
    (position ? "run " + result.number(position) + ": " + settingsOf(result, position) : "no single run") + (found.line && found.line.words ? " (" + found.line.words + ")" : "") +
    (order && Number.isFinite(order.order) ? "; order " + order.order.toFixed(2) + (Number.isFinite(order.expected) ? ", in theory " + brief(order.expected) : "") : "") + (position ? distanceWords(result, position) : ""));
  if (!panel.map) shown.svg.append("circle").attr("class", "near").attr("cx", zoomX(panel, t, found.line.px[found.at])).attr("cy", zoomY(panel, t, found.line.py[found.at])).attr("r", 6).attr("fill", "none").attr("stroke", ink("ink")).attr("stroke-width", 1.5).attr("pointer-events", "none");
}

function readRow(scene, row) {
  const result = currentResult();
  if (!row) return;
  const i = scene.parallel.columns.findIndex(c => c.array);
  document.getElementById("reading").replaceChildren(element("b", {id: "value", "data-run": row.run}, i >= 0 ? whole(row.values[i]) : ""), " " + (i >= 0 ? scene.parallel.columns[i].name : ""), element("br"), "run " + result.number(result.position(row.run)) + ": " + settingsOf(result, result.position(row.run)));
}

/* ---- the pinned run ---------------------------------------------------------------------------------------------- */

function pinRun(run) {
  state.pin = String(run);
  writeAddress();
  showPin();
}

function unpin() {
  state.pin = "";
  writeAddress();
  showPin();
}

async function copy(text, button) {
  const area = element("textarea", {style: "position:fixed;opacity:0"});
  area.value = text;
  document.body.append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  button.textContent = done ? "copied" : "select it by hand";
}

/* All metrics of a run; lists of modes and events are left to the trace. */
function rowsOfRun(result, position) {
  const rows = [];
  for (const a of result.ofRuns)
    for (const s of a.signals ? d3.range(Math.min(a.signals.shown, 40)) : [null]) {
      const at = position.slice();
      if (a.signals) at[a.signals.number] = s;
      const value = a.numbers[result.item(a, at)], unit = result.unitOf(a, s);
      if (value === value) rows.push(element("tr", {"data-metric": a.name, "data-signal": s === null ? "" : a.signals.words[s]}, element("td", {title: a.long}, a.name + (s === null ? "" : " " + a.signals.words[s])), element("td", {}, a.flags ? a.flags.split(" ")[value] || String(value) : whole(value) + (unit ? " " + unit : ""))));
    }
  return rows;
}

async function showPin() {
  const aside = document.getElementById("pin"), result = currentResult(), run = Number(state.pin), pinned = state.pin !== undefined && state.pin !== "" && run >= 0 && run < result.runs;
  aside.hidden = !pinned;
  const changed = document.querySelector("main").classList.toggle("pinned", pinned);
  if (shown.scene && aside.dataset.wide !== String(changed)) {
    aside.dataset.wide = String(changed);
    showScene(shown.scene);
  }
  if (!pinned) return;
  await loadFor(result.ofRuns.map(a => a.name));
  const position = result.position(run), status = result.statuses[result.status.numbers[run]], number = result.number(position), command = result.trace ? result.trace + " --run " + number : "";
  const parts = [element("h2", {}, "Run " + number + " ", element("button", {type: "button", onclick: unpin, "aria-label": "close"}, "×")), element("p", {}, settingsOf(result, position)), element("p", {id: "pin-status"}, status.word + (status.reason ? ": " + status.reason : ""))];
  if (command) parts.push(element("p", {}, "Its time histories:"), element("pre", {id: "pin-command"}, command), element("button", {type: "button", onclick: e => copy(command, e.target)}, "copy"));
  parts.push(...(await tracesOf(result, number)), element("table", {}, ...rowsOfRun(result, position)));
  aside.replaceChildren(...parts);
  markPin();
}

/* A ring around the pinned run where it is drawn. */
function markPin() {
  if (!shown.scene || !shown.svg) return;
  shown.svg.selectAll("circle.pin").remove();
  if (state.pin === undefined || state.pin === "") return;
  const run = Number(state.pin);
  for (const panel of shown.scene.panels) {
    const t = zoomOf(panel), ring = (px, py) => shown.svg.append("circle").attr("class", "pin").attr("cx", zoomX(panel, t, px)).attr("cy", zoomY(panel, t, py)).attr("r", 7).attr("fill", "none").attr("stroke", ink("mark")).attr("stroke-width", 2.5).attr("pointer-events", "none");
    for (const line of panel.lines || []) {
      const i = line.runs ? line.runs.indexOf(run) : -1;
      if (i >= 0 && line.px[i] === line.px[i] && line.py[i] === line.py[i]) ring(line.px[i], line.py[i]);
    }
    const cell = panel.map ? panel.map.runs.indexOf(run) : -1;
    if (cell >= 0) ring(panel.x.scale(panel.map.xs[cell % panel.map.xs.length]), panel.y.scale(panel.map.ys[Math.floor(cell / panel.map.xs.length)]));
  }
}
