"""The servers that are compared: how each is started, counted, asked and stopped.

All listen on free ports of 127.0.0.1 and keep their files below one directory. An answer to a query
has one form for all: {(metric, value of Query.key_tag or ""): {timestamp in seconds: value}}.
"""

import http.client
import json
import math
import os
import re
import shutil
import signal
import socket
import subprocess
import time
import urllib.parse

HERE = os.path.dirname(os.path.abspath(__file__))


def free_ports(count):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


class ServerError(Exception):
    """A server does not start, or answers a request with an error."""


class Server:
    """A process with its data; subclasses know one product."""

    name = ""
    put_path = "/api/put"
    influx_path = "/write"
    prom_path = "/api/v1/write"
    ready_path = "/"
    forms = ("telnet", "http", "influx", "prom")  # that it takes
    form = None  # of the points it has
    caches = ()  # folders of the data that it can do without
    load_arguments = []  # more of them for peer_load
    span_max_s = math.inf  # of points that it can take at once
    # How it calculates PromQL's rate: "" = not, "own" = in another way than Prometheus.
    rates = ""

    def __init__(self, program, directory):
        self.program = program
        self.directory = os.path.join(directory, self.name)
        self.data = os.path.join(self.directory, "data")
        self.process = None
        self.connection = None
        self.telnet_port = self.http_port = self.api_port = free_ports(1)[0]

    def command(self):
        raise NotImplementedError

    def start(self):
        os.makedirs(self.data, exist_ok=True)
        with open(os.path.join(self.directory, "log"), "ab") as log:
            self.process = subprocess.Popen(self.command(), stdout=log, stderr=log,
                                            stdin=subprocess.DEVNULL)
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                raise ServerError(f"{self.name}: ended at once; see {self.directory}/log")
            try:
                if self.call("GET", self.ready_path)[0] // 100 == 2:
                    return
            except OSError:
                pass
            self.connection = None
            time.sleep(0.02)
        raise ServerError(f"{self.name}: does not answer; see {self.directory}/log")

    def disconnect(self):
        if self.connection is not None:
            self.connection.close()
            self.connection = None

    def stop(self):
        self.disconnect()
        if self.process is not None:
            self.process.send_signal(signal.SIGTERM)
            self.process.wait()
            self.process = None

    def wipe(self):
        shutil.rmtree(self.directory, ignore_errors=True)

    def call(self, method, target, body=None, content_type="application/json", headers=None):
        """One request on a kept connection: (status, body)."""
        kept = self.connection is not None
        if not kept:
            self.connection = http.client.HTTPConnection("127.0.0.1", self.api_port, timeout=600)
        try:
            self.connection.request(method, target, body,
                                    {"Content-Type": content_type, **(headers or {})})
            response = self.connection.getresponse()
            return response.status, response.read()
        except (http.client.RemoteDisconnected, ConnectionError):
            self.connection = None
            if not kept:
                raise
        # VictoriaMetrics closes a connection that is two minutes old.
        return self.call(method, target, body, content_type, headers)

    def ask(self, request):
        """The body of a request's answer, which must be 2xx; `request` as of the query methods."""
        status, body = self.call(*request)
        if status // 100 != 2:
            raise ServerError(f"{self.name}: {status} {body[:300]!r} to {request}")
        return body

    def cpu_seconds(self):
        """Of all threads, user and system: as in /proc/PID/stat, but not in ticks of 10 ms."""
        clock = (~self.process.pid << 3) | 2  # as clock_getcpuclockid
        return time.clock_gettime(clock)

    def memory_mb(self):
        """Anonymous memory, which excludes mapped files."""
        with open(f"/proc/{self.process.pid}/status") as file:
            for line in file:
                if line.startswith("RssAnon:"):
                    return int(line.split()[1]) / 1024
        return 0

    def file_bytes(self):
        """All files of the data, without caches and without the holes of sparse files."""
        total = 0
        for folder, folders, names in os.walk(self.stored()):
            if folder == self.data:
                folders[:] = [name for name in folders if name not in self.caches]
            for name in names:
                status = os.lstat(os.path.join(folder, name))
                total += min(status.st_size, status.st_blocks * 512)
        return total

    def stored(self):
        """The directory of what counts as its data."""
        return self.data

    def wait_until_still(self, seconds):
        """Waits until the files have had the same size for so long."""
        before = -1
        while before != (now := self.file_bytes()):
            before = now
            time.sleep(seconds)

    def prepare(self):
        """Before points come: databases and the like."""

    def settle(self):
        """Merges the files for good, as far as the server can be told."""

    def count(self, metrics, start, end):
        """How many points a query finds in [start, end)."""
        raise NotImplementedError

    def raw(self, metric, tags, start, end):
        """The points of the series in [start, end): {timestamp: value}. A tag is "k=v"."""
        raise NotImplementedError

    def request(self, query):
        """A Query (peer_queries.py) as (method, target, body[, content type])."""
        raise NotImplementedError

    def answer(self, query, body):
        """The body in the form of all servers."""
        raise NotImplementedError


