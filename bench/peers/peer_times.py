"""The times of queries: the same queries to all servers in turns, and the table of a pass."""

import contextlib
import ctypes
import http.client
import math
import os
import signal
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass

import peer_queries
import peer_runs
import peer_servers

ROUNDS_MIN = 3  # even if the time of a pass is over


class BusyLoops:
    """Processes that compute all the time inside `running`. They end with the harness, even if it
    is killed."""

    def __init__(self, count):
        self.processes = [subprocess.Popen([sys.executable, "-c", "while True: pass"],
                                           preexec_fn=end_with_parent) for _ in range(count)]
        self.send(signal.SIGSTOP)

    def send(self, number):
        for process in self.processes:
            process.send_signal(number)

    @contextlib.contextmanager
    def running(self):
        self.send(signal.SIGCONT)
        try:
            yield
        finally:
            self.send(signal.SIGSTOP)

    def close(self):
        self.send(signal.SIGKILL)
        for process in self.processes:
            process.wait()


def end_with_parent():
    pr_set_pdeathsig = 1
    ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGKILL)


@dataclass
class Pass:
    """The queries of all shapes in turns, while `busy` busy loops run."""

    instances: int  # of each shape, unless `seconds` are over before
    busy: int = 0
    seconds: float = math.inf
    cold: bool = False


@dataclass
class Times:
    """Of a pass: {shape: [[(wall ms, CPU ms), ...] of each server]}, and what went wrong."""

    of_shape: dict
    rounds: int
    faults: list


def empty_page_cache():
    os.sync()
    with open("/proc/sys/vm/drop_caches", "w") as file:
        file.write("3\n")


def timed(server, query, cold):
    """The body of the answer, its time and the server's processor time, both in milliseconds: of
    the first query after a start, or of the second of two."""
    request = server.request(query)
    if cold:
        server.stop()
        empty_page_cache()
        server.start()
    else:
        server.ask(request)
    cpu, begin = server.cpu_seconds(), time.perf_counter()
    body = server.ask(request)
    wall_ms = (time.perf_counter() - begin) * 1e3
    return body, wall_ms, (server.cpu_seconds() - cpu) * 1e3


def ask_in_turn(servers, shape, query, cold, loops, times):
    """Sends the query to each server, and compares the answers."""
    first = None
    for server, runs in zip(servers, times.of_shape[shape]):
        if query.rate and not server.rates:
            continue
        try:
            with loops.running():
                body, wall_ms, cpu_ms = timed(server, query, cold)
            answer = server.answer(query, body)
        except (peer_servers.ServerError, OSError, http.client.HTTPException, LookupError,
                ValueError) as error:
            server.disconnect()
            times.faults.append(f"{shape}: {server.name}: {error!r}")
            continue
        runs.append((wall_ms, cpu_ms))
        if query.rate and server.rates != "Prometheus":
            continue
        first = first or (server.name, answer)
        if (what := peer_queries.difference(first[1], answer)) is not None:
            times.faults.append(f"{shape}: different answers of {first[0]} and {server.name}: "
                                f"{what}\n{query}")


def ask_all(servers, dataset, how):
    """The Times of a pass. A round has one query of each shape, so that a pass that runs out of
    time has as many of each."""
    queries = peer_queries.make_queries(dataset, how.instances)
    times = Times({shape: [[] for _ in servers] for shape in queries}, 0, [])
    loops, begin = BusyLoops(how.busy), time.monotonic()
    try:
        while times.rounds < how.instances:
            if times.rounds >= ROUNDS_MIN and time.monotonic() - begin > how.seconds:
                break
            for shape, of_shape in queries.items():
                ask_in_turn(servers, shape, of_shape[times.rounds], how.cold, loops, times)
            times.rounds += 1
    finally:
        loops.close()
    return times


def percentile(values, share):
    return sorted(values)[max(math.ceil(share * len(values)) - 1, 0)]


def geometric_mean(ratios):
    return math.exp(statistics.fmean(map(math.log, ratios))) if ratios else math.nan


def cells_of(of_servers):
    """Of a shape: the cells of wall time and of processor time, each with the ratio of the last
    server to the first at the end, and the two ratios. A server without an answer has a dash."""
    walls = [[wall for wall, _ in runs] for runs in of_servers]
    cpus = [[cpu for _, cpu in runs] for runs in of_servers]
    wall_cells = [f"{statistics.median(each):.2f}, {percentile(each, 0.95):.2f}" if each else "–"
                  for each in walls]
    cpu_cells = [f"{statistics.fmean(each):.2f}" if each else "–" for each in cpus]
    if not walls[0] or not walls[-1]:
        return [*wall_cells, "–", *cpu_cells, "–"], None
    ratios = (statistics.median(walls[-1]) / statistics.median(walls[0]),
              statistics.fmean(cpus[-1]) / statistics.fmean(cpus[0]))
    return [*wall_cells, f"{ratios[0]:.2f}", *cpu_cells, f"{ratios[1]:.2f}"], ratios


def agreement(times):
    count = len(times.faults)
    return "All answers agree." if count == 0 else f"{count} answers are errors or differ."


def query_table(names, busy, of_datasets):
    """The table of the passes while `busy` busy loops run, of {data set: Times}, and the geometric
    means of the ratios."""
    rows, text = [], ""
    for dataset, times in of_datasets.items():
        ratios = []
        for shape, of_servers in times.of_shape.items():
            cells, both = cells_of(of_servers)
            rows.append([dataset, shape, *cells])
            ratios += [both] if both else []
        wall, cpu = (geometric_mean([both[i] for both in ratios]) for i in (0, 1))
        text += (f"\n`{dataset}`, {times.rounds} of each shape: the geometric mean of {names[-1]} "
                 f"/ {names[0]} is {wall:.2f} for wall time and {cpu:.2f} for processor time. "
                 f"{agreement(times)}\n")
    head = ["data set", "shape", *names, "ratio", *(f"CPU: {name}" for name in names),
            "ratio of CPU"]
    title = f"\nQueries with {busy} busy loops, in ms:\n\n" if busy else "\nQueries, in ms:\n\n"
    return title + peer_runs.table(head, rows) + text
