"""The sizes of whole stores at rest, by kind of values and interval. Sizes are counts: they do not
depend on what else the machine does."""

import peer_queries
import peer_runs

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


def measure(load, servers, dataset):
    """Bytes a point of each server."""
    return [peer_runs.ingest(load, server, "telnet" if "telnet" in server.forms else "prom",
                             dataset, 1)["bytes"] for server in servers]


def row_of(values, interval, points, sizes):
    """A row of the table: the ratios are of the last server to each of the others."""
    return [values, interval, f"{points:,}", *(f"{size:.3f}" for size in sizes),
            *(f"{sizes[-1] / size:.2f}" for size in sizes[:-1])]


def sizes_table(load, servers, datasets):
    rows = []
    for values, interval, dataset in datasets:
        rows.append(row_of(values, interval, dataset.points, measure(load, servers, dataset)))
        print("  ".join(map(str, rows[-1])), flush=True)
    names = [server.name for server in servers]
    return "\n" + peer_runs.table(["values", "interval, s", "points", *names,
                                   *(f"/ {name}" for name in names[:-1])], rows)
