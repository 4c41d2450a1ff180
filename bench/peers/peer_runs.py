"""One run: a server that is empty gets the points of a data set."""

import json
import subprocess
import threading
import time

import peer_servers


class PeakMemory(threading.Thread):
    """The largest memory of a server until `stop`, sampled every 50 ms."""

    def __init__(self, server):
        super().__init__(daemon=True)
        self.server, self.peak_mb, self.ended = server, 0, threading.Event()
        self.start()

    def run(self):
        is_last = False
        while not is_last:
            is_last = self.ended.wait(0.05)
            self.peak_mb = max(self.peak_mb, self.server.memory_mb())

    def stop(self):
        self.ended.set()
        self.join()
        return self.peak_mb


def send(load, server, form, dataset, connections):
    """Sends the points and waits until a query counts all: a row of results."""
    port = {"telnet": server.telnet_port, "http": server.http_port}.get(form, server.api_port)
    path = {"influx": server.influx_path, "prom": server.prom_path}.get(form, server.put_path)
    process = subprocess.Popen(
        [load, f"--form={form}", f"--port={port}", f"--path={path}",
         f"--connections={connections}", *dataset.load_arguments(), *server.load_arguments],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    if process.stdout.readline() != "ready\n":
        raise peer_servers.ServerError("peer_load: failed to make the points")
    memory = PeakMemory(server)
    cpu, begin = server.cpu_seconds(), time.monotonic()
    try:
        sent = start_sending(process)
        counted = wait_for_count(server, dataset)
    finally:
        peak_mb = memory.stop()
    seconds = time.monotonic() - begin
    if counted != dataset.points:
        raise peer_servers.ServerError(f"{server.name}, {form}: wrong number of points; "
                                       f"expected {dataset.points}, got {counted}")
    row = json.loads(sent)
    return {"rate": dataset.points / seconds / 1e6, "p99_ms": row["p99_ms"],
            "cpu": (server.cpu_seconds() - cpu) / dataset.points * 1e6,
            "memory_mb": peak_mb}


def start_sending(process):
    """Lets peer_load send the points: its row of results."""
    process.stdin.write("\n")
    process.stdin.flush()
    row = process.stdout.readline()
    if process.wait() != 0:
        raise peer_servers.ServerError("peer_load: failed to send the points")
    return row


def wait_for_count(server, dataset, patience_s=30):
    """The count once it is complete, or when it has not grown for `patience_s`."""
    counted, since = -1, time.monotonic()
    while True:
        now = server.count(dataset.metrics, dataset.start, dataset.end)
        if now != counted:
            counted, since = now, time.monotonic()
        if counted >= dataset.points or time.monotonic() - since > patience_s:
            return counted
        time.sleep(0.02)


def ingest(load, server, form, dataset, connections, check=None):
    """Sends the points to the empty server, merges its files, calls `check` of the server and stops
    it: a row of results."""
    server.wipe()
    server.form = form
    server.start()
    try:
        server.prepare()
        row = send(load, server, form, dataset, connections)
        server.settle()
        if check is not None:
            row["check"] = check(server)
    finally:
        server.stop()
    row["bytes"] = server.file_bytes() / dataset.points
    return row


def table(head, rows):
    """In Markdown; columns of numbers are right-aligned."""
    is_number = [str(cell)[:1] in "–0123456789" for cell in rows[0]]
    rule = "|" + "|".join("--:" if number else "---" for number in is_number) + "|"
    lines = ["| " + " | ".join(head) + " |", rule]
    return "\n".join(lines + ["| " + " | ".join(map(str, row)) + " |" for row in rows]) + "\n"
