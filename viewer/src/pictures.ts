// Pictures to keep: the replay as it is seen, with the verdict under it if wanted, as PNG or as a film.

import type { Clock } from "./clock";
import { encodeFilm, type FilmKind } from "./film";
import { seconds } from "./format";
import { headline } from "./numbers";
import { EXTRAS, type Extra, type Held, type Replay, type View } from "./replay";
import type { Run } from "./run";

/** All may be left out. */
export interface PictureOptions {
  /** [s]; unset: now. */
  at?: number;
  /** Unset: as it is looked at now. */
  view?: View;
  /** Pixels; unset: the stage's proportions. */
  width?: number;
  height?: number;
  /** How much nearer; 1: as it is. */
  zoom?: number;
  /** What is shown besides the bodies; unset: what is shown now. */
  show?: Extra[];
  /** Whether title and verdict stand under it. */
  verdict?: boolean;
}

export interface FilmOptions extends Omit<PictureOptions, "at"> {
  kind?: FilmKind;
  /** [s] of the run; unset: all. */
  from?: number;
  to?: number;
  /** Frames by second. */
  rate?: number;
  /** Seconds of the run by second of the film. */
  speed?: number;
  stopped?: () => boolean;
  progress?: (share: number) => void;
}

/** Unless asked for otherwise. */
const WIDE = { png: 1600, webm: 960, gif: 480 };
const RATE = { webm: 30, gif: 12.5 };
/** A film has at most so many frames. */
const LONGEST = 3600;
/** A picture is at most so wide and high [pixels]. */
const LARGEST = 7680;

const GRADES = { good: ["Good", "good"], usable_with_care: ["Usable, but", "warn"], unreliable: ["Not usable", "bad"] } as const;

function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

/** A text in lines that fit; what is too much ends in "…". */
function wrapped(pen: CanvasRenderingContext2D, text: string, width: number, most: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(/\s+/)) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (line !== "" && pen.measureText(longer).width > width) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  lines.push(line);
  if (lines.length <= most) return lines;
  let last = `${lines[most - 1]} …`;
  while (last.length > 2 && pen.measureText(last).width > width) last = `${last.slice(0, -3).trimEnd()} …`;
  return [...lines.slice(0, most - 1), last];
}

/** Title, verdict and time under a picture. */
class Caption {
  readonly height: number;
  private readonly letter: number;
  private readonly lines: string[];
  private readonly text: string;

  constructor(
    private readonly run: Run,
    private readonly title: string,
    private readonly width: number,
    pen: CanvasRenderingContext2D,
  ) {
    this.letter = Math.min(Math.max(width / 62, 12), 64);
    this.text = run.verdict?.text ?? headline(run);
    pen.font = this.font(600);
    this.lines = wrapped(pen, this.text, width - 2 * this.letter, 2);
    // even: video wants it
    this.height = 2 * Math.round((this.letter * (2.5 + 1.35 * this.lines.length)) / 2);
  }

  private font(weight: number, share = 1): string {
    return `${weight} ${share * this.letter}px system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif`;
  }

  draw(pen: CanvasRenderingContext2D, top: number, t: number): void {
    const { letter, width } = this;
    pen.fillStyle = colour("panel");
    pen.fillRect(0, top, width, this.height);
    pen.fillStyle = colour("line");
    pen.fillRect(0, top, width, Math.max(1, letter / 14));
    pen.textBaseline = "alphabetic";
    let y = top + 1.55 * letter;
    const grade = this.run.verdict && GRADES[this.run.verdict.grade];
    const word = grade && this.text.startsWith(grade[0]) ? grade[0] : "";
    this.lines.forEach((line, i) => {
      pen.font = this.font(600);
      pen.fillStyle = colour("text");
      pen.fillText(line, letter, y);
      if (i === 0 && grade && word !== "" && line.startsWith(word)) {
        pen.fillStyle = colour(grade[1]);
        pen.fillText(word, letter, y);
      }
      y += 1.35 * letter;
    });
    pen.font = this.font(400, 0.85);
    pen.fillStyle = colour("muted");
    const time = `${seconds(t)} s`;
    const room = pen.measureText(time).width;
    pen.fillText(wrapped(pen, `${this.title} · made with Panto`, width - 3 * letter - room, 1)[0], letter, y);
    pen.fillText(time, width - letter - room, y);
  }
}

/** One canvas on which all pictures of a size are drawn. */
class Sheet {
  readonly canvas = document.createElement("canvas");
  private readonly pen: CanvasRenderingContext2D;
  private readonly caption: Caption | null;
  private readonly held: Held;
  private readonly tall: number;

