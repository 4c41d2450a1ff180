# shellcheck shell=bash
# scripts/start --cluster N: a test server of Cloud Bigtable and N nodes on it, on this machine.
# bash sources this file with the project's root as the working directory, after common.sh.

# start_cluster <nodes> [option of `hourcell serve`...]: builds, starts, and waits until Ctrl-C,
# which stops all of them.
start_cluster() {
  local nodes=$1 port=${HOURCELL_CLUSTER_PORT:-4242} engine_port=${HOURCELL_FAKE_PORT:-8086} i
  local data=$PWD/hourcell-cluster
  shift
  if [[ ! $nodes =~ ^[1-9]$ ]]; then
    printf -- '--cluster: got %s; want a number of nodes from 1 to 9\n' "${nodes:-nothing}" >&2
    exit 2
  fi
  step 'packages' install_packages build test bigtable
  step 'build' build_preset bigtable hourcell hourcell_fake_bigtable
  mkdir -p "$data"
  CLUSTER_PIDS=()
  trap stop_cluster EXIT
  trap 'exit 130' INT TERM

  build/bigtable/tests/hourcell_fake_bigtable "$engine_port" --data "$data/rows" \
    >"$data/engine.log" 2>&1 &
  CLUSTER_PIDS+=($!)
  export BIGTABLE_EMULATOR_HOST=127.0.0.1:$engine_port
  wait_for_port "$engine_port" "$data/engine.log"
  for ((i = 0; i < nodes; i++)); do
    build/bigtable/hourcell serve --tsd.storage.engine=bigtable --tsd.storage.bigtable.project=p \
      --tsd.storage.bigtable.instance=i --port=$((port + i)) "$@" \
      >"$data/node-$((port + i)).log" 2>&1 &
    CLUSTER_PIDS+=($!)
    wait_for_port "$((port + i))" "$data/node-$((port + i)).log"
    printf '    node on port %d: process %d\n' "$((port + i))" "$!"
  done
  describe_cluster "$port" "$nodes" "$data"
  wait
}

# wait_for_port <port> <log>: until something listens on it, or 20 s have passed.
wait_for_port() {
  local i
  for ((i = 0; i < 200; i++)); do
    if nc -z 127.0.0.1 "$1" 2>/dev/null; then return 0; fi
    kill -0 "${CLUSTER_PIDS[-1]}" 2>/dev/null || break
    sleep 0.1
  done
  printf 'nothing listens on port %d:\n' "$1" >&2
  tail -n 5 "$2" >&2
  exit 1
}

stop_cluster() {
  local pid
  # The engine is the first, and ends last.
  for ((pid = ${#CLUSTER_PIDS[@]} - 1; pid >= 0; pid--)); do
    kill "${CLUSTER_PIDS[pid]}" 2>/dev/null || true
    wait "${CLUSTER_PIDS[pid]}" 2>/dev/null || true
  done
}

describe_cluster() {
  local port=$1 last=$(($1 + $2 - 1))
  cat <<END
==> $2 nodes serve on the ports $port to $last; stop them with Ctrl-C. In another terminal:

  who writes        build/bigtable/hourcell cluster status --url http://127.0.0.1:$last
  put to one        echo "put my.metric \$(date +%s) 42 host=\$(hostname)" | nc -N 127.0.0.1 $port
  query another     curl 'http://127.0.0.1:$last/api/query?start=1h-ago&m=sum:my.metric%7Bhost=*%7D'
  kill the writer   kill -9 ${CLUSTER_PIDS[1]}, and query again: another node writes now

The rows are in $3/rows, and what the nodes say is in $3.
END
}
