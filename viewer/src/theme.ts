// Dark or light: what the system prefers, until the button says otherwise.

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
