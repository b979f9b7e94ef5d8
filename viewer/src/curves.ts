// Curves over time with one cursor: hover reads, click goes there, drag zooms, a line shows the replay's instant.

import uPlot from "uplot";
import type { Clock } from "./clock";
import { element, seconds, withUnit } from "./format";

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

const SYNC = "panto";
const HEIGHT = 168;

function colourOf(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

/** One chart with a title and a read-out. */
export class Chart {
  readonly element: HTMLElement;
  private readonly plotHost = element("div", { class: "plot" });
  private readonly readout = element("p", { class: "readout" });
  private readonly playhead = element("div", { class: "playhead" });
  private plot: uPlot | null = null;

  constructor(
    private readonly clock: Clock,
    private readonly stamps: Float64Array,
    private panel: Panel,
    extra: HTMLElement | null = null,
  ) {
    const title = element("h3", {}, panel.title, " ", element("span", { class: "unit" }, `[${panel.unit}]`));
    this.element = element("figure", { class: "chart" }, title, element("p", { class: "what" }, panel.what));
    if (extra) this.element.append(extra);
    this.element.append(this.readout, this.plotHost);
    new ResizeObserver(() => this.resize()).observe(this.plotHost);
    clock.onChange(() => this.mark());
    this.repaint();
  }

  /** Other lines in the same place. */
  show(lines: Line[]): void {
    this.panel = { ...this.panel, lines };
    this.repaint();
  }

  /** Draws anew, with the colours of the theme. */
  repaint(): void {
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
    const axis = { stroke: colourOf("muted"), grid: { stroke: colourOf("line"), width: 1 }, ticks: { stroke: colourOf("line"), width: 1 }, font: "11px system-ui, sans-serif" };
    return {
      width: Math.max(this.plotHost.clientWidth, 120),
      height: HEIGHT,
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
          : { range: (_plot, low, high) => this.range(low, high) },
      },
      axes: [
        { ...axis, size: 28, values: (_plot, ticks) => ticks.map((tick) => `${Number(tick.toFixed(3))} s`) },
        { ...axis, size: 48, values: (_plot, ticks) => ticks.map((tick) => (tick === null ? "" : this.tick(tick))) },
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

  /** From zero where nothing is negative, with air above; never flat. */
  private range(low: number | null, high: number | null): [number, number] {
    if (low === null || high === null || !Number.isFinite(low) || !Number.isFinite(high)) return [0, 1];
    high = Math.max(high, this.panel.least ?? 0);
    const span = high - Math.min(low, 0) || Math.abs(high) || 1;
    return [low >= 0 ? 0 : low - 0.06 * span, high + 0.06 * span];
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
    if (this.plot && width > 0 && width !== this.plot.width) this.plot.setSize({ width, height: HEIGHT });
  }

  private click(event: MouseEvent): void {
    const plot = this.plot!;
    if (plot.select.width > 2) return; // that was a zoom
    this.clock.seek(plot.posToVal(event.clientX - plot.over.getBoundingClientRect().left, "x"));
  }

  private mark(): void {
    if (!this.plot) return;
    const left = this.plot.valToPos(this.clock.t, "x");
    const inside = left >= 0 && left <= this.plot.over.clientWidth;
    this.playhead.style.transform = `translateX(${left}px)`;
    this.playhead.hidden = !inside;
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
