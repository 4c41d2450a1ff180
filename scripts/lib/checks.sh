# shellcheck shell=bash
# The checks of .ci/run, one function each. Sourced after common.sh.

# Every C++ file of the tree, NUL-separated.
cpp_files() {
  find codec uid engine server tests bench -type f \( -name '*.h' -o -name '*.cc' \) -print0
}

check_format() {
  cpp_files | xargs -0 clang-format-19 --dry-run -Werror
}

# Installs the release build into a fresh prefix and builds and runs tests/install against it.
check_install() {
  local prefix
  prefix=$(mktemp -d)
  cmake --install build/release --prefix "$prefix" >/dev/null
  cmake -S tests/install -B "$prefix/consumer" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" >/dev/null
  cmake --build "$prefix/consumer"
  # Six points, 40 to 45, averaged over their minute.
  [[ $("$prefix/consumer/consumer" "$prefix/store") == '1356998400000 42.5' ]]
  [[ $("$prefix/consumer/hooks" "$prefix/hooks_store") == \
     $'6 acknowledged; PERMISSION_DENIED: want cpu.*\n6 points in 2 rows' ]]
  "$prefix/bin/hourcell" version
  grep -q '^ExecStart=/.*/bin/hourcell serve' "$prefix/lib/systemd/system/hourcell.service"
  rm -rf "$prefix"
}

# check_hardening <program>: that it was built as cmake/hourcell_targets.cmake wants it.
check_hardening() {
  local program=$1 headers symbols missing=0
  headers=$(readelf --wide --file-header --program-headers --dynamic --notes "$program")
  symbols=$(readelf --wide --dyn-syms "$program")
  has_line 'a position-independent executable' 'Type: +DYN .*Position-Independent' "$headers" ||
    missing=1
  has_line 'read-only relocations' 'GNU_RELRO' "$headers" ||
    missing=1
  has_line 'all symbols bound at the start' 'Flags: .*NOW' "$headers" ||
    missing=1
  has_line 'a stack that is not executed' 'GNU_STACK.* RW +0x' "$headers" ||
    missing=1
  has_line 'stack protectors' '__stack_chk_fail' "$symbols" ||
    missing=1
  has_line 'checked buffers (_FORTIFY_SOURCE)' '__(memcpy|read|poll|fprintf)_chk' "$symbols" ||
    missing=1
  has_line 'checked containers (_GLIBCXX_ASSERTIONS)' '__glibcxx_assert_fail' "$symbols" ||
    missing=1
  if [[ $headers == *X86-64* ]]; then
    # The notes of the whole program speak for its weakest object, the libraries' among them.
    has_line 'branch targets' 'endbr64' "$(objdump --disassemble=main "$program")" ||
      missing=1
  fi
  return "$missing"
}

# has_line <what> <expression> <text>
has_line() {
  grep -qE "$2" <<<"$3" && return
  printf 'not hardened: %s is missing\n' "$1" >&2
  return 1
}

# run_ctest <preset> <label expression>
run_ctest() {
  ctest --preset "$1" -L "^($2)\$" -j2 --progress --no-tests=error
}

# The files of the change: since HOURCELL_CI_BASE, else since the fork from the main branch, else of
# the last commit.
changed_files() {
  local base=${HOURCELL_CI_BASE:-}
  if [[ -z $base ]]; then
    base=$(git merge-base HEAD origin/main 2>/dev/null || true)
    if [[ -z $base || $base == "$(git rev-parse HEAD)" ]]; then
      base=$(git rev-parse --verify -q 'HEAD~1' || true)
    fi
  fi
  if [[ -z $base ]]; then
    git ls-files
  else
    git diff --name-only --diff-filter=d "$base"
  fi
}

# The .cc file by which clang-tidy sees a file: itself, a header's own, else the first of its layer
# that includes it.
tidy_source() {
  if [[ -f ${1%.*}.cc ]]; then
    printf '%s\n' "${1%.*}.cc"
  else
    { grep -rlF --include='*.cc' "#include \"$1\"" "${1%%/*}" || true; } | sort | sed -n 1p
  fi
}

# clang-tidy over the files of the change, as many as fit two and a half minutes.
check_tidy() {
  local budget_s=150 begin=$SECONDS file
  local -a files=() checked=() left_out=()
  while read -r file; do
    if [[ $file =~ ^(codec|uid|engine|server)/.*\.(h|cc)$ ]]; then
      files+=("$(tidy_source "$file")")
    fi
  done < <(changed_files)
  while read -r file; do
    [[ -n $file ]] || continue
    if ((SECONDS - begin >= budget_s)); then
      left_out+=("$file")
      continue
    fi
    checked+=("$file")
    tidy_in_background "$file"
  done < <(printf '%s\n' "${files[@]}" | sort -u)
  finish_tidy
  printf '    checked: %s\n' "${checked[*]:-nothing}" | fold -s -w 100
  if ((${#left_out[@]} > 0)); then
    printf '    left out, for time: %s\n' "${left_out[*]}" | fold -s -w 100
  fi
}

# Two at a time; the first failure ends the check.
TIDY_PIDS=()
tidy_in_background() {
  if ((${#TIDY_PIDS[@]} >= 2)); then
    wait "${TIDY_PIDS[0]}"
    TIDY_PIDS=("${TIDY_PIDS[@]:1}")
  fi
  clang-tidy-19 --quiet -p build/asan "$1" 2>/dev/null &
  TIDY_PIDS+=($!)
}
finish_tidy() {
  local pid
  for pid in "${TIDY_PIDS[@]}"; do
    wait "$pid"
  done
  TIDY_PIDS=()
}

# A minute, divided among all fuzz targets. New inputs go to a scratch folder; a finding leaves its
# input in build/asan/findings, named in libFuzzer's last lines.
check_fuzz() {
  local -a targets=()
  local target scratch seconds
  mapfile -t targets < <(fuzz_targets)
  seconds=$((60 / ${#targets[@]}))
  ((seconds > 0)) || seconds=1
  scratch=$(mktemp -d)
  for target in "${targets[@]}"; do
    # With a seed, so that a run can be repeated; by hand, run longer and without one.
    if ! fuzz_target asan "$target" "$scratch/$target" "$scratch/log" -max_total_time="$seconds" \
        -seed=1; then
      tail -n 60 "$scratch/log"
      return 1
    fi
    printf '    %-18s %s runs in %d s\n' "$target" "$(fuzz_executions "$scratch/log")" "$seconds"
  done
  rm -rf "$scratch"
}
