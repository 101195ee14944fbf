"use strict";
/* A scene on a canvas or as SVG. A scene has panels; a panel has axes, lines, dots, rules, or a map. Coordinates of lines
 * are numbers of the axes; `runs` say which run of the page each point is, -1 for none. */

const MARGIN = {left: 62, right: 14, top: 24, bottom: 44};
const MANY = 3000; /* dots that are drawn one by one */
const COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#8a6d00", "#56b4e9", "#d6224a", "#7a3db8"];
const ink = name => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();

/* ---- scales ------------------------------------------------------------------------------------------------------ */

/* The ends of an axis, with some room. */
function ends(values, log) {
  let least = Infinity, most = -Infinity;
  for (const v of values)
    if (Number.isFinite(v) && (!log || v > 0)) {
      if (v < least) least = v;
      if (v > most) most = v;
    }
  if (!(least <= most)) return log ? [0.1, 1] : [0, 1];
  if (log) return least === most ? [least / 2, most * 2] : [least / (most / least) ** 0.04, most * (most / least) ** 0.04];
  const room = least === most ? Math.abs(least) * 0.1 || 1 : (most - least) * 0.04;
  return [least - room, most + room];
}

function scaleOf(axis, range) {
  return (axis.log ? d3.scaleLog() : d3.scaleLinear()).domain(axis.domain).range(range);
}

function axisOn(make, scale, axis, room) {
  const ticks = Math.max(2, Math.floor(room / 75)), drawn = make(scale).ticks(ticks).tickSizeOuter(0);
  if (axis.marks && axis.marks.length <= ticks) return drawn.tickValues(axis.marks).tickFormat(brief);
  if (axis.words) {
    const [a, b] = scale.domain(), seen = d3.range(axis.words.length).filter(i => i >= a && i <= b);
    const nth = Math.max(1, Math.ceil(seen.length / Math.max(2, room / 60)));
    return drawn.tickValues(seen.filter((_, i) => i % nth === 0)).tickFormat(i => shorten(axis.words[i], 14));
  }
  if (!axis.log) return axis.whole ? drawn.tickValues(scale.ticks(ticks).filter(Number.isInteger)).tickFormat(brief) : drawn.tickFormat(brief);
  const [a, b] = scale.domain(), decades = Math.log10(b / a);
  const nth = Math.ceil(decades / ticks);
  const powers = d3.range(Math.ceil(Math.log10(a) - 1e-9), Math.floor(Math.log10(b) + 1e-9) + 1).filter(p => p % nth === 0);
  if (decades < 1 || powers.length < 2) return drawn.tickValues(d3.scaleLinear().domain([a, b]).ticks(ticks).filter(v => !axis.whole || Number.isInteger(v))).tickFormat(brief);
  return drawn.tickValues(powers.map(p => Number("1e" + p))).tickFormat(v => (Math.abs(Math.log10(v)) < 4 ? brief(v) : "10" + raised(Math.round(Math.log10(v)))));
}
const raised = n => String(n).replace(/./g, c => ({"-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹"}[c]));
const shorten = (text, most) => (text.length > most ? text.slice(0, most - 1) + "…" : text);

/* A colour as a pixel of a picture. */
function pixelOf(colour) {
  const c = d3.rgb(colour);
  return ((255 << 24) | (Math.round(c.b) << 16) | (Math.round(c.g) << 8) | Math.round(c.r)) >>> 0;
}

/* ---- pens -------------------------------------------------------------------------------------------------------- */

