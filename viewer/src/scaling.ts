// What was scaled into the robot's limits, and which gesture of the recording the page shows.

import { breakable, DEGREES, element, error, number, plainName, plural, seconds, withUnit } from "./format";
import type { Run, Swing } from "./run";
import { table } from "./table";

/** Swings shown; `--json` lists all. */
const MOST = 40;
/** With more lines than this the tables are folded. */
const FEW = 12;

/** A joint's figure: degrees of what turns, millimetres of what slides. */
function inUnit(run: Run, joint: string | undefined, value: number, per = ""): string {
  const slides = run.model.joints.some(({ name, type }) => name === joint && type === "prismatic");
  return withUnit(number(value * (slides ? 1000 : DEGREES)), slides ? `mm${per}` : `°${per}`);
}

function sentences(run: Run): string[] {
  const { gesture } = run;
  const scaling = run.scaling!;
  const said: string[] = [];
  if (gesture) said.push(`${gesture.name[0].toUpperCase()}${gesture.name.slice(1)}: ${gesture.reason}.`);
  const times = `${seconds(scaling.duration_before_s)} s were recorded and take ${seconds(scaling.duration_after_s)} s`;
  if (scaling.stretch > 1.0005) {
    const where = scaling.law === "optimal" ? "slower only where it must be" : "all of it slower alike";
    const asks = scaling.asked_by === null ? "" : ` ${plainName(scaling.asked_by)} asks for most of it, at ${seconds(scaling.asked_at_s)} s of the recording.`;
    said.push(`${times}, ${number(scaling.stretch)} times as long, ${where}.${asks}`);
  } else {
    said.push(`${times}: no joint is too fast.`);
  }
  if (scaling.followable_mean_deg !== null) {
    const worst = scaling.worst_link === "" ? "" : `, ${plainName(scaling.worst_link)}`;
    said.push(`Off by ${error(scaling.followable_mean_deg)}° (mean), ${error(scaling.followable_max_deg)}° (most${worst}) where the robot can follow.`);
  }
  return said;
}

function named(name: string): HTMLElement {
  return element("span", {}, ...breakable(name));
}

function titled(title: string, content: HTMLElement, note = ""): HTMLElement {
  const made = element("div", {}, element("h3", { class: "table-title" }, title), content);
  if (note !== "") made.append(element("p", { class: "hint" }, note));
  return made;
}

function swings(run: Run): HTMLElement | null {
  const scaling = run.scaling!;
  const all: Swing[] = [...scaling.swings, ...scaling.rows];
  if (all.length === 0) return null;
  const columns = [
    { head: "Joint" }, { head: "recorded from, to [s]", figures: true }, { head: "before scaling", figures: true },
    { head: "on the robot", figures: true }, { head: "at [s]", figures: true },
  ];
  const rows = all.slice(0, MOST).map((swing) => [
    named(swing.joint !== undefined ? plainName(swing.joint) : `row ${swing.row}`),
    `${seconds(swing.from_s)}, ${seconds(swing.to_s)}`,
    inUnit(run, swing.joint, swing.before),
    inUnit(run, swing.joint, swing.after),
    seconds(swing.at_s),
  ]);
  const title = "Swings beyond a limit, scaled back";
  return titled(title, table(title, columns, rows, "stack"), all.length > MOST ? `and ${all.length - MOST} more: --json lists all` : "");
}

function fast(run: Run): HTMLElement | null {
  const joints = run.scaling!.fast;
  if (joints.length === 0) return null;
  const columns = [{ head: "Joint" }, { head: "before scaling", figures: true }, { head: "limit", figures: true }, { head: "at [s]", figures: true }];
  const rows = joints.map((joint) => [named(plainName(joint.joint)), inUnit(run, joint.joint, joint.peak, "/s"), inUnit(run, joint.joint, joint.limit, "/s"), seconds(joint.at_s)]);
  const title = "Joints that were too fast, slowed down";
  return titled(title, table(title, columns, rows, "keep"));
}

function limbs(run: Run): HTMLElement | null {
  const measured = (run.gesture?.limbs ?? []).filter((limb) => limb.direction_median_deg !== null);
  if (measured.length === 0) return null;
  const columns = [{ head: "Limb" }, { head: "median [°]", figures: true }, { head: "95 % are below [°]", figures: true }, { head: "largest [°]", figures: true }];
  const rows = measured.map((limb) => [plainName(limb.segment), error(limb.direction_median_deg), error(limb.direction_p95_deg), error(limb.direction_max_deg)]);
  const title = "How far off the limbs point, before scaling";
  return titled(title, table(title, columns, rows, "keep"));
}

export function buildScaling(host: HTMLElement, run: Run): void {
  if (!run.scaling) return;
  host.hidden = false;
  host.append(element("h2", {}, "Brought within the robot's limits"));
  host.append(...sentences(run).map((text) => element("p", { class: "lead" }, text)));
  const made = [swings(run), fast(run), limbs(run)].filter((part) => part !== null);
  if (run.scaling.swings.length + run.scaling.rows.length === 0)
    host.append(element("p", { class: "lead" }, "No joint left its range: no angle was changed."));
  if (made.length === 0) return;
  const { swings: beyond, rows, fast: quick } = run.scaling;
  const lines = beyond.length + rows.length + quick.length;
  const tables = element("details", lines <= FEW ? { open: "" } : {},
    element("summary", {}, `${swingCount(run)} beyond a limit, ${plural(quick.length, "joint")} too fast${run.gesture ? ", and the limbs" : ""}`),
    element("p", { class: "hint" }, "Times in these tables are those of the recording; replay and curves have the robot's, which begin alike and fall behind."),
    element("div", { class: "tables" }, ...made));
  host.append(tables);
}

/** "3 swings" of joints and coupled rows. */
export function swingCount(run: Run): string {
  return plural(run.scaling!.swings.length + run.scaling!.rows.length, "swing");
}
