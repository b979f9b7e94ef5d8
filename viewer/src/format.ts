// Numbers and names as people read them.

export const DEGREES = 180 / Math.PI;

/** Below this a number of any unit is rounding. */
const TINY = 1e-9;

/** A whole number, its thousands apart from 10 000 on. */
export function grouped(value: number): string {
  const digits = String(Math.round(Math.abs(value)));
  const apart = digits.length > 4 ? digits.replace(/\B(?=(\d{3})+$)/g, "\u202f") : digits;
  return value <= -0.5 ? `−${apart}` : apart;
}

/** Three significant digits, without an exponent where a person would not write one. */
export function number(value: number | null | undefined, digits = 3): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size < TINY) return "< 1e−9";
  if (size < 1e-4) return value.toExponential(1).replace("e-", "e−").replace("-", "−");
  if (size >= 1e7) return value.toExponential(2).replace("e+", "e").replace("-", "−");
  if (size >= 10 ** (digits - 1)) return grouped(value);
  return String(Number(value.toPrecision(digits))).replace("-", "−");
}

/** Errors below this [deg] or [mm] are rounding: not worth their digits. */
export const ROUNDING = 1e-3;

/** An error [deg] or [mm]: three digits, two below one, with their zeros, so that a column of them can be compared. */
export function error(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  if (value > 0 && value < ROUNDING) return `< ${ROUNDING}`;
  const size = Math.abs(value);
  return size === 0 || size >= 100 ? number(value) : value.toPrecision(size < 1 ? 2 : 3).replace("-", "−");
}

/** A figure with its unit; without the unit where there is no figure. */
export function withUnit(text: string, unit: string): string {
  if (text === "–" || unit === "") return text;
  return unit === "°" ? `${text}°` : `${text}\u00a0${unit}`;
}

export function seconds(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  return value.toFixed(2);
}

/** "jRightKnee_roty" and "RightUpperArm" with spaces: "Right Knee about y", "Right Upper Arm". */
export function plainName(name: string): string {
  const turn = /^j?(.+)_rot([xyz])$/.exec(name);
  const words = (text: string) => text.replace(/([a-z])([A-Z])/g, "$1 $2");
  if (turn) return `${words(turn[1].replace(/^j/, ""))} about\u00a0${turn[2]}`;
  return /^[A-Za-z0-9]+$/.test(name) ? words(name.replace(/^j(?=[A-Z])/, "")) : name;
}

/** A name that may be broken behind its underscores. */
export function breakable(name: string): (Node | string)[] {
  const parts = name.split(/(?<=_)/);
  return parts.flatMap((part, i) => (i === 0 ? [part] : [document.createElement("wbr"), part]));
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${grouped(count)} ${count === 1 ? one : many}`;
}

/** An element with attributes and children; text is never read as markup. */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Record<string, string> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

export function byId(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no #${id}`);
  return found;
}