class CanvasPen {
  constructor(context) {
    this.c = context;
  }
  clip(box, draw) {
    this.c.save();
    this.c.beginPath();
    this.c.rect(box.left, box.top, box.width, box.height);
    this.c.clip();
    draw();
    this.c.restore();
  }
  /* NaN ends a piece. */
  line(xs, ys, style) {
    const c = this.c;
    c.beginPath();
    let joined = false;
    for (let i = 0; i < xs.length; i++) {
      if (xs[i] !== xs[i] || ys[i] !== ys[i]) joined = false;
      else if (joined) c.lineTo(xs[i], ys[i]);
      else {
        c.moveTo(xs[i], ys[i]);
        joined = true;
      }
    }
    c.strokeStyle = style.colour;
    c.globalAlpha = style.alpha || 1;
    c.lineWidth = style.width || 1.5;
    c.setLineDash(style.dash || []);
    c.stroke();
    c.setLineDash([]);
    c.globalAlpha = 1;
  }
  dots(xs, ys, size, style) {
    if (xs.length > MANY) return this.cloud(xs, ys, size, style);
    this.c.fillStyle = style.colour;
    this.c.globalAlpha = style.alpha || 1;
    for (let i = 0; i < xs.length; i++) if (xs[i] === xs[i] && ys[i] === ys[i]) this.c.fillRect(xs[i] - size / 2, ys[i] - size / 2, size, size);
    this.c.globalAlpha = 1;
  }
  /* Dots pixel by pixel. */
  cloud(xs, ys, size, style) {
    const {width, height} = this.c.canvas, ratio = window.devicePixelRatio || 1, n = Math.max(1, Math.round(size * ratio)), picture = element("canvas", {width, height});
    const context = picture.getContext("2d"), image = context.createImageData(width, height), to = new Uint32Array(image.data.buffer), pixel = pixelOf(style.colour);
    for (let i = 0; i < xs.length; i++) {
      const x = Math.round(xs[i] * ratio - n / 2), y = Math.round(ys[i] * ratio - n / 2);
      if (!(x >= 0 && y >= 0 && x + n < width && y + n < height)) continue;
      for (let q = 0; q < n; q++) for (let p = 0; p < n; p++) to[(y + q) * width + x + p] = pixel;
    }
    context.putImageData(image, 0, 0);
    this.c.globalAlpha = style.alpha || 1;
    this.c.drawImage(picture, 0, 0, width / ratio, height / ratio);
    this.c.globalAlpha = 1;
  }
  picture(canvas, box) {
    this.c.drawImage(canvas, box.left, box.top, box.width, box.height);
  }
}

class SvgPen {
  constructor(group) {
    this.g = group;
  }
  clip(box, draw) {
    const name = "clip" + ++SvgPen.clips, outer = this.g;
    outer.append("clipPath").attr("id", name).append("rect").attr("x", box.left).attr("y", box.top).attr("width", box.width).attr("height", box.height);
    this.g = outer.append("g").attr("clip-path", "url(#" + name + ")");
    draw();
    this.g = outer;
  }
  line(xs, ys, style) {
    const path = d3.line().defined((_, i) => xs[i] === xs[i] && ys[i] === ys[i]).x((_, i) => xs[i].toFixed(2)).y((_, i) => ys[i].toFixed(2));
    this.g.append("path").attr("d", path(xs)).attr("fill", "none").attr("stroke", style.colour).attr("stroke-width", style.width || 1.5).attr("stroke-opacity", style.alpha || 1).attr("stroke-dasharray", (style.dash || []).join(" ") || null);
  }
  dots(xs, ys, size, style) {
    let d = "";
    for (let i = 0; i < xs.length; i++) if (xs[i] === xs[i] && ys[i] === ys[i]) d += "M" + (xs[i] - size / 2).toFixed(2) + " " + (ys[i] - size / 2).toFixed(2) + "h" + size + "v" + size + "h-" + size + "z";
    this.g.append("path").attr("d", d).attr("fill", style.colour).attr("fill-opacity", style.alpha || 1);
  }
  picture(canvas, box) {
    this.g.append("image").attr("x", box.left).attr("y", box.top).attr("width", box.width).attr("height", box.height).attr("preserveAspectRatio", "none").attr("href", canvas.toDataURL());
  }
}
SvgPen.clips = 0;

/* ---- places ------------------------------------------------------------------------------------------------------ */

/* Boxes of the panels in a drawing of some width. */
function placePanels(count, width, height) {
  const across = Math.max(1, Math.min(count, Math.floor(width / 300))), rows = Math.ceil(count / across);
  const w = width / across, h = count === 1 ? height : Math.max(230, Math.min(w * 0.75, 340));
  return {height: rows * h, boxes: d3.range(count).map(i => ({left: (i % across) * w + MARGIN.left, top: Math.floor(i / across) * h + MARGIN.top, width: w - MARGIN.left - MARGIN.right, height: h - MARGIN.top - MARGIN.bottom}))};
}

/* Pixels of numbers along an axis. */
function pixelsOf(axis, values) {
  const of = axis.log ? v => (v > 0 ? Math.log(v) : NaN) : Number, [a, b] = axis.domain.map(of), [p, q] = axis.scale.range(), pixels = new Float64Array(values.length);
  for (let i = 0; i < pixels.length; i++) pixels[i] = p + ((of(values[i]) - a) / (b - a)) * (q - p);
  return pixels;
}

/* Pixels of all points before zooming. */
function placePoints(panel, box) {
  panel.box = box;
  panel.x.scale = scaleOf(panel.x, [box.left, box.left + box.width]);
  panel.y.scale = scaleOf(panel.y, [box.top + box.height, box.top]);
  for (const line of panel.lines || []) {
    line.px = pixelsOf(panel.x, line.xs);
    line.py = pixelsOf(panel.y, line.ys);
  }
}

