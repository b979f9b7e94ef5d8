// Which curves the page has, and the choices above them.

import type { Clock } from "./clock";
import { Chart, type Line } from "./curves";
import { sideOf } from "./feet";
import { DEGREES, element, error, grouped, number, plainName, ROUNDING, withUnit } from "./format";
import { download } from "./saving";
import { column, onLimit, type Joint, type Run, type Table } from "./run";

const PALETTE = ["c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8"];

/** The largest of each row. */
function largest(columns: (number | null)[][], length: number): (number | null)[] {
  return Array.from({ length }, (_, i) => {
    let most: number | null = null;
    for (const values of columns) {
      const value = values[i];
      if (value !== null && (most === null || value > most)) most = value;
    }
    return most;
  });
}

/** Orientation error by segment: buttons choose which are drawn, the worst three at first. */
class ErrorPanel {
  readonly chart: Chart;
  private readonly chosen = new Set<number>();
  private readonly buttons: HTMLButtonElement[] = [];
  private readonly columns: (number | null)[][];
  private readonly most: (number | null)[];
  private readonly rank: number[];

  constructor(
    private readonly run: Run,
    clock: Clock,
  ) {
    this.columns = run.pairs.map((_, i) => column(run.timeline.angleError, i, DEGREES));
    this.most = largest(this.columns, run.timeline.shown);
    this.rank = run.pairs.map((_, i) => i).sort((a, b) => (run.pairs[b].max_rad ?? -1) - (run.pairs[a].max_rad ?? -1));
    this.rank.slice(0, 3).forEach((i) => this.chosen.add(i));
    this.chart = new Chart(
      clock,
      run.timeline.t,
      {
        title: "Orientation error",
        unit: "°",
        what: "Angle between each segment of the source and the model's link that follows it.",
        lines: this.lines(),
        format: error,
        least: 0.01,
      },
      this.chooser(),
    );
  }

  private lines(): Line[] {
    const all: Line = { name: "largest of all", values: this.most, colour: "all", area: true };
    const some = this.rank
      .filter((i) => this.chosen.has(i))
      .map((i) => ({ name: plainName(this.run.pairs[i].link), values: this.columns[i], colour: this.colour(i) }));
    return [all, ...some];
  }

  private colour(pair: number): string {
    return PALETTE[this.rank.indexOf(pair) % PALETTE.length];
  }

  private chooser(): HTMLElement {
    const group = element("div", { class: "chips", role: "group", "aria-label": "Segments that are drawn" });
    this.run.pairs.forEach((pair, i) => {
      const chip = element("button", { type: "button", class: "chip" }, plainName(pair.link));
      chip.style.setProperty("--chip", `var(--${this.colour(i)})`);
      chip.addEventListener("click", () => {
        if (!this.chosen.delete(i)) this.chosen.add(i);
        this.update();
      });
      this.buttons.push(chip);
      group.append(chip);
    });
    this.press();
    const box = element("details", { class: "chooser" }, element("summary", {}, "Choose segments"), group);
    return box;
  }

  private press(): void {
    this.buttons.forEach((chip, i) => chip.setAttribute("aria-pressed", String(this.chosen.has(i))));
  }

  private update(): void {
    this.press();
    this.chart.show(this.lines());
  }

  /** Draws a link among the others. */
  choose(link: string): void {
    const i = this.run.pairs.findIndex((pair) => pair.link === link);
    if (i < 0 || this.chosen.has(i)) return;
    this.chosen.add(i);
    this.update();
  }
}

/** A joint, or the same joint of both sides. */
interface Sides {
  label: string;
  joints: { joint: Joint; side: "left" | "right" | null }[];
}

/** The joints that move, left and right together. */
function sidesOf(run: Run): Sides[] {
  const found = new Map<string, Sides>();
  for (const joint of run.model.joints) {
    if (joint.dof === null) continue;
    const side = sideOf(joint.name.replace(/^j(?=[A-Z])/, ""));
    const bare = side === null ? joint.name : joint.name.replace(/^(j?)(Left|Right)/, "$1").replace(/(^|_)(left|right|l|r)(?=_|$)/i, "").replace(/^_+/, "");
    const entry = found.get(bare) ?? { label: plainName(bare), joints: [] };
    entry.joints.push({ joint, side });
    found.set(bare, entry);
  }
  // the left one is drawn last: over the right one
  for (const { joints } of found.values()) joints.sort((a, b) => Number(a.side === "left") - Number(b.side === "left"));
  return [...found.values()];
}

