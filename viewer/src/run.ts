// The run that `panto track --report` put into the page: docs/formats/report_page.md describes it.

export interface Card {
  [key: string]: number | string | null | number[] | Record<string, number>;
}

export interface Joint {
  name: string;
  type: "fixed" | "revolute" | "prismatic";
  parent: number;
  child: number;
  q_PJ_wxyz: number[];
  p_PJ: number[];
  axis: number[];
  dof: number | null;
  lower: number | null;
  upper: number | null;
}

export interface Moment {
  kind: "orientation_error" | "origin_distance" | "overlap" | "limit_violation" | "joint_speed" | "step_time" | "no_answer";
  t: number;
  value: number;
  item: string;
}

/** Two parts of the model that are in each other from one time to another [s]. */
export interface Overlap {
  name: string;
  /** Links that are deepest in each other. */
  links: [number, number];
  from_s: number;
  to_s: number;
  /** Where they are deepest. */
  at_s: number;
  max_mm: number;
}

export interface Pair {
  segment: number;
  link: string;
  mean_rad: number | null;
  max_rad: number | null;
  max_s: number | null;
}

export interface RigSegment {
  segment: string;
  joint: string | null;
  next: string | null;
  share: number;
  confidence: number;
  reason: string;
  frame_confidence: number | null;
  frame_reason: string;
}

export interface Rig {
  family: string;
  unit: number;
  confidence: number;
  names_swapped: boolean;
  segments: RigSegment[];
  decisions: { what: string; answer: string; reason: string; confidence: number }[];
  unmapped: string[];
}

/** A swing of a joint or a coupled row beyond a limit; times are the recording's. */
export interface Swing {
  joint?: string;
  row?: string;
  from_s: number;
  to_s: number;
  at_s: number;
  before: number;
  after: number;
}

/** What was scaled into a robot's limits. */
export interface Scaling {
  stretch: number;
  duration_before_s: number;
  duration_after_s: number;
  law: "uniform" | "optimal";
  asked_by: string | null;
  asked_at_s: number | null;
  change_max: number;
  fast: { joint: string; peak: number; limit: number; at_s: number }[];
  swings: Swing[];
  rows: Swing[];
  velocity_violations: number;
  row_violations: number;
  followable_mean_deg: number | null;
  followable_max_deg: number | null;
  worst_link: string;
  collapsed_longest_s: number;
  /** Empty: none ever was. */
  collapsed_link: string;
}

/** One raw sensor of a run. */
export interface Sensor {
  name: string;
  link: string;
  nis_gyro_mean: number | null;
  nis_acc_mean: number | null;
  nis_orientation_mean: number | null;
  missing_share: number;
  frozen_s: number;
  /** How far its readings are off, as a multiple of what is expected; null: it measured nothing. */
  off_by: number | null;
  disagrees: boolean;
}

/** How raw sensors, and the joints that they tell of, fared. */
export interface Sensing {
  joint_sd_median_deg: number | null;
  joint_sd_max_deg: number | null;
  least_known_joint: string | null;
  /** Joints of which no sensor tells; they are in no other figure. */
  unmeasured_joints: number;
  /** Root mean square over frames, rad or m; whether a sensor tells of the joint. */
  joints: { name: string; sd: number | null; measured: boolean }[];
  sensors: Sensor[];
  swapped_sensors: { one: string; other: string; calibrated: boolean }[];
}

/** Which gesture of a recording the run is. */
export interface Gesture {
  name: string;
  first_s: number;
  last_s: number;
  frames: number;
  recording_s: number;
  recording_frames: number;
  reason: string;
  limbs: { segment: string; direction_median_deg: number | null; direction_p95_deg: number | null; direction_max_deg: number | null }[];
}

interface Packed {
  type: "f64" | "f32" | "i16" | "u8" | "u16" | "q16";
  columns: number;
  offset?: number[];
  scale?: number[];
  data: string;
  /** Of contacts: the feet that the columns are of. */
  links?: string[];
}

