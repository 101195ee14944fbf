"use strict";
/* The results of the page: dimensions, arrays, and their numbers, which are unpacked when they are first needed. */

function bytesOf(base64) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(base64); /* of later browsers */
  const text = atob(base64), bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

/* Numbers are kept deflated, all first bytes of them first, then all second ones, ... */
async function unpack(block, type) {
  const packed = bytesOf(document.getElementById("block-" + block).textContent);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  const planes = new Uint8Array(await new Response(stream).arrayBuffer());
  if (type === "byte") return planes;
  const count = planes.length / 8, words = new Uint32Array(count * 2), p = d3.range(8).map(k => planes.subarray(k * count, (k + 1) * count));
  for (let half = 0; half < 2; half++) {
    const [a, b, c, d] = p.slice(half * 4);
    for (let i = 0; i < count; i++) words[2 * i + half] = a[i] | (b[i] << 8) | (c[i] << 16) | (d[i] << 24);
  }
  return new Float64Array(words.buffer);
}

/* A table of arrays over dimensions: a result, the points of a refined map, a trace. */
class Part {
  constructor(head) {
    Object.assign(this, head);
    for (const [i, d] of this.dimensions.entries()) {
      d.number = i;
      d.shown = (d.values || d.labels || d3.range(d.length)).length;
      d.words = this.wordsOf(d);
    }
    for (const a of this.arrays) {
      a.over = a.dimensions.map(d => this.dimensions[d]);
      a.signals = a.over.find(d => !d.role) || null;
    }
  }

  /* What the positions of a dimension are called. */
  wordsOf(d) {
    if (d.columns && d.columns.length > 0) {
      const moved = d.columns.filter(c => new Set(c.values || c.labels).size > 1);
      return d3.range(d.shown).map(i => moved.map(c => (c.labels ? c.labels[i] : c.name + " " + brief(c.values[i]))).join(", ") || String(i));
    }
    return d.labels || (d.values || d3.range(d.length)).map(brief);
  }

  find(name) {
    return this.arrays.find(a => a.name === name && !a.expected_of);
  }

  async load(array) {
    if (array && !array.numbers) array.numbers = await unpack(array.block, array.type);
    return array;
  }

  /* Of an array at a position, a list by number of the dimension. */
  item(array, position) {
    let at = 0;
    for (const d of array.over) at = at * d.shown + position[d.number];
    return at;
  }

  /* How far apart the numbers of an array are along a dimension; 0: it does not have it. */
  stride(array, number) {
    const place = array.over.findIndex(d => d.number === number);
    return place < 0 ? 0 : array.over.slice(place + 1).reduce((n, d) => n * d.shown, 1);
  }
}

class Result extends Part {
  constructor(head) {
    super(head);
    this.status = this.find("status");
    this.axes = this.status.over;
    this.runs = this.axes.reduce((n, d) => n * d.shown, 1);
    this.points = head.points ? new Part(head.points) : null;
    this.traces = head.traces.map(t => new Part(t));
    this.ofRuns = this.arrays.filter(a => a.name !== "status" && !a.expected_of && this.axes.every(d => a.over.includes(d)) && a.over.length <= this.axes.length + 1);
    this.metrics = this.ofRuns.filter(a => a.ranked !== undefined);
  }

  /* The number of a run in its sweep; the page may have some of the runs. */
  number(position) {
    let run = 0;
    for (const d of this.axes) run = run * d.length + (d.at ? d.at[position[d.number]] : position[d.number]);
    return run;
  }

  /* The position of run `index` of the page, and back. */
  position(index) {
    const position = new Array(this.dimensions.length).fill(0);
    for (let i = this.axes.length; i-- > 0; index = Math.floor(index / this.axes[i].shown)) position[this.axes[i].number] = index % this.axes[i].shown;
    return position;
  }
  index(position) {
    return this.item(this.status, position);
  }

  /* A number as it is drawn: none of runs that failed. */
  value(array, position) {
    if (this.status.numbers[this.item(this.status, position)] !== 0) return NaN;
    const value = array.numbers[this.item(array, position)];
    return Number.isFinite(value) ? value : NaN;
  }

  unitOf(array, signal) {
    const d = array.signals;
    const unit = d && d.units && signal !== null ? d.units.labels[signal] : array.unit;
    return unit === "1" || /^see /.test(unit) ? "" : unit;
  }
}

/* Typed arrays, one behind the other. */
function joinLists(lists, type) {
  const all = new type(lists.reduce((n, list) => n + list.length, 0));
  let at = 0;
  for (const list of lists) {
    all.set(list, at);
    at += list.length;
  }
  return all;
}

/* A number for labels, and all of its digits. */
function brief(x) {
  if (!Number.isFinite(x)) return Number.isNaN(x) ? "none" : x > 0 ? "∞" : "−∞";
  if (Number.isInteger(x) && Math.abs(x) < 1e6) return String(x);
  const rounded = Number(x.toPrecision(4));
  return (Math.abs(x) < 1e-4 ? rounded.toExponential() : String(rounded)).replace("e-", "e−").replace("e+", "e").replace(/^-/, "−");
}
function whole(x) {
  return Number.isNaN(x) ? "no value" : x !== 0 && Math.abs(x) < 1e-4 ? x.toExponential() : String(x);
}

/* Whether values are better spread on a logarithmic scale: the one with the smaller largest gap. */
function spreadsLog(values) {
  const least = d3.min(values), most = d3.max(values);
  if (values.length < 3 || !(least > 0) || !(most >= 5 * least)) return false;
  let linear = 0, log = 0;
  for (let i = 1; i < values.length; i++) {
    linear = Math.max(linear, Math.abs(values[i] - values[i - 1]) / (most - least));
    log = Math.max(log, Math.abs(Math.log(values[i] / values[i - 1])) / Math.log(most / least));
  }
  return log < linear;
}
