// What a visitor may change, as the page's controls and as the part of its address behind "#".

import { element } from "../format";

export type Settings = Record<string, number | string | null>;

interface Slider {
  kind: "slider";
  key: string;
  label: string;
  least: number;
  most: number;
  step: number;
  /** Where the slider stands when nothing is changed. */
  usual: number;
  /** What the module gets, and what people read. */
  value: (at: number) => number | null;
  text: (at: number) => string;
}

interface Choice {
  kind: "choice";
  key: string;
  label: string;
  options: [value: string, text: string][];
}

const plain = (at: number): number => at;
const percent = (at: number): number => at / 100;
const asPercent = (at: number): string => `${at} %`;
const power = (at: number): number => 10 ** at;
const asPower = (at: number): string => `× ${Number((10 ** at).toPrecision(2))}`;

export const USUAL: (Slider | Choice)[] = [
  { kind: "slider", key: "height", label: "Person's height", least: 1.2, most: 2.2, step: 0.01, usual: 1.2, value: (at) => (at <= 1.2 ? null : at), text: (at) => (at <= 1.2 ? "as in the file" : `${at.toFixed(2)} m`) },
  { kind: "choice", key: "feet", label: "Feet", options: [["plant", "planted"], ["soft", "follow the person"], ["off", "turn only"]] },
  { kind: "choice", key: "collisions", label: "Body parts", options: [["avoid", "keep apart"], ["report", "only judged"], ["off", "not looked at"]] },
  { kind: "choice", key: "hands", label: "Hands that touch", options: [["", "as the robot's map says"], ["off", "no matter"], ["hands", "each other"], ["body", "the body"], ["hands,body", "both"]] },
  { kind: "slider", key: "cutoff_hz", label: "Smoothing", least: 0, most: 15, step: 0.5, usual: 0, value: (at) => (at === 0 ? null : 16 - at), text: (at) => (at === 0 ? "none" : `below ${16 - at} Hz`) },
  { kind: "slider", key: "max_acceleration", label: "Acceleration, when smoothed", least: 20, most: 500, step: 10, usual: 200, value: plain, text: (at) => `${at} rad/s²` },
  { kind: "slider", key: "speed", label: "Joint speeds allowed", least: 5, most: 200, step: 5, usual: 100, value: percent, text: asPercent },
  { kind: "slider", key: "arms", label: "Arms count", least: -1, most: 1, step: 0.1, usual: 0, value: power, text: asPower },
  { kind: "slider", key: "legs", label: "Legs count", least: -1, most: 1, step: 0.1, usual: 0, value: power, text: asPower },
];

export const BREAKING: (Slider | Choice)[] = [
  { kind: "slider", key: "dropped_share", label: "Frames dropped", least: 0, most: 80, step: 5, usual: 0, value: percent, text: asPercent },
  { kind: "slider", key: "turned_s", label: "Faces backwards at first", least: 0, most: 3, step: 0.1, usual: 0, value: plain, text: (at) => `${at} s` },
  { kind: "slider", key: "left_leg", label: "Left leg's length", least: 60, most: 120, step: 2, usual: 100, value: percent, text: asPercent },
  { kind: "choice", key: "lost_segment", label: "Lost in the middle third", options: [["", "nothing"]] },
  { kind: "choice", key: "lost_sensor", label: "Sensor lost in the middle third", options: [["", "none"]] },
  { kind: "choice", key: "magnet", label: "Magnet in the middle third at", options: [["", "no sensor"]] },
];

/** The controls of all settings. */
export class SettingsPanel {
  private readonly inputs = new Map<string, { read: () => number | string | null; raw: () => string; set: (raw: string) => void; usual: string }>();

  /** `changed(done)`: a setting has another value; done: it was let go. */
  constructor(private readonly changed: (done: boolean) => void) {}

  build(controls: (Slider | Choice)[]): HTMLElement[] {
    return controls.map((control) => (control.kind === "slider" ? this.slider(control) : this.choice(control)));
  }

  private slider({ key, label, least, most, step, usual, value, text }: Slider): HTMLElement {
    const input = element("input", { type: "range", min: String(least), max: String(most), step: String(step), value: String(usual), id: `set-${key}` });
    const said = element("output", { for: input.id });
    const show = (): void => {
      said.textContent = text(Number(input.value));
      input.setAttribute("aria-valuetext", said.textContent);
    };
    input.addEventListener("input", () => {
      show();
      this.changed(false);
    });
    input.addEventListener("change", () => this.changed(true));
    show();
    this.inputs.set(key, {
      read: () => value(Number(input.value)),
      raw: () => input.value,
      set: (raw) => {
        input.value = raw;
        show();
      },
      usual: String(usual),
    });
    return element("label", { class: "setting" }, element("span", {}, label), said, input);
  }

  private choice({ key, label, options }: Choice): HTMLElement {
    const select = element("select", { id: `set-${key}` }, ...options.map(([value, text]) => element("option", { value }, text)));
    select.addEventListener("change", () => this.changed(true));
    this.inputs.set(key, { read: () => select.value, raw: () => select.value, set: (raw) => void (select.value = raw), usual: options[0][0] });
    return element("label", { class: "setting" }, element("span", {}, label), select);
  }

  /** Offers names behind a choice's first option; hides a choice without any. */
  offer(key: string, names: string[]): void {
    const select = document.getElementById(`set-${key}`) as HTMLSelectElement;
    const kept = select.value;
    select.replaceChildren(select.options[0], ...names.map((value) => element("option", { value }, value)));
    select.value = names.includes(kept) ? kept : "";
    select.closest("label")!.hidden = names.length === 0;
  }

  get settings(): Settings {
    return Object.fromEntries([...this.inputs].map(([key, { read }]) => [key, read()]));
  }

  /** Those that were changed, for an address. */
  get changes(): Record<string, string> {
    return Object.fromEntries([...this.inputs].filter(([, { raw, usual }]) => raw() !== usual).map(([key, { raw }]) => [key, raw()]));
  }

  /** Sets what an address holds; the others to what is usual. */
  set changes(wanted: Record<string, string>) {
    for (const [key, { set, usual }] of this.inputs) set(wanted[key] ?? usual);
  }
}
