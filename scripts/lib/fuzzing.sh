# shellcheck shell=bash
# The fuzz targets of tests/fuzz/targets.txt. Sourced after common.sh.

# All targets, a word each.
fuzz_targets() {
  sed -n 's/^\([a-z][a-z0-9_]*\) .*/\1/p' tests/fuzz/targets.txt
}

# fuzz_field <target> <n>: a column of its line: 2 class, 3 max_len.
fuzz_field() {
  awk -v target="$1" -v field="$2" '$1 == target { print $field }' tests/fuzz/targets.txt
}

# fuzz_runs_of <target>: how often its class wants it run.
fuzz_runs_of() {
  case $(fuzz_field "$1" 2) in
    parser) printf '10000000\n' ;;
    file) printf '1000000\n' ;;
    engine) printf '100000\n' ;;
    *) return 1 ;;
  esac
}

# fuzz_target <preset> <target> <scratch corpus> <log> [libFuzzer option...]: one run over its seeds
# and what the scratch corpus has. New inputs go there; an input that fails goes to
# build/<preset>/findings.
fuzz_target() {
  local preset=$1 target=$2 scratch=$3 log=$4
  shift 4
  mkdir -p "$scratch" "build/$preset/findings"
  "build/$preset/tests/fuzz/fuzz_$target" -max_len="$(fuzz_field "$target" 3)" \
    -artifact_prefix="build/$preset/findings/$target-" -print_final_stats=1 "$@" \
    "$scratch" "tests/fuzz/corpus/$target" >"$log" 2>&1
}

# fuzz_executions <log>: how many inputs a run has tried, also one that ended with a finding.
fuzz_executions() {
  local runs
  runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$1")
  printf '%s\n' "${runs:-$(sed -n 's/^#\([0-9]*\).*/\1/p' "$1" | tail -n 1)}"
}
