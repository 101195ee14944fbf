"use strict";
/* The view to take along: SVG, PNG, its numbers as CSV, and the command that draws it with gnuplot. */

function download(name, type, content) {
  const link = element("a", {href: URL.createObjectURL(new Blob([content], {type})), download: name});
  document.body.append(link);
  link.click();
  link.remove();
}
const stem = () => currentResult().name.replace(/\.h5$/, "") + "_" + state.view;

function savePng() {
  const scene = shown.scene, image = new Image();
  image.onload = () => {
    const canvas = element("canvas", {width: image.width * 2, height: image.height * 2}), context = canvas.getContext("2d");
    context.scale(2, 2);
    context.drawImage(image, 0, 0);
    canvas.toBlob(blob => download(stem() + ".png", "image/png", blob), "image/png");
  };
  image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(sceneAsSvg(scene));
}

const field = text => (/[",\n]/.test(text) ? '"' + String(text).replace(/"/g, '""') + '"' : String(text));

/* Numbers of what is drawn, a row for each point. */
function viewAsCsv(scene, result) {
  const rows = [];
  if (scene.table || scene.parallel) {
    const {columns, rows: runs} = scene.table || scene.parallel;
    rows.push(["run"].concat(columns.map(c => c.name)));
    for (const r of runs) rows.push([result.number(result.position(r.run))].concat(r.values.map((v, i) => (columns[i].words ? columns[i].words[v] : v))));
  } else {
    rows.push(["panel", "curve", "run", "x", "y", state.metric].slice(0, scene.panels.some(p => p.map) ? 6 : 5));
    for (const p of scene.panels) {
      if (p.map) p.map.values.forEach((v, at) => rows.push([p.title, "", p.map.runs[at] < 0 ? "" : result.number(result.position(p.map.runs[at])), p.map.xs[at % p.map.xs.length], p.map.ys[Math.floor(at / p.map.xs.length)], v]));
      else for (const l of p.lines) l.xs.forEach((x, i) => rows.push([p.title, l.words || (l.series ? l.series.words : ""), l.runs[i] < 0 ? "" : result.number(result.position(l.runs[i])), x, l.ys[i]]));
    }
  }
  return rows.map(r => r.map(field).join(",")).join("\n") + "\n";
}

const quoted = word => (/^[A-Za-z0-9_.,:=\/+-]+$/.test(word) ? word : "'" + word.replace(/'/g, "'\\''") + "'");

/* What plot draws from the same choices. */
function plotCommand(result) {
  const words = ["cosweep", "plot", result.name, "--kind", {curves: "lines", map: "map", cost: "cost"}[state.view], "--metric", state.metric], array = metricOf(result), drawn = drawnAxes(result);
  if (state.view === "cost") words.push("--x", state.cost);
  else words.push("--x", state.x);
  if (state.view === "map") words.push("--y", state.y);
  if (state.view === "curves" && state.curve) words.push("--curve", state.curve);
  if (state.panel) words.push("--panel", state.panel === "signal" && array.signals ? array.signals.name : state.panel);
  const signal = state.view === "cost" && array.signals ? costSignal(array) : signalOf(array);
  if (array.signals && state.panel !== "signal" && array.signals.labels && signal !== null) words.push("--signal", array.signals.labels[signal]);
  for (const d of movedAxes(result)) if (!drawn.includes(d) && typeof placeOf(d) === "number" && (state.view !== "cost" || d.role === "case" || state["at." + d.name] !== undefined)) words.push("--where", d.name + "=" + (d.labels ? d.labels[placeOf(d)] : d.values[placeOf(d)]));
  return words.map(quoted).join(" ");
}

function showTaking(scene, result) {
  const out = document.getElementById("taking"), parts = [], button = (words, act) => element("button", {type: "button", onclick: act}, words);
  if (scene.panels.length > 0) {
    parts.push(button("save SVG", () => download(stem() + ".svg", "image/svg+xml", sceneAsSvg(scene))), button("save PNG", savePng));
    if (state.file !== "ratio") parts.push(button("copy the plot command", e => copy(plotCommand(result), e.target)));
  }
  parts.push(button("save CSV", () => download(stem() + ".csv", "text/csv", viewAsCsv(scene, result))), button("copy the address", e => copy(location.href, e.target)));
  out.replaceChildren(...parts);
}