class Hourcell(Server):
    name = "hourcell"
    ready_path = "/readyz"

    def command(self):
        return [self.program, "serve", f"--port={self.api_port}", f"--data={self.data}",
                "--tsd.influx.separator=."]

    def settle(self):
        self.ask(("POST", "/api/admin/flush?wait", "{}"))
        self.ask(("POST", "/api/admin/compact?wait", "{}"))

    def count(self, metrics, start, end):
        queries = [{"metric": metric, "aggregator": "sum", "downsample": "0all-count"}
                   for metric in metrics]
        body = json.dumps({"start": start, "end": f"{end * 1000 - 1}ms", "queries": queries})
        status, text = self.call("POST", "/api/query", body)
        if status != 200:  # a metric is unknown until its first point is in
            return 0
        return int(sum(sum(series["dps"].values()) for series in json.loads(text)))

    def raw(self, metric, tags, start, end):
        filters = [{"type": "literal_or", "tagk": key, "filter": value, "groupBy": True}
                   for key, value in (tag.split("=", 1) for tag in tags)]
        body = {"start": start, "end": f"{end * 1000 - 1}ms", "queries": [
            {"metric": metric, "aggregator": "none", "filters": filters, "explicitTags": True}]}
        [series] = json.loads(self.ask(("POST", "/api/query", json.dumps(body))))
        return {int(t): float(v) for t, v in series["dps"].items()}

    def request(self, query):
        filters = []
        if query.hosts:
            filters = [{"type": "literal_or", "tagk": "host", "filter": "|".join(query.hosts),
                        "groupBy": query.by == "host"}]
        elif query.by:
            filters = [{"type": "wildcard", "tagk": query.by, "filter": "*", "groupBy": True}]
        if query.is_last:
            queries = [{"metric": metric} for metric in query.metrics]
            return "POST", "/api/query/last", json.dumps(
                {"queries": queries, "resolveNames": True, "backScan": 0})
        how = {"aggregator": query.function, "downsample": f"{query.bucket}s-{query.function}"}
        if query.above is not None:
            how = {"aggregator": "none"}
        queries = [{"metric": metric, "filters": filters, **how} for metric in query.metrics]
        return "POST", "/api/query", json.dumps(
            {"start": query.start, "end": f"{query.end * 1000 - 1}ms", "queries": queries})

    def answer(self, query, body):
        result = {}
        for series in json.loads(body):
            if query.is_last:
                key = (series["metric"], series["tags"]["host"])
                result[key] = {int(series["timestamp"]) // 1000: float(series["value"])}
                continue
            key = (series["metric"], series["tags"][query.key_tag] if query.key_tag else "")
            points = {int(t): float(v) for t, v in series["dps"].items()}
            if query.above is not None:  # OpenTSDB's API has no condition on values
                points = {t: v for t, v in points.items() if v > query.above}
            if points:
                result[key] = points
        return result


class PromqlServer(Server):
    """A server with Prometheus' HTTP API."""

    no_cache = {}  # parameters of a query
    rates = "Prometheus"

    @staticmethod
    def name_of(metric):
        """Its name of a metric."""
        return metric

    def get(self, path, **parameters):
        return "GET", f"{path}?{urllib.parse.urlencode({**self.no_cache, **parameters})}", None

    def count(self, metrics, start, end):
        total = 0
        for metric in metrics:
            text = f'sum(count_over_time({self.selector([metric])}[{end - start}s]))'
            result = json.loads(self.ask(self.get("/api/v1/query", query=text, time=end - 0.001)))
            total += sum(int(float(one["value"][1])) for one in result["data"]["result"])
        return total

    def raw(self, metric, tags, start, end):
        pairs = (tag.split("=", 1) for tag in tags)
        labels = "".join(f',{key}="{value}"' for key, value in pairs)
        text = f'{{__name__="{self.name_of(metric)}"{labels}}}[{end - start}s]'
        body = self.ask(self.get("/api/v1/query", query=text, time=end - 0.001))
        [series] = json.loads(body)["data"]["result"]
        return {int(t): float(v) for t, v in series["values"]}

    def selector(self, metrics, hosts=()):
        names = "|".join(self.name_of(metric).replace(".", "[.]") for metric in metrics)
        hosts = f',host=~"{"|".join(hosts)}"' if hosts else ""
        return f'{{__name__=~"{names}"{hosts}}}'

    def request(self, query):
        selector = self.selector(query.metrics, query.hosts)
        if query.is_last:
            text = self.last_text(selector, query.end - query.start)
            return self.get("/api/v1/query", query=text, time=query.end - 0.001)
        if query.rate:
            return self.get("/api/v1/query_range",
                            query=f"sum by ({query.by}) (rate({selector}[{query.rate}s]))",
                            step=query.bucket, start=query.start, end=query.end - query.bucket)
        if query.above is not None:
            return self.get("/api/v1/query_range", query=f"{selector} > {query.above}",
                            step=query.step, start=query.start, end=query.end - query.step)
        # The bucket [t, t+b) of the others is (t-0.001, t+b-0.001] here.
        return self.get("/api/v1/query_range", query=self.bucket_text(query), step=query.bucket,
                        start=query.start + query.bucket - 0.001, end=query.end - 0.001)

    def last_text(self, selector, seconds):
        raise NotImplementedError

    def bucket_text(self, query):
        raise NotImplementedError

    def answer(self, query, body):
        metrics = {self.name_of(metric): metric for metric in query.metrics}
        result = {}
        for series in json.loads(body)["data"]["result"]:
            labels = series["metric"]
            name = labels.get("__name__") or labels.get("metric") or self.name_of(query.metrics[0])
            key = (metrics[name], labels[query.key_tag] if query.key_tag else "")
            if query.is_last:
                # An instant query has the time of the query, not that of the point.
                result[key] = {query.end - query.step: float(series["value"][1])}
                continue
            is_at_point = query.rate or query.above is not None
            shift = 0 if is_at_point else 0.001 - query.bucket
            result[key] = {round(t + shift): float(v) for t, v in series["values"]}
        return result


class VictoriaMetrics(PromqlServer):
    """A version of VictoriaMetrics."""

    ready_path = "/health"
    no_cache = {"nocache": 1}
    rates = "own"  # without extrapolation
    caches = ("cache", "tmp")  # what it writes when it stops, to be warm after a start

    def __init__(self, program, directory):
        super().__init__(program, directory)
        self.telnet_port, self.http_port, self.api_port = free_ports(3)

    def command(self):
        # The data is of 2024; a query may touch all of its series and points.
        return [self.program, f"-storageDataPath={self.data}", "-retentionPeriod=100y",
                f"-httpListenAddr=127.0.0.1:{self.api_port}",
                f"-opentsdbListenAddr=127.0.0.1:{self.telnet_port}",
                f"-opentsdbHTTPListenAddr=127.0.0.1:{self.http_port}",
                "-search.maxUniqueTimeseries=20000000", "-search.maxSamplesPerQuery=100000000000",
                "-search.maxQueryDuration=10m", "-loggerLevel=WARN",
                "-influxMeasurementFieldSeparator=."]

    def settle(self):
        self.call("GET", "/internal/force_flush")
        time.sleep(6)  # new points get into files after 5 s, and only files are merged
        self.wait_until_idle()
        self.call("GET", "/internal/force_merge")
        time.sleep(0.5)
        self.wait_until_idle()

    def wait_until_idle(self):
        """Waits until it has merged nothing for 1.5 s."""
        since = time.monotonic()
        while time.monotonic() - since < 1.5:
            text = self.ask(("GET", "/metrics")).decode()
            if re.search(r"^vm_(active_(force_)?merges|pending_rows)\b.* [^0]", text, re.MULTILINE):
                since = time.monotonic()
            time.sleep(0.1)

    def count(self, metrics, start, end):
        self.call("GET", "/internal/force_flush")  # what came in is found a second later otherwise
        return super().count(metrics, start, end)

    def last_text(self, selector, seconds):
        return f"last_over_time({selector}[{seconds}s]) keep_metric_names"

    def bucket_text(self, query):
        by = f"__name__,{query.by}" if query.by else "__name__"
        selector = self.selector(query.metrics, query.hosts)
        return (f"{query.function}({query.function}_over_time({selector}[{query.bucket}s]) "
                f"keep_metric_names) by ({by})")


class Victoria179(VictoriaMetrics):
    name = "victoria-1.79"


class Victoria112(VictoriaMetrics):
    name = "victoria-1.112"


class Prometheus(PromqlServer):
    """By remote write only. Its size is that of a snapshot, which has all points in blocks."""

    name = "prometheus-2.42"
    forms = ("prom",)
    ready_path = "/-/ready"
    load_arguments = ["--prometheus-names=1"]
    # It makes a block for two hours, and merges blocks: four years took it more than ten minutes.
    span_max_s = 30 * 86400

    @staticmethod
    def name_of(metric):
        return re.sub("[^a-zA-Z0-9]", "_", metric)

    def command(self):
        path = os.path.join(self.directory, "prometheus.yml")
        with open(path, "w") as file:
            file.write("global: {}\n")
        return [self.program, f"--config.file={path}", f"--storage.tsdb.path={self.data}",
                "--storage.tsdb.retention.time=100y", "--web.enable-remote-write-receiver",
                "--web.enable-admin-api", f"--web.listen-address=127.0.0.1:{self.api_port}",
                "--query.max-samples=100000000000", "--query.timeout=10m", "--log.level=warn"]

    def settle(self):
        """Waits for the blocks that it makes of its head and merges, then makes a snapshot."""
        self.wait_until_still(5)
        self.ask(("POST", "/api/v1/admin/tsdb/snapshot", ""))

    def stored(self):
        snapshots = os.path.join(self.data, "snapshots")
        return snapshots if os.path.exists(snapshots) else self.data

    def last_text(self, selector, seconds):
        return f"last_over_time({selector}[{seconds}s])"

    def bucket_text(self, query):
        # Functions drop the name here, and two series must differ in a label.
        parts = [f'label_replace({query.function}_over_time({self.selector([metric], query.hosts)}'
                 f'[{query.bucket}s]), "metric", "{self.name_of(metric)}", "", "")'
                 for metric in query.metrics]
        by = f"metric,{query.by}" if query.by else "metric"
        return f"{query.function}({' or '.join(parts)}) by ({by})"


class HourcellPromql(Prometheus):
    """Hourcell, asked in PromQL. Its points come by remote write."""

    name = "hourcell-promql"
    ready_path = Hourcell.ready_path
    span_max_s = math.inf
    command = Hourcell.command
    settle = Hourcell.settle
    stored = Server.stored


class InfluxDB(Server):
    name = "influxdb-1.6"
    influx_path = "/write?db=opentsdb"
    forms = ("telnet", "http", "influx")
    ready_path = "/ping"

    def __init__(self, program, directory):
        super().__init__(program, directory)
        self.telnet_port, self.api_port, self.backup_port = free_ports(3)
        self.http_port = self.telnet_port

    def command(self):
        path = os.path.join(self.directory, "influxdb.conf")
        with open(path, "w") as file:
            file.write(f"""reporting-enabled = false
bind-address = "127.0.0.1:{self.backup_port}"
[meta]
  dir = "{self.data}/meta"
[data]
  dir = "{self.data}/data"
  wal-dir = "{self.data}/wal"
  query-log-enabled = false
  max-series-per-database = 0
  max-values-per-tag = 0
  cache-snapshot-write-cold-duration = "5s"
  compact-full-write-cold-duration = "5s"
[monitor]
  store-enabled = false
[http]
  bind-address = "127.0.0.1:{self.api_port}"
  log-enabled = false
[logging]
  level = "warn"
[[opentsdb]]
  enabled = true
  bind-address = "127.0.0.1:{self.telnet_port}"
  database = "opentsdb"
""")
        return [self.program, "run", "-config", path]

    def prepare(self):
        self.ask(self.query("CREATE DATABASE opentsdb"))

    def settle(self):
        self.wait_until_still(7)

    @staticmethod
    def query(text):
        body = urllib.parse.urlencode({"db": "opentsdb", "epoch": "s", "q": text})
        return "POST", "/query", body, "application/x-www-form-urlencoded"

    def select(self, function, metrics, rest):
        """A statement a metric: its measurement and field depend on how the points came."""
        def statement(metric):
            measurement, field = metric.split(".", 1)
            if self.form != "influx":
                measurement, field = metric, "value"
            value = f'{function}("{field}")' if function else f'"{field}"'
            return f'SELECT {value} FROM "{measurement}" {rest.replace("VALUE", field)}'
        return self.query(";".join(map(statement, metrics)))

    @staticmethod
    def series(body):
        """Pairs of the number of a statement and a series of its answer."""
        for i, statement in enumerate(json.loads(body)["results"]):
            for series in statement.get("series", []):
                yield i, series

    def count(self, metrics, start, end):
        request = self.select("count", metrics, f"WHERE time >= {start}s AND time < {end}s")
        return sum(series["values"][0][1] for _, series in self.series(self.ask(request)))

    def raw(self, metric, tags, start, end):
        pairs = (tag.split("=", 1) for tag in tags)
        where = "".join(f""" AND "{key}" = '{value}'""" for key, value in pairs)
        request = self.select("", [metric], f"WHERE time >= {start}s AND time < {end}s{where}")
        [(_, series)] = self.series(self.ask(request))
        return {t: float(v) for t, v in series["values"]}

    def request(self, query):
        where = f"WHERE time >= {query.start}s AND time < {query.end}s"
        if query.hosts:
            where += f" AND host =~ /^({'|'.join(query.hosts)})$/"
        if query.is_last:
            return self.select("last", query.metrics, f"{where} GROUP BY host")
        if query.above is not None:
            return self.select("", query.metrics,
                               f'{where} AND "VALUE" > {query.above} GROUP BY host')
        by = f",{query.by}" if query.by else ""
        function = "mean" if query.function == "avg" else query.function
        return self.select(function, query.metrics,
                           f"{where} GROUP BY time({query.bucket}s){by} fill(none)")

    def answer(self, query, body):
        return {(query.metrics[i], series.get("tags", {}).get(query.key_tag, "")):
                {t: float(v) for t, v in series["values"]} for i, series in self.series(body)}


def build_load(directory):
    """The load generator, compiled if it is older than its source."""
    source = os.path.join(HERE, "peer_load.cc")
    program = os.path.join(directory, "peer_load")
    if not os.path.exists(program) or os.path.getmtime(program) < os.path.getmtime(source):
        subprocess.run(["g++", "-std=c++20", "-O2", "-pthread", source, "-o", program, "-lfmt",
                        "-lsnappy"], check=True)
    return program


PEERS = {Victoria112: "victoria-metrics", Victoria179: "victoria-metrics", Prometheus: "prometheus",
         InfluxDB: "influxd"}
OWN = (HourcellPromql, Hourcell)
NAMES = [kind.name for kind in (*PEERS, *OWN)]


def find_servers(hourcell, directory):
    """{name: Server}: Hourcell, and those that bench/peers/fetch has unpacked in the directory."""
    found = {}
    for kind, program in PEERS.items():
        path = os.path.join(directory, "programs", kind.name, "usr/bin", program)
        if os.path.exists(path):
            found[kind.name] = kind(os.path.abspath(path), directory)
    return {**found, **{kind.name: kind(os.path.abspath(hourcell), directory) for kind in OWN}}
