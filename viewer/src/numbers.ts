// The verdict in words, the cards, and the table of all keys.

import { DEGREES, element, error, grouped, number, plainName, plural, ROUNDING, seconds, withUnit } from "./format";
import type { Card, Run, Sensing, Sensor } from "./run";
import { swingCount } from "./scaling";
import { table } from "./table";

function value(card: Card, key: string): number | null {
  const found = card[key];
  return typeof found === "number" ? found : null;
}

function unanswered(run: Run): number {
  const counts = run.card.status_counts as Record<string, number>;
  const answered = ["solved", "saturated", "stuck"].reduce((sum, status) => sum + (counts[status] ?? 0), 0);
  return (value(run.card, "frames") ?? 0) - answered;
}

/** "Half of the joints are known within 3.4° ..." */
function sensedHeadline(sensing: Sensing): string {
  const { joint_sd_median_deg: median, joint_sd_max_deg: max, least_known_joint: least } = sensing;
  if (sensing.swapped_sensors.length > 0) return "Sensors may be swapped: do not use these angles before that is settled.";
  if (sensing.sensors.some((sensor) => sensor.disagrees)) return "Sensors disagree with the model: do not use these angles before that is settled.";
  if (median === null && sensing.joints.some((joint) => joint.sd !== null)) return "The table below has the uncertainty of each joint.";
  if (median === null || max === null || least === null) return "The uncertainty of the joints was not computed.";
  return `Half of the joints are known within ${error(median)}°, the least known, ${plainName(least)}, within ${error(max)}° (1 standard deviation).`;
}

function sensorRemarks({ sensors, swapped_sensors: swapped }: Sensing): Remark[] {
  const found: Remark[] = [];
  const silent = sensors.filter((sensor) => sensor.off_by === null);
  const odd = sensors.filter((sensor) => sensor.disagrees);
  const frozen = sensors.filter((sensor) => sensor.frozen_s > 0 && sensor.off_by !== null);
  const names = (list: Sensor[]) => list.map((sensor) => plainName(sensor.name)).join(", ");
  if (silent.length + odd.length + swapped.length === 0) found.push({ good: true, text: sensors.length === 1 ? "The sensor agrees with the model." : `All ${sensors.length} sensors agree with the model.` });
  if (odd.length > 0) found.push({ good: false, text: `Disagreeing with the model: ${names(odd)}. Check mounting, body height and start pose.` });
  if (silent.length > 0) found.push({ good: false, text: `Nothing measured by: ${names(silent)}.` });
  if (frozen.length > 0) found.push({ good: false, text: `Frozen for a while: ${names(frozen)}.` });
  for (const pair of swapped) found.push({ good: false, text: `${plainName(pair.one)} and ${plainName(pair.other)} may be swapped: check where they sit, then exchange their ${pair.calibrated ? "links in the file of sensors and calibrate again" : "names in the file of sensors"}.` });
  return found;
}

/** "Follows within 0.12° on average ..."; below a verdict, which has the mean, the worst alone. */
export function headline(run: Run, below = false): string {
  if (run.sensors) return sensedHeadline(run.sensors);
  const mean = value(run.card, "angle_mean_deg");
  const max = value(run.card, "angle_max_deg");
  if (below && max !== null && max < ROUNDING) return "";  // the verdict says so
  if (mean === null) return "No orientation could be judged in this run.";
  if (max !== null && max < ROUNDING) return `Follows the recording exactly: no orientation is off by more than rounding (${ROUNDING}°).`;
  const worst = run.moments.find((moment) => moment.kind === "orientation_error");
  const where = worst ? ` at ${seconds(worst.t)} s in ${plainName(worst.item)}` : "";
  if (below) return `The worst orientation is ${error(max)}° off${where}.`;
  return `Follows the recording within ${mean < ROUNDING ? ROUNDING : error(mean)}° on average; worst ${error(max)}°${where}.`;
}

interface Remark {
  good: boolean;
  text: string;
}

