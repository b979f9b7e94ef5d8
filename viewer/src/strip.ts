// The run in one strip: where each foot stood, where joints rested on limits, what was not solved, and the worst
// moments. A press goes there, a drag scrubs.

import type { Clock } from "./clock";
import { element, number, plainName, plural, seconds } from "./format";
import { describeMoment } from "./moments";
import { onLimit, overlapsAt, type Run } from "./run";
import type { Stance } from "./feet";

/** One row: a label, and how strong it is in a shown frame, 0 to 1. */
interface Row {
  label: string;
  /** What the row says in all, for people who do not see it. */
  said: string;
  colour: string;
  strength: (index: number) => number;
}

/** So many joints on limits at once are a full row. */
const MANY = 6;
const ADVANCED = new Set(["solved", "saturated", "stuck"]);

function share(run: Run, strength: (index: number) => number): string {
  let count = 0;
  for (let i = 0; i < run.timeline.shown; ++i) if (strength(i) > 0) ++count;
  return `${number((100 * count) / Math.max(run.timeline.shown, 1))} %`;
}

function rowsOf(run: Run, stance: Stance): Row[] {
  const rows: Row[] = [];
  const { timeline } = run;
  stance.feet.forEach((foot, k) => {
    const strength = (index: number) => (stance.touches(index, k) ? 1 : 0);
    const label = foot.side ? `${foot.side === "left" ? "Left" : "Right"} foot` : plainName(foot.name);
    rows.push({ label, said: `${label} in contact in ${share(run, strength)} of the frames`, colour: "contact", strength });
  });
  const joints = run.model.joints.filter((joint) => joint.dof !== null);
  const held = (index: number) => Math.min(1, joints.filter((joint) => onLimit(timeline, index, joint.dof!)).length / MANY);
  if (timeline.onLimit && timeline.onLimit.values.some((byte) => byte !== 0)) rows.push({ label: "On limits", said: `a joint on a limit in ${share(run, held)} of the frames`, colour: "bad", strength: held });
  // a finger deep is full
  const deep = (index: number) => Math.max(0, ...overlapsAt(run, timeline.t[index]).map(({ max_mm }) => Math.min(1, 0.3 + max_mm / 20)));
  if ((run.overlaps ?? []).length > 0) rows.push({ label: "Overlaps", said: `parts in each other in ${share(run, deep)} of the frames`, colour: "overlap", strength: deep });
  const lost = (index: number) => (ADVANCED.has(run.statuses[timeline.status.values[index]] ?? "solved") ? 0 : 1);
  const stuck = (index: number) => (run.statuses[timeline.status.values[index]] === "stuck" ? 1 : 0);
  if (timeline.status.values.some((_, i) => lost(i) > 0)) rows.push({ label: "Gaps", said: `not solved in ${share(run, lost)} of the frames`, colour: "warn", strength: lost });
  if (timeline.status.values.some((_, i) => stuck(i) > 0)) rows.push({ label: "Stuck", said: `stuck in ${share(run, stuck)} of the frames`, colour: "warn", strength: stuck });
  return rows;
}

/** Strengths of all columns of pixels: the largest of the frames in each. */
function bins(row: Row, run: Run, width: number): Float64Array {
  const { t, shown } = run.timeline;
  const made = new Float64Array(width);
  const span = t[shown - 1] - t[0];
  for (let i = 0; i < shown; ++i) {
    const strength = row.strength(i);
    if (strength === 0) continue;
    const from = Math.floor(((t[i] - t[0]) / span) * width);
    const to = Math.max(from + 1, Math.floor((((t[i + 1] ?? t[i]) - t[0]) / span) * width));
    for (let x = Math.max(from, 0); x < Math.min(to, width); ++x) made[x] = Math.max(made[x], strength);
  }
  return made;
}

export interface Strip {
  repaint(): void;
}

export function buildStrip(host: HTMLElement, run: Run, clock: Clock, stance: Stance): Strip | null {
  const { t, shown } = run.timeline;
  if (shown < 2 || !(t[shown - 1] > t[0])) return null;
  const rows = rowsOf(run, stance);
  const moments = run.moments.map((moment) => ({ moment, said: describeMoment(moment) })).filter(({ said }) => said !== null);
  const labels = element("div", { class: "strip-labels", "aria-hidden": "true" });
  if (moments.length > 0) labels.append(element("span", {}, "Worst"));
  for (const row of rows) labels.append(element("span", {}, row.label));
  const canvas = element("canvas", { class: "strip-canvas" });
  const head = element("div", { class: "playhead" });
  const marks = element("div", { class: "strip-marks" });
  const field = element("div", { class: "strip-field", role: "img", "aria-label": `Timeline. ${rows.map((row) => row.said).concat(plural(moments.length, "worst moment")).join("; ")}` }, canvas, marks, head);
  if (moments.length > 0) field.classList.add("marked");
  host.append(labels, field);
  const at = (time: number): number => (time - t[0]) / (t[shown - 1] - t[0]);
  for (const { moment, said } of moments) {
    const mark = element("span", { class: "strip-mark", title: `${said} at ${seconds(moment.t)} s` });
    mark.style.left = `${100 * at(moment.t)}%`;
    marks.append(mark);
  }
  const paint = (): void => {
    const ratio = window.devicePixelRatio || 1;
    const [width, height] = [Math.round(canvas.clientWidth * ratio), Math.round(canvas.clientHeight * ratio)];
    if (width === 0 || height === 0) return;
    [canvas.width, canvas.height] = [width, height];
    const pen = canvas.getContext("2d")!;
    const style = getComputedStyle(document.documentElement);
    const tall = height / Math.max(rows.length, 1);
    rows.forEach((row, i) => {
      pen.globalAlpha = 1;
      pen.fillStyle = style.getPropertyValue("--line");
      pen.fillRect(0, Math.round(i * tall + 0.42 * tall), width, Math.max(1, Math.round(0.12 * tall)));
      pen.fillStyle = style.getPropertyValue(`--${row.colour}`);
      bins(row, run, width).forEach((strength, x) => {
        if (strength === 0) return;
        pen.globalAlpha = 0.35 + 0.65 * strength;
        pen.fillRect(x, Math.round(i * tall + 0.18 * tall), 1, Math.max(2, Math.round(0.64 * tall)));
      });
    });
  };
  const go = (event: PointerEvent): void => {
    const { left, width } = field.getBoundingClientRect();
    clock.seek(t[0] + Math.min(Math.max((event.clientX - left) / width, 0), 1) * (t[shown - 1] - t[0]));
  };
  field.addEventListener("pointerdown", (event) => {
    field.setPointerCapture(event.pointerId);
    go(event);
  });
  field.addEventListener("pointermove", (event) => {
    if (field.hasPointerCapture(event.pointerId)) go(event);
  });
  clock.onChange(() => (head.style.left = `${100 * at(clock.t)}%`));
  new ResizeObserver(paint).observe(canvas);
  host.style.setProperty("--rows", String(rows.length));
  return { repaint: paint };
}
