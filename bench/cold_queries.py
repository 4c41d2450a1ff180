#!/usr/bin/env python3
"""The first query after a restart, with an empty page cache: Hourcell beside others.

  bench/cold_queries.py [-s SERVERS] [-d DATASETS] [-n INSTANCES] HARNESS_DIR

Asks the queries of `bench.py query` of the harness (docs/benchmarks.md says what that is) on the
data that `bench/peers.sh` left, with the same RESULTS, PEERS and OURS_CMD. Before each query the
server is stopped, the page cache is emptied, which only root may do, and the server is started
again. Prints a row for each shape: the median time in ms of each server, and the ratio of the last
server's to the first's; then the geometric mean of the ratios.
"""

import argparse
import math
import os
import statistics
import sys


def empty_page_cache():
    os.sync()
    with open("/proc/sys/vm/drop_caches", "w") as file:
        file.write("3\n")


def first_answer_ms(server, query):
    """The time of the query, the first since the server started, in milliseconds."""
    server.stop()
    empty_page_cache()
    server.start()
    status, body, seconds = server.c.call(*server.request(query))
    if status // 100 != 2:
        raise SystemExit(f"{server.name}: {status} {body[:200]!r}")
    return seconds * 1e3


def measure(harness, servers, dataset, instances):
    """The medians of each shape, of each server: {shape: [ms, ...]}."""
    medians = {}
    for server in servers:
        if not harness.use_kept(server, dataset):
            raise SystemExit(f"{server.name}: no data of {dataset.name}; run bench/peers.sh first")
        try:
            for shape, queries in harness.make_queries(dataset, instances).items():
                times = [first_answer_ms(server, query) for query in queries]
                medians.setdefault(shape, []).append(statistics.median(times))
        finally:
            harness.put_back(server, dataset)
    return medians


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-s", "--servers", default="victoria,ours")
    parser.add_argument("-d", "--datasets", default="devops100,devops1000")
    parser.add_argument("-n", "--instances", type=int, default=3)
    parser.add_argument("harness")
    arguments = parser.parse_args()
    sys.path.insert(0, arguments.harness)
    import bench as harness  # of the harness

    servers = [harness.SERVERS[name]() for name in arguments.servers.split(",")]
    ratios = []
    for name in arguments.datasets.split(","):
        shapes = measure(harness, servers, harness.DATASETS[name], arguments.instances)
        for shape, times in shapes.items():
            ratios.append(times[-1] / times[0])
            fields = " | ".join(f"{time:.1f}" for time in times)
            print(f"| {name} | {shape} | {fields} | {ratios[-1]:.2f} |", flush=True)
    mean = math.exp(statistics.mean(math.log(ratio) for ratio in ratios))
    print(f"geometric mean of the ratios: {mean:.2f}")


if __name__ == "__main__":
    main()
