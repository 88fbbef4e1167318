"use strict";

// The rules as on the blackboard. A round has the columns of th.trace, whose table a test compares with what is shown here.
const Steps = {
  dot: (a, b) => a.reduce((sum, value, i) => sum + value * b[i], 0),

  play(weights, threshold, move, stream) {
    let w = weights;
    return stream.map(({ x, y }, i) => {
      const before = w, score = Steps.dot(w, x), said = score >= threshold ? 1 : -1;
      if (said !== y) w = move(w, x, y);
      return { t: i + 1, x, before, score, said, label: y, mistake: said !== y, after: w };
    });
  },

  perceptron: (stream) => Steps.play([0, 0], 0, (w, x, y) => w.map((value, i) => value + y * x[i]), stream),

  winnow: (n, stream) => Steps.play(Array(n).fill(1), n, (w, x, y) => w.map((value, i) => value * 2 ** (y * x[i])), stream),

  // The largest margin γ of a line through the origin is the distance from the origin to the hull of the signed points, which
  // is attained at a point, or on a segment between two. Here γ² = over/under, exactly; null if no line separates.
  margin(stream) {
    const z = stream.map(({ x, y }) => x.map((value) => y * value));
    const separates = (u) => z.every((point) => Steps.dot(u, point) >= Steps.dot(u, u) * (1 - 1e-12));
    let best = null;
    for (const a of z) {
      if (Steps.dot(a, a) > 0 && separates(a)) best = { over: Steps.dot(a, a), under: 1, u: a };
      for (const b of z) {
        const across = [a[1] - b[1], b[0] - a[0]], cross = Steps.dot(across, a), under = Steps.dot(across, across);
        if (under === 0 || cross === 0) continue;
        const u = across.map((value) => (value * cross) / under);
        if (separates(u)) best ??= { over: cross * cross, under, u };
      }
    }
    return best;
  },

  // Novikoff: at most (R/γ)² mistakes, in whatever order the points come and however often.
  perceptronBound(stream) {
    const found = Steps.margin(stream);
    if (stream.length === 0 || found === null) return null;
    const square = Math.max(...stream.map(({ x }) => Steps.dot(x, x)));
    return { radius: Math.sqrt(square), margin: Math.sqrt(found.over / found.under), most: Math.floor((square * found.under) / found.over) };
  },

  // For each set of attributes how many would have to change for its disjunction to fit, and Winnow's bound; the least first.
  winnowBounds(bounds, stream) {
    const sets = [...Array(2 ** bounds.n).keys()].map((set) => {
      const relevant = [...Array(bounds.n).keys()].filter((i) => (set >> i) & 1), r = relevant.length;
      const errors = stream.reduce((sum, { x, y }) => {
        const on = relevant.filter((i) => x[i] === 1).length;
        return sum + (y === 1 ? Number(on === 0) : on);
      }, 0);
      return { relevant, errors, most: errors === 0 ? bounds.fitting[r] : bounds.unfitting[r] + errors * bounds.error };
    });
    return sets.sort((a, b) => a.most - b.most);
  },

  plural: (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`,
  number: (value) => String(Number(value.toPrecision(12)) + 0),
  vector: (values) => `(${values.map(Steps.number).join(", ")})`,
  label: (y) => (y > 0 ? "+1" : "-1"),
  cells: (round) => [
    String(round.t), Steps.vector(round.x), Steps.vector(round.before), Steps.number(round.score), Steps.label(round.said),
    Steps.label(round.label), round.mistake ? "yes" : "", Steps.vector(round.after),
  ],
};

// A stream of the visitor's own, and how far it has been played: round and round, one example at a time.
class Bench {
  constructor(place, { rule, draw, says, stream }) {
    Object.assign(this, { place, rule, draw, says, first: stream, stream: [...stream], played: [] });
    const on = (action, act) => place.querySelector(`[data-do=${action}]`).addEventListener("click", () => (act(), this.show()));
    on("step", () => this.step());
    on("back", () => this.played.pop());
    on("pass", () => { for (let k = this.stream.length; k > 0; k--) this.step(); });
    on("again", () => (this.played = []));
    on("clear", () => ((this.stream = []), (this.played = [])));
    this.show();
  }

  get label() {
    return Number(this.place.querySelector("select").value);
  }

  get next() {
    return this.played.length === 0 ? 0 : (this.played[this.played.length - 1] + 1) % this.stream.length;
  }

  get atEnd() {
    return this.stream.length === 0 || this.played.length >= 500;
  }

  add(x) {
    this.stream.push({ x, y: this.label });
    this.show();
  }

  step() {
    if (!this.atEnd) this.played.push(this.next);
  }

  show() {
    const rounds = this.rule(this.played.map((i) => this.stream[i])), mistakes = rounds.filter((round) => round.mistake).length;
    const at = (action) => this.place.querySelector(`[data-do=${action}]`);
    at("step").disabled = at("pass").disabled = this.atEnd;
    at("back").disabled = at("again").disabled = this.played.length === 0;
    at("clear").disabled = this.stream.length === 0;
    this.place.querySelector("[role=status]").textContent =
      `${Steps.plural(rounds.length, "round")}, ${Steps.plural(mistakes, "mistake")}. ${this.says(this.stream, this.played.map((i) => this.stream[i]))}`;
    const body = this.place.querySelector("tbody");
    body.replaceChildren(...rounds.map((round) => {
      const row = document.createElement("tr");
      row.append(...Steps.cells(round).map((text) => Object.assign(document.createElement("td"), { textContent: text })));
      row.className = round.mistake ? "mistake" : "";
      return row;
    }));
    const table = body.closest(".scroll"), last = rounds[rounds.length - 1];
    table.scrollTop = table.scrollHeight;
    this.draw(this.place.querySelector("svg g"), last, this.stream, this.stream.length > 0 ? this.next : -1);
  }
}

function shape(kind, attributes, text = "") {
  const made = document.createElementNS("http://www.w3.org/2000/svg", kind);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.textContent = text;
  return made;
}

function perceptronBench(place) {
  const draw = (group, last, stream, next) => {
    const w = last === undefined ? [0, 0] : last.after, length = Math.hypot(...w), shapes = [];
    if (length > 0) {
      const [a, b] = w.map((value) => (9 * value) / length);
      shapes.push(shape("path", { class: "line line-1 border", d: `M${-b} ${-a}L${b} ${a}` }));
      const [c, d] = w.map((value) => value * Math.min(1, 5 / length));
      shapes.push(shape("path", { class: "line line-0", d: `M0 0L${c} ${-d}`, "marker-end": "url(#tip)" }));
    }
    stream.forEach(({ x, y }, i) => {
      const [a, b] = [x[0], -x[1]];
      if (i === next) shapes.push(shape("circle", { class: "line line-8", cx: a, cy: b, r: 0.36 }));
      const minus = `M${a - 0.18} ${b}h0.36`, plus = `${minus}M${a} ${b - 0.18}v0.36`;
      shapes.push(shape("path", { class: `line sign ${y > 0 ? "line-3" : "line-2"}`, d: y > 0 ? plus : minus }));
    });
    group.replaceChildren(...shapes);
  };
  const says = (stream) => {
    if (stream.length === 0) return "Click into the plane, or type an example, to begin a stream.";
    const bound = Steps.perceptronBound(stream);
    if (bound === null) return "No line through the origin separates these points: the theorem is silent.";
    return `R = ${bound.radius.toFixed(3)} and γ = ${bound.margin.toFixed(3)}: at most (R/γ)² mistakes, so ${bound.most}, in any order and however often the points come.`;
  };
  const points = [[-2, 0.5, -1], [3.5, -0.5, 1], [-3, -1, 1], [0, -3.5, 1], [-2.5, 3.5, -1], [-4, 3, -1], [3.5, 0, 1]];
  const stream = points.map(([a, b, y]) => ({ x: [a, b], y }));
  const bench = new Bench(place, { rule: Steps.perceptron, draw, says, stream });
  const onGrid = (value) => Math.max(-5, Math.min(5, Math.round(value * 2) / 2)) + 0;
  const plane = place.querySelector("svg");
  plane.addEventListener("click", (event) => {
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(plane.getScreenCTM().inverse());
    bench.add([onGrid(at.x), onGrid(-at.y)]);
  });
  place.querySelector("form").addEventListener("submit", (event) => {
    event.preventDefault();
    bench.add([...place.querySelectorAll("input")].map((input) => onGrid(Number(input.value))));
  });
}

function winnowBench(place, bounds) {
  const bits = [...place.querySelectorAll("[aria-pressed]")];
  const draw = (group, last) => {
    const w = last === undefined ? Array(bounds.n).fill(1) : last.after, up = (weight) => 150 - 15 * weight;
    const shapes = w.flatMap((weight, i) => [
      shape("path", { class: `line bar ${last?.mistake && last.x[i] === 1 ? "line-2" : "line-1"}`, d: `M${35 + 40 * i} 150V${up(weight)}` }),
      shape("text", { class: "tick", x: 35 + 40 * i, y: up(weight) - 5, "text-anchor": "middle" }, Steps.number(weight)),
      shape("text", { class: "tick", x: 35 + 40 * i, y: 166, "text-anchor": "middle" }, `w${i + 1}`),
    ]);
    shapes.push(shape("path", { class: "line line-8", d: `M10 ${up(bounds.n)}H340` }));
    shapes.push(shape("text", { class: "tick", x: 338, y: up(bounds.n) - 4, "text-anchor": "end" }, `θ = ${bounds.n}`));
    group.replaceChildren(...shapes);
  };
  const says = (stream, played) => {
    if (stream.length === 0) return "Toggle bits and add an example to begin a stream.";
    const named = ({ relevant }) => `${relevant.map((i) => `x${i + 1}`).join(" ∨ ") || "no attribute"}, r = ${relevant.length}`;
    const fits = Steps.winnowBounds(bounds, stream).find(({ errors }) => errors === 0);
    if (fits !== undefined)
      return `All labels fit ${named(fits)}: at most ${Steps.plural(fits.most, "mistake")}, in any order and however often the examples come.`;
    const [best] = Steps.winnowBounds(bounds, played);
    return `No disjunction fits all labels. Held against ${named(best)}, for which ${Steps.plural(best.errors, "attribute")} of these rounds would have to change: at most ${Steps.plural(best.most, "mistake")}.`;
  };
  const stream = [["11000000", 1], ["00111100", -1], ["01010010", 1], ["00001111", -1], ["10000001", 1], ["00110011", -1]]
    .map(([x, y]) => ({ x: [...x].map(Number), y }));
  const bench = new Bench(place, { rule: (rounds) => Steps.winnow(bounds.n, rounds), draw, says, stream });
  for (const bit of bits)
    bit.addEventListener("click", () => bit.setAttribute("aria-pressed", String(bit.getAttribute("aria-pressed") !== "true")));
  place.querySelector("form").addEventListener("submit", (event) => {
    event.preventDefault();
    bench.add(bits.map((bit) => (bit.getAttribute("aria-pressed") === "true" ? 1 : 0)));
  });
}

for (const place of document.querySelectorAll(".bench.perceptron")) perceptronBench(place);
for (const place of document.querySelectorAll(".bench.winnow")) winnowBench(place, JSON.parse(place.dataset.bounds));
