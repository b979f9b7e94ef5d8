// What lies on the floor: its grid, shadows where the body is near, light under feet in contact, the centre of mass
// over the support polygon; and the trails that joints leave.

import * as three from "three";
import type { ModelBody } from "./body";
import { solePlaces, type Stance } from "./feet";
import type { Run } from "./run";

type Grid = three.LineSegments<three.BufferGeometry, three.LineBasicMaterial>;

/** Half-metre squares, every second metre strong. Of short lines: some renderers lose one that passes the camera. */
export function floorGrid(strong: string, weak: string): Grid {
  const [reach, cell, pieces] = [12, 0.5, 1];
  const places: number[] = [];
  const colours: number[] = [];
  for (let across = -reach; across <= reach; across += cell) {
    const colour = new three.Color(across % 2 === 0 ? strong : weak);
    for (let along = -reach; along < reach; along += pieces) {
      places.push(across, along, 0, across, along + pieces, 0, along, across, 0, along + pieces, across, 0);
      for (let i = 0; i < 4; ++i) colours.push(...colour.toArray());
    }
  }
  const geometry = new three.BufferGeometry();
  geometry.setAttribute("position", new three.Float32BufferAttribute(places, 3));
  geometry.setAttribute("color", new three.Float32BufferAttribute(colours, 3));
  return new three.LineSegments(geometry, new three.LineBasicMaterial({ vertexColors: true }));
}

/** A disc that is full in the middle and gone at its rim. */
export function softDisc(): three.DataTexture {
  const size = 64;
  const bytes = new Uint8Array(4 * size * size).fill(255);
  for (let i = 0; i < size * size; ++i) {
    const [x, y] = [((i % size) + 0.5) / size - 0.5, (Math.floor(i / size) + 0.5) / size - 0.5];
    const out = Math.min(1, 2 * Math.hypot(x, y));
    bytes[4 * i + 3] = Math.round(255 * (1 - out) ** 1.5);
  }
  const texture = new three.DataTexture(bytes, size, size);
  texture.magFilter = texture.minFilter = three.LinearFilter;
  texture.needsUpdate = true;
  return texture;
}

/** Above this a place throws no shadow [m]. */
const SHADOW = 0.9;
/** Over the floor, one after the other [m]. */
const LIFT = 0.002;

export interface GroundPaint {
  strong: string;
  weak: string;
  shadow: string;
  contact: string;
  balance: string;
}

function flat(texture: three.Texture | null, order: number): three.Mesh<three.BufferGeometry, three.MeshBasicMaterial> {
  const material = new three.MeshBasicMaterial({ map: texture, transparent: true, depthWrite: false, side: three.DoubleSide, polygonOffset: true, polygonOffsetFactor: -order });
  const mesh = new three.Mesh<three.BufferGeometry, three.MeshBasicMaterial>(new three.PlaneGeometry(1, 1), material);
  mesh.frustumCulled = false;
  mesh.renderOrder = -10 + order;
  return mesh;
}

/** The corners of the convex hull of places, seen from above. */
export function hullFromAbove(places: three.Vector3[]): three.Vector3[] {
  const sorted = [...places].sort((a, b) => a.x - b.x || a.y - b.y);
  const half = (points: three.Vector3[]): three.Vector3[] => {
    const made: three.Vector3[] = [];
    for (const p of points) {
      while (made.length >= 2) {
        const [a, b] = made.slice(-2);
        if ((b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x) > 0) break;
        made.pop();
      }
      made.push(p);
    }
    return made.slice(0, -1);
  };
  return sorted.length < 3 ? sorted : [...half(sorted), ...half([...sorted].reverse())];
}

export class Ground {
  readonly root = new three.Group();
  private grid: Grid | null = null;
  private readonly shadows: three.InstancedMesh;
  private readonly lights: three.Mesh<three.BufferGeometry, three.MeshBasicMaterial>[];
  private readonly support: three.Mesh<three.BufferGeometry, three.MeshBasicMaterial>;
  private readonly mass = new three.Group();
  private readonly massMaterial = new three.MeshBasicMaterial({ depthTest: false, transparent: true });
  private readonly drop: three.Mesh;
  /** Links whose nearness to the floor is seen: one of those that share a place. */
  private readonly near: number[];
  /** Whether the centre of mass and the support polygon are shown. */
  balance = false;

  constructor(
    private readonly body: ModelBody,
    private readonly stance: Stance,
    private readonly floor: number,
  ) {
    const disc = softDisc();
    const places = new Map(body.links.map((_, i) => [body.tree.origin(i).toArray().map((value) => value.toFixed(3)).join(), i]));
    this.near = [...places.values()];
    const shadow = new three.MeshBasicMaterial({ map: disc, transparent: true, depthWrite: false, opacity: 0.3 });
    this.shadows = new three.InstancedMesh(new three.PlaneGeometry(1, 1), shadow, Math.max(this.near.length, 1));
    this.shadows.frustumCulled = false;
    this.shadows.renderOrder = -9;
    this.lights = stance.feet.map(() => flat(disc, 2));
    this.support = flat(null, 3);
    this.support.material.opacity = 0.28;
    const ball = new three.Mesh(new three.SphereGeometry(0.035, 20, 14), this.massMaterial);
    ball.renderOrder = 5;
    this.drop = new three.Mesh(new three.CylinderGeometry(0.005, 0.005, 1, 6).rotateX(Math.PI / 2).translate(0, 0, -0.5), this.massMaterial);
    this.drop.renderOrder = 5;
    this.mass.add(ball, this.drop);
    this.root.add(this.shadows, ...this.lights, this.support, this.mass);
  }

