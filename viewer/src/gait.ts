// Walking: strides from the contacts of two feet, and joint angles over the stride, left over right.

import uPlot from "uplot";
import { colourOf, letter } from "./curves";
import { sideOf, type Stance } from "./feet";
import { DEGREES, element, error, number, plural } from "./format";
import { NORMS, NORMS_OF } from "./gait_bands";
import type { Joint, Run } from "./run";

/** A stride of one foot [s], and until where in it that foot stands, 0 to 1. */
export interface Stride {
  side: "left" | "right";
  from: number;
  to: number;
  off: number;
}

/** Contacts and flights of a foot that are shorter are none [s]: a scuff, a gap in what was told. */
const SHORT = 0.1;
/** A stride lasts so long [s]: from a sprint to a stroll. */
const LASTS = { least: 0.45, most: 2.2 };
/** The other foot strikes within this part of a stride: feet alternate. */
const BETWEEN = { least: 0.3, most: 0.7 };
/** A foot is farthest ahead of the base at most so long before it stands, and farthest behind so long after [s]. */
const SWING = 0.3;
/** A sole this near to the floor touches it [m]. */
const TOUCH = 0.02;
/** A stride gets so far [m] by metre of the body's height: marching in place is none. */
const FAR = 0.25;
/** A foot that gets less far [m] between two contacts has not swung: one contact was told in pieces. */
const SWUNG = 0.15;
/** Two strides of each foot are the least of which a mean says something. */
const FEWEST = 2;
/** Who walks stands on a foot for more than this part of a stride; who runs does not. */
const WALKS = 0.5;

/** When a foot is in contact [s]: stretches in a row. */
function contactsOf(run: Run, stance: Stance, foot: number): { from: number; to: number; begins: boolean; ends: boolean }[] {
  const { t, shown } = run.timeline;
  const { frames, centre } = stance.paths;
  const placeAt = (time: number) => centre[Math.max(0, frames.findIndex((frame) => t[frame] >= time - 1e-9))][foot];
  const gone = (from: number, to: number): number => {
    const [a, b] = [placeAt(from), placeAt(to)];
    return Math.hypot(b.x - a.x, b.y - a.y);
  };
  const found: { from: number; to: number; begins: boolean; ends: boolean }[] = [];
  for (let i = 0; i < shown; ++i) {
    if (!stance.touches(i, foot)) continue;
    const last = found[found.length - 1];
    // the instant of the first frame without contact ends it
    const until = t[Math.min(i + 1, shown - 1)];
    if (last && (t[i] - last.to < SHORT || gone(last.to, t[i]) < SWUNG)) last.to = until;
    else found.push({ from: t[i], to: until, begins: i > 0, ends: true });
    found[found.length - 1].ends = i + 1 < shown;
  }
  return found.filter(({ from, to, begins, ends }) => to - from >= SHORT || !begins || !ends);
}

/** When a foot that stands from or until `near` [s] strikes (`sign` 1) or leaves (-1): it touches the floor for the first
 * or last time between `near`, where it is still, and where it is farthest ahead of or behind the base (Zeni, Richards,
 * Higginson, Gait & Posture 27, 2008). */
function touchesFrom(run: Run, stance: Stance, foot: number, near: number, sign: 1 | -1): number {
  const { t, p_WB } = run.timeline;
  const { frames, centre, lowest } = stance.paths;
  const base = (frame: number, i: number): number => p_WB.values[3 * frame + i];
  const within = frames.map((_, k) => k).filter((k) => sign * (near - t[frames[k]]) < SWING && sign * (near - t[frames[k]]) > -1e-9);
  const [first, last] = [within[0], within[within.length - 1]];
  if (first === undefined || first === last) return near;
  const ahead = [0, 1].map((i) => base(frames[last], i) - base(frames[first], i));
  const reach = (k: number): number => sign * [0, 1].reduce((sum, i) => sum + ahead[i] * (centre[k][foot].getComponent(i) - base(frames[k], i)), 0);
  const turns = within.reduce((best, k) => (reach(k) > reach(best) ? k : best));
  const touching = within.filter((k) => sign * (k - turns) >= 0 && lowest[k][foot] - stance.level! < TOUCH);
  const found = sign > 0 ? touching[0] : touching[touching.length - 1];
  return found === undefined ? near : t[frames[found]];
}

