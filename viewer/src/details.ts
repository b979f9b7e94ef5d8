// What stands below the curves: segments, notes, the rig, settings, and what the page is made of.

import gifencLicence from "../node_modules/gifenc/LICENSE.md?raw";
import threeLicence from "../node_modules/three/LICENSE?raw";
import uplotLicence from "../node_modules/uplot/LICENSE?raw";
import webmLicence from "../node_modules/webm-muxer/LICENSE?raw";
import { breakable, DEGREES, element, error, number, plainName, plural, ROUNDING, seconds } from "./format";
import type { Visit } from "./moments";
import { column, type Rig, type Run, type Sensing } from "./run";
import { table } from "./table";

function section(title: string, ...content: (Node | string)[]): HTMLElement {
  return element("section", {}, element("details", {}, element("summary", {}, element("h2", {}, title)), ...content));
}

/** Content that is long and seldom read: a line that opens it. */
function folded(summary: string, ...content: (Node | string)[]): HTMLElement {
  return element("details", {}, element("summary", {}, summary), ...content);
}

function segments(run: Run, visit: Visit): HTMLElement {
  const most = Math.max(...run.pairs.map((pair) => pair.max_rad ?? 0), ROUNDING / DEGREES);
  const rows = run.pairs.map((pair) => {
    const bar = element("span", { class: "meter", "aria-hidden": "true" });
    bar.style.setProperty("--share", String((pair.max_rad ?? 0) / most));
    const go = pair.max_s === null ? "–" : element("button", { type: "button", class: "link" }, `${seconds(pair.max_s)} s`);
    if (typeof go !== "string") go.addEventListener("click", () => visit(pair.max_s!, pair.link));
    const angle = (value: number | null) => error(value === null ? null : value * DEGREES);
    return [element("span", {}, ...breakable(plainName(pair.link))), angle(pair.mean_rad), angle(pair.max_rad), bar, go];
  });
  const columns = [
    { head: "Segment" },
    { head: "mean [°]", figures: true },
    { head: "largest [°]", figures: true },
    { head: "" },
    { head: "when", figures: true },
  ];
  return section("Orientation error by segment", table("Orientation error by segment", columns, rows, "keep"));
}

function sensors(sensing: Sensing): HTMLElement {
  const multiple = (innovation: number | null) => (innovation === null ? "–" : number(Math.sqrt(innovation / 3), 2));
  const oriented = sensing.sensors.some((sensor) => sensor.nis_orientation_mean !== null);
  const rows = sensing.sensors.map((sensor) => [
    element("span", { class: sensor.disagrees || sensor.off_by === null ? "bad" : "" }, ...breakable(plainName(sensor.name))),
    multiple(sensor.nis_gyro_mean),
    multiple(sensor.nis_acc_mean),
    ...(oriented ? [multiple(sensor.nis_orientation_mean)] : []),
    number(100 * sensor.missing_share, 2),
  ]);
  const columns = [
    { head: "Sensor" },
    { head: "gyroscope", figures: true },
    { head: "accelerometer", figures: true },
    ...(oriented ? [{ head: "orientation", figures: true }] : []),
    { head: "missing [%]", figures: true },
  ];
  const what = "How far readings are off, as multiples of what is expected; more than 1.4 is too much.";
  return section("Sensors", element("p", { class: "hint" }, what), table("Sensors", columns, rows, "stack"));
}

function knownJoints(run: Run, visit: Visit): HTMLElement {
  const places = new Map(run.model.joints.map((joint) => [joint.name, joint]));
  /** Where the joint is known least. */
  const worst = (dof: number): number => {
    const values = run.timeline.deviation ? column(run.timeline.deviation, dof) : [];
    return values.reduce<number>((best, value, i) => ((value ?? -1) > (values[best] ?? -1) ? i : best), 0);
  };
  const joints = run.sensors!.joints.filter((joint) => joint.sd !== null).sort((a, b) => b.sd! - a.sd!);
  const rows = joints.map((joint) => {
    const place = places.get(joint.name)!;
    const slides = place.type === "prismatic";
    const name = element("button", { type: "button", class: "link" }, plainName(joint.name));
    name.addEventListener("click", () => visit(run.timeline.t[worst(place.dof!)], joint.name));
    return [name, slides ? `${error(joint.sd! * 1000)} mm` : `${error(joint.sd! * DEGREES)}°`];
  });
  const columns = [{ head: "Joint" }, { head: "1 standard deviation", figures: true }];
  return section("How surely each joint is known", folded(`All ${joints.length} joints, the least known first`, table("Joints", columns, rows, "keep")));
}

