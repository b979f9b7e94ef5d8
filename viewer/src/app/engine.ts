// The module of apps/web, and how it is asked: a request as JSON and files go in, an answer as JSON and bytes come out.

/** A file as bytes. */
export interface GivenFile {
  name: string;
  bytes: Uint8Array;
}

export interface Answer {
  /** Of the module, read as JSON. */
  said: Record<string, unknown>;
  bytes: Uint8Array;
}

interface Exports {
  memory: WebAssembly.Memory;
  _initialize(): void;
  panto_room(size: number): number;
  panto_file(name: number, nameSize: number, bytes: number, size: number): void;
  panto_ask(request: number, size: number): number;
  panto_text(): number;
  panto_text_size(): number;
  panto_bytes(): number;
  panto_bytes_size(): number;
}

/** No file, no clock but this, no network: every other call of the module's C library fails as "not there". */
const NOT_THERE = -44;
const WASI_BAD = 8;

export class Engine {
  private constructor(private readonly module: Exports) {}

  static async load(bytes: BufferSource): Promise<Engine> {
    const compiled = await WebAssembly.compile(bytes);
    let memory: WebAssembly.Memory | null = null;
    const known: Record<string, (...values: never[]) => unknown> = {
      clock_time_get: (_id: number, _precision: bigint, at: number) => {
        new DataView(memory!.buffer).setBigUint64(at, BigInt(Math.round(performance.now() * 1e6)), true);
        return 0;
      },
      environ_sizes_get: (count: number, size: number) => {
        const view = new DataView(memory!.buffer);
        view.setUint32(count, 0, true);
        view.setUint32(size, 0, true);
        return 0;
      },
      environ_get: () => 0,
      proc_exit: (code: number) => {
        throw new Error(`the module ended (${code})`);
      },
      emscripten_notify_memory_growth: () => undefined,
    };
    const imports: WebAssembly.Imports = {};
    for (const { module, name } of WebAssembly.Module.imports(compiled)) {
      const refuse = module === "env" ? () => NOT_THERE : () => WASI_BAD;
      (imports[module] ??= {})[name] = (known[name] ?? refuse) as WebAssembly.ImportValue;
    }
    const instance = await WebAssembly.instantiate(compiled, imports);
    const module = instance.exports as unknown as Exports;
    memory = module.memory;
    module._initialize();
    return new Engine(module);
  }

  private give(bytes: Uint8Array): number {
    const at = this.module.panto_room(Math.max(bytes.length, 1));
    if (at === 0) throw new Error("there is not enough memory");
    new Uint8Array(this.module.memory.buffer, at, bytes.length).set(bytes);
    return at;
  }

  /** @throws Error with what the module says is wrong. */
  ask(request: Record<string, unknown>, files: readonly GivenFile[] = []): Answer {
    const utf8 = new TextEncoder();
    for (const file of files) {
      const name = utf8.encode(file.name);
      this.module.panto_file(this.give(name), name.length, this.give(file.bytes), file.bytes.length);
    }
    const text = utf8.encode(JSON.stringify(request));
    const ok = this.module.panto_ask(this.give(text), text.length);
    const copy = (at: number, size: number): Uint8Array<ArrayBuffer> => new Uint8Array(this.module.memory.buffer, at, size).slice();
    const said = new TextDecoder().decode(copy(this.module.panto_text(), this.module.panto_text_size()));
    if (!ok) throw new Error(said);
    return { said: JSON.parse(said) as Record<string, unknown>, bytes: copy(this.module.panto_bytes(), this.module.panto_bytes_size()) };
  }
}
