// The source person: the same mannequin as the model's, see-through, posed by the places of the segments alone; hands,
// head and toes by their orientations too. What is no person is drawn as rods.

import * as three from "three";
import type { Paint } from "./body";
import { footOf, humanParts, humanSize, isPerson, type HumanSize } from "./mannequin";
import type { Run } from "./run";
import { SAME_PLACE } from "./shell";

type Places = (name: string) => three.Vector3 | null;

/** A frame with `axis` (0, 1, 2) along `along`, and `other` as near to `near` as it goes; null where they are parallel. */
function frame(at: three.Vector3, axis: number, along: three.Vector3, other: number, near: three.Vector3): three.Matrix4 | null {
  const main = along.clone().normalize();
  const second = near.clone().addScaledVector(main, -near.dot(main));
  if (!(main.length() > 0.5) || !(second.length() > 1e-3)) return null;
  second.normalize();
  const axes: three.Vector3[] = [];
  axes[axis] = main;
  axes[other] = second;
  const third = 3 - axis - other;
  axes[third] = axes[(third + 1) % 3].clone().cross(axes[(third + 2) % 3]);
  return new three.Matrix4().makeBasis(axes[0], axes[1], axes[2]).setPosition(at);
}

const Z = new three.Vector3(0, 0, 1);

/** Frames of the segments of a person, from the places of their origins. */
function personFrames(at: Places, turn: (name: string) => three.Quaternion | null, size: HumanSize): Map<string, three.Matrix4> {
  const frames = new Map<string, three.Matrix4>();
  const put = (name: string, made: three.Matrix4 | null): void => {
    if (made) frames.set(name, made);
  };
  const between = (from: string, to: string): three.Vector3 | null => {
    const [a, b] = [at(from), at(to)];
    return a && b ? b.clone().sub(a) : null;
  };
  const turned = (name: string): three.Matrix4 | null => {
    const [origin, q] = [at(name), turn(name)];
    return origin && q ? new three.Matrix4().makeRotationFromQuaternion(q).setPosition(origin) : null;
  };
  const shoulders = between("RightUpperArm", "LeftUpperArm") ?? between("RightShoulder", "LeftShoulder");
  const hips = between("RightUpperLeg", "LeftUpperLeg") ?? shoulders;
  const across = shoulders ?? hips;
  if (!hips || !across) return frames;
  const up = between("L5", "Neck") ?? between("Pelvis", "Neck") ?? between("Pelvis", "Head") ?? Z;
  const pelvis = at("Pelvis");
  if (pelvis) put("Pelvis", frame(pelvis, 1, hips, 2, between("Pelvis", "L5") ?? up));
  const [T8, neck] = [at("T8"), at("Neck")];
  // few skeletons have every vertebra
  const L3 = at("L3") ?? (pelvis && T8 ? pelvis.clone().lerp(T8, 0.5) : null);
  if (L3) put("L3", frame(L3, 2, between("L5", "T8") ?? between("Pelvis", "T8") ?? up, 1, hips.clone().normalize().add(across.clone().normalize())));
  if (T8) put("T8", frame(T8, 2, between("T8", "Neck") ?? up, 1, across));
  if (neck) put("Neck", frame(neck, 2, between("Neck", "Head") ?? up, 1, across));
  const head = at("Head");
  if (head) put("Head", turned("Head") ?? frame(head, 2, between("Neck", "Head") ?? up, 1, across));
  for (const [side, sign] of [["Right", -1], ["Left", 1]] as const) {
    const chain = ["Shoulder", "UpperArm", "ForeArm", "Hand"].map((part) => `${side}${part}`);
    chain.slice(0, 3).forEach((name, i) => {
      const along = between(name, chain[i + 1]);
      if (along) put(name, frame(at(name)!, 1, along.multiplyScalar(sign), 2, up) ?? frame(at(name)!, 1, along, 0, across));
    });
    const wrist = at(chain[3]);
    const bone = between(chain[2], chain[3]);
    if (wrist) put(chain[3], turned(chain[3]) ?? (bone && frame(wrist, 1, bone.multiplyScalar(sign), 2, up)));
    for (const [from, to] of [["UpperLeg", "LowerLeg"], ["LowerLeg", "Foot"]]) {
      const along = between(`${side}${from}`, `${side}${to}`);
      if (along) put(`${side}${from}`, frame(at(`${side}${from}`)!, 2, along.negate(), 1, hips));
    }
    const [ankle, toe] = [at(`${side}Foot`), between(`${side}Foot`, `${side}Toe`)];
    const toes = turned(`${side}Toe`);
    if (ankle && toe) {
      const sideways = toes ? new three.Vector3().setFromMatrixColumn(toes, 1) : hips;
      const made = frame(ankle, 0, toe, 1, sideways);
      const { ahead, down } = footOf(size);
      put(`${side}Foot`, made && made.multiply(new three.Matrix4().makeRotationY(-Math.atan2(down, ahead))));
    }
    const foot = frames.get(`${side}Foot`);
    const ball = at(`${side}Toe`);
    if (ball) put(`${side}Toe`, toes ?? (foot ? foot.clone().setPosition(ball) : null));
  }
  return frames;
}

