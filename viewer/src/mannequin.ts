// A person as an artist's mannequin. Shapes are in the frames of the human's segments: x forward, y left, z up when
// the person stands with the arms to the sides and the palms down. All sizes come from the distances of joints.

import * as three from "three";
import { loft, type Ring } from "./loft";

/** What a part is painted like. */
export type Look = "body" | "pale" | "dark";

export interface Part {
  geometry: three.BufferGeometry;
  look: Look;
}

/** Distances between the joints of a person of stature 1, from which what is not known is filled in. */
const SHARES = {
  hips: 0.105, thigh: 0.26, shank: 0.246, foot: 0.095, lowBack: 0.055, highBack: 0.05,
  chest: 0.07, neck: 0.052, shoulders: 0.205, upperArm: 0.168, foreArm: 0.14,
};
type Name = keyof typeof SHARES;

/** Lengths between joints, and the stature that they tell of [m]. */
export type HumanSize = Record<Name, number> & { stature: number };

const BETWEEN: Record<Name, [string, string][]> = {
  hips: [["RightUpperLeg", "LeftUpperLeg"]],
  thigh: [["RightUpperLeg", "RightLowerLeg"], ["LeftUpperLeg", "LeftLowerLeg"]],
  shank: [["RightLowerLeg", "RightFoot"], ["LeftLowerLeg", "LeftFoot"]],
  foot: [["RightFoot", "RightToe"], ["LeftFoot", "LeftToe"]],
  lowBack: [["L5", "L3"]],
  highBack: [["T12", "T8"]],
  chest: [["T8", "Neck"]],
  neck: [["Neck", "Head"]],
  shoulders: [["RightUpperArm", "LeftUpperArm"]],
  upperArm: [["RightUpperArm", "RightForeArm"], ["LeftUpperArm", "LeftForeArm"]],
  foreArm: [["RightForeArm", "RightHand"], ["LeftForeArm", "LeftHand"]],
};

/** `distance`: between the origins of two segments [m]; null where one is not known. */
export function humanSize(distance: (from: string, to: string) => number | null): HumanSize {
  const names = Object.keys(SHARES) as Name[];
  const known = new Map<Name, number>();
  for (const name of names) {
    const lengths = BETWEEN[name].map(([from, to]) => distance(from, to)).filter((length): length is number => length !== null && length > 0.005);
    if (lengths.length > 0) known.set(name, lengths.reduce((sum, length) => sum + length, 0) / lengths.length);
  }
  const sum = (of: (name: Name) => number) => [...known.keys()].reduce((total, name) => total + of(name), 0);
  const stature = known.size > 0 ? sum((name) => known.get(name)!) / sum((name) => SHARES[name]) : 1.75;
  const size = { stature } as HumanSize;
  for (const name of names) size[name] = known.get(name) ?? SHARES[name] * stature;
  return size;
}

/** A limb along an axis: `girth` times the given half widths at shares of its length. */
function limb(axis: "y" | "z", length: number, girth: number, profile: [number, number][]): three.BufferGeometry {
  const rings = profile.map(([share, width]): Ring => [share * length, width * girth, width * girth]);
  return loft(axis, rings, 2);
}

const UPPER_ARM: [number, number][] = [[-0.09, 0.02], [-0.06, 0.6], [0.05, 0.95], [0.3, 1], [0.6, 0.86], [0.9, 0.72], [0.98, 0.5], [1, 0.02]];
const FORE_ARM: [number, number][] = [[0.0, 0.02], [0.02, 0.6], [0.12, 0.86], [0.3, 0.95], [0.65, 0.72], [0.93, 0.56], [0.99, 0.4], [1, 0.02]];
const THIGH: [number, number][] = [[-0.04, 0.02], [-0.01, 0.7], [0.12, 1], [0.4, 0.95], [0.75, 0.72], [0.94, 0.6], [0.99, 0.4], [1, 0.02]];
const SHANK: [number, number][] = [[0, 0.02], [0.02, 0.6], [0.12, 0.85], [0.32, 0.98], [0.65, 0.68], [0.92, 0.5], [0.99, 0.4], [1, 0.02]];

