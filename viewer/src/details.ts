// What stands below the curves: segments, notes, the rig, settings, and what the page is made of.

import threeLicence from "../node_modules/three/LICENSE?raw";
import uplotLicence from "../node_modules/uplot/LICENSE?raw";
import type { Clock } from "./clock";
import { DEGREES, element, error, number, plainName, seconds } from "./format";
import type { Rig, Run } from "./run";

function section(title: string, ...content: (Node | string)[]): HTMLElement {
  return element("section", {}, element("h2", {}, title), ...content);
}

function table(label: string, heads: string[], rows: (Node | string)[][]): HTMLElement {
  const head = element("tr", {}, ...heads.map((text) => element("th", { scope: "col" }, text)));
  const body = rows.map((cells) =>
    element("tr", {}, ...cells.map((cell, i) => (i === 0 ? element("th", { scope: "row" }, cell) : element("td", {}, cell)))),
  );
  const made = element("table", {}, element("thead", {}, head), element("tbody", {}, ...body));
  return element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": label }, made);
}

function segments(run: Run, clock: Clock): HTMLElement {
  const most = Math.max(...run.pairs.map((pair) => pair.max_rad ?? 0), 1e-12);
  const rows = run.pairs.map((pair) => {
    const bar = element("span", { class: "meter", "aria-hidden": "true" });
    bar.style.setProperty("--share", String((pair.max_rad ?? 0) / most));
    const go = pair.max_s === null ? "–" : element("button", { type: "button", class: "link" }, `${seconds(pair.max_s)} s`);
    if (typeof go !== "string") go.addEventListener("click", () => clock.seek(pair.max_s!));
    const angle = (value: number | null) => error(value === null ? null : value * DEGREES);
    return [plainName(pair.link), angle(pair.mean_rad), element("span", { class: "metered" }, angle(pair.max_rad), bar), go];
  });
  return section("Segments", table("Orientation error by segment", ["Segment", "mean [°]", "largest [°]", "at"], rows));
}

function percent(confidence: number | null): string {
  return confidence === null ? "–" : `${Math.round(100 * confidence)} %`;
}

function rigSection(rig: Rig): HTMLElement {
  const content: Node[] = [
    element("p", {}, `Family: ${rig.family}. Unit: ${number(rig.unit)} m. Confidence: ${percent(rig.confidence)}.`),
  ];
  if (rig.names_swapped) content.push(element("p", { class: "warn" }, "The names say left where the body is right."));
  content.push(
    table(
      "Decisions about the rig",
      ["Decision", "Answer", "Confidence", "Reason"],
      rig.decisions.map((decision) => [decision.what, decision.answer, percent(decision.confidence), decision.reason]),
    ),
    table(
      "Joints of the recording by segment",
      ["Segment", "Joint of the recording", "Confidence", "Reason"],
      rig.segments.map((entry) => {
        const joint = entry.joint ?? "not measured";
        const spread = entry.next === null ? joint : `${number(100 * entry.share)} % of the way from ${joint} to ${entry.next}`;
        const reason = [entry.reason, entry.frame_reason].filter((text) => text !== "").join("; ");
        const confidence = entry.joint === null ? "–" : percent(Math.min(entry.confidence, entry.frame_confidence ?? 1));
        return [plainName(entry.segment), spread, confidence, reason];
      }),
    ),
  );
  if (rig.unmapped.length > 0) content.push(element("p", {}, `Joints that no segment follows: ${rig.unmapped.join(", ")}.`));
  return section("How the rig was understood", ...content);
}

function about(run: Run): HTMLElement {
  const licence = (name: string, text: string) =>
    element("details", {}, element("summary", {}, name), element("pre", { class: "licence" }, text.trim()));
  return section(
    "About this page",
    element("p", {}, `Written by Panto ${run.panto} (Apache-2.0). It holds all it needs: it loads nothing and sends nothing.`),
    element("p", {}, "Keys: space plays, left and right go by one frame, with shift by one second, Home and End to the ends. In the curves a click goes there, a drag zooms, a double click shows all."),
    licence("three.js draws the replay (MIT licence)", threeLicence),
    licence("uPlot draws the curves (MIT licence)", uplotLicence),
  );
}

export function buildDetails(host: HTMLElement, run: Run, clock: Clock): void {
  if (run.notes.length > 0) {
    const list = element("ul", { class: "notes" }, ...run.notes.map((note) => element("li", {}, note)));
    host.append(section("Notes of the reader", list));
  }
  if (run.pairs.length > 0) host.append(segments(run, clock));
  if (run.rig) host.append(rigSection(run.rig));
  if (run.settings.length > 0)
    host.append(section("Settings", table("Settings of the run", ["Setting", "Value"], run.settings.map(([name, value]) => [name, value]))));
  host.append(about(run));
}
