// Curves over time with one cursor: hover reads, click goes there, drag zooms, a line shows the replay's instant.

import uPlot from "uplot";
import type { Clock } from "./clock";
import { DEGREES, element, number, seconds, withUnit } from "./format";

type Values = (number | null)[];

export interface Line {
  name: string;
  values: Values;
  /** A colour of the theme. */
  colour: string;
  width?: number;
  dash?: number[];
  /** A filled background and no line of its own. */
  area?: boolean;
  /** Where it differs from the panel's. */
  unit?: string;
  /** What a frame's value belongs to: "Right Hand". */
  where?: (index: number) => string;
  /** Drawn, but not read out. */
  mute?: boolean;
  /** The edge of a shaded band whose other edge is the next line; neither is drawn. True: the upper one. */
  band?: boolean;
}

export interface Panel {
  title: string;
  unit: string;
  /** One sentence on what is drawn. */
  what: string;
  lines: Line[];
  log?: boolean;
  /** The axis reaches at least so far: what is smaller is rounding and lies on the floor. */
  least?: number;
  format: (value: number | null) => string;
}

/** A figure of a panel in degrees, in radians. */
const RADIANS: Record<string, string> = { "°": "rad", "°/s": "rad/s", "° or mm": "rad or mm" };

/** The panel with angles in radians. Lines in other units stay. */
function inRadians(panel: Panel): Panel {
  const convert = (line: Line): Line => {
    const unit = line.unit ?? panel.unit;
    if (!(unit in RADIANS)) return line;
    return { ...line, unit: RADIANS[unit], values: line.values.map((value) => (value === null ? null : value / DEGREES)) };
  };
  if (!(panel.unit in RADIANS)) return panel;
  return { ...panel, unit: RADIANS[panel.unit], lines: panel.lines.map(convert), least: panel.least && panel.least / DEGREES, format: (value) => number(value) };
}

/** A peak that is so many times as far out as nearly all values are is cut off. */
const PEAK = 2.5;

/** What the values span but for rare peaks; the whole span where there are none. */
export function robustSpan(lines: Line[]): { low: number; high: number; cut: number | null } | null {
  const values = lines.filter((line) => !line.mute || line.band !== undefined).flatMap((line) => line.values.filter((value): value is number => value !== null));
  if (values.length === 0) return null;
  values.sort((a, b) => a - b);
  const at = (share: number) => values[Math.round(share * (values.length - 1))];
  const [low, high] = [values[0], values[values.length - 1]];
  const [least, most] = [at(0.005), at(0.995)];
  const usual = most - Math.min(least, 0);
  if (!(usual > 0) || high - Math.min(low, 0) < PEAK * usual) return { low, high, cut: null };
  return { low: Math.max(low, least - 0.3 * usual), high: Math.min(high, most + 0.3 * usual), cut: high > most + 0.3 * usual ? high : low };
}

const SYNC = "panto";
/** Of a plot, in heights of the page's letters. */
const HEIGHT = 11;

export function letter(): number {
  return parseFloat(getComputedStyle(document.documentElement).fontSize) || 16;
}

