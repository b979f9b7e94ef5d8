// Another run beside this one: dropped on the page or chosen, its body in the replay, its figures and curves next to
// these.

import { Clock } from "./clock";
import { element, error, number, withUnit } from "./format";
import type { Curves } from "./panels";
import type { Replay, SourcePlace } from "./replay";
import { readRun, type Run } from "./run";
import { table } from "./table";

/** Another run, and its shown frame at each of this run's; -1 before it begins and after it ends. */
export interface Other {
  run: Run;
  at: number[];
}

const OPENING = /<script id="panto-run" type="application\/json">/;

/** The run of a report page's text. @throws Error for what is none. */
export function runOfPage(text: string, name: string): Run {
  const opening = OPENING.exec(text);
  const end = opening ? text.indexOf("</script>", opening.index) : -1;
  if (!opening || end < 0) throw new Error(`${name} is no report page of Panto`);
  try {
    return readRun(text.slice(opening.index + opening[0].length, end));
  } catch (problem) {
    throw new Error(`${name} cannot be read: ${(problem as Error).message}`);
  }
}

/** Both begin at the same instant of the recording, or where it is another one, with their first frames. */
export function framesAt(run: Run, other: Run): number[] {
  const theirs = new Clock(other.timeline.t);
  const shift = run.recording === other.recording ? 0 : theirs.first - (run.timeline.t[0] ?? 0);
  // half a frame of either, so that the last ones meet
  const slack = 0.5 / Math.max(Math.min(run.rate_hz || 1, other.rate_hz || 1), 1);
  return Array.from(run.timeline.t, (t) => (t + shift < theirs.first - slack || t + shift > theirs.last + slack ? -1 : theirs.indexAt(t + shift + 1e-6)));
}

/** One figure of both. */
export interface Compared {
  name: string;
  unit: string;
  values: [number | null, number | null];
  /** Which one is better; null: neither, or not both are known. */
  better: 0 | 1 | null;
}

/** Figures that differ by less than this share are alike. */
const ALIKE = 0.05;
/** Below this, a figure of any unit that a verdict uses is rounding. */
const NOTHING = 1e-6;

/** Less is better of every figure of a verdict, but of what has an expected size: there, nearer to it. */
const EXPECTED: Record<string, number> = { "error of readings / expected": 1 };

export function comparedFigures(run: Run, other: Run): Compared[] {
  const figures = [run, other].map((each) => {
    const found = new Map((each.verdict?.figures ?? []).map(({ name, value, unit }) => [name, { value: value as number | null, unit }]));
    for (const [key, name, unit] of [["step_p50_us", "step time, median", "µs"], ["jerk_rms_rad_s3", "joint jerk, RMS", "rad/s³"]]) {
      const value = each.card[key];
      found.set(name, { value: typeof value === "number" ? value : null, unit });
    }
    return found;
  });
  const names = [...new Set([...figures[0].keys(), ...figures[1].keys()])];
  return names.map((name) => {
    const values = figures.map((found) => found.get(name)?.value ?? null) as [number | null, number | null];
    const unit = (figures[0].get(name) ?? figures[1].get(name))!.unit;
    const [a, b] = values.map((value) => (value === null ? null : Math.abs(value - (EXPECTED[name] ?? 0))));
    const differ = a !== null && b !== null && Math.abs(a - b) > Math.max(ALIKE * Math.max(a, b), NOTHING);
    return { name, unit, values, better: !differ ? null : a < b ? 0 : 1 };
  });
}

const GRADES = { good: "Good", usable_with_care: "Usable, but", unreliable: "Not usable" };
const PLACES: [string, SourcePlace][] = [["Over it", "over"], ["Beside it", "beside"], ["Hidden", "hidden"]];

/** What tells two runs apart: settings that differ. */
function differences(run: Run, other: Run): string {
  const theirs = new Map(other.settings);
  const mine = new Map(run.settings);
  const changed = [...new Set([...mine.keys(), ...theirs.keys()])].filter((name) => mine.get(name) !== theirs.get(name));
  if (changed.length === 0) return "Both pages name the same settings.";
  return `${changed.map((name) => `${name}: ${mine.get(name) ?? "not given"} here, ${theirs.get(name) ?? "not given"} in the other`).join("; ")}.`;
}

