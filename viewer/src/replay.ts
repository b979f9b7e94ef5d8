// The 3-D replay: source and model together, drawn when something has changed.

import * as three from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import type { Clock } from "./clock";
import { element } from "./format";
import type { Run } from "./run";
import { extentOf, headingOf, ModelBody, type Extent } from "./body";
import { solePlaces, Stance, type Foot } from "./feet";
import { Ground, Trails } from "./ground";
import { isPerson } from "./mannequin";
import type { Other } from "./compare";
import { Cones } from "./cones";
import { SEE_THROUGH, seeThrough, SourceBody } from "./source";
import { bodyPaint, themeColour } from "./theme";

/** Parts that are see-through and hide each other are drawn from the eye on, so that none shows through another. */
function nearestFirst(a: three.RenderItem, b: three.RenderItem): number {
  return a.groupOrder - b.groupOrder || a.renderOrder - b.renderOrder || a.z - b.z || a.id - b.id;
}

/** So many pixels a renderer without a graphics card draws while the picture moves, and when it rests. */
const SLOW = { moving: 0.6e6, resting: 2.5e6 };

/** Whether pictures are made without a graphics card. */
function drawsSlowly(): boolean {
  const context = document.createElement("canvas").getContext("webgl2");
  const info = context?.getExtension("WEBGL_debug_renderer_info");
  const name = context && info ? String(context.getParameter(info.UNMASKED_RENDERER_WEBGL)) : "";
  context?.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|software|softpipe|basic render/i.test(name);
}

/** A live model whose first frame is this close to height 0 stands at 0 [m]. */
const LIVE_FLOOR = 0.2;

/** Where the source is drawn. */
export type SourcePlace = "over" | "beside" | "hidden";
/** What may be shown besides the bodies. */
export const EXTRAS = ["trails", "balance", "uncertainty"] as const;
export type Extra = (typeof EXTRAS)[number];
/** What may be looked from. */
export type View = "corner" | "front" | "side" | "top";

/** The replay at a size of its own. */
export interface Held {
  /** Draws it; what it returns is only good until the browser goes on. */
  render(): HTMLCanvasElement;
  release(): void;
}

export class Replay {
  readonly body: ModelBody;
  readonly source: SourceBody;
  readonly stance: Stance;
  /** Whether a person moves a body of another size: they stand side by side at first. */
  readonly robot: boolean;
  private readonly ground: Ground;
  private readonly trails: Trails;
  readonly cones: Cones;
  private readonly extent: Extent;
  private readonly scene = new three.Scene();
  private readonly camera = new three.PerspectiveCamera(38, 1, 0.05, 200);
  private readonly apart = new three.Vector3();
  private other: { body: ModelBody; at: number[]; lies: three.Vector3 } | null = null;
  private readonly otherMaterial = seeThrough();
  /** Where the other run's body is drawn, from where it is. */
  private readonly otherApart = new three.Vector3();
  private renderer: three.WebGLRenderer | null = null;
  private controls: OrbitControls | null = null;
  private readonly slow = drawsSlowly();
  private dragged = false;
  private pending = false;
  /** Whether a picture of another size is being taken. */
  private held = false;
  private shownIndex = -1;
  private followed = new three.Vector3();
  /** Pictures drawn so far. */
  frames = 0;
  follow = true;

  constructor(
    private readonly stage: HTMLElement,
    private readonly run: Run,
    private readonly clock: Clock,
  ) {
    this.body = new ModelBody(run);
    this.robot = this.body.size === null && isPerson(run.source.names);
    this.source = new SourceBody(run, this.robot);
    this.stance = new Stance(run, this.body);
    this.extent = extentOf(run, this.body);
    if (this.stance.level !== null) this.extent.floor = Math.max(this.extent.floor, this.stance.level);
    // a single frame tells the floor's height only roughly
    if (run.live && Math.abs(this.extent.floor) < LIVE_FLOOR) this.extent.floor = 0;
    this.source.standOn(this.extent.floor);
    this.ground = new Ground(this.body, this.stance, this.extent.floor);
    this.trails = new Trails(run, this.body);
    this.cones = new Cones(run, this.body);
    this.camera.up.set(0, 0, 1);
    // the lamp goes along with the eye: what is looked at is never dark
    const lamp = new three.DirectionalLight(0xffffff, 1.9);
    lamp.position.set(-1.5, 2.5, 2);
    this.camera.add(lamp, lamp.target);
    this.scene.add(this.body.root, this.source.root, this.ground.root, this.trails.root, this.cones.root, this.camera, new three.HemisphereLight(0xffffff, 0x707a88, 1.7));
    this.pose();
    this.openCanvas();
    clock.onChange(() => {
      this.pose();
      this.draw();
    });
  }