/** Shown at first, where a model has them. */
const FIRST = [/hip.*(pitch|roty)|^r_hip_pitch/i, /knee/i, /shoulder.*(pitch|roty)/i];

/** One joint's position, left over right, with its limits. */
class AnglePanel {
  readonly chart: Chart;
  private readonly choice = element("select", { "aria-label": "Joint whose position is drawn" });

  constructor(
    private readonly run: Run,
    clock: Clock,
    private readonly sides: Sides[],
    first: number,
  ) {
    sides.forEach(({ label }, i) => this.choice.append(element("option", { value: String(i) }, label)));
    this.choice.value = String(first);
    this.choice.addEventListener("change", () => this.chart.show(this.lines()));
    this.chart = new Chart(
      clock,
      run.timeline.t,
      {
        title: "Joint angle",
        unit: sides.some(({ joints }) => joints.some(({ joint }) => joint.type === "prismatic")) ? "° or mm" : "°",
        what: `The model's own joint, left over right; ${run.timeline.deviation ? "shaded: 1 standard deviation on both sides; " : ""}dotted: limits.`,
        lines: this.lines(),
        format: (value) => number(value !== null && Math.abs(value) < ROUNDING ? 0 : value),
      },
      element("label", { class: "choice" }, "Joint ", this.choice),
    );
  }

  private lines(): Line[] {
    const { s, deviation, shown } = this.run.timeline;
    const { label, joints } = this.sides[Number(this.choice.value)] ?? { label: "", joints: [] };
    return joints.flatMap(({ joint, side }) => {
      const factor = joint.type === "prismatic" ? 1000 : DEGREES;
      const colour = side === "right" ? "c2" : "c1";
      const name = side === null ? label : `${side === "left" ? "Left" : "Right"} ${label}`;
      const line: Line = { name, values: column(s, joint.dof!, factor), colour, unit: joint.type === "prismatic" ? "mm" : "°", ...(side === "right" ? { dash: [7, 3] } : {}) };
      const sd = deviation === null ? null : column(deviation, joint.dof!, factor);
      const edge = (sign: number) => line.values.map((value, k) => (value === null || sd![k] === null ? null : value + sign * sd![k]!));
      const unit = line.unit!;
      const band: Line[] = sd === null ? [] : [1, -1].map((sign) => ({ name: "1 sd", values: edge(sign), colour, unit, band: sign > 0, mute: true }));
      const limits = [joint.lower, joint.upper]
        .filter((limit): limit is number => limit !== null)
        .map((limit) => ({ name: "limit", values: new Array<number>(shown).fill(limit * factor), colour, unit, width: 1, dash: [2, 4], mute: true }));
      return [...band, line, ...limits];
    });
  }

  /** Whether it shows the joint of this name, or the one that carries the link of this name. */
  shows(item: string): boolean {
    return this.indexOf(item) === Number(this.choice.value);
  }

  private indexOf(item: string): number {
    const { links } = this.run.model;
    return this.sides.findIndex(({ joints }) => joints.some(({ joint }) => joint.name === item || links[joint.child].name === item));
  }

  choose(item: string): void {
    const index = this.indexOf(item);
    if (index < 0) return;
    this.choice.value = String(index);
    this.chart.show(this.lines());
  }
}

/** The joints that are drawn at first: those of FIRST, else the ones that move most. */
function anglePanels(run: Run, clock: Clock): AnglePanel[] {
  const sides = sidesOf(run);
  const swing = sides.map(({ joints }) => {
    const values = column(run.timeline.s, joints[0].joint.dof!).filter((value): value is number => value !== null);
    return values.reduce((most, value) => Math.max(most, value), -Infinity) - values.reduce((least, value) => Math.min(least, value), Infinity);
  });
  const most = sides.map((_, i) => i).sort((a, b) => swing[b] - swing[a]);
  const first: number[] = [];
  for (const wanted of FIRST) {
    const fitting = most.find((i) => wanted.test(sides[i].joints[0].joint.name) && !first.includes(i));
    if (fitting !== undefined) first.push(fitting);
  }
  for (const i of most) if (first.length < Math.min(3, sides.length) && !first.includes(i)) first.push(i);
  return first.map((i) => new AnglePanel(run, clock, sides, i));
}

