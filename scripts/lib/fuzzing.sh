# shellcheck shell=bash
# Functions for the fuzz targets of tests/fuzz/targets.txt. Source this file after common.sh.

# Prints the names of all targets, one per line.
fuzz_targets() {
  sed -n 's/^\([a-z][a-z0-9_]*\) .*/\1/p' tests/fuzz/targets.txt
}

# fuzz_field <target> <n>: prints a field of the target's line: 2 is the class, 3 is max_len.
fuzz_field() {
  awk -v target="$1" -v field="$2" '$1 == target { print $field }' tests/fuzz/targets.txt
}

# fuzz_runs_of <target>: prints the number of runs for the class of the target.
fuzz_runs_of() {
  case $(fuzz_field "$1" 2) in
    parser) printf '10000000\n' ;;
    file) printf '1000000\n' ;;
    engine) printf '100000\n' ;;
    *) return 1 ;;
  esac
}

# fuzz_target <preset> <target> <scratch corpus> <log> [libFuzzer option...]: runs the target once,
# on its seeds and on the scratch corpus. New inputs go to the scratch corpus. A failing input goes
# to build/<preset>/findings.
fuzz_target() {
  local preset=$1 target=$2 scratch=$3 log=$4
  shift 4
  mkdir -p "$scratch" "build/$preset/findings"
  "build/$preset/tests/fuzz/fuzz_$target" -max_len="$(fuzz_field "$target" 3)" \
    -artifact_prefix="build/$preset/findings/$target-" -print_final_stats=1 "$@" \
    "$scratch" "tests/fuzz/corpus/$target" >"$log" 2>&1
}

# fuzz_executions <log>: prints the number of inputs that a run tried, even if it ended with a
# finding.
fuzz_executions() {
  local runs
  runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$1")
  printf '%s\n' "${runs:-$(sed -n 's/^#\([0-9]*\).*/\1/p' "$1" | tail -n 1)}"
}

# grow_corpus <preset> <target> <new inputs>: copies a minimal set of the new inputs to the seeds:
# those that cover code which no seed covers.
grow_corpus() {
  local seeds=tests/fuzz/corpus/$2 log=build/$1/grow-$2.log before after
  [[ -d $3 ]] || return 0
  before=$(find "$seeds" -type f | wc -l)
  if ! "build/$1/tests/fuzz/fuzz_$2" -set_cover_merge=1 -max_len="$(fuzz_field "$2" 3)" \
      "$seeds" "$3" >"$log" 2>&1; then
    tail -n 40 "$log"
    return 1
  fi
  after=$(find "$seeds" -type f | wc -l)
  printf '%-18s %4d seeds, %4d of them new\n' "$2" "$after" "$((after - before))"
}
