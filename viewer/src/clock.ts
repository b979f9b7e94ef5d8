// The one instant that replay and curves show, and what moves it.

export class Clock {
  private listeners: (() => void)[] = [];
  private playingFrom: { wall: number; t: number } | null = null;
  private now: number;
  private ticking = 0;
  speed = 1;
  /** Whether it begins again after the end. */
  loop = true;

  /** `stamps`: of the shown frames [s], increasing. */
  constructor(private readonly stamps: Float64Array) {
    this.now = this.first;
  }

  get count(): number {
    return this.stamps.length;
  }
  get first(): number {
    return this.count > 0 ? this.stamps[0] : 0;
  }
  get last(): number {
    return this.count > 0 ? this.stamps[this.count - 1] : 0;
  }
  /** [s] */
  get t(): number {
    return this.now;
  }
  get playing(): boolean {
    return this.playingFrom !== null;
  }
  /** The last shown frame that is not later than now; -1 when there is none. */
  get index(): number {
    return this.indexAt(this.now);
  }

  indexAt(t: number): number {
    let low = 0;
    let high = this.count - 1;
    if (high < 0) return -1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.stamps[middle] <= t + 1e-9) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  /** Goes to a time [s] and stops there. */
  seek(t: number): void {
    this.playingFrom = null;
    this.move(t);
  }

  /** Goes on or back by frames and stops there. */
  step(frames: number): void {
    if (this.count === 0) return;
    const index = Math.min(Math.max(this.index + frames, 0), this.count - 1);
    this.seek(this.stamps[index]);
  }

  toggle(): void {
    if (this.playing) this.pause();
    else this.play();
  }

  pause(): void {
    this.playingFrom = null;
    this.tell();
  }

  play(): void {
    if (this.count < 2) return;
    if (this.now >= this.last) this.now = this.first;
    this.playingFrom = { wall: performance.now(), t: this.now };
    this.tell();
    cancelAnimationFrame(this.ticking);
    this.ticking = requestAnimationFrame(this.tick);
  }

  setLoop(loop: boolean): void {
    this.loop = loop;
    this.tell();
  }

  setSpeed(speed: number): void {
    this.speed = speed;
    if (this.playingFrom) this.playingFrom = { wall: performance.now(), t: this.now };
  }

  private tick = (wall: number): void => {
    if (!this.playingFrom) return;
    let t = this.playingFrom.t + Math.max(0, (wall - this.playingFrom.wall) / 1000) * this.speed;
    if (t >= this.last && this.loop) {
      t = this.first;
      this.playingFrom = { wall, t };
    }
    if (t >= this.last) this.playingFrom = null;
    else this.ticking = requestAnimationFrame(this.tick);
    this.move(t);
  };

  private move(t: number): void {
    this.now = Math.min(Math.max(t, this.first), this.last);
    this.tell();
  }

  private tell(): void {
    for (const listener of this.listeners) listener();
  }
}
