// Shells of a robot's links: hulls of its capsules, or, where it has none, of balls at its joints.

import * as three from "three";
import { hullOf, surfaceOf, type Ball } from "./loft";
import type { LinkTree } from "./link_tree";
import type { Run } from "./run";

type Model = Run["model"];

/** Links nearer than this share a place [m]. */
export const SAME_PLACE = 1e-3;
/** A link without shapes is as thick as its mass tells at this density [kg/m^3], within these [m]. */
const GIRTH = { density: 1900, least: 0.018, most: 0.06 };
/** The same of a head, which is a ball. */
const HEAD = { density: 650, least: 0.05, most: 0.1 };
/** A fixed last link whose centre of mass is farther than this from its frame [m] is somewhere else than that frame. */
const ELSEWHERE = 0.25;

export interface Shell {
  link: number;
  geometry: three.BufferGeometry;
  /** Motors and frames are darker than covers. */
  dark: boolean;
}

const isHead = (name: string): boolean => /head/i.test(name) && !/(camera|imu|sensor|mic)/i.test(name);

function capsuleBalls(model: Model, link: number): Ball[] {
  return (model.links[link].capsules ?? []).flatMap(([ax, ay, az, bx, by, bz, radius]) => [
    { at: new three.Vector3(ax, ay, az), radius },
    { at: new three.Vector3(bx, by, bz), radius },
  ]);
}

const within = (value: number, { least, most }: { least: number; most: number }): number => Math.min(Math.max(value, least), most);

/** Places that a link reaches to: the joints that hang on it, or twice as far as its centre of mass. */
function reachOf(model: Model, link: number): { at: three.Vector3; child: number | null }[] {
  const children = model.joints.filter((joint) => joint.parent === link);
  if (children.length > 0) return children.map((joint) => ({ at: new three.Vector3(...joint.p_PJ), child: joint.child })).filter(({ at }) => at.length() > SAME_PLACE);
  const centre = new three.Vector3(...model.links[link].com);
  const own = model.joints.find((joint) => joint.child === link);
  const moves = own === undefined || own.dof !== null;
  if (centre.length() <= SAME_PLACE || (!moves && centre.length() > ELSEWHERE)) return [];
  return [{ at: centre.multiplyScalar(moves ? 2.1 : 1.2), child: null }];
}

/** Half of how thick a link without shapes is [m]. */
function girthOf(model: Model, link: number): number {
  const reach = Math.max(0.06, ...reachOf(model, link).map(({ at }) => at.length()));
  return within(Math.sqrt((model.links[link].mass ?? 0) / (GIRTH.density * Math.PI * reach)), GIRTH);
}

/** What is drawn of a link without shapes: balls at its joints, each as thick as what hangs there, and its sole. */
function guessedBalls(model: Model, link: number): Ball[] {
  const { com, corners = [], mass = 0, name } = model.links[link];
  const places = reachOf(model, link);
  if (isHead(name) && mass > 0.3) return [{ at: new three.Vector3(...com), radius: within(((3 * mass) / (4 * Math.PI * HEAD.density)) ** (1 / 3), HEAD) }];
  if (places.length === 0 && corners.length === 0) return [];
  const radius = girthOf(model, link);
  const balls: Ball[] = [{ at: new three.Vector3(), radius }];
  for (const { at, child } of places) balls.push({ at, radius: child === null ? 0.8 * radius : Math.min(radius, 0.96 * girthOf(model, child)) });
  for (const corner of corners) balls.push({ at: new three.Vector3(...corner).add(new three.Vector3(0, 0, 0.012)), radius: 0.012 });
  return balls;
}