function limitChart(run: Run, clock: Clock): Chart | null {
  const { timeline } = run;
  if (!timeline.onLimit) return null;
  const joints = run.model.joints.filter((joint) => joint.dof !== null);
  const held = (index: number) => joints.filter((joint) => onLimit(timeline, index, joint.dof!));
  if (!timeline.onLimit.values.some((byte) => byte !== 0)) return null;
  const where = (index: number): string => {
    const names = held(index).map((joint) => plainName(joint.name));
    return names.length > 3 ? `${names.slice(0, 2).join(", ")} and ${names.length - 2} more` : names.join(", ");
  };
  return new Chart(clock, timeline.t, {
    title: "Joints on their limits",
    unit: "number",
    what: "How many joints rest at a limit or are beyond it.",
    lines: [{ name: "at once", values: Array.from({ length: timeline.shown }, (_, i) => held(i).length), colour: "c2", area: true, unit: "", where }],
    least: 1,
    format: (value) => String(value ?? 0),
  });
}

/** How surely the joints that turn are known. */
function deviationChart(run: Run, clock: Clock): Chart | null {
  const { deviation, shown, t } = run.timeline;
  if (!deviation) return null;
  const assumed = new Set(run.sensors?.joints.filter((joint) => !joint.measured).map((joint) => joint.name));
  const joints = run.model.joints.filter((joint) => joint.dof !== null && joint.type === "revolute" && !assumed.has(joint.name));
  const columns = joints.map((joint) => column(deviation, joint.dof!, DEGREES));
  const most = largest(columns, shown);
  const middle = Array.from({ length: shown }, (_, i) => {
    const known = columns.map((values) => values[i]).filter((value): value is number => value !== null);
    known.sort((a, b) => a - b);
    return known.length === 0 ? null : known[known.length >> 1];
  });
  const where = (index: number) => plainName(joints[columns.findIndex((values) => values[index] === most[index])]?.name ?? "");
  return new Chart(clock, t, {
    title: "Expected error of the joints",
    unit: "°",
    what: "Standard deviation that the filter gives each joint that a sensor tells of: the largest, and the one that half of the joints are below.",
    lines: [
      { name: "largest", values: most, colour: "all", area: true, where },
      { name: "half are below", values: middle, colour: "c1" },
    ],
    least: 0.01,
    format: error,
  });
}

function speedCharts(run: Run, clock: Clock): Chart[] {
  const { timeline } = run;
  const joints = new Map(run.model.joints.map((joint) => [joint.dof, joint.name]));
  const joint = (index: number) => plainName(joints.get(timeline.fastestJoint.values[index]) ?? "");
  const link = (fastest: Table) => (index: number) => plainName(run.pairs[fastest.values[index]]?.link ?? "");
  return [
    new Chart(clock, timeline.t, {
      title: "Turning speed",
      unit: "°/s",
      what: run.sensors ? "The fastest joint." : "Fastest joint, and fastest turn of a link in the world. A joint near gimbal lock is fast while its links are not.",
      lines: [
        { name: "joint", values: column(timeline.jointSpeed, 0, DEGREES), colour: "c1", where: joint },
        ...(run.sensors ? [] : [{ name: "link", values: column(timeline.turnSpeed, 0, DEGREES), colour: "c3", where: link(timeline.fastestTurn) }]),
      ],
      format: (value) => number(value),
    }),
    ...(run.sensors ? [] : [new Chart(clock, timeline.t, {
      title: "Link speed",
      unit: "m/s",
      what: "The model's link whose origin moves fastest.",
      lines: [{ name: "fastest", values: column(timeline.linkSpeed, 0), colour: "c4", where: link(timeline.fastestLink) }],
      format: (value) => number(value),
    })]),
  ];
}

export interface Curves {
  repaint(): void;
  /** Brings what a moment is about into view of the curves. */
  choose(item: string): void;
}

/** The most of a column that may be unknown throughout. */
function peak(values: (number | null)[]): number | null {
  return largest([values], values.length).reduce((most, value) => (value !== null && (most === null || value > most) ? value : most), null);
}

/** Charts that say something, and sentences for those that would be flat or empty. */
class Collected {
  readonly charts: Chart[] = [];
  readonly exact: string[] = [];
  readonly unknown: string[] = [];

  /** `most`: the largest figure of it, `rounding`: below this it is exact. */
  add(title: string, most: number | null, rounding: number, unit: string, make: () => Chart): Chart | null {
    if (most === null) this.unknown.push(title);
    else if (most < rounding) this.exact.push(`${title} (below ${withUnit(String(rounding), unit)} in every frame)`);
    else return this.charts[this.charts.push(make()) - 1];
    return null;
  }
}

