#!/usr/bin/env bash
# Builds the page of the browser, out/web/index.html: the library as WebAssembly, the report page and a clip to try, in one file.
# Needs what `tools/setup.sh web` installs.
set -euo pipefail
cd "$(dirname "$0")/.."

jobs=${1:-$(nproc)}
quietly() {
  local log
  log=$("$@" 2>&1) || {
    tail -c 20000 <<<"$log" >&2
    echo "build_web: failed: $*" >&2
    exit 1
  }
}
if ! sources=$(tools/web_sources.sh 2>&1); then
  # a test says so and goes on: the rest of the project needs none of these sources
  [[ ${PANTO_WEB_OPTIONAL:-} ]] && echo "SKIPPED: the page in the browser is not built: ${sources##*$'\n'}" && exit 0
  echo "$sources" >&2
  exit 1
fi
quietly cmake --preset wasm
quietly cmake --build --preset wasm --target panto_engine --parallel "$jobs"
page=build/wasm/page
lock=$(sha256sum <viewer/package-lock.json)
mkdir -p "$page" out/web
rm -rf "$page/src"
cp -r viewer/src viewer/*.html viewer/*.json viewer/*.mjs viewer/.npmrc "$page/"
if [[ $(cat "$page/installed" 2>/dev/null) != "$lock" ]]; then
  (cd "$page" && quietly npm ci --no-audit --no-fund)
  echo "$lock" >"$page/installed"
fi
quietly node apps/web/build_page.mjs "$page" build/wasm/apps/web/panto_engine.wasm examples/data/walk.bvh out/web/index.html
echo "out/web/index.html: $(($(stat -c %s out/web/index.html) / 1024)) kB; open it in a browser, or copy it to any host"