  /** Draws again what is shown, after its numbers changed. */
  refresh(): void {
    this.shownIndex = -1;
    this.pose();
    this.draw();
  }

  /** Place of the eye and what it looks at [m]; null: nothing is drawn. */
  eye(): number[] | null {
    return this.controls ? [...this.camera.position.toArray(), ...this.controls.target.toArray()] : null;
  }

  /** Looks from a place that `eye` returned. */
  lookFrom(eye: number[]): void {
    if (!this.controls) return;
    this.camera.position.fromArray(eye);
    this.controls.target.fromArray(eye, 3);
    this.followed.copy(this.body.root.position);
    this.controls.update();
    this.draw();
  }

  /** Of the model, as it stands or moves [m]. */
  get height(): number {
    return this.extent.height;
  }

  get available(): boolean {
    return this.renderer !== null;
  }

  private openCanvas(): void {
    const canvas = element("canvas", { tabindex: "0", role: "img", "aria-label": this.label() });
    // asked for here, since three.js reports a refusal as an error
    const context = this.run.timeline.shown > 0 ? canvas.getContext("webgl2", { antialias: !this.slow, alpha: true }) : null;
    if (!context) {
      const why = this.run.timeline.shown > 0
        ? "No 3-D replay here: this browser offers no WebGL 2. Numbers and curves are complete without it."
        : "No replay: the run has no frames.";
      this.stage.append(element("p", { class: "absent", role: "status" }, why));
      return;
    }
    this.renderer = new three.WebGLRenderer({ canvas, context, antialias: !this.slow, alpha: true });
    this.renderer.setTransparentSort(nearestFirst);
    this.stage.append(canvas);
    canvas.addEventListener("webglcontextlost", (event) => {
      event.preventDefault();
      this.stage.append(element("p", { class: "absent", role: "status" }, "The browser took the 3-D replay away; load the page again."));
    });
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = false;
    this.controls.minDistance = 0.3;
    this.controls.maxDistance = 60;
    this.controls.addEventListener("change", () => this.draw());
    for (const [event, dragged] of [["start", true], ["end", false]] as const) {
      this.controls.addEventListener(event, () => {
        this.dragged = dragged;
        this.draw();
      });
    }
    this.repaint();
    this.look("corner");
    new ResizeObserver(() => this.resize()).observe(this.stage);
    this.resize();
  }

  private label(): string {
    return `Replay of ${this.run.recording} and of model ${this.run.model.name}; drag to turn, scroll to come nearer`;
  }

  /** Where to look from. */
  look(from: View): void {
    const centre = this.centre();
    const direction = { corner: [1.5, -1.1, 0.55], front: [1, 0, 0.12], side: [0, -1, 0.12], top: [0.001, 0, 1] }[from];
    const forward = new three.Vector3(...(direction as [number, number, number])).normalize();
    if (from !== "top") forward.applyAxisAngle(new three.Vector3(0, 0, 1), this.heading());
    this.camera.position.copy(centre).addScaledVector(forward, this.distance());
    this.controls?.target.copy(centre);
    this.followed.copy(this.body.root.position);
    this.camera.lookAt(centre);
    this.controls?.update();
    this.draw();
  }

  /** Puts the source over the model, beside it, or away. */
  setSource(place: SourcePlace): void {
    const apart = place === "beside";
    const before = this.apart.length() > 0;
    this.source.root.visible = place !== "hidden";
    this.source.setAlone(apart);
    if (apart !== before) this.moveApart(apart);
    this.draw();
  }

  private moveApart(apart: boolean): void {
    const before = this.distance();
    this.apart.set(0, 0, 0);
    if (apart) this.apart.copy(this.aside(0.35 * (this.extent.height + this.tallest()) + 0.25));
    this.source.apart.copy(this.apart);
    this.reframe(before);
  }

  /** So far to the right of the picture, level [m]. */
  private aside(far: number): three.Vector3 {
    return new three.Vector3(1, 0, 0).applyQuaternion(this.camera.quaternion).setZ(0).normalize().multiplyScalar(far);
  }