/** The strides of a run that walks; empty where it does not. */
export function stridesOf(run: Run, stance: Stance, height: number): Stride[] {
  const sides = (["left", "right"] as const).map((side) => stance.feet.findIndex((foot) => foot.side === side));
  if (stance.feet.length !== 2 || sides.some((foot) => foot < 0)) return [];
  const contacts = sides.map((foot) => contactsOf(run, stance, foot).map((stretch) => ({ ...stretch, from: stretch.begins ? touchesFrom(run, stance, foot, stretch.from, 1) : stretch.from, to: touchesFrom(run, stance, foot, stretch.to, -1) })));
  const strikes = contacts.map((list) => list.filter(({ begins }) => begins).map(({ from }) => from));
  const { t, p_WB } = run.timeline;
  const at = (time: number): number => Math.max(0, t.findIndex((stamp) => stamp >= time - 1e-9));
  const gone = (from: number, to: number): number => Math.hypot(...[0, 1].map((i) => p_WB.values[3 * at(to) + i] - p_WB.values[3 * at(from) + i]));
  const found: Stride[] = [];
  sides.forEach((_, k) => {
    strikes[k].slice(0, -1).forEach((from, i) => {
      const to = strikes[k][i + 1];
      const lasts = to - from;
      const other = strikes[1 - k].filter((time) => time > from && time < to).map((time) => (time - from) / lasts);
      const contact = contacts[k].find((stretch) => stretch.from === from)!;
      const fits = lasts >= LASTS.least && lasts <= LASTS.most && other.length === 1 && other[0] >= BETWEEN.least && other[0] <= BETWEEN.most;
      if (fits && gone(from, to) >= FAR * height) found.push({ side: k === 0 ? "left" : "right", from, to, off: (contact.to - from) / lasts });
    });
  });
  const enough = (["left", "right"] as const).every((side) => found.filter((stride) => stride.side === side).length >= FEWEST);
  return enough ? found : [];
}

/** Of a stride: 0, 2, ... 100 %. */
const SHARES = Array.from({ length: 51 }, (_, i) => 2 * i);

/** Values of a joint over a stride, between frames by straight lines. */
function over(run: Run, dof: number, stride: Stride): number[] {
  const { t, s } = run.timeline;
  let i = 0;
  return SHARES.map((share) => {
    const time = stride.from + (share / 100) * (stride.to - stride.from);
    while (i + 2 < t.length && t[i + 1] <= time) ++i;
    const part = Math.min(Math.max((time - t[i]) / (t[i + 1] - t[i]), 0), 1);
    return s.values[i * s.columns + dof] * (1 - part) + s.values[(i + 1) * s.columns + dof] * part;
  });
}

export interface Spread {
  mean: number[];
  sd: number[];
}

/** Mean and standard deviation over strides, by share. */
export function spreadOf(rows: number[][]): Spread {
  const mean = SHARES.map((_, i) => rows.reduce((sum, row) => sum + row[i], 0) / rows.length);
  const sd = SHARES.map((_, i) => Math.sqrt(rows.reduce((sum, row) => sum + (row[i] - mean[i]) ** 2, 0) / Math.max(rows.length - 1, 1)));
  return { mean, sd };
}

/** A joint of the legs: how its name is told, and where a person's flexion is negative. */
const LEGS = [
  { title: "Hip flexion", name: /hip.*(pitch|roty)/i, sign: -1 },
  { title: "Knee flexion", name: /knee/i, sign: 1 },
  { title: "Ankle dorsiflexion", name: /ankle.*(pitch|roty)/i, sign: -1 },
] as const;

/** The curves of one joint over the stride [deg]; `norm`: healthy adults, null for robots, runners, and joints not published. */
export interface Cycle {
  title: string;
  left: Spread;
  right: Spread;
  norm: Spread | null;
}

