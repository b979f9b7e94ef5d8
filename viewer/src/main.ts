// The report page of one run.

import "uplot/dist/uPlot.min.css";
import "./style.css";
import { Clock } from "./clock";
import { Comparison, comparedFigures } from "./compare";
import { buildDetails } from "./details";
import { byId, element } from "./format";
import { buildGait, type Gait } from "./gait";
import { startHeadset } from "./headset";
import { startLive } from "./live";
import { buildMoments } from "./moments";
import { buildNumbers, buildVerdict } from "./numbers";
import { buildCurves } from "./panels";
import { Pictures, type FilmOptions, type PictureOptions } from "./pictures";
import { Replay } from "./replay";
import { replaceStates, runOf, type Document, type Run } from "./run";
import { buildSaving } from "./saving";
import { buildScaling } from "./scaling";
import { buildStrip } from "./strip";
import { buildTheme } from "./theme";
import { bindKeys, buildOptions, buildTransport } from "./transport";

/** A file's bytes in base64. */
async function base64(content: Blob): Promise<string> {
  const reader = new FileReader();
  await new Promise((go) => {
    reader.addEventListener("load", go);
    reader.readAsDataURL(content);
  });
  return String(reader.result).replace(/^[^,]*,/, "");
}

/** What programs and tests may ask: docs/formats/report_page.md. */
function hook(run: Run, clock: Clock, replay: Replay, pictures: Pictures, comparison: Comparison, gait: Gait | null) {
  return {
    run,
    picture: async (options: PictureOptions) => base64(await pictures.picture(options)),
    film: async (options: FilmOptions) => base64(await pictures.film(options)),
    /** The other run, and the figures of both; null: none. */
    get other() {
      return comparison.other && { run: comparison.other.run, figures: comparedFigures(run, comparison.other.run), joint: (name: string) => replay.otherJoint(name) };
    },
    /** Strides, and joint angles over them; null where nobody walks. */
    gait: gait && { strides: gait.strides, cycles: gait.cycles },
    clock: {
      get t() { return clock.t; },
      get index() { return clock.index; },
      get playing() { return clock.playing; },
      seek: (t: number) => clock.seek(t),
      play: () => clock.play(),
    },
    /** Where the replay is looked at from: place and target of the eye [m]; null: nothing is drawn. */
    get camera() { return replay.eye(); },
    set camera(at: number[] | null) { if (at) replay.lookFrom(at); },
    /** Shows other States from frames at `t` [s] on: base place, turn x y z w and joints of each in `rows`. */
    replace: (t: Float64Array, rows: Float64Array) => {
      replaceStates(run, t, rows);
      replay.refresh();
    },
    scene: {
      get available() { return replay.available; },
      get frames() { return replay.frames; },
      /** [s], of the frame that the scene shows */
      get t() { return run.timeline.t[clock.index]; },
      pixels: () => replay.pixels(),
      bounds: () => replay.bounds(),
      /** Names of the links that are drawn grey. */
      grey: () => run.model.links.filter((_, i) => replay.body.unmeasured.has(i)).map((link) => link.name),
      joint: (name: string) => replay.body.tree.jointPosition(name),
      /** Names of the links that have a shape. */
      drawn: () => run.model.links.filter((_, i) => replay.body.meshes.some((mesh) => mesh.parent === replay.body.links[i])).map((link) => link.name),
      heading: () => replay.heading(),
      /** Names of the links that are drawn as in another part. */
      overlapping: () => replay.body.overlapping(clock.index),
      /** Cones of uncertainty that are drawn: link, and half the width of 1 standard deviation [rad] both ways. */
      cones: () => replay.cones.cones,
      /** Names of the feet that are lit. */
      touching: () => replay.stance.feet.filter((_, k) => replay.stance.touches(clock.index, k)).map((foot) => foot.name),
      /** The lowest place of each sole over the floor [m]. */
      soles: () => replay.soles(),
      link: (name: string) => {
        const link = replay.body.links.find((candidate) => candidate.name === name);
        return link ? link.matrixWorld.toArray() : null;
      },
      source: (name: string) => replay.source.origin(clock.index, run.source.names.indexOf(name))?.toArray() ?? null,
    },
  };
}

function fileName(path: string): string {
  return path.replace(/\/+$/, "").split(/[\\/]/).pop() || path;
}

function start(run: Run): void {
  const title = `${fileName(run.recording)} → ${run.model.name}`;
  document.title = `${title}: Panto report`;
  byId("title").textContent = title;

  const clock = new Clock(run.timeline.t);
  buildVerdict(byId("verdict"), run);
  buildNumbers(byId("cards"), byId("all-numbers"), run);
  buildScaling(byId("scaling"), run);
  const painters: (() => void)[] = [];
  buildTheme(byId("theme"), () => painters.forEach((repaint) => repaint()));
  const replay = new Replay(byId("stage"), run, clock);
  buildTransport(byId("transport"), clock);
  const keys = buildOptions(byId("options"), clock, replay, run.timeline.onLimit !== null);
  const pictures = new Pictures(run, clock, replay, byId("stage"), title);
  buildSaving(byId("options"), pictures, clock, title.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "") || "panto");
  const strip = buildStrip(byId("strip"), run, clock, replay.stance);
  const gait = buildGait(byId("gait"), run, replay.stance, replay.height, replay.body.size !== null);
  const curves = buildCurves(byId("curves"), run, clock);
  painters.push(() => replay.repaint(), () => curves.repaint(), () => strip?.repaint(), () => gait?.repaint());
  const comparison = new Comparison(byId("compare"), byId("options"), run, clock, replay, curves);
  const visit = (t: number, item: string): void => {
    clock.seek(t);
    curves.choose(item);
    byId("stage").scrollIntoView({ block: "nearest" });
  };
  buildMoments(byId("moments"), run, clock, visit);
  buildDetails(byId("details"), run, visit);
  bindKeys(clock, keys);
  Object.assign(window, { panto: hook(run, clock, replay, pictures, comparison, gait) });
  if (replay.available && !window.matchMedia("(prefers-reduced-motion: reduce)").matches) clock.play();
}

function showLive(run: Run): void {
  const view = startLive(run);
  buildTheme(byId("theme"), () => view.replay?.repaint());
}

try {
  const data = JSON.parse(byId("panto-run").textContent ?? "") as Document | { headset: true };
  if ("headset" in data) {
    startHeadset();
  } else {
    const run = runOf(data);
    if (run.live) showLive(run);
    else start(run);
  }
} catch (error) {
  byId("verdict").append(element("p", { class: "headline" }, `This page cannot be shown: ${(error as Error).message}`));
  throw error;
}
