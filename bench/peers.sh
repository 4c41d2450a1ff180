#!/usr/bin/env bash
# Hourcell beside VictoriaMetrics and InfluxDB: the same points over as many connections, in turns,
# on this machine. The harness is not part of the project: docs/benchmarks.md says what is in it.
#
#   bench/peers.sh [-d DATASETS] [-t TRANSPORTS] [-s SERVERS] [-r REPEATS] [-o RESULTS] HARNESS_DIR
#
#   -d  devops100,devops1000,card1m             data sets
#   -t  telnet1,telnet2,telnet4,http1,http2     ways in
#   -s  victoria,influx,ours                    servers
#   -r  3                                       runs of each; the report has their medians
#   -o  build/peers                             results.jsonl (added to), summary.json, tables.md
#
# The servers' files go to $PEERS, by default beside the results. $HOURCELL is the program to
# measure, by default build/release/hourcell, which is built if it is missing (not if it is old).
# With the defaults it takes hours; `-d tiny -t telnet1,http1 -r 1` takes a minute or two, and shows
# that everything works.
set -euo pipefail
caller=$PWD
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/lib/common.sh

usage() {
  sed -n '/^#   bench/,/^# that everything/s/^# \{0,1\}//p' bench/peers.sh >&2
  exit 2
}

# absolute <path>: as the caller's directory has it.
absolute() {
  case $1 in
    /*) printf '%s\n' "$1" ;;
    *) printf '%s/%s\n' "$caller" "$1" ;;
  esac
}

datasets=devops100,devops1000,card1m
transports=telnet1,telnet2,telnet4,http1,http2
servers=victoria,influx,ours
repeats=3
results=$PWD/build/peers
while getopts d:t:s:r:o: option; do
  case $option in
    d) datasets=$OPTARG ;;
    t) transports=$OPTARG ;;
    s) servers=$OPTARG ;;
    r) repeats=$OPTARG ;;
    o) results=$(absolute "$OPTARG") ;;
    *) usage ;;
  esac
done
shift $((OPTIND - 1))
if (($# != 1)); then
  usage
fi

source=$(absolute "$1")
for file in bench.py run_peer.sh gen.cpp sink.cpp; do
  if [[ ! -f $source/$file ]]; then
    printf 'bench/peers.sh: no %s in %s; want the directory of the harness\n' "$file" "$1" >&2
    exit 1
  fi
done

hourcell=$PWD/build/release/hourcell
if [[ -n ${HOURCELL:-} ]]; then
  hourcell=$(absolute "$HOURCELL")
elif [[ ! -x $hourcell ]]; then
  step 'build' build_preset release hourcell
fi
"$hourcell" version

# The harness runs from a copy: it may be read-only, and takes its own folder for its home.
harness=$(mktemp -d)
mkdir -p "$results"
export RESULTS=$results PEERS=${PEERS:-$results/servers}
export OURS_CMD="$hourcell serve --port={PORT} --data={DATA}"
export OURS_FLUSH_PATH='/api/admin/flush?wait' OURS_SETTLE_PATH='/api/admin/compact?wait'

# A run that is cut short leaves no server running.
finish() {
  local status=$? server
  for server in ${servers//,/ }; do
    "$harness/run_peer.sh" "$server" stop >/dev/null 2>&1 || true
  done
  rm -rf "$harness"
  exit "$status"
}
trap finish EXIT
cp -R "$source/." "$harness/"
chmod -R u+w "$harness"
chmod u+x "$harness/run_peer.sh"

bench() {
  python3 "$harness/bench.py" "$@"
}

bench build
bench data -d "$datasets"
bench ingest -s "$servers" -d "$datasets" -t "$transports" -r "$repeats"
bench report >/dev/null
cat "$RESULTS/tables.md"