function remarks(run: Run): Remark[] {
  const frames = value(run.card, "frames") ?? 0;
  const missing = unanswered(run);
  const found: Remark[] = [
    missing === 0
      ? { good: true, text: frames === 1 ? "The one frame was solved." : `All ${grouped(frames)} frames were solved.` }
      : { good: false, text: `${missing} of ${plural(frames, "frame")} could not be solved: the pose was held.` },
  ];
  const stuck = (run.card.status_counts as Record<string, number>).stuck ?? 0;
  if (stuck > 0) found.push({ good: false, text: `${plural(stuck, "frame")} turned the wrong way round; do not use them ("stuck").` });
  const violations = value(run.card, "limit_violations") ?? 0;
  if (run.timeline.onLimit === null) {
    found.push({ good: true, text: `Model ${run.model.name} has no joint limits to break.` });
  } else if (violations === 0) {
    const held = value(run.card, "saturated_share");
    const share = held !== null && held > 0 ? `; a limit held some joint in ${number(100 * held)} % of the frames` : "";
    found.push({ good: true, text: `No joint left its limits${share}.` });
  } else {
    const far = (value(run.card, "limit_violation_max_rad") ?? 0) * DEGREES;
    found.push({ good: false, text: `Joints were outside their limits ${plural(violations, "time")}, by up to ${error(far)}°.` });
  }
  for (const { name, value: figure, unit, limit, detail } of run.verdict?.figures ?? []) {
    const whose = detail === "" ? "" : ` (${detail})`;
    const most = limit === null ? "" : `, limit ${number(limit)}`;
    found.push({ good: limit === null || figure <= limit, text: `${name}: ${number(figure)} ${unit}${whose}${most}` });
  }
  if (run.sensors) found.push(...sensorRemarks(run.sensors));
  if (run.scaling) {
    const fast = run.scaling.velocity_violations;
    found.push(fast === 0 ? { good: true, text: "No joint broke its speed limit." } : { good: false, text: `Joints were too fast ${plural(fast, "time")}.` });
    const { collapsed_link: link, collapsed_longest_s: collapsed } = run.scaling;
    if (link !== "") found.push({ good: false, text: `${plainName(link)} was more than 90° off for up to ${seconds(collapsed)} s.` });
  }
  return found;
}

/** Letters from which on a verdict is set smaller. */
const LONG = 130;

export function buildVerdict(host: HTMLElement, run: Run): void {
  if (run.verdict) {
    const { grade, text } = run.verdict;
    const word = { good: "Good", usable_with_care: "Usable, but", unreliable: "Not usable" }[grade];
    const kind = { good: "grade-good", usable_with_care: "grade-care", unreliable: "grade-bad" }[grade];
    const size = text.length > LONG ? "headline long" : "headline";
    host.append(element("p", { class: size }, element("span", { class: kind }, word), text.slice(word.length)));
    const line = headline(run, true);
    if (line !== "") host.append(element("p", { class: "under-headline" }, line));
  } else {
    host.append(element("p", { class: "headline" }, headline(run)));
  }
  const listOf = (some: Remark[]): HTMLElement => {
    const list = element("ul", { class: "remarks" });
    for (const { good, text } of some) {
      const mark = element("span", { class: "mark", "aria-hidden": "true" }, good ? "✓" : "!");
      list.append(element("li", { class: good ? "good" : "bad" }, mark, text));
    }
    return list;
  };
  // what is wrong is read at once; what is right is there to be looked up
  const all = remarks(run);
  const [wrong, right] = [all.filter(({ good }) => !good), all.filter(({ good }) => good)];
  if (wrong.length > 0) host.append(listOf(wrong));
  const more = element("details", { class: "checks" }, element("summary", {}, `${plural(right.length, "check")} passed, and what they mean`), listOf(right));
  host.append(more);
  more.append(
    element(
      "p",
      { class: "hint" },
      (run.sensors
        ? "Standard deviations are what the filter expects its errors to be, from the noise and mounting that the file of sensors states; root mean squares over time. " +
          (run.sensors.unmeasured_joints > 0 ? `${plural(run.sensors.unmeasured_joints, "joint")} without a sensor behind them ${run.sensors.unmeasured_joints === 1 ? "is" : "are"} assumed, not measured, and left out. ` : "")
        : "Errors are against the recording's own segments: how well the model follows, not how true the recording is. ") +
        `Statistics count from ${seconds(run.settled_from_s)} s on.`,
    ),
  );
}

/** One figure of a card: its label, its key, its text. */
type Figure = [label: string, key: string, text: string];

interface CardText {
  title: string;
  big: string;
  unit: string;
  under: string;
  key: string;
  more: Figure[];
}

