#!/usr/bin/env bash
# Unpacks the sources of expat, zlib, libzip and pugixml, which the WebAssembly build compiles, into build/web-sources:
# those of the system's own release, from Debian's or Ubuntu's source packages. Does nothing where they are already.
set -euo pipefail
cd "$(dirname "$0")/.."

say() { echo "web_sources: $*" >&2; }
into=build/web-sources
[[ -e $into/complete ]] && exit 0
command -v apt-get >/dev/null || {
  say "needs apt-get. Elsewhere unpack the sources of expat, zlib, libzip and pugixml into $into/NAME and create $into/complete"
  exit 1
}
rm -rf "$into"
mkdir -p "$into/lists/partial" "$into/parts"
# the system's package sources, asked for sources instead of packages
for list in /etc/apt/sources.list.d/*.sources; do
  [[ -e $list ]] && sed -E 's/^Types:.*/Types: deb-src/' "$list" >"$into/parts/${list##*/}"
done
for list in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
  [[ -e $list ]] && sed -nE 's/^[[:space:]]*deb[[:space:]]/deb-src /p' "$list" >"$into/parts/$(basename "$list" .list).list"
done
apt=(apt-get -qq -o "Dir::Etc::sourcelist=/dev/null" -o "Dir::Etc::sourceparts=$PWD/$into/parts" -o "Dir::State::lists=$PWD/$into/lists"
  -o APT::Sandbox::User=root -o APT::Get::List-Cleanup=0)
"${apt[@]}" update >&2 || say "not every list of source packages could be read"
for name in expat zlib libzip pugixml; do
  mkdir "$into/$name.tar"
  (cd "$into/$name.tar" && "${apt[@]}" source --download-only --tar-only "$name" >&2) || {
    say "cannot fetch the source of $name"
    exit 1
  }
  mkdir "$into/$name"
  tar -xf "$into/$name.tar/"*.orig.tar.* -C "$into/$name" --strip-components=1
done
rm -rf "$into"/{lists,parts,*.tar}
touch "$into/complete"
