// The model as a scene graph that forward kinematics comes out of by itself, and the source as its segments'
// origins. World axes: z up, metres.

import * as three from "three";
import { onLimit, unmeasuredLinks, type Run, type Shape } from "./run";

/** Links nearer than this share a place [m]. */
const SAME_PLACE = 1e-3;
/** Half of a head's height [m]: a head is drawn after its centre of mass, within what heads are. */
const HEAD = { least: 0.07, most: 0.125 };
/** A fixed last link whose centre of mass is farther than this from its frame [m] is somewhere else than that frame: a robot's head. */
const ELSEWHERE = 0.25;

/** Colours come from the theme. */
export interface Paint {
  model: string;
  joint: string;
  limit: string;
  unmeasured: string;
  source: string;
}

function tapered(length: number): three.BufferGeometry {
  const radius = Math.min(0.045, Math.max(0.016, 0.16 * length));
  const shape = new three.CapsuleGeometry(radius, Math.max(length - radius, 0.01), 4, 12);
  return shape.translate(0, length / 2, 0);
}

/** A bone from the origin to `tip`. */
function bone(tip: three.Vector3, material: three.Material): three.Mesh {
  const mesh = new three.Mesh(tapered(tip.length()), material);
  mesh.quaternion.setFromUnitVectors(new three.Vector3(0, 1, 0), tip.clone().normalize());
  return mesh;
}

/** What is under the lowest origin of a link that is drawn as bones [m]: half of a toe. */
const SOLE = 0.02;

function geometryOf(shape: Shape): three.BufferGeometry {
  const geometry = new three.BufferGeometry();
  geometry.setAttribute("position", new three.Float32BufferAttribute(shape.points, 3));
  geometry.setIndex(new three.Uint16BufferAttribute(shape.triangles, 1));
  geometry.computeVertexNormals();
  geometry.computeBoundingBox();
  return geometry;
}

interface Movable {
  dof: number;
  holder: three.Object3D;
  q_PJ: three.Quaternion;
  p_PJ: three.Vector3;
  axis: three.Vector3;
  slides: boolean;
}

interface Ball {
  mesh: three.Mesh;
  dofs: number[];
  /** What it looks like off a limit. */
  plain: three.Material;
}

/** The model: every link is an Object3D of its name, child of its parent link. */
export class ModelBody {
  readonly root: three.Object3D;
  readonly links: three.Object3D[];
  private readonly movable: Movable[] = [];
  private readonly balls: Ball[] = [];
  /** Links' own shapes, where the robot's file has them. */
  readonly shapes: three.Mesh[] = [];
  /** What is drawn of last links. */
  readonly ends: three.Object3D[] = [];
  private readonly boneMaterial = new three.MeshLambertMaterial();
  private readonly jointMaterial = new three.MeshLambertMaterial();
  private readonly limitMaterial = new three.MeshLambertMaterial();
  private readonly greyMaterial = new three.MeshLambertMaterial({ side: three.DoubleSide });
  /** Links that nothing measured. */
  readonly unmeasured: Set<number>;
  private readonly shapeMaterial = new three.MeshLambertMaterial({ flatShading: true, side: three.DoubleSide });

  constructor(private readonly run: Run) {
    const { links, joints, root } = run.model;
    this.unmeasured = unmeasuredLinks(run);
    this.links = links.map((link) => {
      const node = new three.Object3D();
      node.name = link.name;
      return node;
    });
    this.root = this.links[root];
    for (const joint of joints) {
      const child = this.links[joint.child];
      const [w, x, y, z] = joint.q_PJ_wxyz;
      const q_PJ = new three.Quaternion(x, y, z, w);
      const p_PJ = new three.Vector3(...joint.p_PJ);
      child.quaternion.copy(q_PJ);
      child.position.copy(p_PJ);
      this.links[joint.parent].add(child);
      if (joint.dof === null) continue;
      const axis = new three.Vector3(...joint.axis);
      this.movable.push({ dof: joint.dof, holder: child, q_PJ, p_PJ, axis, slides: joint.type === "prismatic" });
    }
    this.clothe();
    this.dress();
  }

  /** The shapes that links have of their own. Triangles may face either way; edges stay edges. */
  private clothe(): void {
    for (const shape of this.run.shapes) {
      const look = { flatShading: true, side: three.DoubleSide };
      const own = this.unmeasured.has(shape.link) ? this.greyMaterial : shape.rgba ? new three.MeshLambertMaterial({ ...look, color: new three.Color().setRGB(shape.rgba[0], shape.rgba[1], shape.rgba[2], three.SRGBColorSpace) }) : this.shapeMaterial;
      const mesh = new three.Mesh(geometryOf(shape), own);
      this.links[shape.link].add(mesh);
      this.shapes.push(mesh);
    }
    if (this.shapes.length === 0) return;
    // what is inside of a shape must still be seen
    this.limitMaterial.depthTest = false;
    this.limitMaterial.transparent = true;
    this.limitMaterial.opacity = 0.75;
  }

