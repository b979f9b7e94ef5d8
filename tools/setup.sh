#!/usr/bin/env bash
# Installs missing packages that Panto needs, on Debian 12, Ubuntu 24.04 or newer. May be run again at any time.
#
#   tools/setup.sh demo     installs what building and running the command needs
#   tools/setup.sh python   what `pip install .` needs
#   tools/setup.sh bench    what the command needs, for the benchmarks
#   tools/setup.sh experiments   as `bench`, with Python and packages for figures, MuJoCo and mink, in .venv-experiments
#   tools/setup.sh robot    as `bench`, with Python and a simulated robot for examples/servo_loop.py, in .venv-robot
#   tools/setup.sh web    what the page in the browser needs: emscripten, npm
#   tools/setup.sh release  what tools/release.sh needs, with its Python packages in .venv-release
#   tools/setup.sh docs     what the site of the documents needs: Doxygen, and Sphinx in .venv-docs
#   tools/setup.sh imu      as `bench`, with Python and other estimators of orientation, in .venv-imu
#   tools/setup.sh peers    as `bench`, with Python, to compare with other software
#   tools/setup.sh fuzz     what the fuzz targets need: clang with its libFuzzer
#   tools/setup.sh test     everything that `./dev test` uses (the default)
set -euo pipefail
cd "$(dirname "$0")/.."

purpose=${1:-test}
packages=(cmake ninja-build g++ libeigen3-dev libexpat1-dev libpugixml-dev libtomlplusplus-dev nlohmann-json3-dev libcli11-dev libfmt-dev libzip-dev libboost-dev libzmq3-dev libhiredis-dev libssl-dev libqrencode-dev cyclonedds-dev cyclonedds-tools)
optional=() # not in every release; without them, tests that use them are skipped
# npm builds the report page; a node not from the distribution brings its own npm
page=()
command -v node >/dev/null || page+=(nodejs)
command -v npm >/dev/null || page+=(npm)
case $purpose in
  bench) ;;
  python) packages+=(python3 python3-dev python3-venv ca-certificates ${page[@]+"${page[@]}"}) ;;
  experiments | robot | imu | peers) packages+=(python3 python3-venv ca-certificates) ;;
  release) packages+=(python3 python3-dev python3-venv ca-certificates dpkg-dev file pkg-config ${page[@]+"${page[@]}"}) ;;
  docs) packages+=(doxygen python3 python3-dev python3-venv ca-certificates ${page[@]+"${page[@]}"}) ;;
  web) packages+=(emscripten dpkg-dev ca-certificates ${page[@]+"${page[@]}"}) ;;
  fuzz)
    # of clang's own version, else of the one that will be installed
    version=$( (clang --version || apt-cache show clang) 2>/dev/null | sed -n 's/^\(.*clang version \|Version: [0-9]*:\)\([0-9]*\)\..*/\2/p' | head -n 1)
    packages+=(clang libgtest-dev python3 "libclang-rt-${version:-14}-dev")
    ;;
  demo)
    packages+=(${page[@]+"${page[@]}"})
    optional+=(clang) # compiles in less time than g++
    ;;
  test)
    packages+=(ccache libgtest-dev python3 python3-dev python3-venv ca-certificates git locales dpkg-dev ${page[@]+"${page[@]}"})
    optional+=(clang-format-14 chromium clang emscripten) # the last two compare bits
    ;;
  *)
    sed -n '2,15s/^# \{0,1\}//p' "$0" >&2
    exit 2
    ;;
esac

say() { echo "setup: $*" >&2; }
in_ci() { [[ -n ${CI:-} && ${CI:-} != false ]]; }

as_root() {
  if [[ $(id -u) == 0 ]]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    say "no root rights and no sudo; run as root: $*"
    return 1
  fi
}

# prints the packages of "$@" that are not installed
missing_of() {
  local package
  for package; do
    [[ $(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null) == installed ]] || echo "$package"
  done
}

