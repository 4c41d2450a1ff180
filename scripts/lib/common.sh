# shellcheck shell=bash
# Functions that scripts/start, scripts/test and .ci/run share: timed steps, packages, builds. bash
# sources this file with the project's root as the working directory.

# With these settings, a second clone reuses the ccache entries of the first.
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1
# Without this setting, ccache stores nothing that was compiled with precompiled headers.
export CCACHE_SLOPPINESS=pch_defines,time_macros

# step <title> <command> [argument...]: runs the command and prints its title and duration. Ends the
# script if the command fails.
step() {
  local title=$1 begin=$SECONDS
  shift
  printf '==> %s\n' "$title"
  # Not `if ! "$@"`: that would disable `set -e` inside a called function.
  trap 'printf "FAILED: %s\n" "$FAILED_STEP" >&2' EXIT
  FAILED_STEP=$title
  "$@"
  trap - EXIT
  printf '    %s: %d s\n' "$title" "$((SECONDS - begin))"
  STEP_TIMES+=("$(printf '%6d s  %s' "$((SECONDS - begin))" "$title")")
}
STEP_TIMES=()

# packages_for <group...>: prints the packages of these groups for this Debian, one per line.
packages_for() {
  local group release
  release=$(. /etc/os-release && printf '%s' "${VERSION_ID-}")
  for group in "$@"; do
    sed -nE "s/^$group(:$release)? //p" scripts/packages
  done
}

# missing_packages <group...>: prints the packages of these groups that are not installed.
missing_packages() {
  local package
  for package in $(packages_for "$@"); do
    # -x matches the whole line: dpkg prints "not-installed" for a package it knows only by name.
    dpkg-query -W -f='${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed \
      || printf '%s\n' "$package"
  done
}

# install_packages <group...>: installs the missing packages, or ends the script with the command
# that installs them.
install_packages() {
  if ! command -v dpkg-query >/dev/null; then
    printf '    not a Debian system; install the equivalents of these packages:\n'
    packages_for "$@" | tr '\n' ' ' | fold -s -w 96 | sed 's/^/      /'
    printf '\n'
    return 0
  fi
  local missing
  missing=$(missing_packages "$@" | tr '\n' ' ')
  missing=${missing% }
  if [[ -z $missing ]]; then
    printf '    all packages are installed\n'
    return 0
  fi

  local -a as_root=()
  if [[ $(id -u) != 0 ]]; then
    command -v sudo >/dev/null || need_root "$missing"
    # sudo can ask for a password on a terminal. Without a terminal it must not need one.
    if [[ ! -t 0 ]]; then
      sudo -n true 2>/dev/null || need_root "$missing"
    fi
    as_root=(sudo)
  fi
  printf '    installing: %s\n' "$missing" | fold -s -w 100
  # --no-remove: only the user may decide to remove a package, such as another version of Boost.
  "${as_root[@]}" apt-get update -q >/dev/null || need_root "$missing"
  # shellcheck disable=SC2086  # one word per package
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -q --no-install-recommends --no-remove $missing >/dev/null \
    || need_root "$missing"
}

# need_root <packages>: prints the command that installs the packages, and ends the script.
need_root() {
  trap - EXIT
  printf 'Packages are missing, and this script cannot install them. As root, run\n\n' >&2
  printf '  apt-get update && apt-get install -y --no-install-recommends %s\n\n' "$1" >&2
  printf 'and run this script again.\n' >&2
  exit 1
}

# Options of cmake beside those of the preset, such as -DHOURCELL_BIGTABLE=ON.
CMAKE_OPTIONS=()

# build_preset <preset> [target...]: configures and builds build/<preset>, and shows how far it is.
build_preset() {
  local preset=$1
  shift
  local -a targets=()
  if (($# > 0)); then
    targets=(--target "$@")
  fi
  # Output goes to a log, which is shown only on failure: a first build prints hundreds of lines.
  local log="build/$preset.log"
  mkdir -p build
  if ! cmake --preset "$preset" "${CMAKE_OPTIONS[@]}" >"$log" 2>&1; then
    cat "$log"
    return 1
  fi
  if ! cmake --build "build/$preset" -j "$(build_jobs)" "${targets[@]}" 2>&1 |
      tee -a "$log" | show_progress; then
    grep -v '^\[[0-9]*/[0-9]*\] \(Building\|Linking\)' "$log" | tail -n 200
    return 1
  fi
}

# Reads the output of ninja and prints how many of its steps are done, and how long the rest will
# take if its steps are like those so far: every second on a terminal, else every 20 seconds.
show_progress() {
  local line begin=$SECONDS shown=$SECONDS every=20 finished total left
  if [[ -t 1 ]]; then
    every=1
  fi
  while IFS= read -r line; do
    [[ $line =~ ^\[([0-9]+)/([0-9]+)\] ]] || continue
    ((SECONDS - shown >= every)) || continue
    shown=$SECONDS finished=${BASH_REMATCH[1]} total=${BASH_REMATCH[2]}
    left=$(((SECONDS - begin) * (total - finished) / finished))
    line=$(printf '%d of %d steps, about %d:%02d left' "$finished" "$total" $((left / 60)) \
      $((left % 60)))
    if [[ -t 1 ]]; then
      printf '\r    %-60s' "$line"
    else
      printf '    %s\n' "$line"
    fi
  done
  if [[ -t 1 ]]; then
    printf '\r%64s\r' ''
  fi
}

# Prints the number of parallel compilers: one per processor, or fewer if memory is short (1.5 GB
# per compiler).
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

# Prints a random seed that GoogleTest accepts.
random_test_seed() {
  printf '%d\n' "$((RANDOM * 3 + 1))"
}

# shuffle_tests <seed>: makes later ctest runs run the cases of each program in random order.
shuffle_tests() {
  export HOURCELL_TESTS_BY=program GTEST_SHUFFLE=1 GTEST_RANDOM_SEED=$1
  printf '    tests in random order, seed %d\n' "$1"
}
