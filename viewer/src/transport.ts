// Play, speed, scrub, views: everything under the replay, and the keys of the whole page.

import type { Clock } from "./clock";
import { element, seconds } from "./format";
import type { Replay } from "./replay";

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

function views(replay: Replay): HTMLElement {
  const group = element("div", { class: "row", role: "group", "aria-label": "View" });
  const from = [["Corner", "corner"], ["Front", "front"], ["Side", "side"], ["Top", "top"]] as const;
  for (const [label, view] of from) group.append(button(label, `Look from the ${view}`, () => replay.look(view)));
  return group;
}

function legend(replay: Replay, limited: boolean): HTMLElement {
  const list = element("ul", { class: "legend" });
  list.append(element("li", {}, element("span", { class: "swatch model" }), "model"));
  list.append(
    replay.source.known
      ? element("li", {}, element("span", { class: "swatch source" }), "source")
      : element("li", {}, "the source has no positions to draw"),
  );
  if (replay.body.unmeasured.size > 0) list.append(element("li", {}, element("span", { class: "swatch unmeasured" }), "not measured"));
  if (limited) list.append(element("li", {}, element("span", { class: "swatch limit" }), "joint on a limit"));
  return list;
}

export function buildTransport(host: HTMLElement, clock: Clock, replay: Replay, limited: boolean): void {
  const play = button("Play", "Play or pause (space)", () => clock.toggle());
  play.className = "play";
  const scrub = element("input", { type: "range", min: "0", max: String(Math.max(clock.count - 1, 0)), step: "1", "aria-label": "Time" });
  scrub.addEventListener("input", () => clock.step(Number(scrub.value) - clock.index));
  const readout = element("output", { class: "time" });
  const bar = element("div", { class: "bar" }, play, scrub, readout, speedChoice(clock));
  host.append(bar);
  if (replay.available) {
    const more = element("div", { class: "row wrap" }, views(replay));
    more.append(
      toggle("Side by side", "Source beside the model instead of over it", false, (on) => replay.setApart(on)),
      toggle("Follow", "The camera goes along with the model", true, (on) => (replay.follow = on)),
    );
    host.append(more, legend(replay, limited));
  }

  const show = (): void => {
    const index = clock.index;
    scrub.value = String(Math.max(index, 0));
    scrub.setAttribute("aria-valuetext", `${seconds(clock.t)} seconds`);
    readout.textContent = `${seconds(clock.t)} s`;
    play.textContent = clock.playing ? "Pause" : "Play";
    play.disabled = clock.count < 2;
    scrub.disabled = clock.count < 2;
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

/** Space, arrows, Home and End move time wherever the control that has the focus does not need them. */
export function bindKeys(clock: Clock): void {
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
    const act = actions[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });
}
