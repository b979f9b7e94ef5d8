// node tools/run_wasm.mjs PROGRAM.wasm [ARGUMENTS...]: runs a stand-alone module of emscripten's. Its own loader fails
// under node >= 18, which has `fetch` but no files to fetch.

import { readFileSync } from 'node:fs'
import { WASI } from 'node:wasi'

const wasi = new WASI({ version: 'preview1', args: process.argv.slice(2) })
const module = new WebAssembly.Module(readFileSync(process.argv[2]))
const instance = new WebAssembly.Instance(module, {
  wasi_snapshot_preview1: wasi.wasiImport,
  env: { emscripten_notify_memory_growth() {} },
})
process.exitCode = wasi.start(instance)