/* The transform of the zoom, in pixels of a panel. */
function zoomOf(panel) {
  const [k, x, y] = String(state.zoom || "1,0,0").split(",").map(Number), box = panel.box;
  return Number.isFinite(k + x + y) && k >= 1 ? {k, x: x * box.width, y: y * box.height} : {k: 1, x: 0, y: 0};
}
const zoomX = (panel, t, px) => (px - panel.box.left) * t.k + t.x + panel.box.left;
const zoomY = (panel, t, py) => (py - panel.box.top) * t.k + t.y + panel.box.top;

/* A scale as it is zoomed. */
function zoomedScale(panel, t, which) {
  const scale = panel[which].scale, box = panel.box, sides = which === "x" ? [box.left, box.left + box.width] : [box.top + box.height, box.top];
  const start = which === "x" ? box.left : box.top, shift = which === "x" ? t.x : t.y;
  return scale.copy().domain(sides.map(p => scale.invert((p - start - shift) / t.k + start)));
}

/* ---- drawing ----------------------------------------------------------------------------------------------------- */

/* Lines behind each other that look the same, to be drawn at once; not where they shine through each other. */
function alikeLines(lines) {
  const groups = [], look = l => [l.colour, l.width, l.dash, l.dot, l.joined].join();
  for (const line of lines) {
    const last = groups[groups.length - 1];
    if (last && (line.alpha || 1) === 1 && (last[0].alpha || 1) === 1 && look(last[0]) === look(line)) last.push(line);
    else groups.push([line]);
  }
  return groups;
}

/* Of lines the pixels `name`, shifted and stretched, with a gap behind each. */
function pixelsAlong(lines, name, place) {
  const pixels = new Float64Array(lines.reduce((n, l) => n + l[name].length + 1, 0)).fill(NaN);
  let k = 0;
  for (const line of lines) {
    for (const p of line[name]) pixels[k++] = place(p);
    k++;
  }
  return pixels;
}

function drawPanel(pen, panel) {
  const t = zoomOf(panel), box = panel.box;
  pen.clip(box, () => {
    if (panel.map) pen.picture(paintMap(panel, zoomedScale(panel, t, "x"), zoomedScale(panel, t, "y"), box), box);
    for (const rule of panel.rules || []) {
      const y = zoomY(panel, t, panel.y.scale(rule));
      pen.line([box.left, box.left + box.width], [y, y], {colour: ink("dim"), width: 1, dash: [4, 3]});
    }
    for (const lines of alikeLines(panel.lines || [])) {
      const xs = pixelsAlong(lines, "px", v => zoomX(panel, t, v)), ys = pixelsAlong(lines, "py", v => zoomY(panel, t, v)), look = lines[0];
      if (look.joined) pen.line(xs, ys, look);
      if (look.dot) pen.dots(xs, ys, look.dot, look);
    }
  });
}

/* Axes, labels and titles of all panels. */
function drawFrames(svg, scene) {
  svg.selectAll("g.frame").remove();
  for (const panel of scene.panels) {
    const t = zoomOf(panel), box = panel.box, g = svg.append("g").attr("class", "frame");
    g.append("g").attr("transform", "translate(0," + (box.top + box.height) + ")").call(axisOn(d3.axisBottom, zoomedScale(panel, t, "x"), panel.x, box.width));
    g.append("g").attr("transform", "translate(" + box.left + ",0)").call(axisOn(d3.axisLeft, zoomedScale(panel, t, "y"), panel.y, box.height));
    g.append("text").attr("x", box.left + box.width / 2).attr("y", box.top + box.height + 36).attr("text-anchor", "middle").text(shorten(panel.x.label, Math.floor(box.width / 6)));
    g.append("text").attr("transform", "translate(" + (box.left - 48) + "," + (box.top + box.height / 2) + ") rotate(-90)").attr("text-anchor", "middle").text(shorten(panel.y.label, Math.floor(box.height / 6)));
    g.append("text").attr("x", box.left).attr("y", box.top - 8).text(shorten(panel.title || "", Math.floor(box.width / 6)));
  }
}

/* ---- on the page ------------------------------------------------------------------------------------------------- */

const shown = {scene: null, canvas: null, svg: null};

