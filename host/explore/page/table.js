"use strict";
/* Runs as a table, sorted by a column, within the ranges that were brushed. */

const MOST_ROWS = 300;

async function tableScene(result) {
  const columns = columnsOf(result), ranges = rangesOf();
  await loadFor(columns.filter(c => c.array).map(c => c.array.name));
  const key = Math.max(0, columns.findIndex(c => c.name === (state.sort || state.metric))), down = state.down === "1";
  const sizes = new Float64Array(result.runs), runs = new Float64Array(result.runs), valuesOf = position => columns.map(c => c.of(position));
  let total = 0;
  runsShown(result, (run, position) => {
    if (ranges.size > 0 && !within({values: valuesOf(position).map((v, i) => (columns[i].array && columns[i].array.ranked ? Math.abs(v) : v))}, columns, ranges)) return;
    const value = Math.abs(columns[key].of(position));
    sizes[total] = value === value ? (down ? -value : value) : Infinity;
    runs[total++] = run;
  });
  const last = sizes.slice(0, total).sort()[Math.min(MOST_ROWS, total) - 1], first = d3.range(total).filter(i => sizes[i] <= last);
  const rows = first.sort((a, b) => sizes[a] - sizes[b] || a - b).slice(0, MOST_ROWS).map(i => ({run: runs[i], values: valuesOf(result.position(runs[i]))}));
  return {table: {columns, rows, total, key, down}, panels: [], legend: [], notes: new Set(total > MOST_ROWS ? ["the first " + MOST_ROWS + " of " + total + " runs; sliders and ranges of the view runs choose"] : [])};
}

function showTable(scene, result) {
  const {columns, rows, key, down} = scene.table, drawing = document.getElementById("drawing");
  drawing.className = "scrolls";
  drawing.style.height = "";
  const head = element("tr", {}, element("th", {}, "run"), element("th", {}, "status"), ...columns.map((c, i) => element("th", {tabindex: 0, "aria-sort": i === key ? (down ? "descending" : "ascending") : "none",
    onclick: () => set({sort: c.name, down: i === key && !down ? "1" : ""}), onkeydown: e => e.key === "Enter" && set({sort: c.name, down: i === key && !down ? "1" : ""})}, c.label + (i === key ? (down ? " ▾" : " ▴") : ""))));
  const body = rows.map(r => element("tr", {"data-run": r.run, tabindex: 0, onclick: () => pinRun(r.run), onkeydown: e => e.key === "Enter" && pinRun(r.run)},
    element("td", {}, String(result.number(result.position(r.run)))), element("td", {}, result.statuses[result.status.numbers[r.run]].word),
    ...r.values.map((v, i) => element("td", {title: columns[i].words ? "" : whole(v)}, columns[i].words ? columns[i].words[v] : brief(v)))));
  drawing.replaceChildren(element("table", {}, element("thead", {}, head), element("tbody", {}, ...body)));
  shown.scene = null;
}