/** Which way a body faces as it stands, level in the root's frame: where its soles reach from its ankles; else along x. */
export function forwardOf(model: Model, tree: LinkTree): three.Vector3 {
  const sum = new three.Vector3();
  model.links.forEach(({ corners = [] }, i) => {
    if (corners.length < 3) return;
    const middle = corners.reduce((total, corner) => total.add(new three.Vector3(...corner)), new three.Vector3()).divideScalar(corners.length);
    sum.add(middle.applyMatrix4(tree.links[i].matrixWorld).sub(tree.origin(i)));
  });
  sum.transformDirection(new three.Matrix4().copy(tree.root.matrixWorld).invert()).setZ(0);
  return sum.length() > 0.1 ? sum.normalize() : new three.Vector3(1, 0, 0);
}

/** A capsule that ends this near to a joint reaches it [m]. */
const NEAR = 0.05;

/** Balls at a link's joints that its capsules do not reach: bodies are closed. */
function bridgesOf(model: Model, link: number): Ball[] {
  const segments = (model.links[link].capsules ?? []).map(([ax, ay, az, bx, by, bz, radius]) => ({ line: new three.Line3(new three.Vector3(ax, ay, az), new three.Vector3(bx, by, bz)), radius }));
  const reached = (at: three.Vector3): boolean => segments.some(({ line, radius }) => line.closestPointToPoint(at, true, new three.Vector3()).distanceTo(at) < radius + NEAR);
  const hangs = model.joints.some((joint) => joint.child === link);
  const places = reachOf(model, link).filter(({ child }) => child !== null);
  const ends = [...(hangs ? [{ at: new three.Vector3(), child: null }] : []), ...places].filter(({ at }) => !reached(at));
  return ends.map(({ at, child }) => ({ at, radius: Math.min(girthOf(model, link), child === null ? Infinity : girthOf(model, child)) }));
}

/** A dark visor on the front of a head, pushed a little out of it. `forward`: in the head's frame. */
function visorOf(points: three.Vector3[], forward: three.Vector3, up: three.Vector3): three.BufferGeometry | null {
  const range = (direction: three.Vector3): [number, number] => {
    const values = points.map((point) => point.dot(direction));
    return [Math.min(...values), Math.max(...values)];
  };
  const [back, front] = range(forward);
  const [low, high] = range(up);
  const face = points.filter((point) => {
    const height = (point.dot(up) - low) / (high - low);
    return (point.dot(forward) - back) / (front - back) > 0.62 && height > 0.42 && height < 0.9;
  });
  return hullOf(face.flatMap((point) => [point.clone().addScaledVector(forward, 0.006), point]));
}

/** The shells of all links but those in `clad`. */
export function shellsOf(model: Model, tree: LinkTree, clad: Set<number>): Shell[] {
  const shells: (Shell & { size: number })[] = [];
  const forward = forwardOf(model, tree).transformDirection(tree.root.matrixWorld);
  const up = new three.Vector3(0, 0, 1).transformDirection(tree.root.matrixWorld);
  model.links.forEach((link, i) => {
    if (clad.has(i)) return;
    const capsules = capsuleBalls(model, i);
    const points = surfaceOf(capsules.length > 0 ? [...capsules, ...bridgesOf(model, i)] : guessedBalls(model, i));
    const geometry = hullOf(points);
    if (!geometry) return;
    geometry.computeBoundingBox();
    const size = geometry.boundingBox!.getSize(new three.Vector3()).length();
    shells.push({ link: i, geometry, dark: false, size });
    if (!isHead(link.name)) return;
    const inLink = new three.Matrix4().copy(tree.links[i].matrixWorld).invert();
    const visor = visorOf(points, forward.clone().transformDirection(inLink), up.clone().transformDirection(inLink));
    if (visor) shells.push({ link: i, geometry: visor, dark: true, size: Infinity });
  });
  const sizes = shells.map((shell) => shell.size).filter(Number.isFinite).sort((a, b) => a - b);
  const middle = sizes[Math.floor(0.45 * sizes.length)] ?? 0;
  return shells.map(({ link, geometry, dark, size }) => ({ link, geometry, dark: dark || size < middle }));
}