  /** Bones between places of joints, and a ball where joints sit. */
  private dress(): void {
    const { links, joints } = this.run.model;
    const clad = new Set(this.run.shapes.map((shape) => shape.link));
    const children = links.map((_, i) => joints.filter((joint) => joint.parent === i));
    for (const joint of joints) {
      const tip = new three.Vector3(...joint.p_PJ);
      if (tip.length() > SAME_PLACE && !clad.has(joint.parent)) this.links[joint.parent].add(bone(tip, this.materialOf(joint.parent)));
    }
    links.forEach((link, i) => {
      const centre = new three.Vector3(...link.com);
      if (clad.has(i) || children[i].length > 0 || centre.length() <= SAME_PLACE) return;
      // a last link reaches about twice as far as its centre of mass; one that is fixed has its frame anywhere
      const moves = joints.some((joint) => joint.child === i && joint.dof !== null);
      this.ends.push(this.endOf(i, centre, moves));
      this.links[i].add(this.ends[this.ends.length - 1]);
    });
    this.addBalls();
  }

  /** Grey where nothing measured the link. */
  private materialOf(link: number): three.Material {
    return this.unmeasured.has(link) ? this.greyMaterial : this.boneMaterial;
  }

  private endOf(link: number, centre: three.Vector3, moves: boolean): three.Object3D {
    const material = this.materialOf(link);
    if (this.run.model.links[link].name === "Head") return this.head(centre, material);
    if (moves || centre.length() < ELSEWHERE) return bone(centre.multiplyScalar(moves ? 2.3 : 1.2), material);
    const ball = new three.Mesh(new three.SphereGeometry(1, 24, 18), material);
    ball.scale.set(0.8 * HEAD.least, 0.8 * HEAD.least, HEAD.least);
    ball.position.copy(centre);
    return ball;
  }

  /** A head around its centre of mass, with a nose along x, forward in the human's frames. */
  private head(centre: three.Vector3, material: three.Material): three.Object3D {
    const half = Math.min(Math.max(1.35 * centre.length(), HEAD.least), HEAD.most);
    const head = new three.Mesh(new three.SphereGeometry(1, 24, 18), material);
    head.scale.set(0.8 * half, 0.68 * half, half);
    head.position.copy(centre).setLength(0.92 * half);
    const nose = new three.Mesh(new three.ConeGeometry(0.22, 0.5, 12), material);
    nose.rotation.z = -Math.PI / 2;
    nose.position.set(1.1, 0, -0.1);
    head.add(nose);
    return head;
  }

  /** A ball where joints sit; joints in series through one point are one ball. */
  private addBalls(): void {
    const { joints } = this.run.model;
    const ballOf = new Map<number, Ball>();
    for (const joint of joints) {
      if (joint.dof === null) continue;
      const plain = this.unmeasured.has(joint.child) ? this.greyMaterial : this.jointMaterial;
      const before = Math.hypot(...joint.p_PJ) <= SAME_PLACE ? ballOf.get(joint.parent) : undefined;
      const ball = before ?? { mesh: new three.Mesh(new three.SphereGeometry(0.03, 16, 12), plain), dofs: [], plain };
      if (!before) {
        this.links[joint.child].add(ball.mesh);
        this.balls.push(ball);
      }
      ball.dofs.push(joint.dof);
      ballOf.set(joint.child, ball);
    }
  }

  paint(paint: Paint): void {
    this.boneMaterial.color.set(paint.model);
    this.shapeMaterial.color.set(paint.model);
    this.jointMaterial.color.set(paint.joint);
    this.greyMaterial.color.set(paint.unmeasured);
    this.limitMaterial.color.set(paint.limit);
    this.limitMaterial.emissive.set(paint.limit).multiplyScalar(0.4);
  }

  /** The pose of shown frame `index`. */
  pose(index: number): void {
    const { p_WB, q_WB, s } = this.run.timeline;
    this.root.position.fromArray(p_WB.values, 3 * index);
    this.root.quaternion.fromArray(q_WB.values, 4 * index).normalize();
    const turn = new three.Quaternion();
    for (const joint of this.movable) {
      const value = s.values[index * s.columns + joint.dof];
      if (!Number.isFinite(value)) continue;
      if (joint.slides) {
        joint.holder.position.copy(joint.axis).multiplyScalar(value).applyQuaternion(joint.q_PJ).add(joint.p_PJ);
      } else {
        joint.holder.quaternion.copy(joint.q_PJ).multiply(turn.setFromAxisAngle(joint.axis, value));
      }
    }
    for (const ball of this.balls) {
      const held = ball.dofs.some((dof) => onLimit(this.run.timeline, index, dof));
      ball.mesh.material = held ? this.limitMaterial : ball.plain;
      ball.mesh.scale.setScalar(held ? 1.5 : 1);
      ball.mesh.visible = held || this.shapes.length === 0;
    }
    this.root.updateMatrixWorld(true);
  }

