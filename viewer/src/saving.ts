// The controls that save pictures and films.

import type { Clock } from "./clock";
import { canEncodeWebm, Stopped, type FilmKind } from "./film";
import { element, seconds } from "./format";
import type { Pictures } from "./pictures";

/** Hands a file to the browser's downloads. */
export function download(content: Blob, name: string): void {
  const link = element("a", { download: name, href: URL.createObjectURL(content) });
  link.click();
  // the download has its own copy by then
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** Of the run, what a film shows: a label and how long [s]; null: all. */
const LENGTHS: [string, number | null][] = [["3 s from here", 3], ["10 s from here", 10], ["the whole run", null]];

export function buildSaving(host: HTMLElement, pictures: Pictures, clock: Clock, name: string): void {
  if (!pictures.replay.available) return;
  const said = element("output", { class: "hint", "aria-live": "polite" });
  const verdict = element("input", { type: "checkbox", checked: "" });
  const length = element("select", { "aria-label": "How much of the run a film shows" });
  LENGTHS.forEach(([label], i) => length.append(element("option", { value: String(i) }, label)));
  if (clock.last - clock.first <= 10) length.value = "2";
  let stop: (() => void) | null = null;

  const work = async (button: HTMLButtonElement, file: string, make: (stopped: () => boolean, progress: (share: number) => void) => Promise<Blob>): Promise<void> => {
    if (stop) return stop();
    const label = button.textContent;
    let called = false;
    stop = () => (called = true);
    try {
      const content = await make(() => called, (share) => (button.textContent = `Stop (${Math.round(100 * share)} %)`));
      download(content, file);
      said.textContent = `Saved ${file}, ${(content.size / 1e6).toFixed(1)} MB.`;
    } catch (error) {
      said.textContent = error instanceof Stopped ? "Nothing was saved." : `Nothing was saved: ${(error as Error).message}.`;
    } finally {
      stop = null;
      button.textContent = label;
    }
  };
  const button = (label: string, title: string, act: (made: HTMLButtonElement) => void): HTMLButtonElement => {
    const made = element("button", { type: "button", title }, label);
    made.addEventListener("click", () => act(made));
    return made;
  };
  const film = (kind: FilmKind) => (made: HTMLButtonElement) => {
    const { t, last } = clock;
    const most = LENGTHS[Number(length.value)][1];
    const part = most === null ? {} : t + 0.2 < last ? { from: t, to: t + most } : { from: last - most };
    void work(made, `${name}.${kind}`, (stopped, progress) => pictures.film({ kind, ...part, speed: clock.speed, verdict: verdict.checked, stopped, progress }));
  };
  const png = button("Picture (PNG)", "The replay as it is seen now", (made) => void work(made, `${name}-${seconds(clock.t)}s.png`, () => pictures.picture({ verdict: verdict.checked })));
  const webm = button("Film (WebM)", "At the speed that is chosen; small and smooth", film("webm"));
  webm.disabled = !canEncodeWebm();
  const row = element("div", { class: "row", role: "group", "aria-label": "Save a picture" }, png, webm, button("Film (GIF)", "At the speed that is chosen; plays everywhere", film("gif")));
  host.append(element("details", { class: "saving" }, element("summary", {}, "Save a picture or a film"), row, element("label", { class: "choice" }, "Films show ", length), element("label", { class: "choice" }, verdict, "with the verdict"), said));
}