function hand(side: 1 | -1, length: number): Part[] {
  const thick = 0.14 * length;
  const along = (share: number) => side * share * length;
  const body = loft("y", [[along(-0.04), 0.002, 0.002], [along(0), 0.15 * length, 0.11 * length], [along(0.25), 0.23 * length, thick], [along(0.5), 0.24 * length, 0.1 * length], [along(0.56), 0.2 * length, 0.07 * length], [along(0.57), 0.002, 0.002]], 2.8);
  const fingers = loft("y", [[along(0.5), 0.01, 0.005], [along(0.52), 0.22 * length, 0.08 * length], [along(0.75), 0.2 * length, 0.065 * length, 0, -0.03 * length], [along(0.97), 0.13 * length, 0.045 * length, 0, -0.11 * length], [along(1), 0.003, 0.003, 0, -0.13 * length]], 2.8);
  const thumb = loft("y", [[0, 0.002, 0.002], [side * 0.03 * length, 0.07 * length, 0.07 * length], [side * 0.25 * length, 0.07 * length, 0.065 * length], [side * 0.4 * length, 0.045 * length, 0.045 * length], [side * 0.43 * length, 0.002, 0.002]], 2);
  thumb.rotateZ(-side * 0.75).translate(0.17 * length, along(0.12), -0.03 * length);
  // the palm is pale: which way it faces shows from afar
  const pad = loft("y", [[along(0.06), 0.002, 0.002], [along(0.1), 0.12 * length, 0.02 * length], [along(0.3), 0.18 * length, 0.02 * length], [along(0.46), 0.19 * length, 0.02 * length], [along(0.5), 0.002, 0.002]], 2.8);
  pad.translate(0, 0, -thick + 0.008 * length);
  return [{ geometry: body, look: "body" }, { geometry: fingers, look: "body" }, { geometry: thumb, look: "body" }, { geometry: pad, look: "pale" }];
}

/** How far the ball of a foot lies ahead of and below its ankle, and the sole below the ball [m]. */
export function footOf(size: HumanSize): { ahead: number; down: number; sole: number; heel: number; toes: number; width: number } {
  const { foot, stature } = size;
  return { ahead: 0.91 * foot, down: 0.41 * foot, sole: 0.014 * stature, heel: 0.03 * stature, toes: 0.038 * stature, width: 0.027 * stature };
}

function foot(size: HumanSize): Part[] {
  const { ahead, down, sole, heel, width } = footOf(size);
  const bottom = -down - sole;
  const ring = (x: number, half: number, top: number, lift = 0): Ring => [x, half, (top - bottom - lift) / 2, 0, (top + bottom + lift) / 2];
  const w = width;
  const body = loft("x", [ring(-heel - 0.012, 0.002, bottom + 0.03, 0.028), ring(-heel, 0.7 * w, 0.3 * bottom, 0.004), ring(0, 0.86 * w, 0.18 * -bottom), ring(0.45 * ahead, 0.95 * w, 0.3 * bottom), ring(0.92 * ahead, 1.12 * w, 0.6 * bottom), ring(ahead + 0.006, 1.05 * w, 0.68 * bottom), ring(ahead + 0.009, 0.002, 0.8 * bottom, 0.01)], 2.8);
  return [{ geometry: body, look: "body" }];
}

function toes(size: HumanSize): Part[] {
  const { down, sole, toes: length, width } = footOf(size);
  const thick = sole + 0.22 * down;
  const ring = (x: number, half: number, top: number): Ring => [x, half, (top + sole) / 2, 0, (top - sole) / 2];
  const made = loft("x", [[-0.002, 0.002, 0.002], ring(0.004, 1.06 * width, thick - sole), ring(0.5 * length, 1.04 * width, 0.55 * (thick - sole)), ring(0.92 * length, 0.72 * width, 0), [length, 0.002, 0.002, 0, -0.4 * sole]], 2.8);
  return [{ geometry: made, look: "body" }];
}

function head(stature: number): Part[] {
  const h = 0.135 * stature; // chin to vertex
  const ring = (z: number, deep: number, wide: number, forward: number): Ring => [(z - 0.12) * h, deep * h, wide * h, forward * h, 0];
  const skull = loft("z", [ring(0, 0.02, 0.02, 0.17), ring(0.03, 0.15, 0.13, 0.14), ring(0.16, 0.28, 0.23, 0.07), ring(0.4, 0.38, 0.305, 0.02), ring(0.65, 0.415, 0.325, -0.01), ring(0.85, 0.34, 0.26, -0.02), ring(0.97, 0.17, 0.13, -0.02), ring(1, 0.01, 0.01, -0.02)], 2.15);
  const nose = loft("z", [[0.24 * h, 0.005, 0.004, 0.4 * h], [0.26 * h, 0.075 * h, 0.06 * h, 0.41 * h], [0.36 * h, 0.05 * h, 0.042 * h, 0.41 * h], [0.48 * h, 0.012 * h, 0.02 * h, 0.4 * h]], 2);
  const parts: Part[] = [{ geometry: skull, look: "body" }, { geometry: nose, look: "body" }];
  for (const side of [1, -1]) {
    const eye = new three.SphereGeometry(0.055 * h, 12, 8).scale(0.6, 1.1, 0.8).translate(0.362 * h, side * 0.135 * h, 0.43 * h);
    const ear = new three.SphereGeometry(0.09 * h, 12, 8).scale(0.7, 0.28, 1).translate(-0.02 * h, side * 0.31 * h, 0.36 * h);
    parts.push({ geometry: eye, look: "dark" }, { geometry: ear, look: "body" });
  }
  return parts;
}

