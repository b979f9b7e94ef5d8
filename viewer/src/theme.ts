// Dark or light: what the system prefers, until the button says otherwise.

import type { Paint } from "./body";

/** Colours of the style sheet at this moment. */
export function themeColour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

export function bodyPaint(): Paint {
  return {
    model: themeColour("body-model"),
    joint: themeColour("body-joint"),
    pale: themeColour("body-pale"),
    dark: themeColour("body-dark"),
    limit: themeColour("bad"),
    overlap: themeColour("overlap"),
    unmeasured: themeColour("body-unmeasured"),
    source: themeColour("body-source"),
  };
}

export function buildTheme(button: HTMLElement, repaint: () => void): void {
  const system = window.matchMedia("(prefers-color-scheme: dark)");
  let chosen: "dark" | "light" | null = null;
  const isDark = (): boolean => (chosen ? chosen === "dark" : system.matches);
  const apply = (): void => {
    document.documentElement.dataset.theme = isDark() ? "dark" : "light";
    button.textContent = isDark() ? "Light theme" : "Dark theme";
    repaint();
  };
  button.addEventListener("click", () => {
    chosen = isDark() ? "light" : "dark";
    apply();
  });
  system.addEventListener("change", apply);
  apply();
}
