// Play, speed, scrub, views: the controls of the replay, and the keys of the whole page.

import type { Clock } from "./clock";
import { element, seconds } from "./format";
import type { Replay, SourcePlace } from "./replay";

function button(label: string, title: string, act: () => void): HTMLButtonElement {
  const made = element("button", { type: "button", title }, label);
  made.addEventListener("click", act);
  return made;
}

/** A button that is on or off. */
function toggle(label: string, title: string, on: boolean, act: (on: boolean) => void): HTMLButtonElement {
  const made = button(label, title, () => {
    const now = made.getAttribute("aria-pressed") !== "true";
    made.setAttribute("aria-pressed", String(now));
    act(now);
  });
  made.setAttribute("aria-pressed", String(on));
  return made;
}

function speedChoice(clock: Clock): HTMLElement {
  const choice = element("select", { "aria-label": "Speed of the replay" });
  for (const speed of [0.1, 0.25, 0.5, 1, 2, 4]) {
    const option = element("option", { value: String(speed) }, `${speed}×`);
    option.selected = speed === 1;
    choice.append(option);
  }
  choice.addEventListener("change", () => clock.setSpeed(Number(choice.value)));
  return choice;
}

const VIEWS = [["Corner", "corner"], ["Front", "front"], ["Side", "side"], ["Top", "top"]] as const;
const PLACES: [string, SourcePlace][] = [["Over it", "over"], ["Beside it", "beside"], ["Hidden", "hidden"]];

function legend(replay: Replay, limited: boolean): HTMLElement {
  const list = element("ul", { class: "legend" });
  const entry = (kind: string, text: string) => list.append(element("li", {}, element("span", { class: `swatch ${kind}` }), text));
  entry("model", "model");
  if (replay.source.known) entry("source", "source");
  else list.append(element("li", {}, "the source has no positions to draw"));
  if (replay.body.unmeasured.size > 0) entry("unmeasured", "not measured");
  if (limited) entry("limit", "joint on a limit");
  if (replay.body.overlaps) entry("overlap", "part in another");
  if (replay.stance.contacts) entry("contact", replay.stance.contacts.given ? "foot in contact" : "foot still on the floor");
  return list;
}

/** What a press of a key does, besides those of the time. */
export type Keys = Map<string, () => void>;

/** What is seen, and from where. Returns the keys that do the same. */
export function buildOptions(host: HTMLElement, clock: Clock, replay: Replay, limited: boolean): Keys {
  const keys: Keys = new Map();
  if (!replay.available) return keys;
  const withKey = (key: string, made: HTMLButtonElement): HTMLButtonElement => {
    keys.set(key, () => made.click());
    return made;
  };
  const from = element("div", { class: "row", role: "group", "aria-label": "View" });
  VIEWS.forEach(([label, view], i) => from.append(withKey(String(i + 1), button(label, `Look from the ${view} (${i + 1})`, () => replay.look(view)))));
  host.append(from);
  const place = element("select", { "aria-label": "Where the source is drawn" });
  for (const [label, value] of PLACES) place.append(element("option", { value }, label));
  if (replay.robot) place.value = "beside";
  place.addEventListener("change", () => replay.setSource(place.value as SourcePlace));
  if (replay.source.known) host.append(element("label", { class: "choice" }, "Source ", place));
  const toggles = element("div", { class: "row", role: "group", "aria-label": "What is shown" });
  toggles.append(
    withKey("f", toggle("Follow", "The camera goes along with the model (F)", true, (on) => (replay.follow = on))),
    ...(clock.count < 2 ? [] : [withKey("t", toggle("Trails", "Lines that hands, feet and head leave (T)", false, (on) => replay.setTrails(on)))]),
    withKey("b", toggle("Balance", "Centre of mass and support polygon (B)", false, (on) => replay.setBalance(on))),
  );
  if (replay.cones.known) toggles.append(withKey("u", toggle("Uncertainty", "Cones that limbs lie in, to 2 standard deviations (U)", false, (on) => replay.setCones(on))));
  host.append(toggles, legend(replay, limited));
  keys.set("l", () => clock.setLoop(!clock.loop));
  return keys;
}

export function buildTransport(host: HTMLElement, clock: Clock): void {
  const play = button("Play", "Play or pause (space)", () => clock.toggle());
  play.className = "play";
  const back = button("◂", "One frame back (left arrow)", () => clock.step(-1));
  const on = button("▸", "One frame on (right arrow)", () => clock.step(1));
  back.setAttribute("aria-label", "One frame back");
  on.setAttribute("aria-label", "One frame on");
  const scrub = element("input", { type: "range", min: "0", max: String(Math.max(clock.count - 1, 0)), step: "1", "aria-label": "Time" });
  scrub.addEventListener("input", () => clock.step(Number(scrub.value) - clock.index));
  const readout = element("output", { class: "time" });
  const loop = toggle("Loop", "Begin again after the end (L)", clock.loop, (now) => clock.setLoop(now));
  const bar = element("div", { class: "bar" }, play, element("div", { class: "row" }, back, on), scrub, readout, speedChoice(clock), loop);
  host.append(bar);

  const show = (): void => {
    const index = clock.index;
    scrub.value = String(Math.max(index, 0));
    scrub.setAttribute("aria-valuetext", `${seconds(clock.t)} seconds`);
    readout.textContent = `${seconds(clock.t)} s`;
    play.textContent = clock.playing ? "Pause" : "Play";
    loop.setAttribute("aria-pressed", String(clock.loop));
    for (const control of [play, scrub, back, on]) control.disabled = clock.count < 2;
  };
  clock.onChange(show);
  show();
}

/** Whether a control takes this key for itself: space presses a button, arrows move a slider. */
function takesKey(control: Element, key: string): boolean {
  if (/^(SELECT|TEXTAREA)$/.test(control.tagName)) return true;
  if (control.tagName === "INPUT") return key !== " ";
  if (control.matches(".scroll")) return key !== " " && control.scrollWidth > control.clientWidth;
  return /^(BUTTON|SUMMARY|A)$/.test(control.tagName) && key === " ";
}

/** Space, arrows, Home and End move time, and `more` does what it says, wherever the control that has the focus does not
 * need the key. */
export function bindKeys(clock: Clock, more: Keys): void {
  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.defaultPrevented) return;
    if (event.target instanceof Element && takesKey(event.target, event.key)) return;
    const seek = (t: number) => () => clock.seek(t);
    const actions: Record<string, () => void> = {
      " ": () => clock.toggle(),
      ArrowLeft: event.shiftKey ? seek(clock.t - 1) : () => clock.step(-1),
      ArrowRight: event.shiftKey ? seek(clock.t + 1) : () => clock.step(1),
      Home: seek(clock.first),
      End: seek(clock.last),
    };
    // up and down keep scrolling the page; on the canvas the keys are the replay's too
    const act = actions[event.key] ?? more.get(event.key.toLowerCase());
    if (!act) return;
    event.preventDefault();
    act();
  });
}
