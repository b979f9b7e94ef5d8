// A model as a scene graph that forward kinematics comes out of by itself. World axes: z up, metres.

import * as three from "three";
import type { Joint, Run } from "./run";

type Model = Run["model"];

interface Movable {
  dof: number;
  holder: three.Object3D;
  q_PJ: three.Quaternion;
  p_PJ: three.Vector3;
  axis: three.Vector3;
  slides: boolean;
}

/** Every link is an Object3D of its name, child of its parent link. */
export class LinkTree {
  readonly root: three.Object3D;
  readonly links: three.Object3D[];
  private readonly movable: Movable[] = [];
  private readonly turn = new three.Quaternion();

  constructor(private readonly model: Model) {
    this.links = model.links.map((link) => {
      const node = new three.Object3D();
      node.name = link.name;
      return node;
    });
    this.root = this.links[model.root];
    for (const joint of model.joints) this.hang(joint);
    this.root.updateMatrixWorld(true);
  }

  private hang(joint: Joint): void {
    const child = this.links[joint.child];
    const [w, x, y, z] = joint.q_PJ_wxyz;
    const q_PJ = new three.Quaternion(x, y, z, w);
    const p_PJ = new three.Vector3(...joint.p_PJ);
    child.quaternion.copy(q_PJ);
    child.position.copy(p_PJ);
    this.links[joint.parent].add(child);
    if (joint.dof === null) return;
    const axis = new three.Vector3(...joint.axis);
    this.movable.push({ dof: joint.dof, holder: child, q_PJ, p_PJ, axis, slides: joint.type === "prismatic" });
  }

  /** Moves to a pose: base position, orientation x y z w, and joint positions, each from its place in a table. */
  pose(p: ArrayLike<number>, atP: number, q: ArrayLike<number>, atQ: number, s: ArrayLike<number>, atS: number): void {
    this.root.position.fromArray(p as number[], atP);
    this.root.quaternion.fromArray(q as number[], atQ).normalize();
    for (const joint of this.movable) {
      const value = s[atS + joint.dof];
      if (!Number.isFinite(value)) continue;
      if (joint.slides) joint.holder.position.copy(joint.axis).multiplyScalar(value).applyQuaternion(joint.q_PJ).add(joint.p_PJ);
      else joint.holder.quaternion.copy(joint.q_PJ).multiply(this.turn.setFromAxisAngle(joint.axis, value));
    }
    this.root.updateMatrixWorld(true);
  }

  /** The origin of a link in the world. */
  origin(link: number): three.Vector3 {
    return new three.Vector3().setFromMatrixPosition(this.links[link].matrixWorld);
  }

  /** The joint's position [rad] or [m] as the scene graph has it: from the world transforms of its two links. */
  jointPosition(name: string): number | null {
    const joint = this.model.joints.find((candidate) => candidate.name === name);
    if (!joint || joint.dof === null) return null;
    const [w, x, y, z] = joint.q_PJ_wxyz;
    const relative = new three.Matrix4()
      .copy(this.links[joint.parent].matrixWorld)
      .multiply(new three.Matrix4().makeRotationFromQuaternion(new three.Quaternion(x, y, z, w)).setPosition(...(joint.p_PJ as [number, number, number])))
      .invert()
      .multiply(this.links[joint.child].matrixWorld);
    const position = new three.Vector3();
    const turned = new three.Quaternion();
    relative.decompose(position, turned, new three.Vector3());
    const axis = new three.Vector3(...joint.axis);
    if (joint.type === "prismatic") return position.dot(axis);
    const angle = 2 * Math.atan2(new three.Vector3(turned.x, turned.y, turned.z).dot(axis), turned.w);
    return Math.atan2(Math.sin(angle), Math.cos(angle));
  }
}
