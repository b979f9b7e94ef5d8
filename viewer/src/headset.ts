// The page in a headset's browser: one button begins a session in which the person's joints go to Panto, and the same page
// shows what Panto makes of them. docs/formats/webxr_stream.md.

import { byId, element, grouped } from "./format";
import { FrameWriter, type Seen } from "./headset_frame";
import { HeadsetLink } from "./headset_link";
import { HeadsetScene } from "./headset_scene";
import { clear, startLive, STREAMS, type LiveView } from "./live";
import { runOf, type Document } from "./run";
import { buildTheme } from "./theme";

/** plain: nothing to judge. */
type Grade = "plain" | "good" | "warn" | "bad";
interface State {
  name: string;
  text: string;
  grade: Grade;
  /** What to do. */
  hint?: string;
}

/** How often the page asks for the run before it has begun, and looks at the state [ms]. */
const ASK = 1000;
const LOOK = 250;
/** When frames have no pose for so long, tracking is lost [ms]. */
const LOST = 300;

const state = (name: string, grade: Grade, text: string, hint = ""): State => ({ name, text, grade, hint });

const NO_TOKEN = state("no_token", "bad", "This address is not complete", "Open the whole address that Panto printed, with all that follows “#”.");
const READY = state("ready", "good", "Ready", "Stand where you have room, look straight ahead, and press Start.");
const BLURRED = state("paused", "warn", "Paused: the headset shows something else", "Close the headset’s menu. Until then nothing is sent and robots hold.");
const BLIND = state("tracking_lost", "bad", "Tracking is lost", "Look around slowly, where there is light. Until then nothing is sent and robots hold.");
const GUESSED = state("tracking_lost", "bad", "Tracking is lost: places are guessed", "Look around slowly, where there is light.");

/** What stands in the robot's place. */
const COMES = "The robot comes when the first frames of a headset have arrived.";
const GONE = "Panto does not answer: the run has ended, or the network is broken.";

/** A pinch hits the wrong button too easily. */
const NO_ARMING = "A headset does not arm them: type a and Enter where Panto runs, or open the address on another screen.";

const LINKS: Record<string, State> = {
  joining: state("joining", "warn", "Connecting to Panto"),
  lost: state("connection_lost", "bad", "The connection is lost", "This page connects again by itself. Until then robots hold."),
  token: state("wrong_token", "bad", "This address is of another run", "Open the whole address that Panto printed for this run, with all that follows “#”."),
  busy: state("busy", "bad", "Another headset is sending", "End its session, then press Start again here."),
  unread: state("unread", "bad", "Panto cannot read what this page sends", "Load the page again."),
  ended: state("ended", "warn", "The run has ended", "Begin another run, and open the address that Panto prints for it."),
};

/** What keeps this browser from streaming; null: nothing. */
async function obstacle(): Promise<{ mode: XRSessionMode | null; state: State }> {
  const no = (name: string, text: string): { mode: null; state: State } => ({ mode: null, state: state(name, "plain", text) });
  if (!window.isSecureContext) return no("not_secure", "To stream, open this page in the headset’s browser at the address that begins with https.");
  if (!navigator.xr) return no("no_webxr", "This browser has no WebXR: to stream, open this page in the headset’s browser. Here it shows the robot.");
  for (const mode of ["immersive-ar", "immersive-vr"] as const) {
    if (await navigator.xr.isSessionSupported(mode).catch(() => false)) return { mode, state: location.hash.length > 1 ? READY : NO_TOKEN };
  }
  return no("no_headset", "No headset here: to stream, open this page in the headset’s browser. Here it shows the robot.");
}

/** In plain words. */
function partsOf({ body, hands, controllers, head }: Seen): string {
  if (body) return "body";
  const some = (count: number, one: string): string[] => (count > 0 ? [count > 1 ? `${one}s` : `one ${one}`] : []);
  const parts = [...some(hands, "hand"), ...some(controllers, "controller"), ...(head ? ["head"] : [])];
  return `${[parts.slice(0, -1).join(", "), parts[parts.length - 1]].filter(Boolean).join(" and ")} alone`;
}