function showScene(scene) {
  const drawing = document.getElementById("drawing"), width = Math.max(260, drawing.clientWidth);
  const height = Math.round(Math.min(Math.max(width * 0.62, 280), Math.max(320, window.innerHeight * 0.68)));
  const places = placePanels(scene.panels.length, width, height), ratio = window.devicePixelRatio || 1;
  scene.width = width;
  scene.height = places.height;
  drawing.className = "";
  drawing.style.height = places.height + "px";
  const canvas = element("canvas", {width: Math.round(width * ratio), height: Math.round(places.height * ratio), style: "width:" + width + "px;height:" + places.height + "px"});
  drawing.replaceChildren(canvas);
  shown.canvas = canvas.getContext("2d");
  shown.canvas.scale(ratio, ratio);
  shown.svg = d3.select(drawing).append("svg").attr("width", width).attr("height", places.height);
  shown.scene = scene;
  scene.panels.forEach((panel, i) => placePoints(panel, places.boxes[i]));
  for (const panel of scene.panels) listen(shown.svg, panel);
  redraw();
}

function redraw() {
  const scene = shown.scene;
  shown.canvas.clearRect(0, 0, scene.width, scene.height);
  const pen = new CanvasPen(shown.canvas);
  for (const panel of scene.panels) drawPanel(pen, panel);
  drawFrames(shown.svg, scene);
  shown.svg.selectAll("rect.ear").raise();
  markPin();
}

let waiting = false;
function redrawSoon() {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => {
    waiting = false;
    if (shown.scene) redraw();
  });
}

/* Wheel, drag and pinch zoom, a double click resets; the pointer reads, a click pins. */
function listen(svg, panel) {
  const box = panel.box, ear = svg.append("rect").attr("class", "ear").attr("x", box.left).attr("y", box.top).attr("width", box.width).attr("height", box.height).attr("fill", "none").attr("pointer-events", "all");
  const zoom = d3.zoom().scaleExtent([1, 1e6]).extent([[box.left, box.top], [box.left + box.width, box.top + box.height]]).translateExtent([[box.left, box.top], [box.left + box.width, box.top + box.height]]).on("zoom", () => {
    if (!d3.event.sourceEvent) return;
    const t = d3.event.transform, x = t.x + (t.k - 1) * box.left, y = t.y + (t.k - 1) * box.top;
    state.zoom = t.k === 1 ? "" : [t.k, x / box.width, y / box.height].map(v => Number(v.toPrecision(9))).join(",");
    redrawSoon();
  }).on("end", () => d3.event.sourceEvent && writeAddress());
  const t = zoomOf(panel);
  ear.call(zoom).call(zoom.transform, d3.zoomIdentity.translate(t.x - (t.k - 1) * box.left, t.y - (t.k - 1) * box.top).scale(t.k));
  ear.on("dblclick.zoom", null).on("dblclick", () => set({}));
  ear.on("mousemove", function () {
    read(panel, d3.mouse(this));
  });
  ear.on("click", function () {
    const found = nearest(panel, d3.mouse(this));
    if (found && found.run >= 0) pinRun(found.run);
  });
}

/* The point at a place of the drawing: {run, line, at}; null: none is near. */
function nearest(panel, [px, py]) {
  const t = zoomOf(panel), box = panel.box;
  const x = (px - box.left - t.x) / t.k + box.left, y = (py - box.top - t.y) / t.k + box.top;
  if (panel.map) return panel.map.find(panel.x.scale.invert(x), panel.y.scale.invert(y));
  let found = null, least = (40 / t.k) ** 2;
  for (const line of panel.lines)
    for (let i = 0; line.runs && i < line.px.length; i++) {
      const away = (line.px[i] - x) ** 2 + (line.py[i] - y) ** 2;
      if (!(away <= least)) continue; /* of equal ones the one drawn last; never NaN */
      least = away;
      found = {run: line.runs[i], line, at: i};
    }
  return found;
}

/* The scene as an SVG document, as it is zoomed. */
function sceneAsSvg(scene) {
  const svg = d3.create("svg").attr("xmlns", "http://www.w3.org/2000/svg").attr("width", scene.width).attr("height", scene.height + 22 * scene.legend.length).attr("font-family", "sans-serif").attr("font-size", 11.5);
  svg.append("rect").attr("width", "100%").attr("height", "100%").attr("fill", ink("page"));
  const pen = new SvgPen(svg.append("g"));
  for (const panel of scene.panels) drawPanel(pen, panel);
  drawFrames(svg, scene);
  scene.legend.forEach((entry, i) => {
    const y = scene.height + 22 * i + 12;
    svg.append("line").attr("x1", MARGIN.left).attr("x2", MARGIN.left + 22).attr("y1", y).attr("y2", y).attr("stroke", entry.colour).attr("stroke-width", 3);
    svg.append("text").attr("x", MARGIN.left + 30).attr("y", y + 4).text(entry.name);
  });
  svg.selectAll("text").attr("fill", ink("ink"));
  svg.selectAll(".domain, .tick line").attr("stroke", ink("dim"));
  return new XMLSerializer().serializeToString(svg.node());
}