  /** The joint's position [rad] or [m] as the scene graph has it: from the world transforms of its two links. */
  jointPosition(name: string): number | null {
    const joint = this.run.model.joints.find((candidate) => candidate.name === name);
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

/** The source: thin translucent bones between the origins of its segments, drawn over the model. */
export class SourceBody {
  readonly root = new three.Group();
  private readonly rods: three.InstancedMesh;
  private readonly dots: three.InstancedMesh;
  private readonly rodMaterial = new three.MeshBasicMaterial({ transparent: true, opacity: 0.55, depthTest: false, depthWrite: false });
  private readonly dotMaterial = new three.MeshBasicMaterial({ transparent: true, opacity: 0.8, depthTest: false, depthWrite: false });
  /** Whether any frame has a position. */
  readonly known: boolean;

  constructor(private readonly run: Run) {
    const count = Math.max(run.source.names.length, 1);
    const rod = new three.CylinderGeometry(0.008, 0.008, 1, 8).translate(0, 0.5, 0);
    this.rods = new three.InstancedMesh(rod, this.rodMaterial, count);
    this.dots = new three.InstancedMesh(new three.SphereGeometry(0.014, 10, 8), this.dotMaterial, count);
    for (const mesh of [this.rods, this.dots]) {
      mesh.frustumCulled = false;
      mesh.renderOrder = 1;
      this.root.add(mesh);
    }
    this.known = run.timeline.source.values.some((value) => Number.isFinite(value));
  }

  paint(paint: Paint): void {
    this.rodMaterial.color.set(paint.source);
    this.dotMaterial.color.set(paint.source);
  }

  /** Origin of a segment in the world; null where the frame has none. */
  origin(index: number, segment: number): three.Vector3 | null {
    const { source, p_WB } = this.run.timeline;
    const at = index * source.columns + 3 * segment;
    const relative = new three.Vector3().fromArray(source.values, at);
    if (!Number.isFinite(relative.x + relative.y + relative.z)) return null;
    return relative.add(new three.Vector3().fromArray(p_WB.values, 3 * index));
  }

  pose(index: number): void {
    const { parent } = this.run.source;
    const origins = parent.map((_, i) => this.origin(index, i));
    const matrix = new three.Matrix4();
    let rods = 0;
    let dots = 0;
    origins.forEach((origin, i) => {
      if (!origin) return;
      this.dots.setMatrixAt(dots++, matrix.makeTranslation(origin));
      let up = parent[i];
      while (up >= 0 && !origins[up]) up = parent[up];
      if (up < 0) return;
      const along = origins[up]!.clone().sub(origin);
      const length = along.length();
      if (length < SAME_PLACE) return;
      const turn = new three.Quaternion().setFromUnitVectors(new three.Vector3(0, 1, 0), along.normalize());
      this.rods.setMatrixAt(rods++, matrix.compose(origin, turn, new three.Vector3(1, length, 1)));
    });
    this.rods.count = rods;
    this.dots.count = dots;
    this.rods.instanceMatrix.needsUpdate = true;
    this.dots.instanceMatrix.needsUpdate = true;
  }
}

/** What the replay has to hold [m], over all but the outermost twentieth of the frames. */
export interface Extent {
  /** The lowest place of the body. */
  floor: number;
  /** From there to the highest. */
  height: number;
  /** How far links get from the base, on the level. */
  reach: number;
}

export function extentOf(run: Run, body: ModelBody): Extent {
  const lowest: number[] = [];
  const highest: number[] = [];
  const farthest: number[] = [];
  const every = Math.max(1, Math.floor(run.timeline.shown / 200));
  const point = new three.Vector3();
  const box = new three.Box3();
  for (let index = 0; index < run.timeline.shown; index += every) {
    body.pose(index);
    const heights = body.links.map((link) => point.setFromMatrixPosition(link.matrixWorld).z - SOLE);
    for (const shape of body.shapes) {
      box.copy(shape.geometry.boundingBox!).applyMatrix4(shape.matrixWorld);
      heights.push(box.min.z, box.max.z);
    }
    for (const end of body.ends) {
      box.setFromObject(end);
      heights.push(box.max.z);
    }
    if (!heights.every(Number.isFinite)) continue;
    lowest.push(Math.min(...heights));
    highest.push(Math.max(...heights));
    const base = body.root.position;
    farthest.push(Math.max(...body.links.map((link) => point.setFromMatrixPosition(link.matrixWorld).setZ(base.z).distanceTo(base))));
  }
  if (lowest.length === 0) return { floor: 0, height: 1.6, reach: 0.8 };
  const inner = Math.floor(lowest.length / 20);
  const floor = lowest.sort((a, b) => a - b)[inner];
  return { floor, height: Math.max(highest.sort((a, b) => b - a)[inner] - floor, 0.2), reach: farthest.sort((a, b) => b - a)[inner] };
}
