// Curves of a run that need no choice, as plain data: so that those of two runs can be drawn in one chart.

import type { Line, Panel } from "./curves";
import { DEGREES, error, number, plainName, ROUNDING, withUnit } from "./format";
import { column, onLimit, type Run, type Table } from "./run";

/** The largest of each row. */
export function largest(columns: (number | null)[][], length: number): (number | null)[] {
  return Array.from({ length }, (_, i) => {
    let most: number | null = null;
    for (const values of columns) {
      const value = values[i];
      if (value !== null && (most === null || value > most)) most = value;
    }
    return most;
  });
}

/** The largest orientation error of all segments. */
export function errorLine(run: Run): Line {
  return { name: "largest of all", values: largest(run.pairs.map((_, i) => column(run.timeline.angleError, i, DEGREES)), run.timeline.shown), colour: "all", area: true };
}

function limitPanel(run: Run): Panel | null {
  const { timeline } = run;
  if (!timeline.onLimit) return null;
  const joints = run.model.joints.filter((joint) => joint.dof !== null);
  const held = (index: number) => joints.filter((joint) => onLimit(timeline, index, joint.dof!));
  if (!timeline.onLimit.values.some((byte) => byte !== 0)) return null;
  const where = (index: number): string => {
    const names = held(index).map((joint) => plainName(joint.name));
    return names.length > 3 ? `${names.slice(0, 2).join(", ")} and ${names.length - 2} more` : names.join(", ");
  };
  return {
    title: "Joints on their limits",
    unit: "number",
    what: "How many joints rest at a limit or are beyond it.",
    lines: [{ name: "at once", values: Array.from({ length: timeline.shown }, (_, i) => held(i).length), colour: "c2", area: true, unit: "", where }],
    least: 1,
    format: (value) => String(value ?? 0),
  };
}

/** How surely the joints that turn are known. */
function deviationPanel(run: Run): Panel | null {
  const { deviation, shown } = run.timeline;
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
  return {
    title: "Expected error of the joints",
    unit: "°",
    what: "Standard deviation that the filter gives each joint that a sensor tells of: the largest, and the one that half of the joints are below.",
    lines: [
      { name: "largest", values: most, colour: "all", area: true, where },
      { name: "half are below", values: middle, colour: "c1" },
    ],
    least: 0.01,
    format: error,
  };
}

function turningPanel(run: Run): Panel {
  const { timeline } = run;
  const joints = new Map(run.model.joints.map((joint) => [joint.dof, joint.name]));
  const joint = (index: number) => plainName(joints.get(timeline.fastestJoint.values[index]) ?? "");
  return {
    title: "Turning speed",
    unit: "°/s",
    what: run.sensors ? "The fastest joint." : "Fastest joint, and fastest turn of a link in the world. A joint near gimbal lock is fast while its links are not.",
    lines: [
      { name: "joint", values: column(timeline.jointSpeed, 0, DEGREES), colour: "c1", where: joint },
      ...(run.sensors ? [] : [{ name: "link", values: column(timeline.turnSpeed, 0, DEGREES), colour: "c3", where: linkOf(run, timeline.fastestTurn) }]),
    ],
    format: (value) => number(value),
  };
}

const linkOf = (run: Run, fastest: Table) => (index: number) => plainName(run.pairs[fastest.values[index]]?.link ?? "");

function movingPanel(run: Run): Panel {
  const { timeline } = run;
  return {
    title: "Link speed",
    unit: "m/s",
    what: "The model's link whose origin moves fastest.",
    lines: [{ name: "fastest", values: column(timeline.linkSpeed, 0), colour: "c4", where: linkOf(run, timeline.fastestLink) }],
    format: (value) => number(value),
  };
}

function distancePanel(run: Run): Panel {
  return {
    title: "Distance of origins",
    unit: "mm",
    what: "Largest distance between the origin of a segment of the source and that of the model's link that follows it. Bodies of different sizes differ here.",
    lines: [{ name: "largest", values: column(run.timeline.originDistance, 0, 1000), colour: "c5" }],
    least: 0.1,
    format: error,
  };
}

function stepPanel(run: Run): Panel {
  return {
    title: "Step time",
    unit: "µs",
    what: run.scaling
      ? "Wall time of the solver's step behind each frame, before scaling; logarithmic."
      : "Wall time of each step, without reading and writing; logarithmic.",
    lines: [{ name: "step", values: column(run.timeline.stepUs, 0).map((us) => (us !== null && us > 0 ? us : null)), colour: "c6" }],
    log: true,
    format: (value) => number(value),
  };
}

/** Panels that say something, and words for those that would be flat or empty. */
export interface Measures {
  panels: Panel[];
  exact: string[];
  unknown: string[];
}

function peak(values: (number | null)[]): number | null {
  return largest([values], values.length).reduce((most, value) => (value !== null && (most === null || value > most) ? value : most), null);
}

export function measuresOf(run: Run): Measures {
  const found: Measures = { panels: [], exact: [], unknown: [] };
  /** Below `rounding` it is exact. */
  const add = (panel: Panel, rounding: number): void => {
    const most = peak(panel.lines[0].values);
    if (most === null) found.unknown.push(panel.title);
    else if (most < rounding) found.exact.push(`${panel.title} (below ${withUnit(String(rounding), panel.unit)} in every frame)`);
    else found.panels.push(panel);
  };
  if (!run.sensors) {
    const panel: Panel = {
      title: "Orientation error",
      unit: "°",
      what: "Angle between each segment of the source and the model's link that follows it.",
      lines: [errorLine(run)],
      format: error,
      least: 0.01,
    };
    add(panel, ROUNDING);
  }
  const [deviations, limits] = [deviationPanel(run), limitPanel(run)];
  if (deviations) found.panels.push(deviations);
  if (limits) found.panels.push(limits);
  else found.exact.push(run.timeline.onLimit ? "joints on their limits (none ever was)" : `joints on their limits (${run.model.name} has none)`);
  add(turningPanel(run), ROUNDING);
  if (!run.sensors) {
    add(movingPanel(run), 1e-6);
    add(distancePanel(run), ROUNDING);
  }
  add(stepPanel(run), 0);
  return found;
}