export function cyclesOf(run: Run, strides: Stride[], person: boolean): Cycle[] {
  const walks = strides.reduce((sum, { off }) => sum + off, 0) / strides.length > WALKS;
  return LEGS.flatMap(({ title, name, sign }): Cycle[] => {
    const joint = (side: "left" | "right"): Joint | undefined =>
      run.model.joints.find((candidate) => candidate.dof !== null && candidate.type === "revolute" && name.test(candidate.name) && (!person || candidate.name.endsWith("_roty")) && sideOf(candidate.name.replace(/^j(?=[A-Z])/, "")) === side);
    const [left, right] = [joint("left"), joint("right")];
    if (!left || !right) return [];
    // robots say themselves which way is positive
    const factor = (person ? sign : 1) * DEGREES;
    const of = (own: Joint, side: Stride["side"]) => spreadOf(strides.filter((stride) => stride.side === side).map((stride) => over(run, own.dof!, stride).map((value) => factor * value)));
    return [{ title: person ? title : left.name.replace(/(^|_)(left|l)(?=_)_?/i, "$1").replace(/_/g, " ").trim(), left: of(left, "left"), right: of(right, "right"), norm: (person && walks && NORMS[title]) || null }];
  });
}

/** One chart over the stride. */
class CycleChart {
  readonly element: HTMLElement;
  private readonly host = element("div", { class: "plot" });
  private readonly readout = element("p", { class: "readout" });
  private plot: uPlot | null = null;

  constructor(
    private readonly cycle: Cycle,
    private readonly offs: [left: number, right: number],
  ) {
    this.element = element("figure", { class: "cycle" }, element("h3", {}, cycle.title, " ", element("span", { class: "unit" }, "[°]")), this.readout, this.host);
    // three figures need two rows, three on a phone
    this.readout.style.setProperty("--entries", cycle.norm ? "3" : "4");
    new ResizeObserver(() => this.resize()).observe(this.host);
    this.repaint();
  }

  /** Shades and lines, those behind first. */
  private lines(): { series: uPlot.Series[]; data: number[][]; bands: uPlot.Band[] } {
    const { left, right, norm } = this.cycle;
    const series: uPlot.Series[] = [{}];
    const data: number[][] = [SHARES];
    const bands: uPlot.Band[] = [];
    const shade = (of: Spread, fill: string): void => {
      bands.push({ series: [series.length, series.length + 1], fill });
      for (const sign of [1, -1]) {
        series.push({ width: 0, points: { show: false } });
        data.push(of.mean.map((value, i) => value + sign * of.sd[i]));
      }
    };
    const line = (of: Spread, colour: string, dash: number[], width = 2): void => {
      series.push({ stroke: colourOf(colour), width, dash, points: { show: false } });
      data.push(of.mean);
    };
    if (norm) {
      shade(norm, colourOf("norm-fill"));
      line(norm, "norm", [], 1);
    }
    shade(right, `${colourOf("c2")}33`);
    shade(left, `${colourOf("c1")}33`);
    line(right, "c2", [7, 3]);
    line(left, "c1", []);
    return { series, data, bands };
  }

  repaint(): void {
    const { series, data, bands } = this.lines();
    const axis = { stroke: colourOf("muted"), grid: { stroke: colourOf("line"), width: 1 }, ticks: { stroke: colourOf("line"), width: 1 }, font: `${0.69 * letter()}px system-ui, sans-serif` };
    this.plot?.destroy();
    this.host.replaceChildren();
    const options: uPlot.Options = {
      width: Math.max(this.host.clientWidth, 120),
      height: Math.round(11 * letter()),
      legend: { show: false },
      cursor: { drag: { x: false, y: false }, points: { show: false } },
      scales: { x: { time: false, range: [0, 100] } },
      axes: [
        { ...axis, size: 1.75 * letter(), values: (_plot, ticks) => ticks.map((tick) => `${tick} %`) },
        { ...axis, size: 3 * letter() },
      ],
      series,
      bands,
      hooks: { setCursor: [() => this.read()], draw: [(plot) => this.drawOffs(plot)] },
    };
    this.plot = new uPlot(options, data as uPlot.AlignedData, this.host);
    this.plot.root.setAttribute("role", "img");
    this.plot.root.setAttribute("aria-label", `${this.cycle.title} over the stride, left and right${this.cycle.norm ? ", in front of the band of healthy adults" : ""}`);
    this.read();
  }

