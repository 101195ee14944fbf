"use strict";
/* The page begins: results, choices from the address, the first drawing. */

const files = [];
let turn = 0;

function fail(wrong) {
  const out = document.getElementById("failure");
  out.hidden = false;
  out.textContent = "The page cannot go on: " + (wrong && wrong.message ? wrong.message : wrong);
}

/* The scene of the chosen view; of a choice made meanwhile the later one counts. */
async function update() {
  const mine = ++turn, result = currentResult(), make = {curves: curvesScene, map: mapScene, cost: costScene, runs: runsScene, table: tableScene}[state.view];
  try {
    const scene = await make(result);
    if (mine !== turn) return;
    if (result.linearised) scene.notes.add("linearised " + result.linearised);
    if (scene.parallel) showParallel(scene);
    else if (scene.table) showTable(scene, result);
    else showScene(scene);
    if (!scene.parallel) document.getElementById("reading").textContent = scene.panels.length > 0 ? "point at a curve or a cell to read it; click to pin the run" : "";
    document.getElementById("legend").replaceChildren(...scene.legend.map(e => element("li", {}, element("i", {style: "background:" + e.colour}), e.name)));
    document.getElementById("notes").textContent = Array.from(scene.notes).join("; ");
    showChoices(result);
    showViews(result);
    showTaking(scene, result);
    await showPin();
    document.body.dataset.drawn = String(mine);
    page.scene = scene;
  } catch (wrong) {
    console.error(wrong);
    fail(wrong);
  }
}

/* For tests, and for readers who open the console. */
const page = {files, state, nearest, shown, scene: null, sceneAsSvg, viewAsCsv, plotCommand};

/* The arrow keys on the drawing go from point to point, Enter pins, Escape unpins. */
function keys(event) {
  const scene = shown.scene, steps = {ArrowRight: 1, ArrowLeft: -1, ArrowUp: 0, ArrowDown: 0}[event.key];
  if (event.key === "Escape") unpin();
  if (!scene || scene.panels.length === 0 || (steps === undefined && event.key !== "Enter")) return;
  event.preventDefault();
  const panel = scene.panels[0], lines = (panel.lines || []).filter(l => l.runs), at = (keys.at = keys.at || {line: 0, i: 0});
  if (panel.map || lines.length === 0) return;
  if (event.key === "ArrowUp" || event.key === "ArrowDown") at.line = (at.line + (event.key === "ArrowUp" ? 1 : lines.length - 1)) % lines.length;
  const line = lines[Math.min(at.line, lines.length - 1)];
  at.i = Math.max(0, Math.min(line.xs.length - 1, at.i + (steps || 0)));
  const t = zoomOf(panel);
  if (event.key === "Enter" && line.runs[at.i] >= 0) pinRun(line.runs[at.i]);
  else read(panel, [zoomX(panel, t, line.px[at.i]), zoomY(panel, t, line.py[at.i])]);
}

function begin() {
  if (typeof DecompressionStream === "undefined") return fail("this browser has no DecompressionStream; Chromium 80, Firefox 113, Safari 16.4 and later have it");
  for (const head of JSON.parse(document.getElementById("head").textContent).files) files.push(new Result(head));
  const result = files[0];
  const short = result.title !== "" && result.title.length <= 120;
  document.getElementById("title").textContent = short ? result.title : result.name;
  document.getElementById("about").textContent = (short || result.title === "" ? "" : result.title + " \u2013 ") + files.map(f => f.name).join(" and ") + ": " + result.runs + (result.runs === 1 ? " run" : " runs") + (movedAxes(result).length > 0 ? " over " + movedAxes(result).map(d => d.name).join(", ") : "");
  takeState(result, readAddress());
  document.getElementById("controls").open = window.innerWidth > 700;
  document.getElementById("drawing").addEventListener("keydown", keys);
  window.addEventListener("hashchange", () => {
    takeState(result, readAddress());
    update();
  });
  let width = window.innerWidth;
  window.addEventListener("resize", () => {
    if (window.innerWidth !== width) update();
    width = window.innerWidth;
  });
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", update);
  update();
}

begin();