function percent(confidence: number | null): string {
  return confidence === null ? "–" : `${Math.round(100 * confidence)} %`;
}

function rigDecisions(rig: Rig): HTMLElement {
  const columns = [{ head: "Decision" }, { head: "Answer" }, { head: "Confidence", figures: true }, { head: "Reason" }];
  const rows = rig.decisions.map((decision) => [decision.what, decision.answer, percent(decision.confidence), decision.reason]);
  return table("Decisions about the rig", columns, rows, "stack");
}

function rigSegments(rig: Rig): HTMLElement {
  const columns = [{ head: "Segment" }, { head: "Joint of the recording" }, { head: "Confidence", figures: true }, { head: "Reason" }];
  const rows = rig.segments.map((entry) => {
    const joint = entry.joint ?? "not measured";
    const spread = entry.next === null ? joint : `${number(100 * entry.share)} % of the way from ${joint} to ${entry.next}`;
    const reason = [entry.reason, entry.frame_reason].filter((text) => text !== "").join("; ");
    const confidence = entry.joint === null ? "–" : percent(Math.min(entry.confidence, entry.frame_confidence ?? 1));
    return [plainName(entry.segment), spread, confidence, reason];
  });
  return table("Joints of the recording by segment", columns, rows, "stack");
}

function rigSection(rig: Rig): HTMLElement {
  const summary = `Family: ${rig.family}. Unit of length: ${number(rig.unit)} m. Confidence: ${percent(rig.confidence)}.`;
  const content: Node[] = [element("p", { class: "lead" }, summary)];
  if (rig.names_swapped) content.push(element("p", { class: "warn" }, "The names say left where the body is right."));
  content.push(rigDecisions(rig), folded(`Which joint each of the ${rig.segments.length} segments follows`, rigSegments(rig)));
  if (rig.unmapped.length > 0) {
    const list = element("p", { class: "names" }, rig.unmapped.join(", "));
    content.push(folded(`${plural(rig.unmapped.length, "joint")} that no segment follows`, list));
  }
  return section("How the rig was understood", ...content);
}

function about(run: Run): HTMLElement {
  const licence = (name: string, text: string) => folded(name, element("pre", { class: "licence" }, text.trim()));
  return section(
    "About this page",
    element("p", {}, `Written by Panto ${run.panto} (Apache-2.0). It holds all it needs: it loads nothing and sends nothing.`),
    element("p", {}, "Keys: space plays, left and right go by one frame, with shift by one second, Home and End to the ends; 1 to 4 look from the corner, front, side and top, F follows, T shows trails, B balance, U uncertainty, L repeats. In the curves a click goes there, a drag zooms, a double click shows all."),
    licence("three.js draws the replay (MIT licence)", threeLicence),
    licence("uPlot draws the curves (MIT licence)", uplotLicence),
    licence("webm-muxer writes films (MIT licence)", webmLicence),
    licence("gifenc writes GIFs (MIT licence)", gifencLicence),
  );
}

export function buildDetails(host: HTMLElement, run: Run, visit: Visit): void {
  if (run.notes.length > 0) {
    const list = element("ul", { class: "notes" }, ...run.notes.map((note) => element("li", {}, note)));
    host.append(section("Notes of the reader", list));
  }
  const rest = element("div", { class: "beside" });
  if (run.rig) rest.append(rigSection(run.rig));
  if (run.settings.length > 0)
    rest.append(section("Settings", table("Settings of the run", [{ head: "Setting" }, { head: "Value" }], run.settings, "keep")));
  rest.append(about(run));
  const beside = element("div", { class: "columns" }, rest);
  if (run.sensors) {
    const left = element("div", {}, sensors(run.sensors));
    if (run.sensors.joint_sd_median_deg !== null) left.append(knownJoints(run, visit));
    beside.prepend(left);
  }
  if (run.pairs.length > 0) beside.prepend(segments(run, visit));
  host.append(beside);
}