  /** Until where the feet stand. */
  private drawOffs(plot: uPlot): void {
    const pen = plot.ctx;
    pen.save();
    this.offs.forEach((off, k) => {
      const x = Math.round(plot.valToPos(off, "x", true));
      pen.strokeStyle = colourOf(k === 0 ? "c1" : "c2");
      pen.setLineDash([3, 4]);
      pen.beginPath();
      pen.moveTo(x, plot.bbox.top);
      pen.lineTo(x, plot.bbox.top + plot.bbox.height);
      pen.stroke();
    });
    pen.restore();
  }

  private resize(): void {
    const width = this.host.clientWidth;
    if (this.plot && width > 0 && width !== this.plot.width) this.plot.setSize({ width, height: Math.round(11 * letter()) });
  }

  private read(): void {
    const index = this.plot?.cursor.idx ?? 0;
    const entry = (colour: string, text: string): HTMLElement => {
      const dot = element("span", { class: "dot" });
      dot.style.background = `var(--${colour})`;
      return element("span", { class: "value" }, dot, text);
    };
    const own = (of: Spread): string => `${number(of.mean[index])}° ± ${error(of.sd[index])}`;
    // published with one decimal
    const published = (of: Spread): string => `${of.mean[index].toFixed(1).replace("-", "−")}° ± ${of.sd[index].toFixed(1)}`;
    const { left, right, norm } = this.cycle;
    this.readout.replaceChildren(element("span", { class: "at" }, `${SHARES[index]} %`), entry("c1", `Left ${own(left)}`), entry("c2", `Right ${own(right)}`));
    if (norm) this.readout.append(entry("norm", `Healthy ${published(norm)}`));
  }
}

/** Mean and spread of some figures: "1.11 ± 0.02". */
function figure(values: number[], unit: string): string {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const sd = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / Math.max(values.length - 1, 1));
  return `${mean.toPrecision(3)} ± ${sd.toPrecision(1)} ${unit}`;
}

export interface Gait {
  strides: Stride[];
  cycles: Cycle[];
  repaint(): void;
}

/** Draws the strides of a run that walks; null where it does not. */
export function buildGait(host: HTMLElement, run: Run, stance: Stance, height: number, person: boolean): Gait | null {
  const strides = stridesOf(run, stance, height);
  const cycles = strides.length > 0 ? cyclesOf(run, strides, person) : [];
  if (cycles.length === 0) return null;
  const of = (side: Stride["side"]) => strides.filter((stride) => stride.side === side);
  const off = (side: Stride["side"]) => (100 * of(side).reduce((sum, stride) => sum + stride.off, 0)) / of(side).length;
  const charts = cycles.map((cycle) => new CycleChart(cycle, [off("left"), off("right")]));
  const lasts = (side: Stride["side"]) => figure(of(side).map(({ from, to }) => to - from), "s");
  const said =
    `${plural(of("left").length, "stride")} of the left foot and ${of("right").length} of the right, each from one strike to the next: ` +
    `${lasts("left")} left, ${lasts("right")} right. The left foot is on the floor until ${number(off("left"))} % of its stride, the right one until ${number(off("right"))} % (dotted). ` +
    "Lines are means, shades 1 standard deviation over the strides.";
  host.append(element("h2", {}, "Gait"), element("p", { class: "hint" }, said));
  if (cycles.some(({ norm }) => norm)) {
    const source = `Grey: mean ± 1 standard deviation of ${NORMS_OF}. Where an angle is zero differs between sources (foot, pelvis tilt): expect an offset, compare shapes. The band is no diagnosis.`;
    host.append(element("p", { class: "hint" }, element("span", { class: "swatch norm" }), source));
  }
  host.append(element("div", { class: "cycles" }, ...charts.map((chart) => chart.element)));
  host.hidden = false;
  return { strides, cycles, repaint: () => charts.forEach((chart) => chart.repaint()) };
}
