// Panto in the browser: drop a clip, see it on a body, change a setting and see it move at once.

import "../style.css";
import "./app.css";
import { byId, element } from "../format";
import { buildTheme } from "../theme";
import type { GivenFile } from "./engine";
import { chosenFiles, download, droppedFiles, recordingFirst, robotFirst } from "./files";
import { Report } from "./frames";
import { Helper } from "./helper";
import { BREAKING, SettingsPanel, USUAL } from "./settings";

/** So long around the instant that is shown is solved while a slider moves [s]. */
const WINDOW_S = 3;

interface Facts {
  name: string;
  frames: number;
  from_s: number;
  until_s: number;
  segments: string[];
  sensors: string[];
  notes: string[];
}

async function unpacked(id: string): Promise<ArrayBuffer> {
  const bytes = Uint8Array.from(atob(byId(id).textContent ?? ""), (c) => c.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}

class App {
  private readonly panel = new SettingsPanel((done) => this.change(done));
  private readonly body = element("select", { id: "body" });
  private readonly format = element("select", { id: "format" });
  private readonly rate = element("input", { type: "number", id: "fps", min: "1", max: "1000", step: "any", placeholder: "its reader's" });
  private readonly sentence = byId("sentence");
  private readonly notes = element("ul", { class: "notes" });
  private clip: Facts | null = null;
  private working = false;
  private wanted: "window" | "whole" | null = null;
  /** Of tests and the curious: how long the last answers took [ms]. */
  readonly took = { window: [] as number[], whole: [] as number[] };

  private constructor(
    private readonly helper: Helper,
    private readonly report: Report,
  ) {}

  static async start(): Promise<App> {
    const template = new TextDecoder().decode(await unpacked("report"));
    const helper = new Helper(await unpacked("engine"));
    const app: App = new App(helper, new Report(byId("shown"), template, (event) => app.takeDrop(event)));
    const { said } = await helper.ask({ job: "about" });
    app.build(said as { bodies: string[]; layouts: string[] });
    return app;
  }

  private build({ bodies, layouts }: { bodies: string[]; layouts: string[] }): void {
    const files = (label: string, folder: boolean, take: (files: GivenFile[]) => Promise<void>): HTMLElement => {
      const input = element("input", { type: "file", multiple: "", hidden: "", "aria-label": label });
      if (folder) input.webkitdirectory = true;
      const button = element("button", { type: "button" }, label);
      button.addEventListener("click", () => input.click());
      input.addEventListener("change", () => void this.guard(async () => take(await chosenFiles(input.files!))).then(() => (input.value = "")));
      return element("span", {}, button, input);
    };
    for (const name of bodies) this.body.append(element("option", { value: name }, name));
    this.body.value = "unitree_g1";
    this.body.addEventListener("change", () => void this.guard(() => this.chooseBody(this.body.value)));
    for (const [value, text] of [[".npz", "Panto .npz"], [".csv", "table .csv"], [".mot", "OpenSim .mot"], [".bvh", "BVH (humans)"], ["page", "this report, .html"]]) this.format.append(element("option", { value }, text));
    for (const layout of layouts) this.format.append(element("option", { value: `layout:${layout}` }, layout));
    const save = element("button", { type: "button", id: "save" }, "Save");
    save.addEventListener("click", () => void this.guard(() => this.save()));
    const reset = element("button", { type: "button", class: "quiet" }, "As at first");
    reset.addEventListener("click", () => {
      this.panel.changes = {};
      this.change(true);
    });
    const link = element("button", { type: "button", class: "quiet" }, "Copy a link");
    link.addEventListener("click", () => {
      void navigator.clipboard?.writeText(location.href).then(() => (link.textContent = "Copied"), () => (link.textContent = "It is in the address bar"));
    });
    const part = (title: string, ...inside: HTMLElement[]): HTMLElement => element("fieldset", {}, element("legend", {}, title), ...inside);
    const breaking = element("details", {}, element("summary", {}, "Break it"), element("p", { class: "hint" }, "Spoil the recording and see what holds."), ...this.panel.build(BREAKING));
    byId("panel").append(
      part("Clip", element("div", { class: "tools" }, files("Open a clip…", false, (given) => this.openClip(given)))),
      part("Body", element("label", { class: "setting" }, element("span", {}, "Follows"), this.body), element("div", { class: "tools" }, files("Own robot…", true, (given) => this.openRobot(given)))),
      part("Settings", ...this.panel.build(USUAL), breaking, element("div", { class: "tools" }, reset, link)),
      part("Save", element("label", { class: "setting" }, element("span", {}, "As"), this.format), element("label", { class: "setting" }, element("span", {}, "Frames per second"), this.rate), save),
      this.notes,
    );
    byId("panel").addEventListener("submit", (event) => event.preventDefault());
    byId("sample").addEventListener("click", () => void this.guard(async () => this.openClip([{ name: "walk.bvh", bytes: new Uint8Array(await unpacked("walk")) }])));
    for (const kind of ["dragover", "drop"] as const) document.addEventListener(kind, (event) => this.takeDrop(event));
    for (const key of ["lost_segment", "lost_sensor", "magnet"]) this.panel.offer(key, []);
    this.readAddress();
    window.addEventListener("hashchange", () => {
      this.readAddress();
      this.change(true);
    });
    this.say("Ready: drop a clip, or try a walk.");
  }

  followTheme(): void {
    this.report.followTheme();
  }

  private say(text: string, bad = false): void {
    this.sentence.textContent = text;
    this.sentence.classList.toggle("bad", bad);
  }

  /** Does a job; what goes wrong is said. */
  private async guard(job: () => Promise<void>): Promise<void> {
    try {
      await job();
    } catch (problem) {
      this.say((problem as Error).message, true);
    }
  }

  private takeDrop(event: DragEvent): void {
    if (![...(event.dataTransfer?.types ?? [])].includes("Files")) return;
    event.preventDefault();
    if (event.type !== "drop") return;
    const data = event.dataTransfer!;
    // another report is compared by the report itself
    if ([...data.files].some((file) => /\.html?$/i.test(file.name))) return;
    event.stopImmediatePropagation();
    void this.guard(async () => {
      const files = await droppedFiles(data);
      await (robotFirst(files) ? this.openRobot(files) : this.openClip(files));
    });
  }

  private async openClip(files: GivenFile[]): Promise<void> {
    if (files.length === 0) return;
    this.say(`Reading ${files[0].name}…`);
    const { said } = await this.helper.ask({ job: "recording" }, recordingFirst(files));
    const facts = said as unknown as Facts;
    this.clip = facts;
    this.panel.offer("lost_segment", facts.segments);
    for (const key of ["lost_sensor", "magnet"]) this.panel.offer(key, facts.sensors);
    this.showNotes(facts.notes);
    byId("empty").hidden = true;
    await this.solve(false);
  }

  private async openRobot(files: GivenFile[]): Promise<void> {
    const ordered = robotFirst(files);
    if (!ordered) throw new Error("There is no URDF or MJCF among these files.");
    this.say(`Reading ${ordered[0].name}…`);
    const { said } = await this.helper.ask({ job: "body" }, ordered);
    const name = String(said.name);
    if (![...this.body.options].some((option) => option.value === `file:${name}`)) this.body.append(element("option", { value: `file:${name}`, disabled: "" }, `${name} (own)`));
    this.body.value = `file:${name}`;
    this.showNotes(said.notes as string[]);
    await this.solve(false);
  }

  private async chooseBody(name: string): Promise<void> {
    await this.helper.ask({ job: "body", name });
    this.writeAddress();
    await this.solve(false);
  }

  private showNotes(notes: string[]): void {
    this.notes.replaceChildren(...notes.map((note) => element("li", {}, note)));
  }

  /** A setting changed: the part around the playhead at once, the whole clip when it was let go. */
  private change(done: boolean): void {
    this.wanted = done ? "whole" : (this.wanted ?? "window");
    if (done) this.writeAddress();
    if (!this.working) void this.guard(() => this.work());
  }

  private async work(): Promise<void> {
    this.working = true;
    try {
      while (this.wanted && this.clip) {
        const wanted = this.wanted;
        this.wanted = null;
        await this.solveWindow();
        if (wanted === "whole" && !this.wanted) await this.solve(true);
      }
    } finally {
      this.working = false;
      this.wanted = null;
    }
  }

  private async solveWindow(): Promise<void> {
    const hook = this.report.hook;
    if (!this.clip || !hook) return;
    const began = performance.now();
    const from = Math.max(this.clip.from_s, Math.min(hook.clock.t - WINDOW_S / 3, this.clip.until_s - WINDOW_S));
    const { said, bytes } = await this.helper.ask({ job: "window", settings: this.panel.settings, from_s: from, until_s: Math.min(from + WINDOW_S, this.clip.until_s) });
    const numbers = new Float64Array(bytes.buffer, 0, bytes.length / 8);
    const frames = Number(said.frames);
    this.report.hook?.replace(numbers.slice(0, frames), numbers.slice(frames));
    this.took.window.push(performance.now() - began);
  }

  private async solve(keep: boolean): Promise<void> {
    if (!this.clip) return;
    const { said, bytes, ms } = await this.helper.ask({ job: "solve", settings: this.panel.settings });
    this.took.whole.push(ms);
    await this.report.show(new TextDecoder().decode(bytes), keep);
    this.say(`${said.sentence} ${said.frames} frames in ${(ms / 1000).toFixed(2)} s.`);
  }

  private async save(): Promise<void> {
    if (!this.clip) throw new Error("Open a clip first: there is nothing to save.");
    const stem = this.clip.name.replace(/^.*\//, "").replace(/\.[^.]+$/, "");
    const chosen = this.format.value;
    if (chosen === "page") return download(`${stem}.html`, this.report.page, "text/html");
    const layout = chosen.startsWith("layout:") ? chosen.slice("layout:".length) : "";
    const { said, bytes } = await this.helper.ask({ job: "save", name: layout ? `${stem}_${layout}` : stem + chosen, layout, fps: Number(this.rate.value) || 0 });
    download(String(said.name), bytes as Uint8Array<ArrayBuffer>);
  }

  private writeAddress(): void {
    const words = new URLSearchParams(this.panel.changes);
    if (!this.body.value.startsWith("file:") && this.body.value !== "unitree_g1") words.set("body", this.body.value);
    const text = words.toString();
    history.replaceState(null, "", text ? `#${text}` : location.pathname + location.search);
  }

  private readAddress(): void {
    const { body, ...changes } = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
    this.panel.changes = changes;
    if (body && [...this.body.options].some((option) => option.value === body) && body !== this.body.value) {
      this.body.value = body;
      void this.guard(() => this.chooseBody(body));
    }
  }
}

let started: App | null = null;
buildTheme(byId("theme"), () => started?.followTheme());
App.start().then(
  (app) => {
    started = app;
    Object.assign(window, { pantoApp: app });
  },
  (problem: Error) => {
    byId("sentence").textContent = `This page cannot work here: ${problem.message}`;
    throw problem;
  },
);
