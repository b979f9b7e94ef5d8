// The model's body in the scene: a mannequin for a person, meshes or shells for a robot, and its joints on limits.

import * as three from "three";
import { LinkTree } from "./link_tree";
import { ballRadius, humanParts, humanSize, isPerson, type HumanSize, type Look } from "./mannequin";
import { onLimit, overlapsAt, unmeasuredLinks, type Run, type Shape } from "./run";
import { forwardOf, SAME_PLACE, shellsOf } from "./shell";

/** Colours come from the theme. */
export interface Paint {
  model: string;
  joint: string;
  pale: string;
  dark: string;
  limit: string;
  overlap: string;
  unmeasured: string;
  source: string;
}

function geometryOf(shape: Shape): three.BufferGeometry {
  const geometry = new three.BufferGeometry();
  geometry.setAttribute("position", new three.Float32BufferAttribute(shape.points, 3));
  geometry.setIndex(new three.Uint16BufferAttribute(shape.triangles, 1));
  geometry.computeVertexNormals();
  return geometry;
}

/** The radius of a joint that shows on a limit alone, as a share of the stature. */
const HIDDEN = 0.018;

interface Ball {
  mesh: three.Mesh;
  dofs: number[];
  /** What it looks like off a limit. */
  plain: three.Material;
}

export class ModelBody {
  readonly tree: LinkTree;
  /** What is drawn of the links. */
  readonly meshes: three.Mesh[] = [];
  /** Links that nothing measured. */
  readonly unmeasured: Set<number>;
  /** Which way it faces, in the frame of its root. */
  readonly forward: three.Vector3;
  /** Set for a person. */
  readonly size: HumanSize | null;
  private readonly balls: Ball[] = [];
  private readonly materials: Record<Look | "joint" | "grey", three.MeshLambertMaterial>;
  private readonly limitMaterial = new three.MeshLambertMaterial({ depthTest: false, transparent: true, opacity: 0.8 });
  private readonly overlapMaterial = new three.MeshLambertMaterial({ side: three.DoubleSide });
  /** Links that are drawn as in another part, and what their meshes look like else. */
  private marked = new Map<three.Mesh, three.Material | three.Material[]>();
  private readonly meshMaterial = new three.MeshLambertMaterial({ flatShading: true, side: three.DoubleSide });
  private readonly greyMeshMaterial = new three.MeshLambertMaterial({ flatShading: true, side: three.DoubleSide });

  constructor(private readonly run: Run) {
    const lambert = () => new three.MeshLambertMaterial();
    this.materials = { body: lambert(), pale: lambert(), dark: lambert(), joint: lambert(), grey: lambert() };
    this.tree = new LinkTree(run.model);
    this.forward = forwardOf(run.model, this.tree);
    this.unmeasured = unmeasuredLinks(run);
    const names = run.model.links.map((link) => link.name);
    this.size = run.shapes.length === 0 && isPerson(names) ? humanSize((from, to) => this.distance(from, to)) : null;
    this.clothe();
    if (this.size) this.dressAsPerson(this.size);
    else this.dressInShells();
    this.addBalls();
  }

  /** Whether parts are ever in each other. */
  get overlaps(): boolean {
    return (this.run.overlaps ?? []).length > 0;
  }
  get root(): three.Object3D {
    return this.tree.root;
  }
  get links(): three.Object3D[] {
    return this.tree.links;
  }

  private distance(from: string, to: string): number | null {
    const [a, b] = [from, to].map((name) => this.links.find((link) => link.name === name));
    if (!a || !b) return null;
    return new three.Vector3().setFromMatrixPosition(a.matrixWorld).distanceTo(new three.Vector3().setFromMatrixPosition(b.matrixWorld));
  }

  /** One see-through material for all of it: a body to compare with. */
  ghost(material: three.Material): void {
    for (const mesh of this.meshes) mesh.material = material;
    for (const { mesh } of this.balls) {
      mesh.material = material;
      mesh.scale.setScalar(mesh.userData.radius);
      mesh.visible = mesh.userData.shows === true;
    }
    this.root.traverse((part) => (part.renderOrder = 1));
  }

  private add(link: number, geometry: three.BufferGeometry, material: three.Material): void {
    const mesh = new three.Mesh(geometry, material);
    mesh.frustumCulled = false;
    this.links[link].add(mesh);
    this.meshes.push(mesh);
  }

  /** The shapes that links have of their own. Triangles may face either way; edges stay edges. */
  private clothe(): void {
    for (const shape of this.run.shapes) {
      const colour = shape.rgba && new three.Color().setRGB(shape.rgba[0], shape.rgba[1], shape.rgba[2], three.SRGBColorSpace);
      const own = colour ? new three.MeshLambertMaterial({ flatShading: true, side: three.DoubleSide, color: colour }) : this.meshMaterial;
      this.add(shape.link, geometryOf(shape), this.unmeasured.has(shape.link) ? this.greyMeshMaterial : own);
    }
  }

  private dressAsPerson(size: HumanSize): void {
    const parts = humanParts(size);
    this.run.model.links.forEach((link, i) => {
      for (const { geometry, look } of parts.get(link.name) ?? []) this.add(i, geometry, this.unmeasured.has(i) ? this.materials.grey : this.materials[look]);
    });
  }

  private dressInShells(): void {
    const clad = new Set(this.run.shapes.map((shape) => shape.link));
    for (const { link, geometry, dark } of shellsOf(this.run.model, this.tree, clad)) {
      this.add(link, geometry, this.unmeasured.has(link) ? this.materials.grey : dark ? this.materials.joint : this.materials.body);
    }
  }