install_packages() {
  if ! command -v apt-get >/dev/null; then
    say "apt-get not found. Install these packages, or your system's equivalents: ${packages[*]} ${optional[*]}"
    return
  fi
  local missing wanted package
  mapfile -t missing < <(missing_of "${packages[@]}")
  mapfile -t wanted < <(missing_of ${optional[@]+"${optional[@]}"})
  if ((${#missing[@]})); then
    as_root apt-get update -qq || say "apt-get update failed; trying with the existing package lists"
  fi
  for package in ${wanted[@]+"${wanted[@]}"}; do
    if [[ -n $(apt-cache show "$package" 2>/dev/null) ]]; then
      missing+=("$package")
    else
      say "$package is not in this release: tests that use it will be skipped"
    fi
  done
  if ((${#missing[@]} == 0)); then
    return
  fi
  say "installing ${missing[*]}"
  if ! as_root env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends "${missing[@]}" >&2; then
    say "cannot install ${missing[*]}; install them by hand and run this script again"
    exit 1
  fi
}

# prints the first usual name that is Python >= 3.9 and can make a virtual environment
find_python() {
  local python
  for python in python3 /usr/bin/python3; do
    if "$python" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 9))' 2>/dev/null; then
      echo "$python"
      return
    fi
  done
  return 1
}

# install_python VENV REQUIREMENTS: makes an environment with exactly the packages of that file, again when the file changes
install_python() {
  local venv=$1 requirements=$2 python stamp
  stamp=$(sha256sum <"$requirements")
  if [[ -x $venv/bin/python && $(cat "$venv/requirements.sha256" 2>/dev/null) == "$stamp" ]]; then
    return
  fi
  if ! python=$(find_python); then
    say "found no Python >= 3.9 with venv and ensurepip (Debian: apt-get install python3-venv)"
    return 1
  fi
  say "making $venv with $("$python" --version) from $requirements"
  "$python" -m venv --clear "$venv" &&
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --require-hashes --only-binary :all: -r "$requirements" >&2 &&
    echo "$stamp" >"$venv/requirements.sha256"
}

install_packages
if [[ $purpose == experiments ]] && ! install_python .venv-experiments python/requirements-experiments.txt; then
  rm -rf .venv-experiments
  say "cannot install the Python packages that the experiments need (see above)"
  exit 1
fi
if [[ $purpose == docs ]] && ! install_python .venv-docs python/requirements-docs.txt; then
  rm -rf .venv-docs
  say "cannot install the Python packages that the site needs (see above)"
  exit 1
fi
if [[ $purpose == release ]] && ! install_python .venv-release python/requirements-release.txt; then
  rm -rf .venv-release
  say "cannot install the Python packages that a release needs (see above)"
  exit 1
fi
if [[ $purpose == imu ]] && ! install_python .venv-imu benchmarks/imu/requirements.txt; then
  rm -rf .venv-imu
  say "cannot install the Python packages that other estimators need (see above)"
  exit 1
fi
if [[ $purpose == robot ]] && ! install_python .venv-robot examples/requirements.txt; then
  rm -rf .venv-robot
  say "cannot install the Python packages that the simulated robot needs (see above)"
  exit 1
fi
if [[ $purpose == test ]] && ! install_python .venv python/requirements-test.txt; then
  rm -rf .venv
  say "cannot install the Python packages (see above). Usual reasons: no network, a proxy or package index that pip"
  say "does not know (HTTPS_PROXY, PIP_INDEX_URL), or a platform without wheels. Fix it and run 'tools/setup.sh test'"
  say "again. Everything else works without them: Python tests are skipped, and fail where CI is set."
  if in_ci; then exit 1; fi
fi
if [[ $purpose == test ]] && ! install_python .venv-robot examples/requirements.txt; then
  rm -rf .venv-robot
  say "MuJoCo is missing (see above): tests of the simulated robot are skipped, and fail where CI is set"
  if in_ci; then exit 1; fi
fi
say "everything that '$purpose' needs is installed"