export function colourOf(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

/** While it plays figures are read out so seldom [ms]. */
const READ = 120;

/** One chart with a title and a read-out. */
export class Chart {
  readonly element: HTMLElement;
  private readonly plotHost = element("div", { class: "plot" });
  private readonly readout = element("p", { class: "readout" });
  private readonly playhead = element("div", { class: "playhead" });
  private readonly cutOff = element("p", { class: "what" });
  private readonly unitLabel = element("span", { class: "unit" });
  /** In degrees. */
  private given: Panel;
  /** Lines of another run, in degrees. */
  private others: Line[] = [];
  private plot: uPlot | null = null;
  private span: ReturnType<typeof robustSpan> = null;
  private radians = false;
  /** Whether it is on the screen. */
  private seen = true;
  private readAt = 0;

  constructor(
    private readonly clock: Clock,
    private readonly stamps: Float64Array,
    private panel: Panel,
    extra: HTMLElement | null = null,
  ) {
    this.given = panel;
    const title = element("h3", {}, panel.title, " ", this.unitLabel);
    this.element = element("figure", { class: "chart" }, title, element("p", { class: "what" }, panel.what));
    if (extra) this.element.append(extra);
    this.element.append(this.readout, this.plotHost, this.cutOff);
    new ResizeObserver(() => this.resize()).observe(this.plotHost);
    new IntersectionObserver((entries) => (this.seen = entries.some((entry) => entry.isIntersecting))).observe(this.element);
    clock.onChange(() => this.mark());
    this.repaint();
  }

  /** Other lines in the same place. */
  show(lines: Line[]): void {
    this.given = { ...this.given, lines };
    this.repaint();
  }

  /** Lines of another run, drawn besides. */
  beside(lines: Line[]): void {
    if (lines.length === 0 && this.others.length === 0) return;
    this.others = lines;
    this.repaint();
  }

  /** Angles in radians instead of degrees. */
  setRadians(radians: boolean): void {
    this.radians = radians;
    this.repaint();
  }

  /** What is drawn: a head and the values of each line. */
  columns(): { head: string; values: Values }[] {
    return this.panel.lines.filter((line) => !line.mute).map((line) => ({ head: `${this.panel.title}: ${line.name.replace(/\u00a0/g, " ")} [${line.unit ?? this.panel.unit}]`, values: line.values }));
  }

  /** The times between which it is drawn [s]. */
  between(): [number, number] {
    const scale = this.plot?.scales.x;
    return [scale?.min ?? -Infinity, scale?.max ?? Infinity];
  }

  /** Draws anew, with the colours of the theme. */
  repaint(): void {
    const all = { ...this.given, lines: [...this.given.lines, ...this.others] };
    this.panel = this.radians ? inRadians(all) : all;
    this.unitLabel.textContent = `[${this.panel.unit}]`;
    this.span = this.panel.log ? null : robustSpan(this.panel.lines);
    const cut = this.span?.cut ?? null;
    this.cutOff.textContent = cut === null ? "" : `The axis leaves out a peak of ${withUnit(this.panel.format(cut), this.panel.unit)}; zoom in to see it.`;
    this.cutOff.hidden = cut === null;
    const scale = this.plot?.scales.x;
    const zoom = scale && scale.min !== undefined && scale.max !== undefined ? { min: scale.min!, max: scale.max! } : null;
    this.plot?.destroy();
    this.plot = null;
    this.plotHost.replaceChildren();
    const known = this.panel.lines.some((line) => line.values.some((value) => value !== null));
    this.readout.hidden = !known;
    // room for what it may say, so that the curves stay where they are while it changes
    const entries = this.panel.lines.filter((line) => !line.mute);
    this.readout.style.setProperty("--entries", String(entries.length + (entries.some((line) => line.where) ? 1 : 0)));
    if (!known) {
      this.plotHost.append(element("p", { class: "absent" }, "Nothing was measured here."));
      return;
    }
    this.plot = new uPlot(this.options(), [Array.from(this.stamps), ...this.panel.lines.map((line) => line.values)], this.plotHost);
    this.plot.root.setAttribute("role", "img");
    this.plot.root.setAttribute("aria-label", `${this.panel.title} [${this.panel.unit}] over time. ${this.panel.what}`);
    this.plot.over.append(this.playhead);
    this.plot.over.addEventListener("click", (event) => this.click(event));
    if (zoom && zoom.max > zoom.min) this.plot.setScale("x", zoom);
    this.mark();
  }

  private options(): uPlot.Options {
    const axis = { stroke: colourOf("muted"), grid: { stroke: colourOf("line"), width: 1 }, ticks: { stroke: colourOf("line"), width: 1 }, font: `${0.69 * letter()}px system-ui, sans-serif` };
    return {
      width: Math.max(this.plotHost.clientWidth, 120),
      height: Math.round(HEIGHT * letter()),
      legend: { show: false },
      cursor: {
        sync: { key: SYNC, setSeries: false },
        drag: { x: true, y: false },
        points: { size: 6 },
      },
      scales: {
        x: { time: false },
        y: this.panel.log
          ? { distr: 3 }
          : { range: (plot, low, high) => this.range(plot, low, high) },
      },
      axes: [
        { ...axis, size: 1.75 * letter(), values: (_plot, ticks) => ticks.map((tick) => `${Number(tick.toFixed(3))} s`) },
        { ...axis, size: 3 * letter(), values: (_plot, ticks) => ticks.map((tick) => (tick === null ? "" : this.tick(tick))) },
      ],
      series: [{}, ...this.panel.lines.map((line) => this.series(line))],
      bands: this.panel.lines.flatMap((line, i) => (line.band ? [{ series: [i + 1, i + 2] as [number, number], fill: `${colourOf(line.colour)}33` }] : [])),
      hooks: {
        setCursor: [() => this.read()],
        draw: [() => this.mark()],
        setScale: [() => this.mark()],
      },
    };
  }

  private tick(value: number): string {
    return Math.abs(value) >= 1e4 || (value !== 0 && Math.abs(value) < 1e-3) ? value.toExponential(0) : String(Number(value.toPrecision(4)));
  }

  /** From zero where nothing is negative, with air above; never flat; without rare peaks until it is zoomed. */
  private range(plot: uPlot, low: number | null, high: number | null): [number, number] {
    const { min, max } = plot.scales.x;
    const [first, last] = [this.stamps[0], this.stamps[this.stamps.length - 1]];
    const zoomed = typeof min === "number" && typeof max === "number" && (min > first || max < last);
    if (this.span && !zoomed) [low, high] = [this.span.low, this.span.high];
    if (low === null || high === null || !Number.isFinite(low) || !Number.isFinite(high)) return [0, 1];
    high = Math.max(high, this.panel.least ?? 0);
    const span = high - Math.min(low, 0) || Math.abs(high) || 1;
    return [low >= 0 ? 0 : low - 0.06 * span, high > 0 ? high + 0.06 * span : 0.06 * span];
  }

  private series(line: Line): uPlot.Series {
    const stroke = colourOf(line.colour);
    return {
      label: line.name,
      stroke,
      width: line.band !== undefined ? 0 : line.area ? 1 : (line.width ?? 1.5),
      ...(line.dash ? { dash: line.dash } : {}),
      ...(line.area ? { fill: colourOf(`${line.colour}-fill`) || stroke } : {}),
      points: { show: this.stamps.length < 3 },
      spanGaps: false,
    };
  }

  private resize(): void {
    const width = this.plotHost.clientWidth;
    if (this.plot && width > 0 && width !== this.plot.width) this.plot.setSize({ width, height: Math.round(HEIGHT * letter()) });
  }

  private click(event: MouseEvent): void {
    const plot = this.plot!;
    if (plot.select.width > 2) return; // that was a zoom
    this.clock.seek(plot.posToVal(event.clientX - plot.over.getBoundingClientRect().left, "x"));
  }

  private mark(): void {
    if (!this.plot || (this.clock.playing && !this.seen)) return;
    const left = this.plot.valToPos(this.clock.t, "x");
    const inside = left >= 0 && left <= this.plot.over.clientWidth;
    this.playhead.style.transform = `translateX(${left}px)`;
    this.playhead.hidden = !inside;
    // figures that change too fast to be read cost time
    const now = performance.now();
    if (this.clock.playing && now - this.readAt < READ) return;
    this.readAt = now;
    this.read();
  }

  /** Values under the pointer, else at the replay's instant. */
  private read(): void {
    const hovered = this.plot?.cursor.idx;
    const index = hovered ?? this.clock.index;
    if (index < 0) return;
    const parts: Node[] = [element("span", { class: "at" }, `${seconds(this.stamps[index])} s`)];
    for (const line of this.panel.lines) {
      if (line.mute) continue;
      const swatch = element("span", { class: "dot" });
      swatch.style.background = `var(--${line.colour})`;
      const value = line.values[index];
      const figure = withUnit(this.panel.format(value), line.unit ?? this.panel.unit);
      const where = value ? line.where?.(index) : undefined;
      parts.push(element("span", { class: "value" }, swatch, `${line.name} ${figure}${where ? ` (${where})` : ""}`));
    }
    this.readout.replaceChildren(...parts);
  }
}