/** What was recorded, and how long the robot takes for it. */
function recordingCard(run: Run): CardText {
  const of = (key: string) => value(run.card, key);
  const { gesture, scaling } = run;
  const frames: Figure = [scaling ? "frames on the robot" : "frames", "frames", of("frames") === null ? "–" : grouped(of("frames")!)];
  const rate: Figure = ["rate", "rate_hz", withUnit(number(of("rate_hz")), "Hz")];
  if (!scaling)
    return { title: "Recording", big: number(of("duration_s")), unit: "s", under: run.format, key: "duration_s", more: [frames, rate] };
  const more: Figure[] = [["on the robot", "duration_s", withUnit(seconds(of("duration_s")), "s")], frames, rate];
  if (gesture) {
    more.unshift(["from, to", "first_s, last_s", withUnit(`${seconds(gesture.first_s)}, ${seconds(gesture.last_s)}`, "s")], ["of a recording of", "recording_s", withUnit(seconds(gesture.recording_s), "s")]);
  }
  return {
    title: gesture ? gesture.name[0].toUpperCase() + gesture.name.slice(1) : "Recording", big: seconds(scaling.duration_before_s), unit: "s",
    under: `as recorded, ${run.format}`, key: "duration_before_s", more,
  };
}

function scalingCard(run: Run): CardText {
  const scaling = run.scaling!;
  const asks = scaling.asked_by === null ? "none" : plainName(scaling.asked_by);
  return {
    title: "Scaling", big: scaling.stretch.toFixed(2), unit: "times as long", under: "as the recording, for the robot's limits", key: "stretch",
    more: [
      ["asked for by", "asked_by", asks],
      ["joints too fast", "fast", number(scaling.fast.length)],
      ["beyond limits", "swings", swingCount(run)],
      ["joints moved by", "change_max", withUnit(error(scaling.change_max * DEGREES), "°")],
    ],
  };
}

/** Instead of errors against segments, which raw sensors do not have. */
function sensorCards({ joint_sd_median_deg: median, joint_sd_max_deg: max, least_known_joint: least, sensors }: Sensing): CardText[] {
  const off = sensors.map((sensor) => sensor.off_by ?? 0);
  const worst = off.indexOf(Math.max(...off));
  const missing = Math.max(...sensors.map((sensor) => sensor.missing_share));
  return [
    {
      title: "Expected error", big: error(median), unit: "°", under: "1 standard deviation; half of the joints have less", key: "joint_sd_median_deg",
      more: [["of the worst joint", "joint_sd_max_deg", withUnit(error(max), "°")], ["least known", "least_known_joint", least === null ? "–" : plainName(least)]],
    },
    {
      title: "Sensors", big: number(off[worst]), unit: "× expected", under: "how far the readings of the worst are off; more than 1.4 is too much", key: "sensors[].off_by",
      more: [["the worst", "sensors[].name", plainName(sensors[worst].name)], ["sensors", "sensors", String(sensors.length)], ["missing, most of one", "sensors[].missing_share", withUnit(number(100 * missing, 2), "%")]],
    },
  ];
}

function cardsOf(run: Run): CardText[] {
  const of = (key: string) => value(run.card, key);
  const inUnit = (key: string, unit: string, factor = 1) => withUnit(number(of(key) === null ? null : of(key)! * factor), unit);
  const angle = (key: string, factor = 1) => withUnit(error(of(key) === null ? null : of(key)! * factor), "°");
  const millimetres = (key: string) => error(of(key) === null ? null : of(key)! * 1000);
  const followed: CardText[] = [
    {
      title: "Orientation error", big: error(of("angle_mean_deg")), unit: "°", under: "mean over segments and frames", key: "angle_mean_deg",
      more: [["99 % are below", "angle_p99_deg", angle("angle_p99_deg")], ["largest", "angle_max_deg", angle("angle_max_deg")], ["MNTE, mean of 1 − cos θ", "mnte_mean", number(of("mnte_mean"))]],
    },
    {
      title: "Distance of origins", big: millimetres("origin_mean_m"), unit: "mm", under: "mean over segments and frames", key: "origin_mean_m",
      more: [["largest", "origin_max_m", withUnit(millimetres("origin_max_m"), "mm")], ["pelvis, RMSE", "position_rmse_m", withUnit(millimetres("position_rmse_m"), "mm")]],
    },
  ];
  const common: CardText[] = [
    ...(run.sensors ? sensorCards(run.sensors) : followed),
    {
      title: "Limits", big: number(of("limit_violations")), unit: "violations", under: "joints outside their limits, all frames", key: "limit_violations",
      more: [["largest", "limit_violation_max_rad", angle("limit_violation_max_rad", DEGREES)], ...(run.sensors ? [] : [["frames held by a limit", "saturated_share", inUnit("saturated_share", "%", 100)] as Figure])],
    },
    {
      title: "Step time", big: number(of("step_p50_us")), unit: "µs", under: run.scaling ? "median, of the solver before scaling" : "median", key: "step_p50_us",
      more: [["99 % are below", "step_p99_us", inUnit("step_p99_us", "µs")], ["largest", "step_max_us", inUnit("step_max_us", "µs")], ["allocations in steps", "allocations", number(of("allocations"))]],
    },
    {
      title: "Smoothness", big: number(of("jerk_rms_rad_s3")), unit: "rad/s³", under: "joint jerk, RMS", key: "jerk_rms_rad_s3",
      more: run.sensors ? [] : [["angular velocity, RMSE", "omega_rmse_rad_s", inUnit("omega_rmse_rad_s", "rad/s")]],
    },
  ];
  return run.scaling ? [recordingCard(run), scalingCard(run), ...common] : [...common, recordingCard(run)];
}

