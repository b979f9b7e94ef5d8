// A live run: the replay shows the newest frame that its server sends, by Foxglove's protocol.

import { Clock } from "./clock";
import { byId, element, number, plainName, withUnit } from "./format";
import { Replay } from "./replay";
import type { Run, Table } from "./run";
import { bindKeys, buildOptions } from "./transport";

const SUBPROTOCOLS = ["foxglove.sdk.v1", "foxglove.websocket.v1"];
const TOPICS = ["/joint_states", "/tf", "/person", "/health", "/log"] as const;
type Topic = (typeof TOPICS)[number];
/** [ms] */
const AGAIN = 1000;
/** How long the first frame waits for the person [ms]. */
const PERSON = 500;
const LOG_LINES = 6;
/** A joint this near to a limit counts as on it [rad] or [m]. */
const AT_LIMIT = 1e-4;

interface Channel {
  id: number;
  topic: string;
}
interface Vector {
  x: number;
  y: number;
  z: number;
}
interface Transform {
  child_frame_id: string;
  translation: Vector;
  rotation: Vector & { w: number };
}
interface LogLine {
  timestamp: { sec: number; nsec: number };
  message: string;
}
/** Unknown values are absent. */
export interface Health {
  stream: string;
  /** Since the newest sample. */
  silent_s: number;
  rate_hz: number;
  samples: number;
  overtaken: number;
  losses: number;
  longest_gap_s: number;
  pose_median_ms: number;
  pose_p99_ms: number;
  output_median_ms?: number;
  output_p99_ms?: number;
  /** Absent without robots. */
  armed?: boolean;
  /** Absent where there is nothing to record. */
  recording?: boolean;
  /** Raw sensors can be calibrated. */
  sensors?: boolean;
  missing: string[];
}

/** Holds the one frame that is shown. */
class Frame {
  private readonly dofOf: Map<string, number>;
  private readonly root: string;
  private readonly ends: Map<number, number>;
  posed = false;
  person = false;

  constructor(private readonly run: Run) {
    this.dofOf = new Map(run.model.joints.flatMap((joint) => (joint.dof === null ? [] : [[joint.name, joint.dof] as [string, number]])));
    this.root = run.model.links[run.model.root].name;
    this.ends = new Map((run.source.ends ?? []).map((segment, k) => [segment, k]));
  }

  takeJoints(joints: { name: string; position: number }[]): void {
    const { s, onLimit } = this.run.timeline;
    for (const { name, position } of joints) {
      const dof = this.dofOf.get(name);
      if (dof !== undefined) s.values[dof] = position;
    }
    if (onLimit) this.markLimits(s, onLimit);
  }

  private markLimits(s: Table, onLimit: Table): void {
    onLimit.values.fill(0);
    for (const { dof, lower, upper } of this.run.model.joints) {
      if (dof === null) continue;
      const value = s.values[dof];
      if (value <= (lower ?? -Infinity) + AT_LIMIT || value >= (upper ?? Infinity) - AT_LIMIT) onLimit.values[dof >> 3] |= 1 << (dof & 7);
    }
  }

  takeLinks(transforms: Transform[]): void {
    const base = transforms.find((one) => one.child_frame_id === this.root);
    if (!base) return;
    const { p_WB, q_WB } = this.run.timeline;
    p_WB.values.set([base.translation.x, base.translation.y, base.translation.z]);
    q_WB.values.set([base.rotation.x, base.rotation.y, base.rotation.z, base.rotation.w]);
    this.posed = true;
  }

  /** Keeps places relative to the model's base, as a written run does. */
  takePerson(transforms: Transform[]): void {
    const { p_WB, source, sourceTurn } = this.run.timeline;
    source.values.fill(NaN);
    sourceTurn?.values.fill(NaN);
    const places = new Map(transforms.map((one) => [one.child_frame_id, one]));
    this.run.source.names.forEach((name, i) => {
      const one = places.get(`person/${name}`);
      if (!one) return;
      const { x, y, z } = one.translation;
      source.values.set([x - p_WB.values[0], y - p_WB.values[1], z - p_WB.values[2]], 3 * i);
      const end = this.ends.get(i);
      if (end !== undefined) sourceTurn?.values.set([one.rotation.x, one.rotation.y, one.rotation.z, one.rotation.w], 4 * end);
    });
    this.person = true;
  }
}