/** A session from Start to its end. */
class Session {
  private readonly writer = new FrameWriter();
  /** When frames began to have no pose [ms]; 0: they have. */
  private blindFrom = performance.now();
  /** What the last frame with poses was of. */
  private parts = "";
  private asked = { at: performance.now(), sent: 0 };
  private rate = 0;

  private constructor(
    private readonly session: XRSession,
    readonly scene: HeadsetScene,
    private readonly link: HeadsetLink,
  ) {}

  static async begin(session: XRSession, link: HeadsetLink, view: () => LiveView | null): Promise<Session> {
    const made = new Session(session, new HeadsetScene(view), link);
    session.addEventListener("end", () => made.scene.end());
    try {
      const space = await made.scene.start(session, (time, frame, at) => made.take(time, frame, at));
      space.addEventListener("reset", () => {
        made.writer.broken = true;
        made.scene.placeAgain();
      });
    } catch (error) {
      void session.end().catch(() => {});
      throw error;
    }
    return made;
  }

  private take(time: number, frame: XRFrame, space: XRReferenceSpace): void {
    if (this.session.visibilityState !== "visible") return;
    if (this.link.state !== "open") return;
    const bytes = this.writer.write(time, frame, space, this.session.inputSources);
    if (!bytes) {
      this.blindFrom ||= performance.now();
      return;
    }
    this.blindFrom = 0;
    this.parts = partsOf(this.writer.seen);
    if (this.link.send(bytes)) this.writer.broken = false;
  }

  /** The state now; asked again and again. */
  look(): State {
    const now = performance.now();
    if (now - this.asked.at > 900) {
      this.rate = (1000 * (this.link.sent - this.asked.sent)) / (now - this.asked.at);
      this.asked = { at: now, sent: this.link.sent };
    }
    if (this.link.state !== "open" && this.link.state !== "joining") return LINKS[this.link.state];
    if (this.session.visibilityState !== "visible") return BLURRED;
    if (this.link.state !== "open") return LINKS.joining;
    if (this.blindFrom > 0 && now - this.blindFrom > LOST) return BLIND;
    if (this.parts === "") return LINKS.joining;
    if (this.writer.seen.guessed) return GUESSED;
    return state("streaming", "good", `Streaming: ${this.parts}`, `${grouped(this.rate)} frames per second${this.link.dropped > 0 ? `, ${grouped(this.link.dropped)} dropped` : ""}`);
  }
}

class Page {
  private readonly headline = element("p", { class: "headline", role: "status" });
  private readonly hint = element("p", { class: "hint" });
  private readonly button = element("button", { type: "button", class: "begin" }, "Start");
  private readonly waiting = element("p", { class: "absent", role: "status" }, COMES);
  private mode: XRSessionMode | null = null;
  private resting: State = state("looking", "plain", "Looking for a headset");
  private session: Session | null = null;
  private view: LiveView | null = null;
  private readonly link = new HeadsetLink(location.hash.slice(1), () => this.show());
  private current = "";

  constructor() {
    const panel = element("section", { class: "headset", "aria-label": "Headset" }, this.headline, this.hint, this.button);
    document.querySelector("main")!.prepend(panel);
    buildTheme(byId("theme"), () => this.view?.replay?.repaint());
    byId("stage").append(this.waiting);
    this.button.addEventListener("click", () => void this.begin());
    this.show();
    void this.findOut();
    navigator.xr?.addEventListener("devicechange", () => void this.findOut());
    setInterval(() => this.show(), LOOK);
    void this.awaitRun();
    Object.assign(window, { pantoHeadset: this.hook() });
  }