export interface Document {
  version: number;
  panto: string;
  recording: string;
  format: string;
  rate_hz: number;
  /** The run is still going: the page's server sends frames, and each replaces the one frame of this document. */
  live?: boolean;
  settled_from_s: number;
  card: Card;
  /** the result in one sentence; absent in pages of older versions */
  verdict?: {
    grade: "good" | "usable_with_care" | "unreliable";
    text: string;
    figures?: { name: string; value: number; unit: string; limit: number | null; detail: string }[];
  };
  /** Joints that nothing measured: drawn grey, at rest; absent where all were measured. */
  unmeasured_joint_names?: string[];
  settings: [string, string][];
  notes: string[];
  rig: Rig | null;
  /** Absent where the page shows a whole recording. */
  gesture?: Gesture;
  /** Absent where nothing was scaled. */
  scaling?: Scaling;
  /** Absent where the recording is not of raw sensors. */
  sensors?: Sensing;
  model: {
    name: string;
    root: number;
    dof: number;
    /** `mass` [kg]; `corners`: of a sole [m]; `capsules`: two ends and a radius each [m]. */
    links: { name: string; com: number[]; mass?: number; corners?: number[][]; capsules?: number[][] }[];
    joints: Joint[];
    /** Shapes of links; absent where none are known. */
    meshes?: { link: number; rgba: number[] | null; points: Packed; triangles: Packed }[];
  };
  /** `ends`: segments that no other hangs on, whose orientations are known. */
  source: { names: string[]; parent: number[]; ends?: number[] };
  pairs: Pair[];
  /** In order of time; absent where there is none, or nobody looked. */
  overlaps?: Overlap[];
  moments: Moment[];
  statuses: string[];
  timeline: { frames: number; shown: number; stride: number } & Record<string, Packed | number | null>;
}

/** Rows of numbers; NaN where nothing is known. */
export interface Table {
  columns: number;
  values: Float64Array;
}

export interface Timeline {
  /** Frames of the run, frames shown, and one of how many is shown. */
  frames: number;
  shown: number;
  stride: number;
  t: Float64Array;
  status: Table;
  p_WB: Table;
  q_WB: Table;
  s: Table;
  /** Standard deviation of each joint; null where nobody knows it. */
  deviation: Table | null;
  source: Table;
  /** Orientations of the source's last segments, x y z w; null in pages of older versions. */
  sourceTurn: Table | null;
  /** By foot of the model: 1 heel, 2 ball, 3 both in contact; null where nobody knows. */
  contacts: (Table & { links: string[] }) | null;
  angleError: Table;
  onLimit: Table | null;
  originDistance: Table;
  jointSpeed: Table;
  fastestJoint: Table;
  turnSpeed: Table;
  fastestTurn: Table;
  linkSpeed: Table;
  fastestLink: Table;
  stepUs: Table;
}

/** The shape of a link, in its frame [m]. */
export interface Shape {
  link: number;
  rgba: number[] | null;
  points: Float64Array;
  triangles: Float64Array;
}

export type Run = Omit<Document, "timeline"> & { timeline: Timeline; shapes: Shape[] };

function bytesOf(text: string): DataView {
  const raw = atob(text);
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; ++i) bytes[i] = raw.charCodeAt(i);
  return new DataView(bytes.buffer);
}

function unpack(packed: Packed): Table {
  const view = bytesOf(packed.data);
  const read: Record<Packed["type"], [number, (i: number) => number]> = {
    f64: [8, (i) => view.getFloat64(8 * i, true)],
    f32: [4, (i) => view.getFloat32(4 * i, true)],
    i16: [2, (i) => view.getInt16(2 * i, true)],
    u8: [1, (i) => view.getUint8(i)],
    u16: [2, (i) => view.getUint16(2 * i, true)],
    q16: [
      2,
      (i) => {
        const code = view.getUint16(2 * i, true);
        const column = i % packed.columns;
        return code === 0xffff ? NaN : packed.offset![column] + packed.scale![column] * code;
      },
    ],
  };
  const [size, value] = read[packed.type];
  const values = new Float64Array(view.byteLength / size);
  for (let i = 0; i < values.length; ++i) values[i] = value(i);
  return { columns: packed.columns, values };
}

export function readRun(text: string): Run {
  return runOf(JSON.parse(text) as Document);
}

