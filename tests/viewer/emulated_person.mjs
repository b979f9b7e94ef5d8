// A person of 1.75 m with the joints of the WebXR Body Tracking Module, in the axes of a room: x right, y up, z backward.
// The person stands over the origin and looks to -z.

/** The list of https://immersive-web.github.io/body-tracking/, copied. */
export const BODY = `hips spine-lower spine-middle spine-upper chest neck head
left-shoulder left-scapula left-arm-upper left-arm-lower left-hand-wrist-twist
right-shoulder right-scapula right-arm-upper right-arm-lower right-hand-wrist-twist
left-hand-palm left-hand-wrist left-hand-thumb-metacarpal left-hand-thumb-phalanx-proximal left-hand-thumb-phalanx-distal
left-hand-thumb-tip left-hand-index-metacarpal left-hand-index-phalanx-proximal left-hand-index-phalanx-intermediate
left-hand-index-phalanx-distal left-hand-index-tip left-hand-middle-phalanx-metacarpal left-hand-middle-phalanx-proximal
left-hand-middle-phalanx-intermediate left-hand-middle-phalanx-distal left-hand-middle-tip left-hand-ring-metacarpal
left-hand-ring-phalanx-proximal left-hand-ring-phalanx-intermediate left-hand-ring-phalanx-distal left-hand-ring-tip
left-hand-little-metacarpal left-hand-little-phalanx-proximal left-hand-little-phalanx-intermediate
left-hand-little-phalanx-distal left-hand-little-tip
right-hand-palm right-hand-wrist right-hand-thumb-metacarpal right-hand-thumb-phalanx-proximal right-hand-thumb-phalanx-distal
right-hand-thumb-tip right-hand-index-metacarpal right-hand-index-phalanx-proximal right-hand-index-phalanx-intermediate
right-hand-index-phalanx-distal right-hand-index-tip right-hand-middle-metacarpal right-hand-middle-phalanx-proximal
right-hand-middle-phalanx-intermediate right-hand-middle-phalanx-distal right-hand-middle-tip right-hand-ring-metacarpal
right-hand-ring-phalanx-proximal right-hand-ring-phalanx-intermediate right-hand-ring-phalanx-distal right-hand-ring-tip
right-hand-little-metacarpal right-hand-little-phalanx-proximal right-hand-little-phalanx-intermediate
right-hand-little-phalanx-distal right-hand-little-tip
left-upper-leg left-lower-leg left-foot-ankle-twist left-foot-ankle left-foot-subtalar left-foot-transverse left-foot-ball
right-upper-leg right-lower-leg right-foot-ankle-twist right-foot-ankle right-foot-subtalar right-foot-transverse
right-foot-ball`.split(/\s+/);

/** Poses by name, each x y z and a quaternion x y z w; `viewer` too. Everything that it needs is inside: it also runs in
 * the page. `arm`: how high the left arm is, 0 hangs, 1 is straight up; `steps`: phase of steps on the spot [rad], null:
 * stands; `lean`: all joints of the right arm bent, for a pose like no other. */