export const SEE_THROUGH = 0.42;

/** The material of a body that shares places with the model. */
export function seeThrough(): three.MeshLambertMaterial {
  // 15 mm behind the model; never seen through itself: see `nearestFirst`
  return new three.MeshLambertMaterial({ transparent: true, opacity: SEE_THROUGH, polygonOffset: true, polygonOffsetFactor: 2, polygonOffsetUnits: 1500 });
}

export class SourceBody {
  readonly root = new three.Group();
  /** Whether any frame has a position. */
  readonly known: boolean;
  private readonly size: HumanSize | null = null;
  /** Of an anchored person [m]. */
  private rise = 0;
  /** Where the group lies but for anchoring. */
  readonly apart = new three.Vector3();
  private readonly groups = new Map<string, three.Group>();
  private readonly rods: three.InstancedMesh;
  private readonly material = seeThrough();
  private readonly rodMaterial = new three.MeshBasicMaterial({ transparent: true, opacity: 0.55, depthTest: false, depthWrite: false });

  /** `anchored`: a person of another size than the model, who goes where the model goes. */
  constructor(
    private readonly run: Run,
    private readonly anchored: boolean,
  ) {
    this.known = run.timeline.source.values.some((value) => Number.isFinite(value));
    const rod = new three.CylinderGeometry(0.008, 0.008, 1, 8).translate(0, 0.5, 0);
    this.rods = new three.InstancedMesh(rod, this.rodMaterial, Math.max(run.source.names.length, 1));
    this.rods.frustumCulled = false;
    this.rods.renderOrder = 1;
    this.rods.count = 0;
    this.root.add(this.rods);
    if (!this.known || !isPerson(run.source.names)) return;
    this.size = humanSize((from, to) => this.usualDistance(from, to));
    for (const [name, parts] of humanParts(this.size)) {
      const group = new three.Group();
      group.matrixAutoUpdate = false;
      for (const { geometry } of parts) {
        const mesh = new three.Mesh(geometry, this.material);
        mesh.frustumCulled = false;
        mesh.renderOrder = 1;
        group.add(mesh);
      }
      this.groups.set(name, group);
      this.root.add(group);
    }
  }

  /** [m]; 0 where it is no person. */
  get stature(): number {
    return this.size?.stature ?? 0;
  }

  /** The median over some frames. */
  private usualDistance(from: string, to: string): number | null {
    const [a, b] = [from, to].map((name) => this.run.source.names.indexOf(name));
    if (a < 0 || b < 0) return null;
    const every = Math.max(1, Math.floor(this.run.timeline.shown / 40));
    const found: number[] = [];
    for (let index = 0; index < this.run.timeline.shown; index += every) {
      const [p, q] = [this.origin(index, a), this.origin(index, b)];
      if (p && q) found.push(p.distanceTo(q));
    }
    found.sort((x, y) => x - y);
    return found[found.length >> 1] ?? null;
  }