  private hook(): object {
    const page = this;
    return {
      get state() { return page.current; },
      get mode() { return page.mode; },
      get sent() { return page.link.sent; },
      get dropped() { return page.link.dropped; },
      get panel() { return page.session?.scene.text ?? null; },
      get frames() { return page.session?.scene.frames ?? 0; },
      link: (name: string) => page.session?.scene.link(name) ?? null,
    };
  }

  private async findOut(): Promise<void> {
    const found = await obstacle();
    this.mode = found.mode;
    this.resting = found.state;
    this.show();
  }

  /** Called by a press alone: browsers ask for it. */
  private async begin(): Promise<void> {
    if (this.session || !this.mode) return;
    this.button.disabled = true;
    let over = false;
    try {
      const session = await navigator.xr!.requestSession(this.mode, { requiredFeatures: ["local-floor"], optionalFeatures: ["body-tracking", "hand-tracking"] });
      session.addEventListener("end", () => {
        over = true;
        if (this.session) this.end();
      });
      this.link.open();
      const made = await Session.begin(session, this.link, () => this.view);
      this.session = made;
      if (over) this.end();
    } catch (error) {
      this.link.close();
      this.resting = state("refused", "bad", "The headset did not begin", `${(error as Error).message}. Allow what the headset asks for, and press Start again.`);
    }
    this.button.disabled = false;
    this.show();
  }

  private end(): void {
    this.session = null;
    // what was wrong with the connection stays to be read
    const told = ["token", "busy", "unread", "ended"].includes(this.link.state) ? LINKS[this.link.state] : READY;
    this.link.close();
    this.resting = told;
    this.show();
  }

  private show(): void {
    const now = this.session?.look() ?? this.resting;
    this.current = now.name;
    const say = (part: HTMLElement, text: string): void => {
      if (part.textContent !== text) part.textContent = text;
    };
    say(this.headline, now.text);
    say(this.hint, now.hint ?? "");
    this.hint.hidden = !now.hint;
    this.headline.dataset.grade = now.grade;
    this.headline.classList.toggle("long", now.text.length > 60);
    this.button.hidden = this.session !== null || this.mode === null || now === NO_TOKEN;
    this.session?.scene.say(this.lines(now));
  }

  /** What the panel in the headset says. */
  private lines(now: State): string[] {
    if (!this.view?.posed && now.name === "streaming") return ["Stand still and look ahead;", "the robot comes when the", "first frames have arrived."];
    const health = this.view?.connected ? this.view.health : null;
    const stream = now.name === "streaming" && health && health.stream !== "good" ? (STREAMS[health.stream]?.[0] ?? health.stream) : now.text;
    if (health?.armed === undefined) return [stream];
    const still = health.stream === "lost" || health.stream === "fault";
    return [stream, !health.armed ? "Robots hold" : still ? "Robots are armed, but hold" : "Robots follow"];
  }

  /** Asks for the run until it has begun, and shows it without loading the page again: that would end the session. */
  private async awaitRun(): Promise<void> {
    for (;;) {
      const answer = await fetch(`run.json?${location.hash.slice(1)}`, { cache: "no-store" }).catch(() => null);
      if (this.waiting.textContent !== (answer ? COMES : GONE)) this.waiting.textContent = answer ? COMES : GONE;
      if (answer?.status === 200) {
        const run = runOf((await answer.json()) as Document);
        byId("stage").replaceChildren();
        byId("verdict").replaceChildren();
        byId("verdict").hidden = false;
        this.view = startLive(run, {
          // that would end the session
          another: () => {
            if (!this.session) location.reload();
          },
          held: () => (this.mode ? NO_ARMING : null),
        });
        return;
      }
      await new Promise((go) => setTimeout(go, ASK));
    }
  }
}

export function startHeadset(): void {
  clear();
  document.querySelector(".kicker")!.textContent = "Panto live";
  document.title = "Headset: Panto live";
  byId("title").textContent = "Headset";
  byId("verdict").hidden = true;
  new Page();
}