  constructor(
    private readonly pictures: Pictures,
    width: number,
    height: number | null,
    zoom: number,
    verdict: boolean,
  ) {
    if (!(zoom >= 0.1 && zoom <= 20)) throw new Error(`zoom ${zoom} is not from 0.1 to 20`);
    const { replay, run, title, stage } = pictures;
    this.pen = this.canvas.getContext("2d", { willReadFrequently: true })!;
    this.caption = verdict ? new Caption(run, title, width, this.pen) : null;
    const room = this.caption?.height ?? 0;
    const aspect = stage.clientHeight / Math.max(stage.clientWidth, 1);
    this.tall = height === null ? 2 * Math.round((width * aspect) / 2) : height - room;
    if (!(this.tall >= 16)) throw new Error(`a picture of ${width} x ${height} pixels has no room for the replay and the words under it`);
    this.canvas.width = width;
    this.canvas.height = this.tall + room;
    const held = replay.hold(width, this.tall, zoom);
    if (!held) throw new Error(replay.available ? "another picture is being made" : "this browser draws no replay: it offers no WebGL 2");
    this.held = held;
  }

  draw(): HTMLCanvasElement {
    const { pen, tall } = this;
    const { width } = this.canvas;
    const background = pen.createLinearGradient(0, 0, 0, tall);
    background.addColorStop(0, colour("stage-top"));
    background.addColorStop(1, colour("stage-low"));
    pen.fillStyle = background;
    pen.fillRect(0, 0, width, tall);
    pen.drawImage(this.held.render(), 0, 0);
    this.caption?.draw(pen, tall, this.pictures.clock.t);
    return this.canvas;
  }

  close(): void {
    this.held.release();
  }
}

function size(value: number | undefined, name: string): number | null {
  if (value === undefined) return null;
  if (!(value >= 64 && value <= LARGEST)) throw new Error(`${name}: ${value} pixels are not from 64 to ${LARGEST}`);
  return 2 * Math.round(value / 2);
}

export class Pictures {
  constructor(
    readonly run: Run,
    readonly clock: Clock,
    readonly replay: Replay,
    readonly stage: HTMLElement,
    readonly title: string,
  ) {}

  /** Opens a sheet, lets `use` draw on it, and leaves the page as it was. */
  private async on<T>(options: PictureOptions, wide: number, use: (sheet: Sheet) => Promise<T>): Promise<T> {
    const { t, playing } = this.clock;
    const { extras } = this.replay;
    const unknown = options.show?.find((extra) => !EXTRAS.includes(extra));
    if (unknown !== undefined) throw new Error(`show ${unknown}: it is none of ${EXTRAS.join(", ")}`);
    const sheet = new Sheet(this, size(options.width, "width") ?? wide, size(options.height, "height"), options.zoom ?? 1, options.verdict ?? true);
    try {
      if (options.view) this.replay.look(options.view);
      if (options.show) this.replay.extras = options.show;
      return await use(sheet);
    } finally {
      sheet.close();
      if (options.show) this.replay.extras = extras;
      this.clock.seek(t);
      if (playing) this.clock.play();
    }
  }

  /** A PNG of one instant. @throws Error where it cannot be made. */
  picture(options: PictureOptions = {}): Promise<Blob> {
    return this.on(options, WIDE.png, async (sheet) => {
      this.clock.seek(options.at ?? this.clock.t);
      const canvas = sheet.draw();
      const blob = await new Promise<Blob | null>((go) => canvas.toBlob(go, "image/png"));
      if (!blob) throw new Error("the browser made no picture of this size");
      return blob;
    });
  }

  /** A film. @throws Error where it cannot be made, Stopped where it was called off. */
  film(options: FilmOptions = {}): Promise<Blob> {
    const kind = options.kind ?? "webm";
    const from = Math.max(options.from ?? this.clock.first, this.clock.first);
    const to = Math.min(options.to ?? this.clock.last, this.clock.last);
    const speed = options.speed ?? 1;
    const rate = options.rate ?? RATE[kind];
    if (!(to > from)) return Promise.reject(new Error(`a film from ${from} s to ${to} s shows nothing: the run lasts from ${this.clock.first} s to ${this.clock.last} s`));
    if (!(rate >= 1 && rate <= 120 && speed > 0)) return Promise.reject(new Error(`a film of ${rate} frames by second at ${speed} times the speed cannot be made: 1 to 120, and more than 0`));
    // what ends where it begins shows that instant once
    const count = Math.max(1, Math.round(((to - from) * rate) / speed));
    if (count > LONGEST) return Promise.reject(new Error(`a film of ${count} frames is too long: at most ${LONGEST}; take a part of the run`));
    return this.on(options, WIDE[kind], (sheet) =>
      encodeFilm(kind, {
        count,
        rate,
        draw: (index) => {
          this.clock.seek(from + (index * speed) / rate);
          return sheet.draw();
        },
        stopped: options.stopped ?? (() => false),
        progress: options.progress ?? (() => undefined),
      }),
    );
  }
}
