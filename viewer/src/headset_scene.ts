// What the person in the headset sees: the model in front of them, facing them, and a panel of text beside it. The model
// is not mirrored: its left arm is the person's left arm.

import * as three from "three";
import { headingOf, ModelBody } from "./body";
import { floorGrid, softDisc } from "./ground";
import type { LiveView } from "./live";
import { bodyPaint, themeColour } from "./theme";

/** So far in front of the person the model stands [m], and so near and far it may come before it is put there again. */
const AWAY = 2;
const NEAREST = 0.7;
const FARTHEST = 5;
/** Of the panel [m]: size, height of its middle, and how far it is to the side of the model. */
const PANEL = { width: 0.8, height: 0.3, up: 1.45, aside: 0.75 };
const PIXELS_PER_METRE = 1280;

/** Lines of text on a plane. */
class Panel {
  private readonly canvas = document.createElement("canvas");
  private readonly texture: three.CanvasTexture;
  readonly mesh: three.Mesh;
  private shown = "";

  constructor() {
    this.canvas.width = PANEL.width * PIXELS_PER_METRE;
    this.canvas.height = PANEL.height * PIXELS_PER_METRE;
    this.texture = new three.CanvasTexture(this.canvas);
    this.texture.colorSpace = three.SRGBColorSpace;
    this.texture.anisotropy = 4;
    const material = new three.MeshBasicMaterial({ map: this.texture, toneMapped: false });
    this.mesh = new three.Mesh(new three.PlaneGeometry(PANEL.width, PANEL.height), material);
  }

  get text(): string {
    return this.shown;
  }

  say(lines: string[]): void {
    const text = lines.join("\n");
    if (text === this.shown) return;
    this.shown = text;
    const { width, height } = this.canvas;
    const pen = this.canvas.getContext("2d")!;
    pen.fillStyle = themeColour("panel");
    pen.fillRect(0, 0, width, height);
    pen.strokeStyle = themeColour("edge");
    pen.lineWidth = 6;
    pen.strokeRect(3, 3, width - 6, height - 6);
    pen.fillStyle = themeColour("text");
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    // one size for all lines: the largest that fits
    const font = (size: number): string => `600 ${size}px system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif`;
    pen.font = font(100);
    const widest = Math.max(...lines.map((line) => pen.measureText(line).width));
    const size = Math.min((0.9 * width * 100) / widest, (0.62 * height) / lines.length, 72);
    pen.font = font(size);
    lines.forEach((line, i) => pen.fillText(line, width / 2, height / 2 + 1.35 * size * (i - (lines.length - 1) / 2)));
    this.texture.needsUpdate = true;
  }
}

/** Under the model, that it does not seem to float. */
function shadow(): three.Mesh {
  const material = new three.MeshBasicMaterial({ map: softDisc(), color: 0x000000, transparent: true, opacity: 0.6, depthWrite: false });
  return new three.Mesh(new three.PlaneGeometry(0.9, 0.9), material);
}

export class HeadsetScene {
  private readonly renderer = new three.WebGLRenderer({ antialias: true, alpha: true });
  private readonly scene = new three.Scene();
  private readonly camera = new three.PerspectiveCamera();
  private readonly panel = new Panel();
  /** The world of the run, z up, in the world of the headset, y up. */
  private readonly stand = new three.Group();
  private readonly world = new three.Group();
  private readonly patch = shadow();
  private body: ModelBody | null = null;
  private received = -1;
  private placed = false;
  /** Pictures drawn. */
  frames = 0;

  constructor(private readonly view: () => LiveView | null) {
    this.renderer.xr.enabled = true;
    this.world.rotation.x = -Math.PI / 2;
    this.world.add(this.patch);
    this.stand.add(this.world);
    this.stand.visible = false;
    const sun = new three.DirectionalLight(0xffffff, 1.6);
    sun.position.set(1.5, 3, 2);
    this.scene.add(this.stand, this.panel.mesh, sun, new three.HemisphereLight(0xffffff, 0x707a88, 1.6));
  }

