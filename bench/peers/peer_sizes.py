"""The sizes of whole stores at rest, by kind of values and interval. Sizes are counts: they do not
depend on what else the machine does."""

import math
import sys

import peer_queries
import peer_runs
import peer_servers

# The time that the points of a set cover, by interval in seconds: some million points of 1,000
# series, in whole hours or days.
SPANS = {10: 12 * peer_queries.HOUR, 15: 12 * peer_queries.HOUR, 60: 2 * peer_queries.DAY,
         300: 10 * peer_queries.DAY, 3600: 84 * peer_queries.DAY}


def make_datasets(kinds, intervals, hosts, days):
    """[(kind, interval, Dataset)]"""
    sets = []
    for kind in kinds:
        for interval in intervals:
            span = days * peer_queries.DAY if days else SPANS.get(interval, 2 * peer_queries.DAY)
            sets.append((kind, interval, peer_queries.Dataset(
                hosts=hosts, steps=max(int(span // interval), 1), step=interval, values=kind,
                tags=6)))
    return sets


def changed_share(server, sample, dataset):
    """The share of the sample's points that the server does not have with exactly their values."""
    changed = total = 0
    for (metric, tags), points in sample.items():
        stored = server.raw(metric, tags, dataset.start, dataset.end)
        changed += sum(stored.get(time) != value for time, value in points.items())
        total += len(points)
    return changed / total


def measure(load, servers, name, dataset, faults):
    """Of each server: bytes per point, and the share of values that it changed; None without."""
    sample = dataset.sample(load)
    results = []
    for server in servers:
        results.append(None)
        if dataset.end - dataset.start > server.span_max_s:
            continue
        try:
            row = peer_runs.ingest(load, server, server.forms[0], dataset, 1,
                                   lambda server: changed_share(server, sample, dataset))
        except (peer_servers.ServerError, OSError) as error:
            faults.append(f"{name}: {server.name}: {error}")
            continue
        results[-1] = (row["bytes"], row["check"])
    return results


def row_of(values, interval, points, results):
    """A row of the table: the ratios are of the last server to each of the others."""
    cells, ratios = [], []
    results = [result or (math.nan, 0) for result in results]
    for size, share in results:
        cells.append(f"{size:.3f}" + (f" ({share * 100:.2g} % changed)" if share else ""))
        ratios.append(f"{results[-1][0] / size:.2f}")
    return [values, interval, f"{points:,}",
            *(cell.replace("nan", "–") for cell in cells + ratios[:-1])]


def sizes_tables(load, servers, datasets, faults):
    """The table after each data set."""
    rows, names = [], [server.name for server in servers]
    for values, interval, dataset in datasets:
        results = measure(load, servers, f"{values}, {interval} s", dataset, faults)
        rows.append(row_of(values, interval, dataset.points, results))
        print("  ".join(map(str, rows[-1])), file=sys.stderr, flush=True)
        yield peer_runs.table(["values", "interval, s", "points", *names,
                               *(f"/ {name}" for name in names[:-1])], rows)