  /** Draws the body of another run too, or none. */
  setOther(other: Other | null, place: SourcePlace): void {
    if (this.other) this.scene.remove(this.other.body.root);
    this.other = null;
    if (other) {
      const body = new ModelBody(other.run);
      body.ghost(this.otherMaterial);
      this.scene.add(body.root);
      const { p_WB } = other.run.timeline;
      const lies = new three.Vector3();
      const first = other.at.findIndex((index) => index >= 0);
      // another recording may be anywhere: its first shown frame is where this one's is
      if (other.run.recording !== this.run.recording && first >= 0) {
        lies.fromArray(this.run.timeline.p_WB.values, 3 * first).sub(new three.Vector3().fromArray(p_WB.values, 3 * other.at[first])).setZ(0);
      }
      this.other = { body, at: other.at, lies };
    }
    this.placeOther(place);
  }

  /** Puts the body of the other run over the model, beside it, or away. */
  placeOther(place: SourcePlace): void {
    const before = this.distance();
    this.otherApart.set(0, 0, 0);
    if (this.other && place === "beside") this.otherApart.copy(this.aside(-0.7 * this.extent.height - 0.25));
    this.otherMaterial.opacity = place === "beside" ? 0.92 : SEE_THROUGH;
    if (this.other) this.other.body.root.userData.hidden = place === "hidden";
    this.reframe(before);
  }

  /** Looks at all that is drawn, after it stood within `before` [m]. */
  private reframe(before: number): void {
    this.show();
    const target = this.controls?.target;
    if (!target) return;
    const farther = this.distance() / before;
    const shift = this.centre().sub(target);
    target.add(shift);
    this.camera.position.add(shift);
    const out = this.camera.position.clone().sub(target);
    this.camera.position.copy(target).addScaledVector(out, farther);
    this.controls?.update();
  }

  /** What is shown besides the bodies. */
  get extras(): Extra[] {
    const on: [Extra, boolean][] = [["trails", this.trails.visible], ["balance", this.ground.balance], ["uncertainty", this.cones.visible]];
    return on.filter(([, shown]) => shown).map(([extra]) => extra);
  }

  set extras(wanted: Extra[]) {
    this.trails.visible = wanted.includes("trails");
    this.ground.balance = wanted.includes("balance");
    this.cones.visible = wanted.includes("uncertainty");
    this.show();
  }

  /** Shows the trails of hands, feet and head. */
  setTrails(on: boolean): void {
    this.trails.visible = on;
    this.show();
  }

  /** Shows the centre of mass and the support polygon. */
  setBalance(on: boolean): void {
    this.ground.balance = on;
    this.show();
  }

  /** Shows how surely limbs are known. */
  setCones(on: boolean): void {
    this.cones.visible = on;
    this.show();
  }

  /** Colours follow the theme. */
  repaint(): void {
    const paint = bodyPaint();
    this.body.paint(paint);
    this.source.paint(paint);
    this.otherMaterial.color.set(themeColour("body-other"));
    this.trails.paint(themeColour("accent"));
    this.cones.paint(themeColour("c1"));
    this.ground.paint({
      strong: themeColour("grid-strong"),
      weak: themeColour("grid-weak"),
      shadow: themeColour("shadow"),
      contact: themeColour("contact"),
      balance: themeColour("balance"),
    });
    // the floor fades before it ends
    this.scene.fog = new three.Fog(themeColour("page"), 6, 15);
    this.draw();
  }

  /** The height of what is drawn: of the source too, where it stands beside [m]. */
  private tallest(): number {
    return Math.max(this.extent.height, this.apart.length() > 0 ? this.source.stature : 0);
  }

  private centre(): three.Vector3 {
    const { x, y } = this.body.root.position;
    return new three.Vector3(x, y, this.extent.floor + 0.52 * this.tallest()).addScaledVector(this.apart, 0.5).addScaledVector(this.otherApart, 0.5);
  }

  /** From where the body's height, with air around it, and its arms' reach fit the picture, also what comes nearer [m]. */
  private distance(): number {
    const { reach } = this.extent;
    const height = this.tallest();
    const apart = this.apart.distanceTo(this.otherApart);
    const [tall, wide] = [1.3 * height, apart > 0 ? Math.max(0.8 * height, 1.6 * reach) + apart : Math.max(1.2 * height, 2.3 * reach)];
    const nearer = Math.max(reach - 0.4 * height, 0);
    return nearer + Math.max(tall, wide / this.camera.aspect) / (2 * Math.tan(three.MathUtils.degToRad(this.camera.fov) / 2));
  }

  /** Which way the model faces at the first frame [rad]. */
  heading(): number {
    return headingOf(this.body);
  }

