// Which curves the page has, and the choices above them.

import type { Clock } from "./clock";
import { Chart, type Line } from "./curves";
import { DEGREES, element, error, grouped, number, plainName, ROUNDING } from "./format";
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

/** Angles of the joints that make up one anatomical joint, with their limits. */
class AnglePanel {
  readonly chart: Chart;
  private readonly choice = element("select", { "aria-label": "Joint whose angles are drawn" });
  private readonly groups = new Map<string, Joint[]>();

  constructor(
    private readonly run: Run,
    clock: Clock,
  ) {
    for (const joint of run.model.joints) {
      if (joint.dof === null) continue;
      const name = joint.name.replace(/_rot[xyz]$/, "");
      this.groups.set(name, [...(this.groups.get(name) ?? []), joint]);
    }
    for (const name of this.groups.keys()) this.choice.append(element("option", { value: name }, plainName(name)));
    const preferred = [...this.groups.keys()].find((name) => name === "jRightKnee");
    if (preferred) this.choice.value = preferred;
    this.choice.addEventListener("change", () => this.chart.show(this.lines()));
    this.chart = new Chart(
      clock,
      run.timeline.t,
      {
        title: "Joint angles of the model",
        unit: [...this.groups.values()].flat().some((joint) => joint.type === "prismatic") ? "° or mm" : "°",
        what: `Positions of the model's own joints; ${run.timeline.deviation ? "shaded: 1 standard deviation on both sides; " : ""}dotted: their limits, where they have some.`,
        lines: this.lines(),
        format: (value) => number(value !== null && Math.abs(value) < ROUNDING ? 0 : value),
      },
      element("label", { class: "choice" }, "Joint ", this.choice),
    );
  }

  private lines(): Line[] {
    const joints = this.groups.get(this.choice.value) ?? [];
    const { s, deviation, shown } = this.run.timeline;
    return joints.flatMap((joint, i) => {
      const factor = joint.type === "prismatic" ? 1000 : DEGREES;
      const colour = PALETTE[i % PALETTE.length];
      const turn = /_rot([xyz])$/.exec(joint.name);
      const unit = joint.type === "prismatic" ? "mm" : "°";
      const line: Line = { name: turn ? `about ${turn[1]}` : plainName(joint.name), values: column(s, joint.dof!, factor), colour, unit };
      const sd = deviation === null ? null : column(deviation, joint.dof!, factor);
      const edge = (side: number) => line.values.map((value, k) => (value === null || sd![k] === null ? null : value + side * sd![k]!));
      const band: Line[] = sd === null ? [] : [1, -1].map((side) => ({ name: "1 sd", values: edge(side), colour, band: side > 0, mute: true }));
      const limits = [joint.lower, joint.upper]
        .filter((limit): limit is number => limit !== null)
        .map((limit) => ({ name: "limit", values: new Array<number>(shown).fill(limit * factor), colour, width: 1, dash: [2, 4], mute: true }));
      return [...band, line, ...limits];
    });
  }

  /** The joint of this name, or the one that carries the link of this name. */
  choose(item: string): void {
    const { joints, links } = this.run.model;
    const joint = joints.find(({ name, child, dof }) => dof !== null && (name === item || links[child].name === item));
    if (!joint) return;
    const name = joint.name.replace(/_rot[xyz]$/, "");
    if (!this.groups.has(name) || this.choice.value === name) return;
    this.choice.value = name;
    this.chart.show(this.lines());
  }
}

function limitChart(run: Run, clock: Clock): Chart | null {
  const { timeline } = run;
  if (!timeline.onLimit) return null;
  const joints = run.model.joints.filter((joint) => joint.dof !== null);
  const held = (index: number) => joints.filter((joint) => onLimit(timeline, index, joint.dof!));
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

export function buildCurves(host: HTMLElement, run: Run, clock: Clock): Curves {
  const { timeline } = run;
  const errors = run.sensors ? null : new ErrorPanel(run, clock);
  const deviations = deviationChart(run, clock);
  const angles = new AnglePanel(run, clock);
  const limits = limitChart(run, clock);
  const charts = [
    ...(errors ? [errors.chart] : []),
    ...(deviations ? [deviations] : []),
    angles.chart,
    ...(limits ? [limits] : []),
    ...speedCharts(run, clock),
    ...(run.sensors ? [] : [new Chart(clock, timeline.t, {
      title: "Distance of origins",
      unit: "mm",
      what: "Largest distance between the origin of a segment of the source and that of the model's link that follows it. Bodies of different sizes differ here.",
      lines: [{ name: "largest", values: column(timeline.originDistance, 0, 1000), colour: "c5" }],
      least: 0.1,
      format: error,
    })]),
    new Chart(clock, timeline.t, {
      title: "Step time",
      unit: "µs",
      what: run.scaling
        ? "Wall time of the solver's step behind each frame, before scaling; logarithmic."
        : "Wall time of each step, without reading and writing; logarithmic.",
      lines: [{ name: "step", values: column(timeline.stepUs, 0).map((us) => (us !== null && us > 0 ? us : null)), colour: "c6" }],
      log: true,
      format: (value) => number(value),
    }),
  ];
  host.append(element("p", { class: "hint" }, "Point to read, click to go there, drag to zoom, double-click to see all again."));
  if (timeline.stride > 1) {
    host.append(
      element(
        "p",
        { class: "hint" },
        `${grouped(timeline.shown)} of ${grouped(timeline.frames)} frames are shown, one of ${timeline.stride}. Error, speed, limit and time curves ` +
          `hold the largest of each ${timeline.stride}, so no peak is lost; angles and replay are those of the shown frame.`,
      ),
    );
  }
  host.append(...charts.map((chart) => chart.element));
  if (!limits) host.append(element("p", { class: "hint" }, `Model ${run.model.name} has no joint limits.`));
  return {
    repaint: () => charts.forEach((chart) => chart.repaint()),
    choose: (item) => {
      errors?.choose(item);
      angles.choose(item);
    },
  };
}
