// Closed smooth shapes: rings along an axis, and hulls of balls.

import * as three from "three";
import { ConvexHull } from "three/addons/math/ConvexHull.js";

/** One ring: where on the axis, its two half widths, and how far its centre lies off the axis [m]. */
export type Ring = [at: number, a: number, b: number, offA?: number, offB?: number];

/** How rings lie in the shape's frame. x: a along y, b along z. y: a along x, b along z. z: a along x, b along y. */
export type Axis = "x" | "y" | "z";

const AROUND = 14;
const BETWEEN = 2;
/** Of the ring's outline: 2 is an ellipse, more is squarer. */
const SQUARENESS = 2.3;

function smoothed(rings: Ring[]): number[][] {
  const rows = rings.map(([at, a, b, offA = 0, offB = 0]) => [at, a, b, offA, offB]);
  const made: number[][] = [];
  for (let i = 0; i + 1 < rows.length; ++i) {
    const [before, from, to, after] = [rows[Math.max(i - 1, 0)], rows[i], rows[i + 1], rows[Math.min(i + 2, rows.length - 1)]];
    for (let k = 0; k < BETWEEN; ++k) {
      const u = k / BETWEEN;
      made.push(from.map((value, c) => {
        // Catmull and Rom
        const curve = 0.5 * (2 * value + (to[c] - before[c]) * u + (2 * before[c] - 5 * value + 4 * to[c] - after[c]) * u * u + (3 * value - before[c] - 3 * to[c] + after[c]) * u ** 3);
        return c === 1 || c === 2 ? Math.max(curve, 0) : curve;
      }));
    }
  }
  made.push(rows[rows.length - 1]);
  return made;
}

/** A closed surface through rings; its ends are round where the last rings are small. */
export function loft(axis: Axis, rings: Ring[], squareness = SQUARENESS): three.BufferGeometry {
  const rows = smoothed(rings);
  const points: number[] = [];
  const place = (at: number, a: number, b: number): void => {
    points.push(...(axis === "x" ? [at, a, b] : axis === "y" ? [a, at, b] : [a, b, at]));
  };
  const bulge = (value: number): number => Math.sign(value) * Math.abs(value) ** (2 / squareness);
  for (const [at, a, b, offA, offB] of rows) {
    for (let k = 0; k < AROUND; ++k) {
      const angle = (2 * Math.PI * k) / AROUND;
      place(at, offA + a * bulge(Math.cos(angle)), offB + b * bulge(Math.sin(angle)));
    }
  }
  const [first, last] = [rows[0], rows[rows.length - 1]];
  for (const [at, , , offA, offB] of [first, last]) place(at, offA, offB);
  const faces: number[] = [];
  const ring = (i: number, k: number): number => i * AROUND + (k % AROUND);
  const ends = rows.length * AROUND;
  for (let k = 0; k < AROUND; ++k) {
    for (let i = 0; i + 1 < rows.length; ++i) {
      faces.push(ring(i, k), ring(i, k + 1), ring(i + 1, k + 1), ring(i, k), ring(i + 1, k + 1), ring(i + 1, k));
    }
    faces.push(ends, ring(0, k + 1), ring(0, k), ends + 1, ring(rows.length - 1, k), ring(rows.length - 1, k + 1));
  }
  // a to b to the axis turns right-handed for x and z, left-handed for y; rings may go either way along it
  if ((axis === "y") !== last[0] < first[0]) for (let i = 0; i < faces.length; i += 3) [faces[i], faces[i + 1]] = [faces[i + 1], faces[i]];
  const geometry = new three.BufferGeometry();
  geometry.setAttribute("position", new three.Float32BufferAttribute(points, 3));
  geometry.setIndex(faces);
  geometry.computeVertexNormals();
  return geometry;
}

/** A ball of a hull: centre and radius [m]. */
export interface Ball {
  at: three.Vector3;
  radius: number;
}

const DIRECTIONS = new three.IcosahedronGeometry(1, 2).getAttribute("position");

/** Edges sharper than this stay edges [rad]. */
const CREASE = 0.7;

/** Places on the balls, from which a hull is made. */
export function surfaceOf(balls: Ball[]): three.Vector3[] {
  const points: three.Vector3[] = [];
  for (const { at, radius } of balls) {
    for (let i = 0; i < DIRECTIONS.count; ++i) points.push(new three.Vector3().fromBufferAttribute(DIRECTIONS, i).multiplyScalar(radius).add(at));
  }
  return points;
}

/** The convex hull of points, smooth but for its sharp edges; null where they span no volume. */
export function hullOf(points: three.Vector3[]): three.BufferGeometry | null {
  const box = new three.Box3().setFromPoints(points).getSize(new three.Vector3());
  if (points.length < 4 || !(Math.min(box.x, box.y, box.z) > 1e-4)) return null;
  const hull = new ConvexHull().setFromPoints(points);
  const corners: three.Vector3[] = [];
  const normals: three.Vector3[] = [];
  for (const face of hull.faces) {
    let edge = face.edge;
    do {
      corners.push(edge.head().point);
      normals.push(face.normal.clone().multiplyScalar(face.area));
      edge = edge.next;
    } while (edge !== face.edge);
  }
  const meeting = new Map<three.Vector3, number[]>();
  corners.forEach((corner, i) => meeting.set(corner, [...(meeting.get(corner) ?? []), i]));
  const smooth = corners.map((corner, i) => {
    const sum = new three.Vector3();
    for (const other of meeting.get(corner)!) if (normals[i].angleTo(normals[other]) < CREASE) sum.add(normals[other]);
    return sum.normalize();
  });
  const geometry = new three.BufferGeometry();
  geometry.setAttribute("position", new three.Float32BufferAttribute(corners.flatMap((corner) => corner.toArray()), 3));
  geometry.setAttribute("normal", new three.Float32BufferAttribute(smooth.flatMap((normal) => normal.toArray()), 3));
  return geometry;
}
