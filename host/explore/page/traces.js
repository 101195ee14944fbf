"use strict";
/* Time histories of the pinned run, where the page has them. */

const HISTORIES = ["y", "x", "u"];

/* The history of a signal as a small drawing: co-simulation, and the exact solution dashed. */
function drawHistory(part, array, exact, signal) {
  const d = array.signals, t = part.dimensions.find(o => o.name === "t").values, width = 290, height = 110, box = {left: 44, top: 16, width: width - 50, height: height - 34};
  const at = i => array.numbers[i * d.shown + signal], other = i => (exact ? exact.numbers[i * d.shown + signal] : NaN), ys = d3.range(t.length).flatMap(i => [at(i), other(i)]);
  const x = {log: false, domain: [t[0], t[t.length - 1]]}, y = {log: false, domain: ends(ys, false)}, sx = scaleOf(x, [box.left, box.left + box.width]), sy = scaleOf(y, [box.top + box.height, box.top]);
  const svg = d3.create("svg").attr("width", width).attr("height", height).attr("role", "img").attr("aria-label", d.words[signal] + " over time"), pen = new SvgPen(svg.append("g"));
  pen.line(t.map(v => sx(v)), t.map((_, i) => sy(at(i))), {colour: COLOURS[0], width: 1.3});
  if (exact) pen.line(t.map(v => sx(v)), t.map((_, i) => sy(other(i))), {colour: ink("dim"), width: 1, dash: [4, 3]});
  svg.append("g").attr("transform", "translate(0," + (box.top + box.height) + ")").call(d3.axisBottom(sx).ticks(4));
  svg.append("g").attr("transform", "translate(" + box.left + ",0)").call(d3.axisLeft(sy).ticks(3).tickFormat(brief));
  svg.append("text").attr("x", box.left).attr("y", 11).attr("font-size", 11).attr("fill", "currentColor").text(d.words[signal]);
  return svg.node();
}

async function tracesOf(result, number) {
  const part = result.traces.find(t => t.run === number), drawn = [];
  if (!part) return drawn;
  for (const name of HISTORIES) {
    const array = part.find(name), exact = part.find(name + "_exact");
    if (!array || !array.signals) continue;
    await part.load(array);
    await part.load(exact);
    for (let s = 0; s < Math.min(array.signals.shown, 12); s++) drawn.push(drawHistory(part, array, exact, s));
    break;
  }
  return drawn;
}
