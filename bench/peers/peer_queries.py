"""The data sets and the queries: TSBS's shapes, with random hosts and windows from a seed."""

import random
from dataclasses import dataclass, field

START = 1704067200  # as peer_load.cc
STEP = 10
HOUR = 3600
METRICS = ["cpu." + name for name in (
    "usage_user", "usage_system", "usage_idle", "usage_nice", "usage_iowait", "usage_irq",
    "usage_softirq", "usage_steal", "usage_guest", "usage_guest_nice")]


@dataclass
class Dataset:
    hosts: int
    steps: int

    @property
    def points(self):
        return self.hosts * len(METRICS) * self.steps

    @property
    def end(self):
        return START + self.steps * STEP


DATASETS = {
    "tiny": Dataset(hosts=10, steps=720),
    "devops100": Dataset(hosts=100, steps=8640),
    "devops1000": Dataset(hosts=1000, steps=1080),
    "card1m": Dataset(hosts=100_000, steps=5),
}


@dataclass
class Query:
    """`function` of each bucket, and over the series of a metric or of each host of it."""

    metrics: list
    start: int
    end: int
    hosts: list = field(default_factory=list)  # none = all
    function: str = "max"
    bucket: int = 60
    by_host: bool = False
    is_last: bool = False  # the newest point of each series instead
    step: int = STEP


def make_queries(dataset, instances, seed=7):
    """{shape: [Query, ...]}: the same for every server."""
    numbers = random.Random(seed)
    span = dataset.end - START

    def window(length, align):
        length = min(length, max(span // align, 1) * align)
        start = START + numbers.randint(0, max(span - length, 0) // align) * align
        return {"start": start, "end": start + length}

    def hosts(count):
        return [f"host_{i}" for i in numbers.sample(range(dataset.hosts),
                                                    min(count, dataset.hosts))]

    shapes = {
        "single-groupby-1-1-1": lambda: Query(METRICS[:1], hosts=hosts(1), **window(HOUR, 60)),
        "single-groupby-1-1-12": lambda: Query(METRICS[:1], hosts=hosts(1), **window(12 * HOUR, 60)),
        "single-groupby-1-8-1": lambda: Query(METRICS[:1], hosts=hosts(8), **window(HOUR, 60)),
        "single-groupby-5-1-1": lambda: Query(METRICS[:5], hosts=hosts(1), **window(HOUR, 60)),
        "single-groupby-5-8-1": lambda: Query(METRICS[:5], hosts=hosts(8), **window(HOUR, 60)),
        "double-groupby-1": lambda: Query(METRICS[:1], function="avg", bucket=HOUR, by_host=True,
                                          **window(12 * HOUR, HOUR)),
        "double-groupby-5": lambda: Query(METRICS[:5], function="avg", bucket=HOUR, by_host=True,
                                          **window(12 * HOUR, HOUR)),
        "double-groupby-all": lambda: Query(METRICS, function="avg", bucket=HOUR, by_host=True,
                                            **window(12 * HOUR, HOUR)),
        "cpu-max-all-1": lambda: Query(METRICS, hosts=hosts(1), bucket=HOUR,
                                       **window(8 * HOUR, HOUR)),
        "cpu-max-all-8": lambda: Query(METRICS, hosts=hosts(8), bucket=HOUR,
                                       **window(8 * HOUR, HOUR)),
        "lastpoint": lambda: Query(METRICS, start=START, end=dataset.end, is_last=True),
    }
    return {name: [make() for _ in range(instances)] for name, make in shapes.items()}


def difference(left, right):
    """How two answers differ, as text; none if they agree to 1e-9."""
    if left.keys() != right.keys():
        return f"series {sorted(left.keys() ^ right.keys())[:3]}"
    for key, points in left.items():
        others = right[key]
        if points.keys() != others.keys():
            return f"{key}: times {sorted(points.keys() ^ others.keys())[:3]}"
        for time, value in points.items():
            if abs(value - others[time]) > 1e-9 * max(1, abs(value)):
                return f"{key} at {time}: {value} and {others[time]}"
    return None
