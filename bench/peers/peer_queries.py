"""The data sets and the queries: TSBS's shapes, with random hosts and windows from a seed."""

import gzip
import os
import random
import shutil
import subprocess
from dataclasses import dataclass, field

START = 1704067200  # as peer_load.cc
HOUR = 3600
DAY = 24 * HOUR
METRICS = ["cpu." + name for name in (
    "usage_user", "usage_system", "usage_idle", "usage_nice", "usage_iowait", "usage_irq",
    "usage_softirq", "usage_steal", "usage_guest", "usage_guest_nice")]
KINDS = ["integers", "decimals", "noisy", "counters"]  # of values, as peer_load.cc
IN_MEMORY_MAX = 20_000_000  # points, of some 200 bytes each


@dataclass
class Dataset:
    """Points of hosts, each with ten metrics and a point each `step` seconds."""

    hosts: int
    steps: int
    step: int = 10
    values: str = "integers"
    tags: int = 10

    start = START
    metrics = METRICS

    @property
    def points(self):
        return self.hosts * len(METRICS) * self.steps

    @property
    def end(self):
        return START + self.steps * self.step

    def load_arguments(self):
        arguments = [f"--hosts={self.hosts}", f"--steps={self.steps}", f"--step={self.step}",
                     f"--values={self.values}", f"--tags={self.tags}"]
        return arguments + ["--stream=1"] * (self.points > IN_MEMORY_MAX)

    def sample(self, load):
        """The points of the first host's first metric: read_series' form."""
        lines = subprocess.run([load, "--form=lines", *self.load_arguments(), "--hosts=1"],
                               stdout=subprocess.PIPE, text=True, check=True).stdout
        return read_series(line for line in lines.splitlines() if line.startswith(METRICS[0] + " "))


class FileDataset:
    """The points of a file of OpenTSDB's import lines, `metric timestamp value tagk=tagv ...`, in
    seconds and sorted by time, with one line for a series and a time. `.gz` is unpacked."""

    def __init__(self, path, directory):
        if not os.path.exists(path):
            raise SystemExit(f"{path}: missing; expected a file of OpenTSDB's import lines")
        self.path = path
        if path.endswith(".gz"):
            self.path = os.path.join(directory, "lines")
            with gzip.open(path) as packed, open(self.path, "wb") as file:
                shutil.copyfileobj(packed, file)
        self.points, metrics, first, last = 0, set(), None, 0
        with open(self.path) as lines:
            for line in lines:
                metric, timestamp, _ = line.split(" ", 2)
                metrics.add(metric)
                last = int(timestamp)
                first = last if first is None else first
                self.points += 1
        if self.points == 0:
            raise SystemExit(f"{path}: no points; expected lines of OpenTSDB's import")
        self.start, self.end, self.metrics = first, last + 1, sorted(metrics)

    def load_arguments(self):
        return [f"--file={self.path}"]

    def sample(self, _):
        """All points: read_series' form."""
        with open(self.path) as lines:
            return read_series(lines)


def read_series(lines):
    """{(metric, (tag, ...)): {timestamp: value}} of lines for OpenTSDB's import; a tag is "k=v"."""
    series = {}
    for line in lines:
        metric, timestamp, value, *tags = line.split()
        series.setdefault((metric, tuple(tags)), {})[int(timestamp)] = float(value)
    return series


DATASETS = {
    "tiny": Dataset(hosts=10, steps=720),
    "devops100": Dataset(hosts=100, steps=8640),
    "devops1000": Dataset(hosts=1000, steps=1080),
    "card1m": Dataset(hosts=100_000, steps=5),
}


@dataclass
class Query:
    """`function` of each bucket, and over the series of a metric or of each value of a tag."""

    metrics: list
    start: int
    end: int
    hosts: list = field(default_factory=list)  # none = all
    function: str = "max"
    bucket: int = 60
    by: str = ""  # a tag
    is_last: bool = False  # the newest point of each series instead
    above: float | None = None  # the points of each series above this value instead
    rate: int = 0  # the sum by `by` of PromQL's rates over so many seconds, each `bucket` instead
    step: int = 10

    @property
    def key_tag(self):
        """The tag that tells two series of a metric in the answer apart."""
        return self.by or ("host" if self.is_last or self.above is not None else "")


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

    def single(metrics, count, length, bucket=60, **rest):
        return lambda: Query(METRICS[:metrics], hosts=hosts(count), bucket=bucket,
                             **window(length, bucket), **rest)

    def double(metrics):
        return lambda: Query(METRICS[:metrics], function="avg", bucket=HOUR, by="host",
                             **window(12 * HOUR, HOUR))

    def last_five_minutes():
        end = window(600, 60)["end"]
        return Query(METRICS[:1], start=end - 300, end=end)

    shapes = {
        "single-groupby-1-1-1": single(1, 1, HOUR),
        "single-groupby-1-1-12": single(1, 1, 12 * HOUR),
        "single-groupby-1-8-1": single(1, 8, HOUR),
        "single-groupby-5-1-1": single(5, 1, HOUR),
        "single-groupby-5-8-1": single(5, 8, HOUR),
        "double-groupby-1": double(1),
        "double-groupby-5": double(5),
        "double-groupby-all": double(10),
        "cpu-max-all-1": single(10, 1, 8 * HOUR, bucket=HOUR),
        "cpu-max-all-8": single(10, 8, 8 * HOUR, bucket=HOUR),
        "high-cpu-1": single(1, 1, 12 * HOUR, above=90),
        "high-cpu-all": lambda: Query(METRICS[:1], above=90, **window(12 * HOUR, 60)),
        "lastpoint": lambda: Query(METRICS, start=START, end=dataset.end, is_last=True),
        "groupby-orderby-limit": last_five_minutes,
        "rate-5m-by-host": lambda: Query(METRICS[:1], rate=300, by="host", **window(DAY, 60)),
        "avg-by-region-1m-12h": lambda: Query(METRICS[:1], function="avg", by="region",
                                              **window(12 * HOUR, 60)),
    }
    made = {name: [make() for _ in range(instances)] for name, make in shapes.items()}
    for queries in made.values():
        for query in queries:
            query.step = dataset.step
    return made


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
