// Which curves the page has, and the choices above them.

import type { Clock } from "./clock";
import type { Other } from "./compare";
import { Chart, type Line, type Panel } from "./curves";
import { sideOf } from "./feet";
import { errorLine, measuresOf } from "./measures";
import { DEGREES, element, grouped, number, plainName, ROUNDING } from "./format";
import { column, type Joint, type Run } from "./run";
import { download } from "./saving";

const PALETTE = ["c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8"];

/** Orientation error by segment: buttons choose which are drawn, the worst three at first. */
class ErrorPanel {
  readonly chart: Chart;
  private readonly chosen = new Set<number>();
  private readonly buttons: HTMLButtonElement[] = [];
  private readonly columns: (number | null)[][];
  private readonly rank: number[];

  constructor(
    private readonly run: Run,
    clock: Clock,
    panel: Panel,
  ) {
    this.columns = run.pairs.map((_, i) => column(run.timeline.angleError, i, DEGREES));
    this.rank = run.pairs.map((_, i) => i).sort((a, b) => (run.pairs[b].max_rad ?? -1) - (run.pairs[a].max_rad ?? -1));
    this.rank.slice(0, 3).forEach((i) => this.chosen.add(i));
    this.chart = new Chart(clock, run.timeline.t, { ...panel, lines: this.lines() }, this.chooser());
  }

  private lines(): Line[] {
    const some = this.rank
      .filter((i) => this.chosen.has(i))
      .map((i) => ({ name: plainName(this.run.pairs[i].link), values: this.columns[i], colour: this.colour(i) }));
    return [errorLine(this.run), ...some];
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
  private other: Other | null = null;

  constructor(
    private readonly run: Run,
    clock: Clock,
    private readonly sides: Sides[],
    first: number,
  ) {
    sides.forEach(({ label }, i) => this.choice.append(element("option", { value: String(i) }, label)));
    this.choice.value = String(first);
    this.choice.addEventListener("change", () => this.draw());
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
      const unit = line.unit!;
      // where no sensor tells of a joint that others do: held, not measured
      const held: Line[] = [];
      if (sd?.some((value) => value !== null)) {
        held.push({ name: "held, not measured", values: line.values.map((value, k) => (sd[k] === null ? value : null)), colour: "muted", unit, dash: [3, 3], mute: true });
        line.values = line.values.map((value, k) => (sd[k] === null ? null : value));
      }
      const edge = (sign: number) => line.values.map((value, k) => (value === null || sd![k] === null ? null : value + sign * sd![k]!));
      const band: Line[] = sd === null ? [] : [1, -1].map((sign) => ({ name: "1 sd", values: edge(sign), colour, unit, band: sign > 0, mute: true }));
      const limits = [joint.lower, joint.upper]
        .filter((limit): limit is number => limit !== null)
        .map((limit) => ({ name: "limit", values: new Array<number>(shown).fill(limit * factor), colour, unit, width: 1, dash: [2, 4], mute: true }));
      return [...band, ...held, line, ...limits];
    });
  }

  /** Draws the same joints of another run too. */
  compare(other: Other | null): void {
    this.other = other;
    this.draw();
  }

  private draw(): void {
    this.chart.show(this.lines());
    const { joints } = this.sides[Number(this.choice.value)] ?? { joints: [] };
    const theirs = joints.flatMap(({ joint, side }): Line[] => {
      const same = this.other?.run.model.joints.find((candidate) => candidate.name === joint.name && candidate.dof !== null);
      if (!same) return [];
      const line = { name: plainName(same.name), values: column(this.other!.run.timeline.s, same.dof!, same.type === "prismatic" ? 1000 : DEGREES), unit: same.type === "prismatic" ? "mm" : "°" };
      return [otherLine(line, this.other!, side === "right" ? "c5" : "c4")];
    });
    this.chart.beside(theirs);
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
    this.draw();
  }
}

/** A line of another run, at this run's instants. */
function otherLine(line: Omit<Line, "colour">, { at }: Other, colour: string): Line {
  const { name, values, unit, where } = line;
  return { name: `other: ${name}`, values: at.map((index) => (index < 0 ? null : values[index])), colour, unit, width: 2, dash: [2, 3], ...(where ? { where: (index: number) => (at[index] < 0 ? "" : where(at[index])) } : {}) };
}

/** The first line of another run's panel: the one that says most. */
function otherLines(panel: Panel | undefined, other: Other): Line[] {
  return panel ? [otherLine(panel.lines[0], other, "other")] : [];
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

export interface Curves {
  repaint(): void;
  /** Draws the curves of another run into the same charts; null: no more. */
  compare(other: Other | null): void;
  /** Brings what a moment is about into view of the curves. */
  choose(item: string): void;
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
  const found = measuresOf(run);
  const angles = anglePanels(run, clock);
  let errors: ErrorPanel | null = null;
  const measured = found.panels.map((panel) => {
    if (panel.title === "Orientation error") return (errors = new ErrorPanel(run, clock, panel)).chart;
    return new Chart(clock, timeline.t, panel);
  });
  const charts = [...angles.map((panel) => panel.chart), ...measured];
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
    compare: (other) => {
      angles.forEach((panel) => panel.compare(other));
      const theirs = new Map(other ? measuresOf(other.run).panels.map((panel) => [panel.title, panel]) : []);
      found.panels.forEach((panel, i) => measured[i].beside(other ? otherLines(theirs.get(panel.title), other) : []));
    },
  };
}