function trunk(size: HumanSize): Record<string, Part[]> {
  const { stature, hips, shoulders, chest, lowBack, highBack, neck } = size;
  const wide = 0.5 * hips + 0.038 * stature;
  const deep = 0.056 * stature;
  const pelvis = loft("z", [[-0.062 * stature, 0.004, 0.004], [-0.056 * stature, 0.4 * deep, 0.34 * wide], [-0.03 * stature, 0.95 * deep, 0.82 * wide], [0, 1.06 * deep, wide, -0.006 * stature], [0.035 * stature, 0.9 * deep, 0.94 * wide], [0.058 * stature, 0.7 * deep, 0.78 * wide], [0.062 * stature, 0.004, 0.004]], 2.6);
  const reach = 0.5 * (lowBack + highBack) + 0.034 * stature;
  const waist = loft("z", [[-reach, 0.004, 0.004], [-0.9 * reach, 0.6 * deep, 0.7 * wide], [-0.3 * reach, 0.84 * deep, 0.8 * wide], [0.4 * reach, 0.86 * deep, 0.82 * wide], [0.95 * reach, 0.7 * deep, 0.74 * wide], [reach, 0.004, 0.004]], 2.4);
  waist.translate(0, 0, 0.35 * lowBack);
  const [bottom, top] = [-0.088 * stature, chest];
  const at = (share: number) => bottom + share * (top - bottom);
  const w = 0.5 * shoulders - 0.014 * stature;
  const ribs = loft("z", [[at(0), 0.004, 0.004], [at(0.03), 0.66 * deep, 0.58 * w], [at(0.25), 1.06 * deep, 0.82 * w, 0.004 * stature], [at(0.55), 1.2 * deep, 0.95 * w, 0.008 * stature], [at(0.8), 1.05 * deep, 0.9 * w, 0.004 * stature], [at(0.96), 0.62 * deep, 0.5 * w], [at(1.0), 0.004, 0.004]], 2.5);
  const throat = 0.03 * stature;
  const nape = loft("z", [[-0.012 * stature, 0.004, 0.004], [-0.01 * stature, 1.25 * throat, 1.3 * throat], [0.35 * neck, throat, throat], [neck + 0.01 * stature, 0.95 * throat, 0.9 * throat, 0.004 * stature], [neck + 0.02 * stature, 0.004, 0.004]], 2);
  return {
    Pelvis: [{ geometry: pelvis, look: "body" }],
    L3: [{ geometry: waist, look: "body" }],
    T8: [{ geometry: ribs, look: "body" }],
    Neck: [{ geometry: nape, look: "body" }],
    Head: head(stature),
  };
}

/** The parts of every segment. */
export function humanParts(size: HumanSize): Map<string, Part[]> {
  const { stature, upperArm, foreArm, thigh, shank, shoulders } = size;
  const parts = new Map(Object.entries(trunk(size)));
  const one = (geometry: three.BufferGeometry): Part[] => [{ geometry, look: "body" }];
  for (const [side, sign] of [["Right", -1], ["Left", 1]] as const) {
    parts.set(`${side}Shoulder`, one(limb("y", sign * 0.42 * shoulders, 0.034 * stature, [[0.0, 0.05], [0.05, 0.6], [0.5, 0.85], [0.85, 0.9], [1, 0.6], [1.04, 0.05]])));
    parts.set(`${side}UpperArm`, one(limb("y", sign * upperArm, 0.029 * stature, UPPER_ARM)));
    parts.set(`${side}ForeArm`, one(limb("y", sign * foreArm, 0.026 * stature, FORE_ARM)));
    parts.set(`${side}Hand`, hand(sign, 0.106 * stature));
    parts.set(`${side}UpperLeg`, one(limb("z", -thigh, 0.048 * stature, THIGH)));
    parts.set(`${side}LowerLeg`, one(limb("z", -shank, 0.034 * stature, SHANK)));
    parts.set(`${side}Foot`, foot(size));
    parts.set(`${side}Toe`, toes(size));
  }
  return parts;
}

/** The radius of the ball in the joint at a segment's origin, as a share of the stature. */
const BALLS: [RegExp, number][] = [[/UpperArm$/, 0.026], [/ForeArm$/, 0.0215], [/Hand$/, 0.0155], [/UpperLeg$/, 0.035], [/LowerLeg$/, 0.03], [/Foot$/, 0.02], [/Toe$/, 0.006]];

/** Null where the joint is inside the body. */
export function ballRadius(segment: string): number | null {
  return BALLS.find(([name]) => name.test(segment))?.[1] ?? null;
}

/** Whether so many of a mannequin's segments are there that it is a person. */
export function isPerson(names: string[]): boolean {
  const known = new Set(names);
  const some = ["Pelvis", "L5", "T8", "Head", "RightUpperArm", "LeftUpperArm", "RightForeArm", "LeftForeArm", "RightUpperLeg", "LeftUpperLeg", "RightLowerLeg", "LeftLowerLeg"];
  return some.filter((name) => known.has(name)).length >= 4;
}
