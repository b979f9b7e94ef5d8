// A headset inside a browser that has none: as much of WebXR as the page uses, and three.js. The poses come from
// emulated_person.mjs. `window.emulated` moves the person and the headset.
//
// npm's iwer has no body joints, takes no places of single joints of hands, and re-centres nothing; so this is our own.
import { BODY, personAt } from "./emulated_person.mjs";

/** Runs in the page before its own scripts. */
function emulate({ modes, features, size, standalone, names }) {
  const quaternion = {
    mul: ([a, b, c, d], [e, f, g, h]) => [d * e + a * h + b * g - c * f, d * f - a * g + b * h + c * e, d * g + a * f - b * e + c * h, d * h - a * e - b * f - c * g],
    turned: (q, [x, y, z]) => quaternion.mul(quaternion.mul(q, [x, y, z, 0]), [-q[0], -q[1], -q[2], q[3]]).slice(0, 3),
  };
  /** A pose of 7 numbers in the room, seen from an origin that lies at x, z and is turned about the vertical. */
  const seenFrom = ({ x, z, yaw }, [px, py, pz, ...q]) => {
    const back = [0, -Math.sin(yaw / 2), 0, Math.cos(yaw / 2)];
    return [...quaternion.turned(back, [px - x, py, pz - z]), ...quaternion.mul(back, q)];
  };
  const matrixOf = ([px, py, pz, x, y, z, w]) => new Float32Array([
    1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y), 0, 2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x), 0,
    2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y), 0, px, py, pz, 1,
  ]);
  const transform = (pose) => ({
    position: { x: pose[0], y: pose[1], z: pose[2], w: 1 },
    orientation: { x: pose[3], y: pose[4], z: pose[5], w: pose[6] },
    matrix: matrixOf(pose),
  });

  const HAND = names.filter((name) => name.startsWith("right-hand-") && !/twist|palm/.test(name)).map((name) =>
    name.replace("right-hand-", "").replace(/^(index|middle|ring|little)/, "$1-finger").replace("little", "pinky"));
  const handPose = (side, joint) => `${side}-hand-${joint.replace("-finger", "").replace("pinky", "little")}`;

  const emulated = {
    tracked: true, body: features.includes("body-tracking"), hands: features.includes("hand-tracking"), controllers: false, guessed: false,
    person: { arm: 0, steps: null, lean: 0 },
    /** What `arm` moves to, in a second and a half from 0 to 1; steps a second. */
    raise: 0, pace: 0,
    /** Where people look: a turn of the head about x and y [rad]. */
    gaze: [0, 0],
    origin: { x: 0, z: 0, yaw: 0 }, rate: 60, frames: 0, visibility: "visible", session: null, spaces: [], wanted: null,
    /** Re-centres the space. */
    recentre(origin) {
      emulated.origin = origin;
      for (const space of emulated.spaces) space.dispatchEvent(new Event("reset"));
    },
    setVisibility(state) {
      emulated.visibility = state;
      emulated.session?.dispatchEvent(new Event("visibilitychange"));
    },
    poses: window.personAt({}),
    /** A picture of what the next frame shows. */
    picture: () => new Promise((go) => (emulated.wanted = go)),
  };
  window.emulated = emulated;

  /** Pose of a joint in the room; null: not tracked. */
  const poseOf = (name) => {
    if (!emulated.tracked) return null;
    const { poses } = emulated;
    if (name === "viewer") {
      const [about, turn] = emulated.gaze;
      const head = quaternion.mul([0, Math.sin(turn / 2), 0, Math.cos(turn / 2)], [Math.sin(about / 2), 0, 0, Math.cos(about / 2)]);
      return [...poses.viewer.slice(0, 3), ...quaternion.mul(poses.viewer.slice(3), head)];
    }
    return poses[name] ?? poses[name.replace("-middle-metacarpal", "-middle-phalanx-metacarpal")] ?? null;
  };

  class Space extends EventTarget {
    constructor(kind, name = null) {
      super();
      Object.assign(this, { kind, name });
    }
  }
  const bodySpaces = names.map((name) => [name, new Space("body", name)]);
  const handOf = (side) => new Map(HAND.map((joint) => [joint, new Space("hand", handPose(side, joint))]));
  const source = (side, hand) => ({ handedness: side, targetRayMode: "tracked-pointer", hand, gripSpace: new Space("grip", `${side}-hand-palm`), targetRaySpace: new Space("ray"), profiles: [] });
  const sources = { hands: ["left", "right"].map((side) => source(side, handOf(side))), controllers: ["left", "right"].map((side) => source(side, null)) };

  class Frame {
    constructor(session) {
      this.session = session;
    }
    get body() {
      return emulated.body && this.session.enabledFeatures.includes("body-tracking") ? bodySpaces : null;
    }
    getPose(space) {
      const pose = poseOf(space.name);
      return pose && { transform: transform(seenFrom(emulated.origin, pose)), emulatedPosition: emulated.guessed };
    }
    getJointPose(space) {
      return this.getPose(space);
    }
    getViewerPose() {
      const pose = this.getPose(new Space("viewer", "viewer"));
      if (!pose) return null;
      const { position: p, orientation: q } = pose.transform;
      const views = [-1, 1].map((side, index) => {
        const turn = [q.x, q.y, q.z, q.w];
        const [x, y, z] = quaternion.turned(turn, [0.032 * side, 0, 0]);
        const far = 200, near = 0.05;
        const projectionMatrix = new Float32Array([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, -(far + near) / (far - near), -1, 0, 0, (-2 * far * near) / (far - near), 0]);
        return { eye: side < 0 ? "left" : "right", index, projectionMatrix, transform: transform([p.x + x, p.y + y, p.z + z, ...turn]) };
      });
      return { ...pose, views };
    }
  }

  // a headset without a computer does not draw the page behind its session
  const draw = window.requestAnimationFrame.bind(window);
  const undrawn = [];
  window.requestAnimationFrame = (callback) => (standalone && emulated.session ? undrawn.push(callback) : draw(callback));

  class Session extends EventTarget {
    constructor(mode, enabledFeatures) {
      super();
      Object.assign(this, { mode, enabledFeatures, renderState: {}, callbacks: [], over: false });
      this.environmentBlendMode = mode === "immersive-ar" ? "alpha-blend" : "opaque";
      setTimeout(() => this.tick());
    }
    get visibilityState() {
      return emulated.visibility;
    }
    get inputSources() {
      return [...(emulated.hands && this.enabledFeatures.includes("hand-tracking") ? sources.hands : []), ...(emulated.controllers ? sources.controllers : [])];
    }
    updateRenderState(state) {
      Object.assign(this.renderState, state);
    }
    async requestReferenceSpace(kind) {
      const space = new Space(kind);
      emulated.spaces.push(space);
      return space;
    }
    requestAnimationFrame(callback) {
      return this.callbacks.push(callback);
    }
    cancelAnimationFrame() {
      this.callbacks = [];
    }
    async end() {
      this.over = true;
      emulated.session = null;
      undrawn.splice(0).forEach((callback) => draw(callback));
      this.dispatchEvent(new Event("end"));
    }
    tick() {
      if (this.over) return;
      const began = performance.now();
      if (emulated.visibility !== "hidden") {
        const step = Math.min(began - (this.before ?? began), 50) / 1000;
        this.before = began;
        const { person, raise, pace } = emulated;
        person.arm += Math.max(-step / 1.5, Math.min(step / 1.5, raise - person.arm));
        if (pace > 0) person.steps = (person.steps ?? 0) + 2 * Math.PI * pace * step;
        emulated.poses = window.personAt(person);
        const callbacks = this.callbacks.splice(0);
        for (const callback of callbacks) callback(began, new Frame(this));
        ++emulated.frames;
        if (emulated.wanted && this.renderState.baseLayer) emulated.wanted(this.renderState.baseLayer.context.canvas.toDataURL("image/png"));
        emulated.wanted = null;
      }
      setTimeout(() => this.tick(), Math.max(1, 1000 / emulated.rate - (performance.now() - began)));
    }
  }

  window.XRWebGLLayer = class {
    constructor(session, context) {
      Object.assign(this, { context, framebuffer: null, framebufferWidth: 2 * size, framebufferHeight: size, ignoreDepthValues: true });
    }
    getViewport({ index }) {
      return { x: index * size, y: 0, width: size, height: size };
    }
  };
  delete window.XRWebGLBinding;
  WebGL2RenderingContext.prototype.makeXRCompatible = async () => {};
  const system = new EventTarget();
  system.isSessionSupported = async (mode) => modes.includes(mode);
  system.requestSession = async (mode, { requiredFeatures, optionalFeatures }) => {
    if (!navigator.userActivation.isActive) throw new DOMException("a session begins by a press alone", "SecurityError");
    if (!modes.includes(mode) || emulated.refuses) throw new DOMException("the person did not allow it", "NotAllowedError");
    emulated.requested = { mode, requiredFeatures, optionalFeatures };
    emulated.session = new Session(mode, [...requiredFeatures, ...optionalFeatures.filter((feature) => features.includes(feature))]);
    return emulated.session;
  };
  Object.defineProperty(navigator, "xr", { value: system, configurable: true });
}

/** Gives `page` a headset. `modes`: sessions that it has; `features`: what it tracks; `size`: pixels of an eye's picture;
 * `standalone`: the page itself is not drawn during a session. */
export async function putOn(page, { modes = ["immersive-ar", "immersive-vr"], features = ["body-tracking", "hand-tracking"], size = 160, standalone = false } = {}) {
  await page.addInitScript({ content: `window.personAt = ${personAt};\n(${emulate})(${JSON.stringify({ modes, features, size, standalone, names: BODY })});` });
}