  private pose(): void {
    const index = this.clock.index;
    if (index < 0 || index === this.shownIndex) return;
    this.shownIndex = index;
    this.trails.pose(index);
    this.body.pose(index);
    this.source.pose(index);
    this.poseOther(index);
    this.ground.pose(index);
    this.cones.pose(index);
    if (this.follow && this.controls) {
      const moved = this.body.root.position.clone().sub(this.followed);
      moved.z = 0;
      this.controls.target.add(moved);
      this.camera.position.add(moved);
    }
    this.followed.copy(this.body.root.position);
  }

  private poseOther(index: number): void {
    if (!this.other) return;
    const { body, at, lies } = this.other;
    body.root.visible = at[index] >= 0 && !body.root.userData.hidden;
    if (at[index] < 0) return;
    body.move(at[index]);
    body.root.position.add(lies).add(this.otherApart);
    body.root.updateMatrixWorld(true);
  }

  /** Position of a joint of the other run, from its body in the scene; null where there is none. */
  otherJoint(name: string): number | null {
    return this.other?.body.root.visible ? this.other.body.tree.jointPosition(name) : null;
  }

  /** Poses again, after another thing is to be seen. */
  private show(): void {
    this.shownIndex = -1;
    this.pose();
    this.draw();
  }

  private resize(): void {
    const { clientWidth: width, clientHeight: height } = this.stage;
    if (!this.renderer || this.held || width === 0 || height === 0) return;
    const first = this.frames === 0;
    this.renderer.setPixelRatio(this.pixelRatio());
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    if (first) this.look("corner");
    if (first && this.robot && this.source.known) this.setSource("beside");
    this.draw();
  }

  /** Pixels drawn by pixel of the page: fewer where drawing is slow and the picture moves. */
  private pixelRatio(): number {
    const full = Math.min(window.devicePixelRatio, 2);
    if (!this.slow) return full;
    const pixels = this.stage.clientWidth * this.stage.clientHeight;
    const moving = this.clock.playing || this.dragged || this.run.live;
    return Math.min(moving ? 1 : Math.max(full, 1.5), Math.sqrt((moving ? SLOW.moving : SLOW.resting) / Math.max(pixels, 1)));
  }

  /** Takes pictures of another size, until they are released; the stage waits so long. */
  hold(width: number, height: number, zoom: number): Held | null {
    const renderer = this.renderer;
    if (!renderer || this.held) return null;
    this.held = true;
    renderer.setPixelRatio(1);
    renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.zoom = zoom;
    this.camera.updateProjectionMatrix();
    return {
      render: () => {
        renderer.render(this.scene, this.camera);
        return renderer.domElement;
      },
      release: () => {
        this.held = false;
        this.camera.zoom = 1;
        this.resize();
      },
    };
  }

  /** The picture as it is now: RGBA bytes, rows from the bottom; null without WebGL. */
  pixels(): Uint8Array | null {
    if (!this.renderer) return null;
    this.renderer.render(this.scene, this.camera);
    const context = this.renderer.getContext();
    const { drawingBufferWidth: width, drawingBufferHeight: height } = context;
    const bytes = new Uint8Array(4 * width * height);
    context.readPixels(0, 0, width, height, context.RGBA, context.UNSIGNED_BYTE, bytes);
    return bytes;
  }

  /** The lowest place of each sole over the floor [m], by the foot's name. */
  soles(): Record<string, number> {
    const low = (foot: Foot) => Math.min(...solePlaces(foot, this.body).map((place) => place.z)) - this.extent.floor;
    return Object.fromEntries(this.stance.feet.map((foot) => [foot.name, low(foot)]));
  }

  /** Least and largest place of the links' origins in the picture: x and y from -1 to 1. */
  bounds(): [least: number[], most: number[]] {
    const places = this.body.links.map((link) => new three.Vector3().setFromMatrixPosition(link.matrixWorld).project(this.camera));
    const box = new three.Box3().setFromPoints(places);
    return [[box.min.x, box.min.y], [box.max.x, box.max.y]];
  }

  draw(): void {
    if (!this.renderer || this.pending || this.held) return;
    this.pending = true;
    requestAnimationFrame(() => {
      this.pending = false;
      if (this.held) return;
      this.controls?.update();
      if (Math.abs(this.renderer!.getPixelRatio() - this.pixelRatio()) > 1e-3) {
        this.renderer!.setPixelRatio(this.pixelRatio());
      }
      this.renderer!.render(this.scene, this.camera);
      ++this.frames;
    });
  }
}