/** Connects again after the connection broke. */
class Feed {
  private socket: WebSocket | null = null;
  private session: string | null = null;
  private topics: Topic[] = [];
  connected = false;
  mayArm = false;

  /** `token`: from the page's address; the server says whether it belongs to this run. */
  constructor(
    private readonly token: string,
    private readonly heard: (topic: Topic, message: never) => void,
    private readonly changed: () => void,
    /** Called when another run answers. */
    private readonly another: () => void,
  ) {
    this.open();
  }

  say(message: object): void {
    if (this.connected) this.socket!.send(JSON.stringify(message));
  }

  private open(): void {
    const socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/?${this.token}`, SUBPROTOCOLS);
    socket.binaryType = "arraybuffer";
    socket.addEventListener("message", ({ data }) => (typeof data === "string" ? this.hear(JSON.parse(data)) : this.take(data as ArrayBuffer)));
    socket.addEventListener("close", () => {
      this.connected = false;
      this.changed();
      setTimeout(() => this.open(), AGAIN);
    });
    this.socket = socket;
  }

  private hear(message: { op: string; sessionId?: string; channels?: Channel[]; valid?: boolean }): void {
    if (message.op === "serverInfo") {
      if (this.session !== null && this.session !== message.sessionId) this.another();
      this.session = message.sessionId ?? null;
      this.connected = true;
      this.say({ op: "panto.token", token: this.token });
      this.changed();
    }
    if (message.op === "panto.token") {
      this.mayArm = message.valid === true;
      this.changed();
    }
    if (message.op !== "advertise") return;
    const known = (message.channels ?? []).filter(({ topic }) => (TOPICS as readonly string[]).includes(topic));
    this.topics = known.map(({ topic }) => topic as Topic);
    this.say({ op: "subscribe", subscriptions: known.map(({ id }, i) => ({ id: i, channelId: id })) });
  }

  private take(bytes: ArrayBuffer): void {
    const view = new DataView(bytes);
    if (view.getUint8(0) !== 1) return;
    const topic = this.topics[view.getUint32(1, true)];
    if (topic) this.heard(topic, JSON.parse(new TextDecoder().decode(new Uint8Array(bytes, 13))) as never);
  }
}

/** What a state of the stream means to people, and how bad it is. */
export const STREAMS: Record<string, [string, "good" | "warn" | "bad"]> = {
  waiting: ["Waiting for the first sample", "warn"],
  good: ["Live", "good"],
  late: ["Live, but the newest sample is late", "warn"],
  lost: ["The stream is lost: the last pose is held", "bad"],
  returning: ["After a gap or a jump: the motion returns within its limits", "warn"],
  clock: ["The sender's clock runs away from this computer's: the motion keeps to real time", "warn"],
  fault: ["Nothing in the samples can be used", "bad"],
};

/** What the page asks of the run, besides arming. */
type Wish = "panto.align" | "panto.mark" | "panto.record" | "panto.calibrate";

/** Poses that calibrate sensors, one after the other. */
const POSES: [string, string][] = [
  ["npose", "Standing, arms hanging"],
  ["npose tpose", "Arms hanging, then out"],
  ["npose chair", "Standing, then seated"],
];

const milliseconds = (value: number): string => withUnit(number(value), "ms");

/** Stream, figures, arming and log. */
class Board {
  private readonly headline = element("p", { class: "headline", role: "status" });
  private readonly figures = element("dl", {});
  private readonly button = element("button", { type: "button", class: "arm" });
  private readonly hint = element("p", { class: "hint" });
  private readonly realign = element("button", { type: "button", title: "From now on the person looks ahead, at the origin: after a drift, or when the room was re-centred" }, "Re-align the person");
  private readonly mark = element("button", { type: "button", title: "Keep this instant in the log and the recording" }, "Mark");
  private readonly record = element("button", { type: "button" });
  private readonly poses = element("select", { "aria-label": "Poses to hold" }, ...POSES.map(([value, text]) => element("option", { value }, text)));
  private readonly calibrate = element("button", { type: "button", title: "Finds how the sensors are turned on the body from poses that the person holds; robots are disarmed" }, "Calibrate sensors");
  private readonly posing = element("span", { class: "posing" }, this.calibrate, this.poses);
  private readonly tools = element("div", { class: "tools" }, this.realign, this.mark, this.record, this.posing);
  private readonly lines = element("ol", { class: "log" });
  private readonly card = element("div", { class: "card" }, this.figures);
  private armed: boolean | null = null;

  constructor(private readonly ask: (armed: boolean) => void, wish: (op: Wish, text?: string) => void) {
    byId("verdict").append(this.headline, this.button, this.hint, this.tools, this.card, this.lines);
    byId("verdict").setAttribute("aria-label", "How the run goes");
    this.button.addEventListener("click", () => {
      this.ask(this.armed !== true);
      this.button.blur();  // a key pressed next is not meant for it
    });
    for (const [button, op] of [[this.realign, "panto.align"], [this.mark, "panto.mark"], [this.record, "panto.record"], [this.calibrate, "panto.calibrate"]] as const) {
      button.addEventListener("click", () => {
        wish(op, op === "panto.calibrate" ? this.poses.value : undefined);
        button.blur();
      });
    }
    this.show(null, { connected: false, mayArm: false });
  }

  /** Whether there are robots. */
  get robots(): boolean {
    return this.armed !== null;
  }

  /** `held`: why nothing arms here; null: with the token it may. */
  show(health: Health | null, { connected, mayArm: valid }: { connected: boolean; mayArm: boolean }, held: string | null = null): void {
    const mayArm = valid && held === null;
    const [text, grade] = !connected ? ["Not connected: the run has ended, or does not answer", "bad"] : health ? (STREAMS[health.stream] ?? [health.stream, "warn"]) : ["Connected", "good"];
    if (this.headline.textContent !== text) this.headline.textContent = text;
    this.headline.dataset.grade = grade;
    this.armed = connected ? (health?.armed ?? null) : null;
    this.button.hidden = this.armed === null || !(this.armed || mayArm);
    const label = this.armed ? "Disarm (space)" : "Arm the robots";
    if (this.button.textContent !== label) this.button.textContent = label;
    this.button.dataset.armed = String(this.armed === true);
    const still = health?.stream === "lost" || health?.stream === "fault";
    const unarmed = held ?? "To arm them here, open the whole address that Panto printed for this run; or type a and Enter there.";
    const hint = this.armed === null ? "" : this.armed ? (still ? "Robots are armed, but hold." : "Robots follow.") : mayArm ? "Robots hold." : `Robots hold. ${unarmed}`;
    if (this.hint.textContent !== hint) this.hint.textContent = hint;
    this.tools.hidden = !connected || !valid;
    this.record.hidden = health?.recording === undefined;
    const recording = health?.recording === true ? "Stop recording" : "Record";
    if (this.record.textContent !== recording) this.record.textContent = recording;
    this.record.dataset.on = String(health?.recording === true);
    this.posing.hidden = health?.sensors !== true;
    this.card.hidden = health === null;
    if (health) this.list(health);
  }

  private list(health: Health): void {
    const rows: [string, string][] = [
      ["Samples", `${number(health.samples)}, ${withUnit(number(health.rate_hz), "Hz")}`],
      ["To the pose, median", milliseconds(health.pose_median_ms)],
      ["To the pose, 99 %", milliseconds(health.pose_p99_ms)],
      ...(health.output_p99_ms === undefined ? [] : [["To the output, 99 %", milliseconds(health.output_p99_ms)] as [string, string]]),
      ["Since the newest sample", withUnit(number(health.silent_s, 2), "s")],
      ["Longest gap", withUnit(number(health.longest_gap_s), "s")],
      ["Stream lost", number(health.losses)],
      ["Overtaken", number(health.overtaken)],
    ];
    if (health.missing.length > 0) rows.push(["Not measured", health.missing.map(plainName).join(", ")]);
    this.figures.replaceChildren(...rows.flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)]));
  }

  log({ timestamp, message }: LogLine): void {
    const when = new Date(1000 * timestamp.sec).toLocaleTimeString();
    this.lines.prepend(element("li", {}, `${when}  ${message}`));
    while (this.lines.childElementCount > LOG_LINES) this.lines.lastElementChild!.remove();
  }
}

/** Removes the parts of the page that need a whole run. */
export function clear(): void {
  for (const id of ["strip", "transport", "curves", "moments", "compare", "gait", "scaling", "details", "cards"]) {
    const part = document.getElementById(id);
    (part?.closest("main > section, .side > .worst") ?? part)?.remove();
  }
}

/** A live run as it is now. */
export interface LiveView {
  run: Run;
  /** Frames so far; whether one has come. */
  readonly received: number;
  readonly posed: boolean;
  readonly health: Health | null;
  readonly connected: boolean;
  readonly replay: Replay | null;
}

export interface LiveOptions {
  /** Called when another run answers. */
  another: () => void;
  /** Why nothing arms robots here; null: with the token it may. */
  held: () => string | null;
}

export function startLive(run: Run, { another, held }: LiveOptions = { another: () => location.reload(), held: () => null }): LiveView {
  clear();
  document.querySelector(".kicker")!.textContent = "Panto live";
  const title = `${run.recording} → ${run.model.name}`;
  document.title = `${title}: Panto live`;
  byId("title").textContent = title;
  const frame = new Frame(run);
  const clock = new Clock(run.timeline.t);
  const token = location.hash.slice(1);
  let replay: Replay | null = null;
  let health: Health | null = null;
  let received = 0;
  let first = 0;

  // the first frame tells where the floor is, and the person's size
  const show = (): void => {
    if (replay) return refresh(replay);
    first ||= performance.now();
    if (run.source.names.length > 0 && !frame.person && performance.now() - first < PERSON) return;
    replay = new Replay(byId("stage"), run, clock);
    bindKeys(clock, buildOptions(byId("options"), clock, replay, run.timeline.onLimit !== null));
  };
  // a page that nobody sees, behind a headset's picture perhaps, is not drawn
  let drawing = false;
  const refresh = (shown: Replay): void => {
    if (drawing) return;
    drawing = true;
    requestAnimationFrame(() => {
      drawing = false;
      shown.refresh();
    });
  };
  const board = new Board((armed) => feed.say({ op: "panto.arm", armed, token }), (op, text) => feed.say({ op, token, text }));
  const heard = (topic: Topic, message: { joints: never; transforms: never } & LogLine): void => {
    if (topic === "/joint_states") frame.takeJoints(message.joints);
    else if (topic === "/person") frame.takePerson(message.transforms);
    else if (topic === "/tf") frame.takeLinks(message.transforms);
    else if (topic === "/log") board.log(message);
    else board.show((health = message as unknown as Health), feed, held());
    if (topic === "/tf") ++received;
    // the messages of a frame come in this order: joints, links, person
    if (topic === (frame.person ? "/person" : "/tf") && frame.posed) show();
  };
  const feed: Feed = new Feed(token, heard as (topic: Topic, message: never) => void, () => board.show(health, feed, held()), another);
  // space always disarms and never arms, whatever has the focus and however often it is pressed
  for (const kind of ["keydown", "keyup"] as const) {
    document.addEventListener(
      kind,
      (event) => {
        if (event.key !== " " || !board.robots) return;
        event.preventDefault();
        event.stopImmediatePropagation();
        if (kind === "keydown" && !event.repeat) feed.say({ op: "panto.arm", armed: false });
      },
      { capture: true },
    );
  }
  const view = {
    run,
    get received() { return received; },
    get posed() { return frame.posed; },
    get health() { return health; },
    get connected() { return feed.connected; },
    say: (message: object) => feed.say(message),
    get replay() { return replay; },
  };
  Object.assign(window, { pantoLive: view });
  return view;
}