  paint(paint: GroundPaint): void {
    if (this.grid) {
      this.root.remove(this.grid);
      this.grid.geometry.dispose();
      this.grid.material.dispose();
    }
    this.grid = floorGrid(paint.strong, paint.weak);
    this.grid.renderOrder = -12;
    this.root.add(this.grid);
    (this.shadows.material as three.MeshBasicMaterial).color.set(paint.shadow);
    for (const light of this.lights) light.material.color.set(paint.contact);
    this.support.material.color.set(paint.balance);
    this.massMaterial.color.set(paint.balance);
    this.place();
  }

  /** Under the model, on the world's metres. */
  private place(): void {
    const { x, y } = this.body.root.position;
    this.grid?.position.set(2 * Math.round(x / 2), 2 * Math.round(y / 2), this.floor);
  }

  /** The body is posed at shown frame `index`. */
  pose(index: number): void {
    this.place();
    this.throwShadows();
    this.lights.forEach((light, i) => {
      light.visible = this.stance.touches(index, i);
      if (!light.visible) return;
      const places = solePlaces(this.stance.feet[i], this.body);
      const box = new three.Box3().setFromPoints(places);
      const size = Math.max(box.max.x - box.min.x, box.max.y - box.min.y, 0.1) * 1.9;
      light.scale.set(size, size, 1);
      light.position.set((box.min.x + box.max.x) / 2, (box.min.y + box.max.y) / 2, this.floor + LIFT);
    });
    this.showBalance(index);
  }

  private throwShadows(): void {
    const matrix = new three.Matrix4();
    let count = 0;
    for (const link of this.near) {
      const { x, y, z } = this.body.tree.origin(link);
      const nearness = 1 - (z - this.floor) / SHADOW;
      if (!(nearness > 0)) continue;
      const size = 0.22 + 0.3 * (1 - nearness);
      // what is farther is fainter: smaller discs that overlap less
      this.shadows.setMatrixAt(count++, matrix.makeScale(size * nearness, size * nearness, 1).setPosition(x, y, this.floor + LIFT / 2));
    }
    this.shadows.count = count;
    this.shadows.instanceMatrix.needsUpdate = true;
  }

  private showBalance(index: number): void {
    const centre = this.balance ? this.body.centreOfMass() : null;
    this.mass.visible = centre !== null;
    this.support.visible = false;
    if (!centre) return;
    this.mass.position.copy(centre);
    this.drop.scale.z = Math.max(centre.z - this.floor, 1e-3);
    const places = this.stance.feet.flatMap((foot, i) => (this.stance.touches(index, i) ? solePlaces(foot, this.body) : []));
    const corners = hullFromAbove(places);
    if (corners.length < 3) return;
    const shape = new three.Shape(corners.map((corner) => new three.Vector2(corner.x, corner.y)));
    this.support.geometry.dispose();
    this.support.geometry = new three.ShapeGeometry(shape);
    this.support.position.z = this.floor + 2 * LIFT;
    this.support.visible = true;
  }
}

/** Seconds that a trail goes back. */
const TRAIL = 2;

/** Lines that hands, feet and head have left behind. */
export class Trails {
  readonly root = new three.Group();
  private readonly lines: three.Line<three.BufferGeometry, three.LineBasicMaterial>[];
  private readonly links: number[];
  visible = false;

  constructor(
    private readonly run: Run,
    private readonly body: ModelBody,
  ) {
    // last links are what people look at: hands, feet, head
    const parents = new Set(run.model.joints.map((joint) => joint.parent));
    const ends = run.model.links.map((_, i) => i).filter((i) => !parents.has(i));
    const wanted = ends.filter((i) => /hand|wrist|foot|ankle|toe|head|sole/i.test(run.model.links[i].name));
    this.links = (wanted.length > 0 ? wanted : ends).slice(0, 8);
    this.lines = this.links.map(() => {
      const line = new three.Line<three.BufferGeometry, three.LineBasicMaterial>(new three.BufferGeometry(), new three.LineBasicMaterial({ transparent: true, opacity: 0.85 }));
      line.frustumCulled = false;
      return line;
    });
    this.root.add(...this.lines);
  }

  paint(colour: string): void {
    for (const line of this.lines) line.material.color.set(colour);
  }

  /** Moves the body along the trail, and leaves it at shown frame `index`. */
  pose(index: number): void {
    this.root.visible = this.visible;
    if (!this.visible) return;
    const { t } = this.run.timeline;
    let first = index;
    while (first > 0 && t[index] - t[first - 1] <= TRAIL) --first;
    const every = Math.max(1, Math.ceil((index - first) / 60));
    const places: number[][] = this.links.map(() => []);
    for (let i = index - every * Math.floor((index - first) / every); i <= index; i += every) {
      this.body.move(i);
      this.links.forEach((link, k) => places[k].push(...this.body.tree.origin(link).toArray()));
    }
    this.lines.forEach((line, k) => {
      line.geometry.dispose();
      line.geometry = new three.BufferGeometry();
      line.geometry.setAttribute("position", new three.Float32BufferAttribute(places[k], 3));
    });
  }
}
