# shellcheck shell=bash
# The checks of .ci/run, one function per check. Source this file after common.sh.

# Prints every C++ file of the tree, NUL-separated.
cpp_files() {
  find codec uid engine server tests bench -type f \( -name '*.h' -o -name '*.cc' \) -print0
}

check_format() {
  cpp_files | xargs -0 clang-format-19 --dry-run -Werror
}

# Installs the release build into a new prefix, and builds and runs tests/install against it.
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
  [[ $("$prefix/consumer/operate" "$prefix/operated_store") == \
     $'1 region, 1 salt epoch\n1 point, no fault\nrestored' ]]
  "$prefix/bin/hourcell" version
  grep -q '^ExecStart=/.*/bin/hourcell serve' "$prefix/lib/systemd/system/hourcell.service"
  rm -rf "$prefix"
}

# check_hardening <program>: checks for the hardening options of cmake/hourcell_targets.cmake.
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
    # Checked in the code of main: the notes of a whole program describe its weakest object, and
    # that may come from a library.
    has_line 'branch targets' 'endbr64' "$(objdump --disassemble=main "$program")" ||
      missing=1
  fi
  return "$missing"
}

# has_line <property> <expression> <text>: fails, and names the property, if no line matches.
has_line() {
  grep -qE "$2" <<<"$3" && return
  printf 'not hardened: %s is missing\n' "$1" >&2
  return 1
}

# run_ctest <preset> <label expression> [expression of names that are left out]
run_ctest() {
  ctest --preset "$1" -L "^($2)\$" -E "${3:-^\$}" -j2 --progress --no-tests=error
}

# run_shuffled <preset> <seed> <label expression> [expression of names that are left out]: runs the
# tests in a few processes per program, because programs with sanitizers start slowly, and in random
# order, so that no case depends on another.
run_shuffled() (
  shuffle_tests "$2"
  run_ctest "$1" "$3" "${4:-}"
)

# check_kill_loop <preset> <seed>: kills the program of that build repeatedly during puts, queries,
# backups and changes of regions. The tests that do this are built by preset dev.
check_kill_loop() {
  local program=$PWD/build/$1/hourcell log
  log=$(mktemp)
  # The sanitizer options that the preset sets for ctest.
  local -a environment=(
    "HOURCELL_PROGRAM=$program"
    'HOURCELL_CRASH_ROUNDS=6'
    "HOURCELL_TEST_SEED=$2"
    "LSAN_OPTIONS=suppressions=$PWD/tests/lsan.supp:print_suppressions=0"
    "TSAN_OPTIONS=suppressions=$PWD/tests/tsan.supp halt_on_error=1")
  if ! env "${environment[@]}" timeout 600 build/dev/tests/http/http_tests \
      --gtest_filter='KillLoopTest.*' >"$log" 2>&1; then
    tail -n 200 "$log"
    return 1
  fi
  grep 'rounds,' "$log" | fold -s -w 96 | sed 's/^/    /'
  rm -f "$log"
}

