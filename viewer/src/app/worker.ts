// Runs the module beside the page, so that the page never waits.

import { Engine, type GivenFile } from "./engine";

interface Message {
  id: number;
  /** The first message: the module's bytes. */
  module?: ArrayBuffer;
  request?: Record<string, unknown>;
  files?: GivenFile[];
}

let engine: Promise<Engine> | null = null;

self.addEventListener("message", async (event: MessageEvent<Message>) => {
  const { id, module, request, files } = event.data;
  try {
    if (module) engine = Engine.load(module);
    const ready = await engine!;
    const began = performance.now();
    const { said, bytes } = request ? ready.ask(request, files) : { said: {}, bytes: new Uint8Array() };
    self.postMessage({ id, said, bytes, ms: performance.now() - began }, { transfer: [bytes.buffer] });
  } catch (problem) {
    self.postMessage({ id, problem: (problem as Error).message });
  }
});