function figuresTable(run: Run, other: Run): HTMLElement {
  const cell = (figure: Compared, which: 0 | 1): HTMLElement | string => {
    const value = figure.values[which];
    const text = withUnit(value !== null && Math.abs(value) < NOTHING ? "0" : figure.unit === "deg" ? error(value) : number(value), figure.unit).replace("\u00a0", " ");
    return figure.better === which ? element("strong", { class: "better" }, "✓ ", text, element("span", { class: "aloud" }, " (better)")) : text;
  };
  const grade = (each: Run) => (each.verdict ? GRADES[each.verdict.grade] : "–");
  const rows = [["verdict", grade(run), grade(other)], ...comparedFigures(run, other).map((figure) => [figure.name, cell(figure, 0), cell(figure, 1)])];
  return table("Figures of both runs", [{ head: "Figure" }, { head: "This run", figures: true }, { head: "The other", figures: true }], rows, "keep");
}

export class Comparison {
  other: Other | null = null;
  private readonly said = element("output", { class: "hint", "aria-live": "polite" });
  private readonly place = element("select", { "aria-label": "Where the other run is drawn" });

  constructor(
    private readonly host: HTMLElement,
    controls: HTMLElement,
    private readonly run: Run,
    private readonly clock: Clock,
    private readonly replay: Replay,
    private readonly curves: Curves,
  ) {
    const file = element("input", { type: "file", accept: ".html,text/html", hidden: "", "aria-label": "Report page to compare with" });
    const button = element("button", { type: "button", title: "Choose another report, or drop it on this page" }, "Compare with…");
    button.addEventListener("click", () => file.click());
    file.addEventListener("change", () => {
      const chosen = file.files?.[0];
      file.value = "";
      if (chosen) void this.take(chosen);
    });
    controls.append(button, file, this.said);
    for (const [label, value] of PLACES) this.place.append(element("option", { value }, label));
    this.place.addEventListener("change", () => replay.placeOther(this.place.value as SourcePlace));
    this.takeDrops();
  }

  private takeDrops(): void {
    const holdsFiles = (event: DragEvent): boolean => [...(event.dataTransfer?.types ?? [])].includes("Files");
    const lit = (on: boolean): void => void document.body.classList.toggle("dropping", on);
    document.addEventListener("dragover", (event) => {
      if (!holdsFiles(event)) return;
      event.preventDefault();
      lit(true);
    });
    document.addEventListener("dragleave", (event) => {
      if (!event.relatedTarget) lit(false);
    });
    document.addEventListener("drop", (event) => {
      lit(false);
      const dropped = event.dataTransfer?.files[0];
      if (!dropped) return;
      event.preventDefault();
      void this.take(dropped);
    });
  }

  private async take(file: File): Promise<void> {
    try {
      this.show(runOfPage(await file.text(), file.name), file.name);
    } catch (problem) {
      this.said.textContent = `Nothing to compare with: ${(problem as Error).message}.`;
    }
  }

  /** Compares with another run. */
  show(run: Run, name: string): void {
    this.other = { run, at: framesAt(this.run, run) };
    this.said.textContent = "";
    const sameBody = run.model.name === this.run.model.name;
    this.place.value = sameBody ? "over" : "beside";
    this.replay.setOther(this.other, this.place.value as SourcePlace);
    this.curves.compare(this.other);
    const end = element("button", { type: "button" }, "End the comparison");
    end.addEventListener("click", () => this.end());
    const recording = run.recording === this.run.recording ? "" : ` Its recording is another one, ${run.recording}: both begin with their first frames, and figures of different motions say little.`;
    this.host.replaceChildren(
      element("h2", {}, "This run and another"),
      element("p", { class: "lead" }, element("span", { class: "swatch other" }), `The other: ${name}, ${run.recording} → ${run.model.name}.${recording} ${differences(this.run, run)}`),
      element("div", { class: "tools" }, ...(this.replay.available ? [element("label", { class: "choice" }, "In the replay ", this.place)] : []), end),
      figuresTable(this.run, run),
      element("p", { class: "hint" }, "✓ marks the better figure where they differ by more than 5 %. In the curves, dotted lines are the other run's."),
    );
    this.host.hidden = false;
    this.clock.seek(this.clock.t);
  }

  end(): void {
    this.other = null;
    this.replay.setOther(null, "hidden");
    this.curves.compare(null);
    this.host.replaceChildren();
    this.host.hidden = true;
  }
}