function save(run: Run, charts: Chart[]): void {
  const { t } = run.timeline;
  const [from, to] = charts[0]?.between() ?? [-Infinity, Infinity];
  const columns = charts.flatMap((chart) => chart.columns());
  const quoted = (text: string) => `"${text.replace(/"/g, '""')}"`;
  const rows = [["time [s]", ...columns.map(({ head }) => head)].map(quoted).join(",")];
  t.forEach((time, i) => {
    if (time >= from && time <= to) rows.push([time, ...columns.map(({ values }) => values[i] ?? "")].join(","));
  });
  download(new Blob([`${rows.join("\n")}\n`], { type: "text/csv" }), "curves.csv");
}

function tools(run: Run, charts: Chart[]): HTMLElement {
  const radians = element("button", { type: "button", "aria-pressed": "false" }, "Radians");
  radians.addEventListener("click", () => {
    const on = radians.getAttribute("aria-pressed") !== "true";
    radians.setAttribute("aria-pressed", String(on));
    charts.forEach((chart) => chart.setRadians(on));
  });
  const csv = element("button", { type: "button", title: "The curves that are drawn, over the time that is drawn" }, "Save as CSV");
  csv.addEventListener("click", () => save(run, charts));
  return element("div", { class: "tools" }, radians, csv, element("span", { class: "hint" }, "Point to read, click to go there, drag to zoom, double-click to see all again."));
}

export function buildCurves(host: HTMLElement, run: Run, clock: Clock): Curves {
  const { timeline } = run;
  const found = new Collected();
  const angles = anglePanels(run, clock);
  found.charts.push(...angles.map((panel) => panel.chart));
  let errors: ErrorPanel | null = null;
  if (!run.sensors) {
    const worst = peak(largest(run.pairs.map((_, i) => column(timeline.angleError, i, DEGREES)), timeline.shown));
    found.add("Orientation error", worst, ROUNDING, "°", () => (errors = new ErrorPanel(run, clock)).chart);
  }
  const deviations = deviationChart(run, clock);
  if (deviations) found.charts.push(deviations);
  const limits = limitChart(run, clock);
  if (limits) found.charts.push(limits);
  const [turning, moving] = speedCharts(run, clock);
  found.add("Turning speed", peak(column(timeline.jointSpeed, 0, DEGREES)), ROUNDING, "°/s", () => turning);
  if (moving) found.add("Link speed", peak(column(timeline.linkSpeed, 0)), 1e-6, "m/s", () => moving);
  if (!run.sensors) {
    const distance = column(timeline.originDistance, 0, 1000);
    found.add("Distance of origins", peak(distance), ROUNDING, "mm", () => new Chart(clock, timeline.t, {
      title: "Distance of origins",
      unit: "mm",
      what: "Largest distance between the origin of a segment of the source and that of the model's link that follows it. Bodies of different sizes differ here.",
      lines: [{ name: "largest", values: distance, colour: "c5" }],
      least: 0.1,
      format: error,
    }));
  }
  const steps = column(timeline.stepUs, 0).map((us) => (us !== null && us > 0 ? us : null));
  found.add("Step time", peak(steps), 0, "µs", () => new Chart(clock, timeline.t, {
    title: "Step time",
    unit: "µs",
    what: run.scaling
      ? "Wall time of the solver's step behind each frame, before scaling; logarithmic."
      : "Wall time of each step, without reading and writing; logarithmic.",
    lines: [{ name: "step", values: steps, colour: "c6" }],
    log: true,
    format: (value) => number(value),
  }));
  const { charts } = found;
  if (!limits) found.exact.push(timeline.onLimit ? "joints on their limits (none ever was)" : `joints on their limits (${run.model.name} has none)`);
  host.append(tools(run, charts));
  const hint = (text: string) => host.append(element("p", { class: "hint" }, text));
  const flat = [...found.exact, ...found.unknown.map((title) => `${title} (not measured)`)];
  if (flat.length > 0) hint(`Nothing to draw of: ${flat.join(", ")}.`);
  if (timeline.stride > 1) {
    hint(
      `${grouped(timeline.shown)} of ${grouped(timeline.frames)} frames are shown, one of ${timeline.stride}. Error, speed, limit and time curves ` +
        `hold the largest of each ${timeline.stride}, so no peak is lost; angles and replay are those of the shown frame.`,
    );
  }
  host.append(...charts.map((chart) => chart.element));
  return {
    repaint: () => charts.forEach((chart) => chart.repaint()),
    choose: (item) => {
      errors?.choose(item);
      if (!angles.some((panel) => panel.shows(item))) angles[0]?.choose(item);
    },
  };
}