function keyed(key: string): HTMLElement {
  return element("code", { class: "key" }, key);
}

function cardElement(card: CardText): HTMLElement {
  const list = element("dl");
  for (const [label, key, text] of card.more) {
    list.append(element("dt", {}, label, keyed(key)), element("dd", {}, text));
  }
  return element(
    "article", { class: "card" },
    element("h3", {}, card.title),
    element("p", { class: "big" }, card.big, element("span", { class: card.unit === "°" ? "" : "unit" }, card.big === "–" ? "" : card.unit === "°" ? "°" : ` ${card.unit}`)),
    element("p", { class: "under" }, card.under, keyed(card.key)),
    ...(card.more.length > 0 ? [list] : []),
  );
}

const MEANINGS: Record<string, [meaning: string, unit: string]> = {
  frames: ["samples given, answered or not", ""],
  rate_hz: ["(frames − 1) / duration", "Hz"],
  duration_s: ["from the first stamp to the last", "s"],
  mnte_mean: ["mean normalised trace error: mean of 1 − cos θ, 0 … 2", ""],
  angle_mean_deg: ["orientation error θ, mean over targets and frames", "deg"],
  angle_p99_deg: ["99 % of the orientation errors do not exceed it", "deg"],
  angle_max_deg: ["largest orientation error", "deg"],
  omega_rmse_rad_s: ["error of angular velocity, where the source has measured rates", "rad/s"],
  position_rmse_m: ["links that follow a position: the pelvis", "m"],
  origin_mean_m: ["distance of link and segment origins, mean", "m"],
  origin_max_m: ["distance of link and segment origins, largest", "m"],
  limit_violations: ["joints outside their limits by more than 1e-9, over all frames", ""],
  limit_violation_max_rad: ["farthest that a revolute joint was outside", "rad"],
  saturated_share: ["share of the answered frames in which a limit held a joint", "0 … 1"],
  step_p50_us: ["wall time of a step, median", "µs"],
  step_p99_us: ["wall time of a step, 99th percentile", "µs"],
  step_max_us: ["wall time of a step, largest", "µs"],
  allocations: ["calls of the allocator inside steps", ""],
  status_counts: ["frames by status", ""],
  fallback_counts: ["frames by level of fallback, from 0: none was needed", ""],
  jerk_rms_rad_s3: ["third differences of revolute joints, root mean square", "rad/s³"],
  state_hash: ["equal hashes, equal motions to the bit", ""],
};

function raw(entry: Card[string]): string {
  if (entry === null) return "null";
  if (typeof entry === "number") return Number.isInteger(entry) ? String(entry) : String(Number(entry.toPrecision(6)));
  if (typeof entry === "string") return entry;
  if (Array.isArray(entry)) return entry.join(", ") || "–";
  const counted = Object.entries(entry).filter(([, count]) => count > 0);
  return counted.map(([name, count]) => `${name} ${count}`).join(", ") || "–";
}

export function buildNumbers(cards: HTMLElement, all: HTMLElement, run: Run): void {
  if (run.scaling) cards.classList.add("even");
  cards.append(...cardsOf(run).map(cardElement));
  const rows = Object.entries(run.card).map(([key, entry]) => {
    const [meaning, unit] = MEANINGS[key] ?? ["", ""];
    return [keyed(key), element("span", {}, raw(entry), " ", element("span", { class: "unit" }, unit)), meaning];
  });
  const columns = [{ head: "Key" }, { head: "Value" }, { head: "What it is" }];
  const json = encodeURIComponent(JSON.stringify({ ...run.card, gesture: run.gesture, scaling: run.scaling }));
  const save = element("a", { download: "report.json", href: `data:application/json,${json}`, class: "save" }, "Save as JSON");
  all.append(element("details", { class: "more" }, element("summary", {}, "All numbers with their keys"), table("All numbers", columns, rows, "stack"), save));
}
