// Numbers and names as people read them.

export const DEGREES = 180 / Math.PI;

/** Three significant digits, without an exponent where a person would not write one. */
export function number(value: number | null | undefined, digits = 3): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size < 1e-4) return value.toExponential(1).replace("e-", "e−");
  if (size >= 1e5) return value.toExponential(2).replace("e+", "e");
  if (size >= 10 ** (digits - 1)) return String(Math.round(value));
  return String(Number(value.toPrecision(digits)));
}

/** Errors below this [deg] or [mm] are rounding: not worth their digits. */
export const ROUNDING = 1e-3;

/** An error [deg] or [mm]: two digits below one. */
export function error(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  if (value > 0 && value < ROUNDING) return `< ${ROUNDING}`;
  return number(value, Math.abs(value) < 1 ? 2 : 3);
}

/** A figure with its unit; without the unit where there is no figure. */
export function withUnit(text: string, unit: string): string {
  if (text === "–") return text;
  return unit === "°" ? `${text}°` : `${text} ${unit}`;
}

export function seconds(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  return value.toFixed(2);
}

/** "jRightKnee_roty" and "RightUpperArm" with spaces: "Right Knee, y", "Right Upper Arm". */
export function plainName(name: string): string {
  const turn = /^j?(.+)_rot([xyz])$/.exec(name);
  const words = (text: string) => text.replace(/([a-z])([A-Z])/g, "$1 $2");
  if (turn) return `${words(turn[1].replace(/^j/, ""))}, ${turn[2]}`;
  return /^[A-Za-z0-9]+$/.test(name) ? words(name.replace(/^j(?=[A-Z])/, "")) : name;
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
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
