// The WebSocket that a headset's frames go through. The newest frame wins: what cannot go out at once is dropped.

/** off: not wanted. joining: no answer yet. open: frames go out. lost: tried again by itself. The rest is final: a wrong
 * token, another headset that sends, frames that Panto cannot read, the end of the run. */
export type LinkState = "off" | "joining" | "open" | "lost" | "token" | "busy" | "unread" | "ended";

const SUBPROTOCOL = "panto.webxr.v1";
/** [ms] */
const AGAIN = 1000;
/** A connection that takes nothing for so long, or does not answer, is given up [ms]. */
const PATIENCE = 4000;
/** Two frames of a whole body [bytes]: what waits beyond is late already. */
const WAITING = 5300;

const REFUSED = 1008;
const BUSY = 1013;
const ENDED = 1001;

export class HeadsetLink {
  private socket: WebSocket | null = null;
  private timer = 0;
  /** Whether Panto took this headset before. */
  private welcome = false;
  /** When the connection began to take nothing [ms]; 0: it does. */
  private stuckFrom = 0;
  state: LinkState = "off";
  sent = 0;
  dropped = 0;

  constructor(
    private readonly token: string,
    private readonly changed: () => void,
  ) {}

  /** Connects, and again whenever the connection breaks. */
  open(): void {
    this.sent = this.dropped = 0;
    this.welcome = false;
    this.connect("joining");
  }

  close(): void {
    this.leave("off");
  }

  /** Whether the frame is on its way. */
  send(bytes: Uint8Array<ArrayBuffer>): boolean {
    if (this.state !== "open") return false;
    if (this.socket!.bufferedAmount > WAITING) {
      ++this.dropped;
      this.stuckFrom ||= performance.now();
      if (performance.now() - this.stuckFrom > PATIENCE) this.again();
      return false;
    }
    this.stuckFrom = 0;
    this.socket!.send(bytes);
    ++this.sent;
    return true;
  }

  private connect(state: "joining" | "lost"): void {
    const socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/headset`, SUBPROTOCOL);
    this.leave(state);
    this.socket = socket;
    this.timer = window.setTimeout(() => this.again(), PATIENCE);
    socket.addEventListener("open", () => socket.send(JSON.stringify({ token: this.token })));
    socket.addEventListener("message", ({ data }) => {
      if (socket !== this.socket || typeof data !== "string" || JSON.parse(data).op !== "welcome") return;
      clearTimeout(this.timer);
      this.welcome = true;
      this.become("open");
    });
    socket.addEventListener("close", ({ code }) => {
      if (socket === this.socket) this.closed(code);
    });
  }

  private closed(code: number): void {
    if (code === REFUSED) this.leave(this.state === "open" ? "unread" : "token");
    else if (code === ENDED) this.leave("ended");
    // after a break, the headset that Panto still hears may be this one
    else if (code === BUSY && !this.welcome) this.leave("busy");
    else this.again();
  }

  private again(): void {
    this.leave("lost");
    this.timer = window.setTimeout(() => this.connect("lost"), AGAIN);
  }

  private leave(state: LinkState): void {
    clearTimeout(this.timer);
    const socket = this.socket;
    this.socket = null;
    this.stuckFrom = 0;
    socket?.close();
    this.become(state);
  }

  private become(state: LinkState): void {
    if (this.state === state) return;
    this.state = state;
    this.changed();
  }
}