export function personAt({ arm = 0, steps = null, lean = 0 } = {}) {
  const mul = ([a, b, c, d], [e, f, g, h]) => [d * e + a * h + b * g - c * f, d * f - a * g + b * h + c * e, d * g + a * f - b * e + c * h, d * h - a * e - b * f - c * g];
  const rotate = (q, [x, y, z]) => mul(mul(q, [x, y, z, 0]), [-q[0], -q[1], -q[2], q[3]]).slice(0, 3);
  const about = (axis, angle) => [0, 1, 2].map((i) => (i === axis ? Math.sin(angle / 2) : 0)).concat(Math.cos(angle / 2));
  const [X, Y, Z] = [0, 1, 2];
  const none = [0, 0, 0, 1];

  // places in a T-pose, each after its parent
  const rest = {
    hips: [null, 0, 0.95, 0], "spine-lower": ["hips", 0, 1.02, 0], "spine-middle": ["spine-lower", 0, 1.12, 0], "spine-upper": ["spine-middle", 0, 1.22, 0],
    chest: ["spine-upper", 0, 1.32, 0], neck: ["chest", 0, 1.48, 0], head: ["neck", 0, 1.57, -0.02], viewer: ["head", 0, 1.64, -0.1],
  };
  for (const [side, s] of [["left", -1], ["right", 1]]) {
    const put = (name, parent, x, y, z) => (rest[`${side}-${name}`] = [parent.startsWith("=") ? parent.slice(1) : `${side}-${parent}`, s * x, y, z]);
    put("shoulder", "=chest", 0.03, 1.43, 0);
    put("scapula", "shoulder", 0.12, 1.43, 0.03);
    put("arm-upper", "shoulder", 0.18, 1.43, 0);
    put("arm-lower", "arm-upper", 0.47, 1.43, 0);
    put("hand-wrist-twist", "arm-lower", 0.66, 1.43, 0);
    put("hand-wrist", "arm-lower", 0.72, 1.43, 0);
    put("hand-palm", "hand-wrist", 0.78, 1.43, 0);
    const middle = side === "left" ? "middle-phalanx-metacarpal" : "middle-metacarpal";
    const fingers = { thumb: -0.04, index: -0.025, middle: 0, ring: 0.02, little: 0.04 };
    for (const [finger, z] of Object.entries(fingers)) {
      const bones = finger === "thumb" ? ["metacarpal", "phalanx-proximal", "phalanx-distal", "tip"] : ["metacarpal", "phalanx-proximal", "phalanx-intermediate", "phalanx-distal", "tip"];
      bones.forEach((bone, i) => {
        const name = (k) => (finger === "middle" && k === 0 ? `hand-${middle}` : `hand-${finger}-${bones[k]}`);
        put(name(i), i === 0 ? "hand-wrist" : name(i - 1), 0.74 + (i === 0 ? 0 : 0.04 + 0.03 * i), 1.43, z);
      });
    }
    put("upper-leg", "=hips", 0.09, 0.92, 0);
    put("lower-leg", "upper-leg", 0.09, 0.5, 0);
    put("foot-ankle-twist", "lower-leg", 0.09, 0.2, 0);
    put("foot-ankle", "lower-leg", 0.09, 0.09, 0);
    put("foot-subtalar", "foot-ankle", 0.09, 0.06, 0);
    put("foot-transverse", "foot-subtalar", 0.09, 0.05, -0.06);
    put("foot-ball", "foot-transverse", 0.09, 0.02, -0.14);
  }

  const lifted = (phase) => (steps === null ? 0 : 0.5 * Math.max(0, Math.sin(steps + phase)) ** 2);
  const turns = {
    "left-arm-upper": about(Z, 1.35 - arm * (1.35 + 1.35)),
    "right-arm-upper": mul(about(Z, -1.35), about(Y, 0.6 * lean)),
    "right-arm-lower": mul(about(Y, 1.1 * lean), about(X, 0.4 * lean)),
    "right-hand-wrist": about(X, 0.5 * lean),
    neck: about(Y, 0.3 * lean),
    chest: about(X, -0.2 * lean),
    "left-upper-leg": about(X, lifted(0)), "left-lower-leg": about(X, -1.6 * lifted(0)),
    "right-upper-leg": about(X, lifted(Math.PI)), "right-lower-leg": about(X, -1.6 * lifted(Math.PI)),
  };
  // -z along the bone, y to the back of the hand: WebXR's frames, in the T-pose
  const frameOf = (name) => {
    if (/arm|shoulder|scapula|hand/.test(name)) return about(Y, name.startsWith("left") ? Math.PI / 2 : -Math.PI / 2);
    if (/foot-transverse|foot-ball|viewer|head$/.test(name)) return none;
    return about(X, /leg|foot/.test(name) ? -Math.PI / 2 : Math.PI / 2);
  };
  const turned = {}, at = {}, poses = {};
  for (const [name, [parent, x, y, z]] of Object.entries(rest)) {
    const up = parent && rest[parent].slice(1);
    at[name] = parent ? rotate(turned[parent], [x - up[0], y - up[1], z - up[2]]).map((value, i) => value + at[parent][i]) : [x, y, z];
    turned[name] = mul(parent ? turned[parent] : none, turns[name] ?? none);
    poses[name] = [...at[name], ...mul(turned[name], frameOf(name))];
  }
  return poses;
}
