// How surely limbs are known: at each joint a cone in which the limb beyond it lies, as wide as the standard deviations
// of the joint's axes make it.

import * as three from "three";
import type { ModelBody } from "./body";
import type { Run } from "./run";
import { SAME_PLACE } from "./shell";

/** Cones reach to so many standard deviations: of 100 directions about an axis, 95 lie within 2. */
export const REACH = 2;
/** A cone is at most so wide [rad]: what is less sure is not known at all. */
const WIDEST = (70 * Math.PI) / 180;
/** A limb shorter than this has no direction to be unsure of [m]. */
const SHORTEST = 0.04;
/** What is drawn is at least so wide [m]. */
const LEAST = 0.002;

interface Limb {
  link: number;
  /** The axes about which it turns: links that they are fixed to. */
  axes: { link: number; axis: three.Vector3; dof: number }[];
  /** Where it ends, in its link. */
  end: three.Vector3;
}

/** A limb's cone in the world: half its width [rad], 1 standard deviation, along two directions across it. */
export interface Cone {
  link: string;
  wide: [number, number];
}

/** Limbs that turn and whose joints somebody measured; joints in series through one point are one. */
function limbsOf(run: Run): Limb[] {
  const { joints, links } = run.model;
  const assumed = new Set([...(run.sensors?.joints ?? []).filter(({ measured }) => !measured).map(({ name }) => name), ...(run.unmeasured_joint_names ?? [])]);
  const found: Limb[] = [];
  const reaches = (link: number): three.Vector3 | null => {
    const hanging = joints.filter((joint) => joint.parent === link);
    const far = hanging.map((joint) => new three.Vector3(...joint.p_PJ)).filter((end) => end.length() > SAME_PLACE);
    if (far.length > 0) return far.reduce((sum, end) => sum.add(end), new three.Vector3()).divideScalar(far.length);
    // the next joint of a series carries the limb
    return hanging.length > 0 ? null : new three.Vector3(...links[link].com).multiplyScalar(2);
  };
  const axesOf = (link: number): Limb["axes"] | null => {
    const joint = joints.find((candidate) => candidate.child === link);
    if (!joint || joint.type !== "revolute" || joint.dof === null || assumed.has(joint.name)) return null;
    const own = { link, axis: new three.Vector3(...joint.axis), dof: joint.dof };
    return Math.hypot(...joint.p_PJ) > SAME_PLACE ? [own] : [...(axesOf(joint.parent) ?? []), own];
  };
  links.forEach((_, link) => {
    const [end, axes] = [reaches(link), axesOf(link)];
    if (end && axes && end.length() > SHORTEST) found.push({ link, axes, end });
  });
  return found;
}

/** An open cone from the origin to a circle of radius 1 at z = 1. */
function coneShape(): three.BufferGeometry {
  return new three.ConeGeometry(1, 1, 28, 1, true).translate(0, -0.5, 0).rotateX(-Math.PI / 2);
}

export class Cones {
  readonly root = new three.Group();
  private readonly limbs: Limb[];
  private readonly mesh: three.InstancedMesh<three.BufferGeometry, three.MeshBasicMaterial>;
  private readonly rims: three.InstancedMesh<three.BufferGeometry, three.MeshBasicMaterial>;
  private drawn: Cone[] = [];
  visible = false;

  constructor(
    private readonly run: Run,
    private readonly body: ModelBody,
  ) {
    this.limbs = run.timeline.deviation ? limbsOf(run) : [];
    const material = (opacity: number) => new three.MeshBasicMaterial({ transparent: true, opacity, depthTest: false, depthWrite: false, side: three.DoubleSide });
    const count = Math.max(this.limbs.length, 1);
    this.mesh = new three.InstancedMesh(coneShape(), material(0.16), count);
    this.rims = new three.InstancedMesh(new three.RingGeometry(0.93, 1, 36).translate(0, 0, 1), material(0.75), count);
    for (const part of [this.mesh, this.rims]) {
      part.frustumCulled = false;
      part.renderOrder = 3;
      part.count = 0;
      this.root.add(part);
    }
  }

  /** Whether the run knows how sure it is. */
  get known(): boolean {
    return this.limbs.length > 0;
  }

  /** Those that are drawn. */
  get cones(): Cone[] {
    return this.drawn;
  }

  paint(colour: string): void {
    this.mesh.material.color.set(colour);
    this.rims.material.color.set(colour);
  }

  /** The body is posed at shown frame `index`. */
  pose(index: number): void {
    this.root.visible = this.visible;
    this.drawn = [];
    if (!this.visible) return;
    const { deviation } = this.run.timeline;
    const matrix = new three.Matrix4();
    for (const { link, axes, end } of this.limbs) {
      const at = this.body.tree.origin(link);
      const node = this.body.links[link].matrixWorld;
      const along = end.clone().transformDirection(node);
      const u = new three.Vector3(...(Math.abs(along.z) < 0.9 ? [0, 0, 1] : [1, 0, 0])).cross(along).normalize();
      const v = along.clone().cross(u);
      // the end moves by (axis x along) for each radian about an axis; axes are independent
      let [uu, uv, vv] = [0, 0, 0];
      for (const { link: fixed, axis, dof } of axes) {
        const sd = deviation!.values[index * deviation!.columns + dof];
        const moves = axis.clone().transformDirection(this.body.links[fixed].matrixWorld).cross(along).multiplyScalar(sd);
        const [a, b] = [moves.dot(u), moves.dot(v)];
        [uu, uv, vv] = [uu + a * a, uv + a * b, vv + b * b];
      }
      if (!Number.isFinite(uu + vv)) continue;
      const turn = 0.5 * Math.atan2(2 * uv, uu - vv);
      const [middle, half] = [(uu + vv) / 2, Math.hypot((uu - vv) / 2, uv)];
      const wide: [number, number] = [Math.sqrt(Math.max(middle + half, 0)), Math.sqrt(Math.max(middle - half, 0))];
      const length = end.length();
      const radius = (sd: number): number => Math.max(length * Math.tan(Math.min(REACH * sd, WIDEST)), LEAST);
      const x = u.clone().multiplyScalar(Math.cos(turn)).addScaledVector(v, Math.sin(turn));
      matrix.makeBasis(x.clone().multiplyScalar(radius(wide[0])), along.clone().cross(x).multiplyScalar(radius(wide[1])), along.multiplyScalar(length)).setPosition(at);
      this.mesh.setMatrixAt(this.drawn.length, matrix);
      this.rims.setMatrixAt(this.drawn.length, matrix);
      this.drawn.push({ link: this.body.links[link].name, wide });
    }
    for (const part of [this.mesh, this.rims]) {
      part.count = this.drawn.length;
      part.instanceMatrix.needsUpdate = true;
    }
  }
}
