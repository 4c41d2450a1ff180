# shellcheck shell=bash
# What scripts/start, scripts/test and .ci/run share: timed steps, packages, builds. Sourced by
# bash, with the project's root as the working directory.

# A second clone finds in ccache what the first has compiled.
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1

# step <title> <command> [argument...]: says what is done and how long it took. Ends the script if
# the command fails.
step() {
  local title=$1 begin=$SECONDS
  shift
  printf '==> %s\n' "$title"
  # Not `if ! "$@"`: that would switch off `set -e` inside a function that is called.
  trap 'printf "FAILED: %s\n" "$FAILED_STEP" >&2' EXIT
  FAILED_STEP=$title
  "$@"
  trap - EXIT
  printf '    %s: %d s\n' "$title" "$((SECONDS - begin))"
  STEP_TIMES+=("$(printf '%6d s  %s' "$((SECONDS - begin))" "$title")")
}
STEP_TIMES=()

# packages_for <group...>: the packages of these groups, one a line.
packages_for() {
  local group
  for group in "$@"; do
    sed -n "s/^$group //p" scripts/packages
  done
}

# missing_packages <group...>: those of them that are not installed.
missing_packages() {
  local package
  for package in $(packages_for "$@"); do
    # The whole line: dpkg also says "not-installed", of a package it only knows by name.
    dpkg-query -W -f='${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed \
      || printf '%s\n' "$package"
  done
}

# install_packages <group...>: installs what is missing, or says what to install and ends.
install_packages() {
  if ! command -v dpkg-query >/dev/null; then
    printf '    not a Debian system; on yours, install the equivalents of:\n'
    packages_for "$@" | tr '\n' ' ' | fold -s -w 96 | sed 's/^/      /'
    printf '\n'
    return 0
  fi
  local missing
  missing=$(missing_packages "$@" | tr '\n' ' ')
  missing=${missing% }
  if [[ -z $missing ]]; then
    printf '    all are there\n'
    return 0
  fi

  local -a as_root=()
  if [[ $(id -u) != 0 ]]; then
    command -v sudo >/dev/null || need_root "$missing"
    # With a terminal sudo may ask for the password; without one it must not need to.
    if [[ ! -t 0 ]]; then
      sudo -n true 2>/dev/null || need_root "$missing"
    fi
    as_root=(sudo)
  fi
  printf '    installing: %s\n' "$missing" | fold -s -w 100
  # --no-remove: another Boost, say, is the user's to give up, not ours.
  "${as_root[@]}" apt-get update -q >/dev/null || need_root "$missing"
  # shellcheck disable=SC2086  # one word a package
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -q --no-install-recommends --no-remove $missing >/dev/null \
    || need_root "$missing"
}

# Says which command installs the packages, and ends.
need_root() {
  trap - EXIT
  printf 'These packages are missing and could not be installed from here. As root, run\n\n' >&2
  printf '  apt-get update && apt-get install -y --no-install-recommends %s\n\n' "$1" >&2
  printf 'and start again.\n' >&2
  exit 1
}

# build_preset <preset> [target...]: configures and builds build/<preset>.
build_preset() {
  local preset=$1
  shift
  local -a targets=()
  if (($# > 0)); then
    targets=(--target "$@")
  fi
  # A log of its own, shown only on failure: a first build prints hundreds of lines.
  local log="build/$preset.log"
  mkdir -p build
  if ! cmake --preset "$preset" >"$log" 2>&1; then
    cat "$log"
    return 1
  fi
  if ! cmake --build "build/$preset" -j "$(build_jobs)" "${targets[@]}" >>"$log" 2>&1; then
    grep -v '^\[[0-9]*/[0-9]*\] \(Building\|Linking\)' "$log" | tail -n 200
    return 1
  fi
}

# How many compilers at once: one a processor, fewer if memory is short (1.5 GB each).
build_jobs() {
  local processors memory_kb by_memory
  processors=$(nproc)
  memory_kb=$(sed -n 's/^MemAvailable: *\([0-9]*\) kB/\1/p' /proc/meminfo)
  by_memory=$((memory_kb / 1500000))
  if ((by_memory < 1)); then
    by_memory=1
  fi
  printf '%d\n' "$((processors < by_memory ? processors : by_memory))"
}