# Plants one bug of tests/planted. The commit selects the bug.
check_planted() {
  local -a patches=(tests/planted/*.patch)
  local number
  number=$(git rev-parse --short=6 HEAD)
  scripts/planted-bugs "$(basename "${patches[$((16#$number % ${#patches[@]}))]}" .patch)"
}

# check_each_file <seed>: lets clang read source files of the product by themselves, a sixth of
# them, by the seed: all of them take eight minutes. All other builds compile the files of a folder
# as one unit, which hides that a file does not include what it uses.
check_each_file() {
  local turn=$(($1 / 3 % 6))
  cmake --preset clang >/dev/null
  sed -n 's/^  "command": "\(.*\)",$/\1/p' build/clang/compile_commands.json |
    grep -E " -c $PWD/(codec|uid|engine|server|bench/lab)/" | awk "NR % 6 == $turn" |
    sed -E 's/ -o [^ ]+ -c / -fsyntax-only /; s/\\(.)/\1/g' |
    xargs -d '\n' -P "$(build_jobs)" -I{} sh -c '{}'
}

# Builds the optional store on the Cloud Bigtable API, and runs its tests against a service in their
# own process.
check_bigtable() {
  build_preset bigtable bigtable_tests cluster_tests
  build/bigtable/tests/engine/bigtable_tests --gtest_brief=1
  build/bigtable/tests/cluster/cluster_tests --gtest_brief=1
}

# Checks that the Explorer's sources give the files that are committed, and runs its unit tests.
check_web() {
  scripts/web check
}

# Checks that the commits of the change say why: scripts/commits.
check_commits() {
  local base
  base=$(change_base)
  scripts/commits "${base:+$base..}HEAD"
}

# Prints the commit before the change: HOURCELL_CI_BASE, or the fork from the main branch, or the
# last commit's parent; nothing if there is none.
change_base() {
  local base=${HOURCELL_CI_BASE:-}
  if [[ -z $base ]]; then
    base=$(git merge-base HEAD origin/main 2>/dev/null || true)
    if [[ -z $base || $base == "$(git rev-parse HEAD)" ]]; then
      base=$(git rev-parse --verify -q 'HEAD~1' || true)
    fi
  fi
  printf '%s\n' "$base"
}

# Prints the files of the change: those changed since HOURCELL_CI_BASE, or since the fork from the
# main branch, or in the last commit.
changed_files() {
  local base
  base=$(change_base)
  if [[ -z $base ]]; then
    git ls-files
  else
    git diff --name-only --diff-filter=d "$base"
  fi
}

# tidy_source <file>: prints the .cc file through which clang-tidy checks the file: the file itself,
# the .cc file of a header, or the first .cc file of the layer that includes the header and that
# preset clang builds.
tidy_source() {
  if [[ -f ${1%.*}.cc ]]; then
    printf '%s\n' "${1%.*}.cc"
  else
    { grep -rlF --exclude-dir=bigtable --include='*.cc' "#include \"$1\"" "${1%%/*}" || true; } \
      | sort | sed -n 1p
  fi
}

# Runs clang-tidy on the files of the change, on as many as fit into a minute and a half. Preset
# clang does not build engine/bigtable.
check_tidy() {
  local file
  local -a files=()
  while read -r file; do
    [[ $file != engine/bigtable/* ]] || continue
    if [[ $file =~ ^(codec|uid|engine|server|bench/lab)/.*\.(h|cc)$ ]]; then
      files+=("$(tidy_source "$file")")
    fi
  done < <(changed_files)
  tidy_files 90 "${files[@]}"
}

# tidy_files <seconds> [file...]: runs clang-tidy on as many files as fit into the time.
tidy_files() {
  local budget_s=$1 begin=$SECONDS file
  local -a checked=() left_out=()
  shift
  # Configuring is enough: preset clang has no precompiled headers that must be built first.
  cmake --preset clang >/dev/null
  while read -r file; do
    [[ -n $file ]] || continue
    if ((SECONDS - begin >= budget_s)); then
      left_out+=("$file")
      continue
    fi
    checked+=("$file")
    tidy_in_background "$file"
  done < <(printf '%s\n' "$@" | sort -u)
  finish_tidy
  printf '    checked: %s\n' "${checked[*]:-nothing}" | fold -s -w 100
  if ((${#left_out[@]} > 0)); then
    printf '    skipped for lack of time: %s\n' "${left_out[*]}" | fold -s -w 100
  fi
}

# Runs two processes at a time. The first failure ends the check.
TIDY_PIDS=()
tidy_in_background() {
  if ((${#TIDY_PIDS[@]} >= 2)); then
    wait "${TIDY_PIDS[0]}"
    TIDY_PIDS=("${TIDY_PIDS[@]:1}")
  fi
  clang-tidy-19 --quiet -p build/clang "$1" 2>/dev/null &
  TIDY_PIDS+=($!)
}
finish_tidy() {
  local pid
  for pid in "${TIDY_PIDS[@]}"; do
    wait "$pid"
  done
  TIDY_PIDS=()
}

# check_fuzz <seed>: fuzzes for one minute, divided among all targets. New inputs go to a scratch
# folder. The input of a finding is kept in build/asan/findings; libFuzzer's last lines name it.
check_fuzz() {
  local -a targets=()
  local target scratch seconds seed=$1
  mapfile -t targets < <(fuzz_targets)
  seconds=$((60 / ${#targets[@]}))
  ((seconds > 0)) || seconds=1
  scratch=$(mktemp -d)
  for target in "${targets[@]}"; do
    if ! fuzz_target asan "$target" "$scratch/$target" "$scratch/log" -max_total_time="$seconds" \
        -seed="$seed"; then
      tail -n 60 "$scratch/log"
      return 1
    fi
    printf '    %-18s %s runs in %d s\n' "$target" "$(fuzz_executions "$scratch/log")" "$seconds"
  done
  rm -rf "$scratch"
}