  /** A ball where joints sit; joints in series through one point are one ball. A robot's show on a limit alone. */
  private addBalls(): void {
    const { joints, links } = this.run.model;
    const ballOf = new Map<number, Ball>();
    for (const joint of joints) {
      if (joint.dof === null) continue;
      const plain = this.unmeasured.has(joint.child) ? this.materials.grey : this.materials.joint;
      const before = Math.hypot(...joint.p_PJ) <= SAME_PLACE ? ballOf.get(joint.parent) : undefined;
      const ball = before ?? { mesh: new three.Mesh(new three.SphereGeometry(1, 14, 9), plain), dofs: [], plain };
      if (!before) {
        this.links[joint.child].add(ball.mesh);
        this.balls.push(ball);
      }
      ball.dofs.push(joint.dof);
      ballOf.set(joint.child, ball);
      const radius = this.size && ballRadius(links[joint.child].name);
      ball.mesh.userData.shows = typeof radius === "number";
      ball.mesh.userData.radius = this.size ? (radius ?? HIDDEN) * this.size.stature : 0.032;
    }
  }

  paint(paint: Paint): void {
    this.materials.body.color.set(paint.model);
    this.meshMaterial.color.set(paint.model);
    this.materials.joint.color.set(paint.joint);
    this.materials.pale.color.set(paint.pale);
    this.materials.dark.color.set(paint.dark);
    this.materials.grey.color.set(paint.unmeasured);
    this.greyMeshMaterial.color.set(paint.unmeasured);
    this.overlapMaterial.color.set(paint.overlap);
    this.overlapMaterial.emissive.set(paint.overlap).multiplyScalar(0.35);
    this.limitMaterial.color.set(paint.limit);
    this.limitMaterial.emissive.set(paint.limit).multiplyScalar(0.4);
  }

  /** The pose of shown frame `index`, without what a picture needs besides. */
  move(index: number): void {
    const { p_WB, q_WB, s } = this.run.timeline;
    this.tree.pose(p_WB.values, 3 * index, q_WB.values, 4 * index, s.values, index * s.columns);
  }

  /** The pose of shown frame `index`, with its joints on limits. */
  pose(index: number): void {
    for (const ball of this.balls) {
      const held = ball.dofs.some((dof) => onLimit(this.run.timeline, index, dof));
      ball.mesh.material = held ? this.limitMaterial : ball.plain;
      ball.mesh.renderOrder = held ? 2 : 0;
      ball.mesh.scale.setScalar(ball.mesh.userData.radius * (held ? 1.15 : 1));
      ball.mesh.visible = held || ball.mesh.userData.shows === true;
    }
    this.markOverlaps(index);
    this.move(index);
  }

  /** Names of the links that are in another part in shown frame `index`. */
  overlapping(index: number): string[] {
    return [...this.overlappingLinks(index)].map((link) => this.links[link].name);
  }

  private overlappingLinks(index: number): Set<number> {
    return new Set(overlapsAt(this.run, this.run.timeline.t[index]).flatMap(({ links }) => links.map((link) => this.drawnAt(link))));
  }

  /** The link whose shape is seen where `link` is: its own, or that of the one it hangs on. */
  private drawnAt(link: number): number {
    const { joints } = this.run.model;
    let at = link;
    while (!this.meshes.some((mesh) => mesh.parent === this.links[at])) {
      const joint = joints.find((candidate) => candidate.child === at);
      if (!joint) return link;
      at = joint.parent;
    }
    return at;
  }

  private markOverlaps(index: number): void {
    if (!this.run.overlaps) return;
    for (const [mesh, plain] of this.marked) mesh.material = plain;
    this.marked = new Map();
    for (const link of this.overlappingLinks(index)) {
      for (const mesh of this.meshes) {
        if (mesh.parent !== this.links[link]) continue;
        this.marked.set(mesh, mesh.material);
        mesh.material = this.overlapMaterial;
      }
    }
  }

  /** The centre of mass in the world as posed; null where no masses are known. */
  centreOfMass(): three.Vector3 | null {
    const sum = new three.Vector3();
    let total = 0;
    this.run.model.links.forEach(({ com, mass = 0 }, i) => {
      sum.addScaledVector(new three.Vector3(...com).applyMatrix4(this.links[i].matrixWorld), mass);
      total += mass;
    });
    return total > 0 ? sum.divideScalar(total) : null;
  }
}

/** Which way the posed body faces, about the vertical [rad]. */
export function headingOf(body: ModelBody): number {
  const forward = body.forward.clone().applyQuaternion(body.root.quaternion);
  return Math.hypot(forward.x, forward.y) > 0.3 ? Math.atan2(forward.y, forward.x) : 0;
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
  const box = new three.Box3();
  for (const mesh of body.meshes) mesh.geometry.computeBoundingBox();
  for (let index = 0; index < run.timeline.shown; index += every) {
    body.move(index);
    const origins = body.links.map((_, i) => body.tree.origin(i));
    const heights = body.meshes.length === 0 ? origins.map((origin) => origin.z) : [];
    for (const mesh of body.meshes) {
      box.copy(mesh.geometry.boundingBox!).applyMatrix4(mesh.matrixWorld);
      heights.push(box.min.z, box.max.z);
    }
    if (!heights.every(Number.isFinite)) continue;
    lowest.push(Math.min(...heights));
    highest.push(Math.max(...heights));
    const base = body.root.position;
    farthest.push(Math.max(...origins.map((origin) => origin.setZ(base.z).distanceTo(base))));
  }
  if (lowest.length === 0) return { floor: 0, height: 1.6, reach: 0.8 };
  const inner = Math.floor(lowest.length / 20);
  const floor = lowest.sort((a, b) => a - b)[inner];
  return { floor, height: Math.max(highest.sort((a, b) => b - a)[inner] - floor, 0.2), reach: farthest.sort((a, b) => b - a)[inner] };
}
