// Asks the worker: one question after the other, each with its answer.

import EngineWorker from "./worker?worker&inline";
import type { Answer, GivenFile } from "./engine";

export interface TimedAnswer extends Answer {
  /** So long the module took [ms]. */
  ms: number;
}

export class Helper {
  private readonly worker = new EngineWorker();
  private readonly waiting = new Map<number, { done: (answer: TimedAnswer) => void; failed: (problem: Error) => void }>();
  private next = 0;

  constructor(module: ArrayBuffer) {
    this.worker.addEventListener("message", (event: MessageEvent<TimedAnswer & { id: number; problem?: string }>) => {
      const { id, problem, ...answer } = event.data;
      const asked = this.waiting.get(id);
      this.waiting.delete(id);
      if (problem === undefined) asked?.done(answer);
      else asked?.failed(new Error(problem));
    });
    this.worker.addEventListener("error", (event) => {
      for (const { failed } of this.waiting.values()) failed(new Error(event.message || "the module stopped"));
      this.waiting.clear();
    });
    this.worker.postMessage({ id: this.next++, module }, [module]);
  }

  /** @throws Error with what the module says is wrong. */
  ask(request: Record<string, unknown>, files: GivenFile[] = []): Promise<TimedAnswer> {
    const id = this.next++;
    return new Promise((done, failed) => {
      this.waiting.set(id, { done, failed });
      this.worker.postMessage({ id, request, files });
    });
  }
}