  /** Shows it in a session. `heard` gets each frame of the session before it is drawn, with its time [ms]. */
  async start(session: XRSession, heard: (time: number, frame: XRFrame, space: XRReferenceSpace) => void): Promise<XRReferenceSpace> {
    this.renderer.xr.setReferenceSpaceType("local-floor");
    await this.renderer.xr.setSession(session);
    // where the room is not seen, there is a floor
    if ((session.environmentBlendMode ?? "opaque") === "opaque") {
      this.scene.background = new three.Color(themeColour("stage-low"));
      const floor = floorGrid(themeColour("grid-strong"), themeColour("grid-weak"));
      floor.rotation.x = -Math.PI / 2;
      this.scene.add(floor);
      this.scene.fog = new three.Fog(themeColour("stage-low"), 5, 11);
    }
    const space = this.renderer.xr.getReferenceSpace()!;
    this.renderer.setAnimationLoop((time, frame) => {
      if (!frame) return;
      heard(time, frame, space);
      const viewer = frame.getViewerPose(space);
      if (viewer) this.draw(viewer);
    });
    return space;
  }

  end(): void {
    this.renderer.setAnimationLoop(null);
    this.renderer.dispose();
  }

  /** Puts the model in front of the person again with the next frame. */
  placeAgain(): void {
    this.placed = false;
  }

  say(lines: string[]): void {
    this.panel.say(lines);
  }

  get text(): string {
    return this.panel.text;
  }

  /** Transform of a link in the reference space, 16 numbers, column by column; null where there is none. */
  link(name: string): number[] | null {
    const found = this.body?.links.find((link) => link.name === name);
    return found ? [...found.matrixWorld.elements] : null;
  }

  private draw(viewer: XRViewerPose): void {
    this.pose();
    const { position, orientation } = viewer.transform;
    const eye = new three.Vector3(position.x, 0, position.z);
    if (!this.placed || this.strayed(eye)) this.place(eye, new three.Quaternion(orientation.x, orientation.y, orientation.z, orientation.w));
    this.renderer.render(this.scene, this.camera);
    ++this.frames;
  }

  private pose(): void {
    const view = this.view();
    if (!view?.posed || view.received === this.received) return;
    this.received = view.received;
    if (!this.body) {
      this.body = new ModelBody(view.run);
      this.body.paint(bodyPaint());
      this.world.add(this.body.root);
      this.placed = false;
    }
    this.body.pose(0);
    const { x, y } = this.body.root.position;
    this.patch.position.set(x, y, 0.004);
    this.stand.visible = true;
  }

  /** Whether the model has come too near to the person, or too far away. */
  private strayed(eye: three.Vector3): boolean {
    if (!this.body) return false;
    const away = new three.Vector3().setFromMatrixPosition(this.body.root.matrixWorld).setY(0).distanceTo(eye);
    return away < NEAREST || away > FARTHEST;
  }

  private place(eye: three.Vector3, turn: three.Quaternion): void {
    const ahead = new three.Vector3(0, 0, -1).applyQuaternion(turn).setY(0);
    if (ahead.length() < 0.2) return;  // looks up or down: with the next frame perhaps
    ahead.normalize();
    const spot = eye.clone().addScaledVector(ahead, AWAY);
    const right = new three.Vector3(-ahead.z, 0, ahead.x);
    this.panel.mesh.position.copy(spot).addScaledVector(right, this.body ? PANEL.aside : 0).setY(PANEL.up);
    this.panel.mesh.rotation.y = Math.atan2(-ahead.x, -ahead.z);
    if (this.body) {
      const { x, y } = this.body.root.position;
      this.stand.rotation.y = Math.atan2(ahead.z, -ahead.x) - headingOf(this.body);
      this.stand.position.copy(spot).sub(new three.Vector3(x, 0, -y).applyEuler(this.stand.rotation));
      this.stand.updateMatrixWorld(true);
    }
    this.placed = true;
  }
}