/** Unpacks the arrays. */
export function runOf(document: Document): Run {
  if (document.version !== 1) throw new Error(`the run has version ${document.version}, this page reads 1`);
  const packed = document.timeline;
  const table = (key: string): Table => unpack(packed[key] as Packed);
  return {
    ...document,
    moments: [...document.moments, ...overlapMoments(document.overlaps ?? [])],
    shapes: (document.model.meshes ?? []).map(({ link, rgba, points, triangles }) => ({
      link,
      rgba,
      points: unpack(points).values,
      triangles: unpack(triangles).values,
    })),
    timeline: {
      frames: packed.frames,
      shown: packed.shown,
      stride: packed.stride,
      t: table("t").values,
      status: table("status"),
      p_WB: table("p_WB"),
      q_WB: table("q_WB_xyzw"),
      s: table("s"),
      deviation: packed.joint_deviation ? table("joint_deviation") : null,
      source: table("source"),
      sourceTurn: packed.source_end_turn_xyzw ? table("source_end_turn_xyzw") : null,
      contacts: packed.contacts ? { ...table("contacts"), links: (packed.contacts as Packed).links ?? [] } : null,
      angleError: table("angle_error"),
      onLimit: packed.on_limit ? table("on_limit") : null,
      originDistance: table("origin_distance"),
      jointSpeed: table("joint_speed"),
      fastestJoint: table("fastest_joint"),
      turnSpeed: table("turn_speed"),
      fastestTurn: table("fastest_turn"),
      linkSpeed: table("link_speed"),
      fastestLink: table("fastest_link"),
      stepUs: table("step_us"),
    },
  };
}

/** Puts other States in the place of those of shown frames at the same times: base place, turn x y z w, joints a row. */
export function replaceStates(run: Run, t: Float64Array, rows: Float64Array): void {
  const { timeline } = run;
  const columns = 7 + timeline.s.columns;
  let k = 0;
  for (let i = 0; i < timeline.t.length; ++i) {
    while (k < t.length && t[k] < timeline.t[i] - 1e-6) ++k;
    if (k === t.length) return;
    if (t[k] > timeline.t[i] + 1e-6) continue;
    const row = rows.subarray(k * columns, (k + 1) * columns);
    timeline.p_WB.values.set(row.subarray(0, 3), 3 * i);
    timeline.q_WB.values.set(row.subarray(3, 7), 4 * i);
    timeline.s.values.set(row.subarray(7), timeline.s.columns * i);
  }
}

/** Those at a time. */
export function overlapsAt(run: Run, t: number): Overlap[] {
  return (run.overlaps ?? []).filter((overlap) => overlap.from_s <= t + 1e-6 && overlap.to_s >= t - 1e-6);
}

/** So many of the deepest are worst moments. */
const DEEPEST = 3;

function overlapMoments(overlaps: Overlap[]): Moment[] {
  const deepest = [...overlaps].sort((a, b) => b.max_mm - a.max_mm).slice(0, DEEPEST);
  return deepest.map(({ name, at_s, max_mm }) => ({ kind: "overlap", t: at_s, value: max_mm / 1000, item: name }));
}

/** Links that nothing measured: those beyond an unmeasured joint, up to the next joint that moves. */
export function unmeasuredLinks(run: Run): Set<number> {
  const names = new Set(run.unmeasured_joint_names ?? []);
  const links = new Set(run.model.joints.filter((joint) => names.has(joint.name)).map((joint) => joint.child));
  const fixed = run.model.joints.filter((joint) => joint.dof === null);
  for (let before = -1; before !== links.size; ) {
    before = links.size;
    for (const joint of fixed) if (links.has(joint.parent)) links.add(joint.child);
  }
  return links;
}

/** Whether joint `dof` is at a limit or beyond in shown frame `index`. */
export function onLimit(timeline: Timeline, index: number, dof: number): boolean {
  const table = timeline.onLimit;
  if (!table) return false;
  return ((table.values[index * table.columns + (dof >> 3)] >> (dof & 7)) & 1) === 1;
}

/** One column of a table as an array for a chart: null where nothing is known. */
export function column(table: Table, index: number, factor = 1): (number | null)[] {
  const values: (number | null)[] = [];
  for (let i = index; i < table.values.length; i += table.columns) {
    const value = table.values[i] * factor;
    values.push(Number.isFinite(value) ? value : null);
  }
  return values;
}
