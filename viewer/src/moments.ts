// The worst moments: a list whose entries go there.

import type { Clock } from "./clock";
import { breakable, DEGREES, element, error, number, plainName, plural, ROUNDING, seconds } from "./format";
import type { Moment, Run } from "./run";

/** Goes to a time [s] and shows what it is about: a link, a joint. */
export type Visit = (t: number, item: string) => void;

const TITLES: Record<Moment["kind"], string> = {
  orientation_error: "Orientation error",
  origin_distance: "Distance of origins",
  overlap: "Parts in each other",
  limit_violation: "Outside a limit",
  joint_speed: "Joint speed",
  step_time: "Step time",
  no_answer: "No answer",
};

function describe(moment: Moment): [figure: string, where: string] {
  switch (moment.kind) {
    case "orientation_error":
      return [`${error(moment.value * DEGREES)}°`, plainName(moment.item)];
    case "origin_distance":
      return [`${error(moment.value * 1000)} mm`, plainName(moment.item)];
    case "overlap":
      return [`${error(moment.value * 1000)} mm`, moment.item.split(" - ").map(plainName).join(" – ")];
    case "limit_violation":
      return [`${error(moment.value * DEGREES)}°`, plainName(moment.item)];
    case "joint_speed":
      return [`${number(moment.value * DEGREES)} °/s`, plainName(moment.item)];
    case "step_time":
      return [`${number(moment.value)} µs`, ""];
    case "no_answer":
      return [plural(moment.value, "frame"), moment.item.replace(/_/g, " ")];
  }
}

/** Whether a moment is more than rounding. */
function matters(moment: Moment): boolean {
  if (moment.kind === "orientation_error") return moment.value * DEGREES >= ROUNDING;
  if (moment.kind === "origin_distance") return moment.value * 1000 >= ROUNDING;
  return true;
}

/** A moment in a few words; null where it is no more than rounding. */
export function describeMoment(moment: Moment): string | null {
  const [figure, where] = describe(moment);
  return matters(moment) ? `${TITLES[moment.kind]} ${figure}${where ? `, ${where}` : ""}` : null;
}

export function buildMoments(host: HTMLElement, run: Run, clock: Clock, visit: Visit): void {
  if (run.moments.length === 0) {
    host.append(element("p", { class: "hint" }, "None: nothing was judged."));
    return;
  }
  const buttons = new Map<HTMLButtonElement, Moment>();
  const exact: string[] = [];
  for (const kind of Object.keys(TITLES) as Moment["kind"][]) {
    const moments = run.moments.filter((moment) => moment.kind === kind);
    if (moments.length === 0) continue;
    if (!moments.some(matters)) {
      exact.push(`${TITLES[kind]}: nowhere above ${ROUNDING}${kind === "orientation_error" ? "°" : " mm"}.`);
      continue;
    }
    const list = element("ol", { class: "moments", "aria-label": `${TITLES[kind]}: press to go there` });
    for (const moment of moments.filter(matters)) {
      const [figure, where] = describe(moment);
      const go = element(
        "button",
        { type: "button", "data-t": String(moment.t), "data-kind": kind },
        element("span", { class: "figure" }, figure),
        " ",
        element("span", { class: "where" }, ...breakable(where)),
        " ",
        element("span", { class: "when" }, `${seconds(moment.t)} s`),
      );
      go.addEventListener("click", () => visit(moment.t, moment.item));
      buttons.set(go, moment);
      list.append(element("li", {}, go));
    }
    host.append(element("div", { class: "kind" }, element("h3", {}, TITLES[kind]), list));
  }
  if (exact.length > 0) host.append(element("p", { class: "hint" }, exact.join(" ")));
  clock.onChange(() => {
    for (const [go, moment] of buttons) {
      if (Math.abs(clock.t - moment.t) < 1e-6) go.setAttribute("aria-current", "true");
      else go.removeAttribute("aria-current");
    }
  });
}