  paint(paint: Paint): void {
    this.material.color.set(paint.source);
    this.rodMaterial.color.set(paint.source);
  }

  /** Puts an anchored person's feet on the floor [m]. */
  standOn(floor: number): void {
    if (!this.anchored) return;
    const { names } = this.run.source;
    const every = Math.max(1, Math.floor(this.run.timeline.shown / 200));
    const lowest: number[] = [];
    for (let index = 0; index < this.run.timeline.shown; index += every) {
      const heights = ["RightToe", "LeftToe", "RightFoot", "LeftFoot"].map((name) => this.origin(index, names.indexOf(name))?.z ?? Infinity);
      lowest.push(Math.min(...heights));
    }
    const known = lowest.filter(Number.isFinite).sort((a, b) => a - b);
    const sole = this.size ? footOf(this.size).sole : 0;
    if (known.length > 0) this.rise = floor + sole - known[Math.floor(0.1 * known.length)];
  }

  /** Solid where it stands alone. */
  setAlone(alone: boolean): void {
    this.material.opacity = alone ? 0.85 : SEE_THROUGH;
  }

  /** Origin of a segment in the world; null where the frame has none. */
  origin(index: number, segment: number): three.Vector3 | null {
    const { source, p_WB } = this.run.timeline;
    const at = index * source.columns + 3 * segment;
    const relative = new three.Vector3().fromArray(source.values, at);
    if (segment < 0 || !Number.isFinite(relative.x + relative.y + relative.z)) return null;
    return relative.add(new three.Vector3().fromArray(p_WB.values, 3 * index));
  }

  /** Orientation of a last segment in the world; null where it is not known. */
  private turn(index: number, segment: number): three.Quaternion | null {
    const table = this.run.timeline.sourceTurn;
    const end = this.run.source.ends?.indexOf(segment) ?? -1;
    if (!table || end < 0) return null;
    const q = new three.Quaternion().fromArray(table.values, index * table.columns + 4 * end);
    return Number.isFinite(q.x + q.y + q.z + q.w) && q.length() > 0.5 ? q.normalize() : null;
  }

  pose(index: number): void {
    this.anchor(index);
    if (!this.size) {
      this.poseRods(index);
      return;
    }
    const { names } = this.run.source;
    const frames = personFrames((name) => this.origin(index, names.indexOf(name)), (name) => this.turn(index, names.indexOf(name)), this.size);
    for (const [name, group] of this.groups) {
      const made = frames.get(name);
      group.visible = made !== undefined;
      if (!made) continue;
      group.matrix.copy(made);
      group.matrixWorldNeedsUpdate = true;
    }
    // a person of whom too little is there
    if (frames.size < 3) this.poseRods(index);
    else this.rods.count = 0;
  }

  private anchor(index: number): void {
    this.root.position.copy(this.apart);
    if (!this.anchored) return;
    const pelvis = this.origin(index, this.run.source.names.indexOf("Pelvis"));
    if (!pelvis) return;
    const { values } = this.run.timeline.p_WB;
    this.root.position.add(new three.Vector3(values[3 * index] - pelvis.x, values[3 * index + 1] - pelvis.y, this.rise));
  }

  private poseRods(index: number): void {
    const { parent } = this.run.source;
    const origins = parent.map((_, i) => this.origin(index, i));
    const matrix = new three.Matrix4();
    let count = 0;
    origins.forEach((origin, i) => {
      let up = parent[i];
      while (up >= 0 && !origins[up]) up = parent[up];
      if (!origin || up < 0) return;
      const along = origins[up]!.clone().sub(origin);
      const length = along.length();
      if (length < SAME_PLACE) return;
      const turn = new three.Quaternion().setFromUnitVectors(new three.Vector3(0, 1, 0), along.normalize());
      this.rods.setMatrixAt(count++, matrix.compose(origin, turn, new three.Vector3(1, length, 1)));
    });
    this.rods.count = count;
    this.rods.instanceMatrix.needsUpdate = true;
  }
}
