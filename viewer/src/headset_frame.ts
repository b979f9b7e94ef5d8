// One frame of a headset as bytes: docs/formats/webxr_stream.md.

const FINGERS = ["index", "middle", "ring", "little"];
const BONES = ["metacarpal", "phalanx-proximal", "phalanx-intermediate", "phalanx-distal", "tip"];

/** Palm, wrist, and the fingers in the order of WebXR's hands. */
function handJoints(side: string): string[] {
  const thumb = BONES.filter((bone) => bone !== "phalanx-intermediate").map((bone) => `thumb-${bone}`);
  const fingers = FINGERS.flatMap((finger) => BONES.map((bone) => `${finger}-${bone}`));
  return ["palm", "wrist", ...thumb, ...fingers].map((name) => `${side}-hand-${name}`);
}

const SIDES = ["left", "right"];
const armJoints = (side: string): string[] => ["shoulder", "scapula", "arm-upper", "arm-lower", "hand-wrist-twist"].map((name) => `${side}-${name}`);
const legJoints = (side: string): string[] =>
  ["upper-leg", "lower-leg", "foot-ankle-twist", "foot-ankle", "foot-subtalar", "foot-transverse", "foot-ball"].map((name) => `${side}-${name}`);

/** The joints of the WebXR Body Tracking Module, in the order of its list. */
export const BODY_JOINTS = [
  "hips", "spine-lower", "spine-middle", "spine-upper", "chest", "neck", "head",
  ...SIDES.flatMap(armJoints), ...SIDES.flatMap(handJoints), ...SIDES.flatMap(legJoints),
];

const WHICH = new Map(BODY_JOINTS.map((name, i) => [name, i]));
// the list has one joint under a name that its kind on the right hand does not have
for (const side of SIDES) WHICH.set(`${side}-hand-middle-phalanx-metacarpal`, WHICH.get(`${side}-hand-middle-metacarpal`)!);

const VIEWER = 83;
const GRIP: Partial<Record<XRHandedness, number>> = { left: 84, right: 85 };
/** WebXR's hands begin with the wrist. */
const WRIST: Partial<Record<XRHandedness, number>> = { left: WHICH.get("left-hand-wrist")!, right: WHICH.get("right-hand-wrist")! };
const POSES = 86;
const HEADER = 32;
const POSE = 30;
const CONTINUES_NOT = 1;
const EMULATED = 1;

/** Which parts of the person the last frame had. */
export interface Seen {
  body: boolean;
  hands: number;
  controllers: number;
  head: boolean;
  /** Whether the head's place is a guess of the headset. */
  guessed: boolean;
}

type BodyFrame = XRFrame & { body?: Iterable<[string, XRSpace]> | null };

export class FrameWriter {
  private readonly bytes = new Uint8Array(HEADER + POSES * POSE);
  private readonly view = new DataView(this.bytes.buffer);
  private readonly taken = new Uint8Array(POSES);
  private readonly session = crypto.getRandomValues(new BigUint64Array(1))[0];
  private count = 0;
  private number = 0;
  /** Whether the next frame does not continue the one before; stays until that one is on its way. */
  broken = true;
  seen: Seen = { body: false, hands: 0, controllers: 0, head: false, guessed: false };

  /** The bytes of a frame, good until the next call; null where nothing is tracked. `time`: of the frame [ms]. */
  write(time: number, frame: XRFrame, space: XRReferenceSpace, inputs: Iterable<XRInputSource>): Uint8Array<ArrayBuffer> | null {
    this.count = 0;
    this.taken.fill(0);
    const seen: Seen = { body: this.takeBody(frame, space), hands: 0, controllers: 0, head: false, guessed: false };
    for (const input of inputs) {
      if (input.hand) {
        if (this.takeHand(frame, space, input.hand, WRIST[input.handedness], seen.body)) ++seen.hands;
      } else if (input.targetRayMode === "tracked-pointer" && input.gripSpace && this.put(GRIP[input.handedness], frame.getPose(input.gripSpace, space))) {
        ++seen.controllers;
      }
    }
    const viewer = frame.getViewerPose(space) ?? null;
    seen.head = this.put(VIEWER, viewer);
    seen.guessed = viewer?.emulatedPosition === true;
    this.seen = seen;
    return this.count > 0 ? this.finish(time) : null;
  }

  private takeBody(frame: BodyFrame, space: XRReferenceSpace): boolean {
    let some = false;
    for (const [name, joint] of frame.body ?? []) if (this.put(WHICH.get(name), frame.getPose(joint, space))) some = true;
    return some;
  }

  /** Whether the hand is tracked; its joints are written where there is no body. */
  private takeHand(frame: XRFrame, space: XRReferenceSpace, hand: XRHand, wrist: number | undefined, body: boolean): boolean {
    let some = false;
    let i = 0;
    for (const joint of hand.values()) {
      const pose = wrist === undefined ? null : (frame.getJointPose?.(joint, space) ?? null);
      if (body ? pose : this.put(wrist! + i, pose)) some = true;
      ++i;
    }
    return some;
  }

  private put(which: number | undefined, pose: XRPose | null | undefined): boolean {
    if (which === undefined || !pose || this.taken[which]) return false;
    this.taken[which] = 1;
    const at = HEADER + POSE * this.count++;
    const { position: p, orientation: q } = pose.transform;
    this.view.setUint8(at, which);
    this.view.setUint8(at + 1, pose.emulatedPosition ? EMULATED : 0);
    this.putNumbers(at + 2, p.x, p.y, p.z);
    this.putNumbers(at + 14, q.x, q.y, q.z);
    this.view.setFloat32(at + 26, q.w, true);
    return true;
  }

  private putNumbers(at: number, x: number, y: number, z: number): void {
    this.view.setFloat32(at, x, true);
    this.view.setFloat32(at + 4, y, true);
    this.view.setFloat32(at + 8, z, true);
  }

  private finish(time: number): Uint8Array<ArrayBuffer> {
    const { view } = this;
    "PWXR".split("").forEach((letter, i) => view.setUint8(i, letter.charCodeAt(0)));
    view.setUint8(4, 1);
    view.setUint8(5, this.broken ? CONTINUES_NOT : 0);
    view.setUint16(6, this.count, true);
    view.setBigUint64(8, this.session, true);
    view.setBigInt64(16, BigInt(Math.round(time * 1e6)), true);
    view.setUint32(24, this.number++, true);
    view.setUint32(28, 0, true);
    return this.bytes.subarray(0, HEADER + POSE * this.count);
  }
}
