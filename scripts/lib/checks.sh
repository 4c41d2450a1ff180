# shellcheck shell=bash
# The checks of .ci/run, one function per check. Source this file after common.sh.

# Prints every C++ file of the tree, NUL-separated.
cpp_files() {
  find codec uid engine promql server tests bench -type f \( -name '*.h' -o -name '*.cc' \) -print0
}

# Fails at the start, not after half an hour, if the disk is too small for the builds.
check_space() {
  local needed=14 free
  free=$(($(df --output=avail --block-size=1000000000 . | tail -n 1)))
  printf '    %d GB are free, the builds need %d GB\n' "$free" "$needed"
  ((free >= needed))
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
  local hooks=$'6 acknowledged; PERMISSION_DENIED: expected cpu.*\n6 points in 2 rows\n'
  hooks+=$'region 0: 45\n45 of 4 points'
  [[ $("$prefix/consumer/hooks" "$prefix/hooks_store") == "$hooks" ]]
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

# run_ctest <preset> <label expression> [expression of names that are left out]: prints the names of
# failed cases and their messages last.
run_ctest() {
  local log="build/$1/ctest.log"
  if ctest --preset "$1" -L "^($2)\$" -E "${3:-^\$}" -j2 --progress --no-tests=error \
      --output-log "$log"; then
    return
  fi
  print_failures "$log"
  runs_again "$1" "$log"
}

SANITIZER_REPORT='(ERROR|WARNING): [A-Za-z]+Sanitizer|runtime error:'

# print_failures <log of ctest>: prints the lines of failed cases, and reports of sanitizers.
print_failures() {
  printf '==> failures\n'
  grep -aE -A 8 ": Failure\$|^\\[  FAILED  \\]|$SANITIZER_REPORT" "$1" | head -n 150 || true
}

# runs_again <preset> <log of ctest>: runs the failed tests again, one at a time. Sanitizers make a
# program some ten times slower, so a case that waits for another thread may give up on a busy
# machine. Fails if one fails again, or if a sanitizer reported anything.
runs_again() {
  if grep -qaE "$SANITIZER_REPORT" "$2"; then
    return 1
  fi
  printf '==> the failed tests again, one at a time\n'
  ctest --preset "$1" --rerun-failed -j1 --no-tests=error --output-log "$2.again" || {
    print_failures "$2.again"
    return 1
  }
  printf '    unsteady: they passed the second time\n'
}

# run_shuffled <preset> <seed> <label expression> [expression of names that are left out]: runs the
# tests in a few processes per program, because programs with sanitizers start slowly, and in random
# order, so that no case depends on another.
run_shuffled() (
  shuffle_tests "$2"
  run_ctest "$1" "$3" "${4:-}"
)

# sanitized_environment <preset> <seed>: prints what the tests of preset dev need to run the program
# of that build, one variable per line: the sanitizer options that the preset sets for ctest, too.
sanitized_environment() {
  printf '%s\n' \
    "HOURCELL_PROGRAM=$PWD/build/$1/hourcell" \
    "HOURCELL_TEST_SEED=$2" \
    "LSAN_OPTIONS=suppressions=$PWD/tests/lsan.supp:print_suppressions=0" \
    "TSAN_OPTIONS=suppressions=$PWD/tests/tsan.supp halt_on_error=1"
}

# run_sanitized <preset> <seed> <test program> <cases> [variable...]: runs cases of a test program
# of preset dev on the program of that build. Prints their output only if one fails.
run_sanitized() {
  local preset=$1 seed=$2 program=$3 cases=$4 log
  local -a environment
  shift 4
  mapfile -t environment < <(sanitized_environment "$preset" "$seed")
  log=$(mktemp)
  if ! env "${environment[@]}" "$@" timeout 900 "$program" --gtest_filter="$cases" \
      >"$log" 2>&1; then
    tail -n 200 "$log"
    return 1
  fi
  grep -E 'rounds,|acknowledged writes|^\[  PASSED' "$log" | fold -s -w 96 | sed 's/^/    /'
  rm -f "$log"
}

# check_kill_loop <preset> <seed>: kills the program of that build repeatedly during puts, queries,
# backups and changes of regions. The tests that do this are built by preset dev.
check_kill_loop() {
  run_sanitized "$1" "$2" build/dev/tests/http/http_tests 'KillLoopTest.*' 'HOURCELL_CRASH_ROUNDS=6'
}

# check_http <preset> <seed>: runs the tests of the protocols on the program of that build. What
# counts its memory, fills disks or kills it is left out.
check_http() {
  run_sanitized "$1" "$2" build/dev/tests/http/http_tests \
    "$(printf '%s.*:' ServeProgramTest TelnetTest InputsTest ForwardTest ClientReplayTest \
      ClientLookupTest RegionProgramTest RunningFsckTest OpenTsdbImportHttpTest)"
}

# check_cluster <preset> <seed>: runs takeovers and a history of several nodes on the program of
# that build.
check_cluster() {
  run_sanitized "$1" "$2" build/dev/tests/cluster/cluster_tests \
    '*ClusterTakeoverTest.*:*ClusterHistoryTest.*:*ClusterOpenTsdbTablesTest.*'
}

# Plants one bug of tests/planted. The commit selects the bug, among those of Bigtable if the change
# touches it and among the others if not, as a build with Bigtable takes longer.
check_planted() {
  local -a patches=()
  local patch number
  for patch in tests/planted/*.patch; do
    if grep -q '^# preset: bigtable' "$patch"; then
      if ! touches_bigtable; then continue; fi
    elif touches_bigtable; then
      continue
    fi
    patches+=("$patch")
  done
  number=$(git rev-parse --short=6 HEAD)
  scripts/planted-bugs "$(basename "${patches[$((16#$number % ${#patches[@]}))]}" .patch)"
}

# check_each_file <seed>: lets clang read source files of the product by themselves, a tenth of
# them, by the seed: all of them take 15 minutes; and all of engine/bigtable if it is built. All
# other builds compile the files of a folder as one unit, which hides that a file does not include
# what it uses.
check_each_file() {
  local turn=$(($1 / 3 % 10))
  build_clang_headers
  sed -n 's/^  "command": "\(.*\)",$/\1/p' build/clang/compile_commands.json |
    grep -E " -c $PWD/(codec|uid|engine|promql|server|bench/lab)/" |
    awk "NR % 10 == $turn || / -c [^ ]*\/engine\/bigtable\//" |
    sed -E 's/ -o [^ ]+ -c / -fsyntax-only /; s/\\(.)/\1/g' |
    xargs -d '\n' -P "$(build_jobs)" -I{} sh -c '{}'
}

# Configures preset clang. That is enough to read its files: it has no precompiled headers. Those
# that protoc makes are built.
build_clang_headers() {
  if touches_bigtable; then
    build_preset clang hourcell_bigtable_proto
  else
    cmake --preset clang "${CMAKE_OPTIONS[@]}" >/dev/null
  fi
}

# Whether the change touches the store on Bigtable, or what only several nodes use. Then the builds
# of every day, of clang and of AddressSanitizer have it, and all of its tests run.
touches_bigtable() {
  [[ ${HOURCELL_CI_BIGTABLE:-} == true || ${HOURCELL_CI_ALL:-} == true ]] ||
    grep -qE "^($(printf '%s|' "${BIGTABLE_PATHS[@]}")none)" < <(changed_files)
}
BIGTABLE_PATHS=(engine/bigtable/ engine/storage/ engine/role/ server/cluster/
  server/net/nodes/ server/cli/serve/ tests/cluster/ tests/engine/bigtable/ tests/engine/opentsdb/
  tests/support/bigtable)

# touches_only <path>...: whether each file of the change is below one of these paths.
touches_only() {
  [[ ${HOURCELL_CI_ALL:-} != true ]] && ! grep -vqE "^($(printf '%s|' "$@")none)" < <(changed_files)
}

# Builds the program with Bigtable out of the objects of the release build, which takes half a
# minute, and lets it serve on Google's emulator: put, query, kill -9, query, check.
check_bigtable_smoke() {
  local scratch status=0
  local -a CMAKE_OPTIONS=(-DHOURCELL_BIGTABLE_PROGRAM=ON)
  build_preset release hourcell_with_bigtable
  scratch=$(mktemp -d)
  SMOKE_PIDS=()
  smoke_bigtable "$scratch" || status=$?
  if ((${#SMOKE_PIDS[@]} > 0)); then
    kill -9 "${SMOKE_PIDS[@]}" 2>/dev/null || true
    wait "${SMOKE_PIDS[@]}" 2>/dev/null || true
  fi
  if ((status != 0)); then
    tail -n 20 "$scratch"/*.log
  fi
  rm -rf "$scratch"
  return "$status"
}

# smoke_bigtable <folder>: see above. Adds the processes that it starts to SMOKE_PIDS.
smoke_bigtable() {
  local scratch=$1 url answer want='{"1356998400":42,"1356998401":43}'
  local emulator=${HOURCELL_BIGTABLE_EMULATOR:-$GOOGLES_EMULATOR}
  local -a engine=(--tsd.storage.engine=bigtable --tsd.storage.bigtable.project=p
    --tsd.storage.bigtable.instance=i --tsd.storage.bigtable.lease=1000)
  if [[ ! -x $emulator ]]; then
    printf 'no program %s; install google-cloud-cli-bigtable-emulator\n' "$emulator" >&2
    return 1
  fi
  "$emulator" -address "$scratch/socket" >"$scratch/emulator.log" 2>&1 &
  SMOKE_PIDS+=($!)
  local -x BIGTABLE_EMULATOR_HOST=unix:$scratch/socket
  smoke_serve "$scratch/first.log" "${engine[@]}" || return
  url=$(smoke_url "$scratch/first.log")
  for answer in 0 1; do
    curl -sSf -X POST "$url/api/put" -d "{\"metric\":\"m\",\"timestamp\":135699840$answer,
      \"value\":4$((answer + 2)),\"tags\":{\"h\":\"a\"}}" || return
  done
  smoke_query "$url" "$want" || return
  kill -9 "${SMOKE_PIDS[1]}"
  wait "${SMOKE_PIDS[1]}" 2>/dev/null || true
  smoke_serve "$scratch/second.log" "${engine[@]}" || return
  url=$(smoke_url "$scratch/second.log")
  smoke_query "$url" "$want" || return
  build/release/hourcell_with_bigtable fsck --url "$url" >"$scratch/fsck.log" 2>&1
}
GOOGLES_EMULATOR=/usr/lib/google-cloud-sdk/platform/bigtable-emulator/cbtemulator

# smoke_serve <log> <option...>: starts a server on a free port, and waits until it is ready.
smoke_serve() {
  local log=$1 i url
  shift
  build/release/hourcell_with_bigtable serve --port=0 "$@" >"$log" 2>&1 &
  SMOKE_PIDS+=($!)
  for ((i = 0; i < 300; i++)); do
    url=$(smoke_url "$log")
    if [[ -n $url ]] && curl -sf -o "$log.ready" "$url/readyz"; then return 0; fi
    kill -0 $! 2>/dev/null || break
    sleep 0.1
  done
  printf 'the server with Bigtable does not become ready\n' >&2
  return 1
}

# smoke_url <log>: prints where the server listens; nothing before it does.
smoke_url() {
  sed -nE 's/^hourcell .*: listening on [^ ]*:([0-9]+), .*/http:\/\/127.0.0.1:\1/p' "$1" | head -n 1
}

# smoke_query <url> <points>: fails, and prints the answer, if it has other points for ten seconds:
# a server that takes over answers 503 at first.
smoke_query() {
  local answer i
  for ((i = 0; i < 50; i++)); do
    answer=$(curl -sS "$1/api/query?start=1356998400&end=1356998410&m=sum:m")
    if [[ $answer == *"$2"* ]]; then return 0; fi
    sleep 0.2
  done
  printf 'got %s; want %s\n' "$answer" "$2" >&2
  return 1
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

# Checks that no document, comment or help text of the change has more odd English than before:
# scripts/english.
check_english() {
  local base
  base=$(change_base)
  if [[ -z $base ]] || ! git cat-file -e "$base:scripts/english" 2>/dev/null; then
    printf '    nothing to compare with: the commit before the change has no scripts/english\n'
    return 0
  fi
  scripts/english --check "$base"
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
TIDY_EXCLUDED=(--exclude-dir=bigtable)
tidy_source() {
  if [[ -f ${1%.*}.cc ]]; then
    printf '%s\n' "${1%.*}.cc"
  else
    { grep -rlF "${TIDY_EXCLUDED[@]}" --include='*.cc' "#include \"$1\"" "${1%%/*}" || true; } \
      | sort | sed -n 1p
  fi
}

# check_tidy <seed>: runs clang-tidy on the files of the change, on as many as fit into a minute.
# Preset clang builds engine/bigtable only if the change touches it.
check_tidy() {
  local file
  local -a files=()
  if touches_bigtable; then
    TIDY_EXCLUDED=()
  fi
  while read -r file; do
    [[ $file != engine/bigtable/* || ${#TIDY_EXCLUDED[@]} == 0 ]] || continue
    if [[ $file =~ ^(codec|uid|engine|promql|server|bench/lab)/.*\.(h|cc)$ ]]; then
      files+=("$(tidy_source "$file")")
    fi
  done < <(changed_files)
  build_clang_headers
  tidy_files 60 "$1" "${files[@]}"
}

# tidy_files <seconds> <seed> [file...]: runs clang-tidy on as many files as fit into the time, in
# an order that the seed chooses.
tidy_files() {
  local budget_s=$1 seed=$2 begin=$SECONDS file
  local -a checked=() left_out=()
  shift 2
  while read -r file; do
    [[ -n $file ]] || continue
    if ((SECONDS - begin >= budget_s)); then
      left_out+=("$file")
      continue
    fi
    checked+=("$file")
    tidy_in_background "$file"
  done < <(printf '%s\n' "$@" | sort -u | shuf --random-source=<(yes "$seed"))
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

# fuzz_turn <seed>: prints the half of the fuzz targets whose turn it is.
fuzz_turn() {
  fuzz_targets | awk "NR % 2 == $(($1 / 5 % 2))"
}

# check_fuzz <seed> <target...>: fuzzes each target for a second. New inputs go to a scratch folder.
# The input of a finding is kept in build/asan/findings; libFuzzer's last lines name it.
check_fuzz() {
  local target scratch seed=$1
  shift
  scratch=$(mktemp -d)
  for target in "$@"; do
    if ! fuzz_target asan "$target" "$scratch/$target" "$scratch/log" -max_total_time=1 \
        -seed="$seed"; then
      tail -n 60 "$scratch/log"
      return 1
    fi
    printf '    %-18s %s runs in a second\n' "$target" "$(fuzz_executions "$scratch/log")"
  done
  rm -rf "$scratch"
}
