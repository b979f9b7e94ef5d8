// node build_page.mjs VIEWER ENGINE.wasm WALK.bvh OUT.html: builds the page of the browser in VIEWER, a copy of viewer/ with its
// packages, and puts the module, the report page and a clip to try into it, packed.

import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { gzipSync } from "node:zlib";

const [viewer, engine, walk, out] = process.argv.slice(2).map((path) => resolve(path));
const build = (page) => execFileSync(process.execPath, [join(viewer, "node_modules/vite/bin/vite.js"), "build", "--logLevel", "warn"], { cwd: viewer, stdio: "inherit", env: { ...process.env, ...page } });
build({});
build({ PANTO_PAGE: "app.html" });
const packed = (path) => gzipSync(readFileSync(path), { level: 9 }).toString("base64");
const parts = { ENGINE: engine, REPORT: join(viewer, "dist/index.html"), WALK: walk };
let page = readFileSync(join(viewer, "dist-app/app.html"), "utf8");
for (const [name, path] of Object.entries(parts)) {
  const [before, after, ...more] = page.split(`@PANTO_${name}@`);
  if (after === undefined || more.length > 0) throw new Error(`the page must hold @PANTO_${name}@ once`);
  page = before + packed(path) + after;
}
writeFileSync(out, page);
