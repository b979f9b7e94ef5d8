// The feet of a body: their soles, and when they are in contact.

import * as three from "three";
import type { ModelBody } from "./body";
import { footOf } from "./mannequin";
import type { Run } from "./run";

export interface Foot {
  name: string;
  side: "left" | "right" | null;
  /** Places of the sole, each in a link. */
  sole: { link: number; at: three.Vector3 }[];
}

export interface Contacts {
  /** Rows of `feet.length`: 1 where the foot is in contact. */
  values: Uint8Array;
  /** Whether they are those of the run; else they are told here from height and speed. */
  given: boolean;
}

/** A sole within this of the floor [m] and slower than this [m/s] is in contact. */
const CONTACT = { height: 0.035, speed: 0.4 };
/** Frames by which a body is measured at load: more are interpolated. */
const MEASURED = 4000;

export function sideOf(name: string): "left" | "right" | null {
  if (/(^|_)l(eft)?(_|$)|^Left|^L[A-Z]/.test(name) || /left/i.test(name)) return "left";
  if (/(^|_)r(ight)?(_|$)|^Right|^R[A-Z]/.test(name) || /right/i.test(name)) return "right";
  return null;
}

export function feetOf(run: Run, body: ModelBody): Foot[] {
  const { links } = run.model;
  if (body.size) {
    const { ahead, down, sole, heel, toes, width } = footOf(body.size);
    return (["Left", "Right"] as const).flatMap((side): Foot[] => {
      const [foot, toe] = ["Foot", "Toe"].map((part) => links.findIndex((link) => link.name === `${side}${part}`));
      if (foot < 0) return [];
      const corners = [[-heel, -width], [-heel, width], [ahead, -width], [ahead, width]].map(([x, y]) => ({ link: foot, at: new three.Vector3(x, y, -down - sole) }));
      if (toe >= 0) for (const y of [-0.7 * width, 0.7 * width]) corners.push({ link: toe, at: new three.Vector3(0.9 * toes, y, -sole) });
      return [{ name: `${side} foot`, side: side === "Left" ? "left" : "right", sole: corners }];
    });
  }
  // a robot's feet are those whose contacts are known, else those that have soles
  const given = new Set(run.timeline.contacts?.links ?? []);
  const isFoot = ({ name, corners = [] }: Run["model"]["links"][number]): boolean =>
    given.size > 0 ? given.has(name) : corners.length >= 3 && /(foot|ankle|sole|toe)/i.test(name);
  return links.flatMap((link, i): Foot[] => {
    if (!isFoot(link)) return [];
    const corners = link.corners?.map((corner) => new three.Vector3(...corner)) ?? underside(body, i);
    return corners.length > 0 ? [{ name: link.name, side: sideOf(link.name), sole: corners.map((at) => ({ link: i, at })) }] : [];
  });
}

/** Places of a link's shapes within this of the lowest are its sole [m]. */
const SOLE = 0.01;

/** The lowest places of a link's shapes as the body stands. */
function underside(body: ModelBody, link: number): three.Vector3[] {
  const node = body.links[link];
  const up = new three.Vector3(0, 0, 1).transformDirection(new three.Matrix4().copy(node.matrixWorld).invert());
  const points = body.meshes.filter((mesh) => mesh.parent === node).flatMap((mesh) => {
    const places = mesh.geometry.getAttribute("position");
    return Array.from({ length: places.count }, (_, i) => new three.Vector3().fromBufferAttribute(places, i));
  });
  const lowest = points.reduce((least, point) => Math.min(least, point.dot(up)), Infinity);
  const sole = points.filter((point) => point.dot(up) < lowest + SOLE);
  const every = Math.max(1, Math.floor(sole.length / 24));
  return sole.filter((_, i) => i % every === 0);
}

/** The places of a sole in the world, as the body is posed. */
export function solePlaces(foot: Foot, body: ModelBody): three.Vector3[] {
  return foot.sole.map(({ link, at }) => at.clone().applyMatrix4(body.links[link].matrixWorld));
}

/** How high the soles are in shown frames, and where: from one pass over the run. */
interface Paths {
  frames: number[];
  lowest: number[][];
  centre: three.Vector3[][];
}

function pathsOf(run: Run, body: ModelBody, feet: Foot[]): Paths {
  const every = Math.max(1, Math.ceil(run.timeline.shown / MEASURED));
  const paths: Paths = { frames: [], lowest: [], centre: [] };
  for (let index = 0; index < run.timeline.shown; index += every) {
    body.move(index);
    const soles = feet.map((foot) => solePlaces(foot, body));
    paths.frames.push(index);
    paths.lowest.push(soles.map((places) => Math.min(...places.map((place) => place.z))));
    paths.centre.push(soles.map((places) => places.reduce((sum, place) => sum.add(place), new three.Vector3()).divideScalar(places.length)));
  }
  return paths;
}

/** The level that soles rest on: where the lowest one is in nearly all frames [m]; null without feet. */
function levelOf(paths: Paths): number | null {
  const lowest = paths.lowest.map((heights) => Math.min(...heights)).filter(Number.isFinite).sort((a, b) => a - b);
  return lowest.length > 0 ? lowest[Math.floor(0.1 * lowest.length)] : null;
}

/** Feet, floor and contacts of a run. */
export class Stance {
  readonly feet: Foot[];
  readonly level: number | null;
  readonly contacts: Contacts | null;
  /** Where the soles are, in some of the shown frames. */
  readonly paths: Paths;

  constructor(run: Run, body: ModelBody) {
    this.feet = feetOf(run, body).sort((a, b) => Number(a.side === "right") - Number(b.side === "right"));
    const paths = pathsOf(run, body, this.feet);
    this.paths = paths;
    this.level = this.feet.length > 0 ? levelOf(paths) : null;
    // one frame tells no speed
    this.contacts = this.feet.length === 0 || run.live ? null : (this.given(run) ?? this.told(run, paths));
  }

  touches(index: number, foot: number): boolean {
    return this.contacts?.values[index * this.feet.length + foot] === 1;
  }

  private given(run: Run): Contacts | null {
    const table = run.timeline.contacts;
    const columns = this.feet.map((foot) => table?.links.indexOf(foot.name) ?? -1);
    if (!table || columns.some((column) => column < 0)) return null;
    const values = new Uint8Array(run.timeline.shown * this.feet.length);
    for (let i = 0; i < run.timeline.shown; ++i) columns.forEach((column, k) => (values[i * this.feet.length + k] = table.values[i * table.columns + column] > 0 ? 1 : 0));
    return { values, given: true };
  }

  private told(run: Run, { frames, lowest, centre }: Paths): Contacts {
    const count = this.feet.length;
    const values = new Uint8Array(run.timeline.shown * count);
    frames.forEach((frame, i) => {
      const [before, after] = [Math.max(i - 1, 0), Math.min(i + 1, frames.length - 1)];
      const span = run.timeline.t[frames[after]] - run.timeline.t[frames[before]];
      const end = frames[i + 1] ?? run.timeline.shown;
      for (let k = 0; k < count; ++k) {
        const speed = span > 0 ? centre[after][k].distanceTo(centre[before][k]) / span : 0;
        const on = lowest[i][k] - this.level! < CONTACT.height && speed < CONTACT.speed;
        for (let shown = frame; shown < end; ++shown) values[shown * count + k] = on ? 1 : 0;
      }
    });
    return { values, given: false };
  }
}
