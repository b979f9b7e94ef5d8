// The report page of the last run, in a frame of its own: the same page that `--report` writes.

import { element } from "../format";

const PLACE = "@PANTO_RUN@";

/** What the report page offers (main.ts). */
interface Hook {
  clock: { t: number; playing: boolean; seek(t: number): void; play(): void };
  camera: number[] | null;
  replace(t: Float64Array, rows: Float64Array): void;
  scene: { available: boolean; frames: number };
}

type Shown = Window & { panto?: Hook };

export class Report {
  private frame: HTMLIFrameElement | null = null;
  private coming: HTMLIFrameElement | null = null;
  /** The whole page of the last run. */
  page = "";

  /** `dropped` gets what is dropped on the report. */
  constructor(
    private readonly host: HTMLElement,
    private readonly template: string,
    private readonly dropped: (event: DragEvent) => void,
  ) {}

  get hook(): Hook | null {
    return (this.frame?.contentWindow as Shown | null)?.panto ?? null;
  }

  /** Gives the report the theme of this page. */
  followTheme(): void {
    if (this.frame) this.follow(this.frame);
  }

  private follow(frame: HTMLIFrameElement): void {
    const inside = frame.contentDocument!;
    if (inside.documentElement.dataset.theme !== document.documentElement.dataset.theme) inside.getElementById("theme")?.click();
  }

  /** Shows a run; `keep`: at the same time, from the same side. The one before stays until this one is drawn. */
  show(run: string, keep: boolean): Promise<void> {
    const at = this.template.indexOf(PLACE);
    this.page = this.template.slice(0, at) + run + this.template.slice(at + PLACE.length);
    this.coming?.remove();
    const frame = element("iframe", { title: "Report of the motion", class: "coming" });
    this.coming = frame;
    const before = keep ? this.hook : null;
    const [t, playing, camera] = [before?.clock.t, before?.clock.playing ?? true, before?.camera ?? null];
    return new Promise((done) => {
      frame.addEventListener("load", () => {
        if (this.coming !== frame) return done();
        const inside = frame.contentWindow as Shown;
        for (const kind of ["dragover", "drop"] as const) inside.addEventListener(kind, (event) => this.dropped(event), true);
        // the page around it has the head and the theme
        inside.document.documentElement.classList.add("framed");
        this.follow(frame);
        const hook = inside.panto;
        if (hook && t !== undefined) {
          hook.clock.seek(t);
          if (playing) hook.clock.play();
          if (camera) hook.camera = camera;
        }
        frame.classList.remove("coming");
        this.frame?.remove();
        this.frame = frame;
        this.coming = null;
        done();
      });
      frame.srcdoc = this.page;
      this.host.append(frame);
    });
  }
}
