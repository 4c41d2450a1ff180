"""The servers that are compared: how each is started, counted, asked and stopped.

All listen on 127.0.0.1 and keep their files below one directory. An answer to a query has one form
for all of them: {(metric, host or ""): {timestamp in seconds: value}}.
"""

import http.client
import json
import os
import shutil
import signal
import subprocess
import time
import urllib.parse

TICKS = os.sysconf("SC_CLK_TCK")


class Server:
    """A process with its data; subclasses know one product."""

    name = ""
    telnet_port = http_port = api_port = 0
    put_path = "/api/put"
    influx_path = "/write"
    prom_path = "/api/v1/write"
    ready_path = "/"
    forms = ("telnet", "http", "influx", "prom")  # that it takes
    form = "telnet"  # of the points it has

    def __init__(self, program, directory):
        self.program = program
        self.directory = os.path.join(directory, self.name)
        self.data = os.path.join(self.directory, "data")
        self.process = None
        self.connection = None

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
                raise SystemExit(f"{self.name}: ended at once; see {self.directory}/log")
            try:
                if self.call("GET", self.ready_path)[0] // 100 == 2:
                    return
            except OSError:
                pass
            self.connection = None
            time.sleep(0.02)
        raise SystemExit(f"{self.name}: does not answer; see {self.directory}/log")

    def stop(self):
        if self.connection is not None:
            self.connection.close()
            self.connection = None
        if self.process is not None:
            self.process.send_signal(signal.SIGTERM)
            self.process.wait()
            self.process = None

    def wipe(self):
        shutil.rmtree(self.directory, ignore_errors=True)

    def call(self, method, target, body=None, content_type="application/json"):
        """One request on a kept connection: (status, body)."""
        kept = self.connection is not None
        if not kept:
            self.connection = http.client.HTTPConnection("127.0.0.1", self.api_port, timeout=600)
        try:
            self.connection.request(method, target, body, {"Content-Type": content_type})
            response = self.connection.getresponse()
            return response.status, response.read()
        except (http.client.RemoteDisconnected, ConnectionError):
            self.connection = None
            if not kept:
                raise
        # VictoriaMetrics closes a connection that is two minutes old.
        return self.call(method, target, body, content_type)

    def ask(self, request):
        """The body of a request's answer, which must be 2xx; `request` as of the query methods."""
        status, body = self.call(*request)
        if status // 100 != 2:
            raise SystemExit(f"{self.name}: {status} {body[:300]!r} to {request}")
        return body

    def cpu_seconds(self):
        with open(f"/proc/{self.process.pid}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def memory_mb(self):
        """Anonymous memory, which excludes mapped files."""
        with open(f"/proc/{self.process.pid}/status") as file:
            for line in file:
                if line.startswith("RssAnon:"):
                    return int(line.split()[1]) / 1024
        return 0

    def file_bytes(self):
        total = 0
        for folder, _, names in os.walk(self.data):
            total += sum(os.lstat(os.path.join(folder, name)).st_size for name in names)
        return total

    def prepare(self):
        """Before points come: databases and the like."""

    def settle(self):
        """Merges the files for good, as far as the server can be told."""

    def count(self, metrics, start, end):
        """How many points a query finds in [start, end)."""
        raise NotImplementedError

    def request(self, query):
        """A Query (peer_queries.py) as (method, target, body[, content type])."""
        raise NotImplementedError

    def answer(self, query, body):
        """The body in the form of all servers."""
        raise NotImplementedError


class Hourcell(Server):
    name = "hourcell"
    telnet_port = http_port = api_port = 14262
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

    def request(self, query):
        filters = []
        if query.hosts:
            filters = [{"type": "literal_or", "tagk": "host", "filter": "|".join(query.hosts),
                        "groupBy": query.by_host}]
        elif query.by_host:
            filters = [{"type": "wildcard", "tagk": "host", "filter": "*", "groupBy": True}]
        if query.is_last:
            queries = [{"metric": metric} for metric in query.metrics]
            return "POST", "/api/query/last", json.dumps(
                {"queries": queries, "resolveNames": True, "backScan": 0})
        queries = [{"metric": metric, "aggregator": query.function, "filters": filters,
                    "downsample": f"{query.bucket}s-{query.function}"} for metric in query.metrics]
        return "POST", "/api/query", json.dumps(
            {"start": query.start, "end": f"{query.end * 1000 - 1}ms", "queries": queries})

    def answer(self, query, body):
        result = {}
        for series in json.loads(body):
            if query.is_last:
                key = (series["metric"], series["tags"]["host"])
                result[key] = {int(series["timestamp"]) // 1000: float(series["value"])}
            else:
                key = (series["metric"], series["tags"]["host"] if query.by_host else "")
                result[key] = {int(t): float(v) for t, v in series["dps"].items()}
        return result


class VictoriaMetrics(Server):
    name = "victoria"
    telnet_port, http_port, api_port = 14242, 14243, 18428
    ready_path = "/health"

    def command(self):
        # The data is of 2024; a query may touch all of its series.
        return [self.program, f"-storageDataPath={self.data}", "-retentionPeriod=100y",
                f"-httpListenAddr=127.0.0.1:{self.api_port}",
                f"-opentsdbListenAddr=127.0.0.1:{self.telnet_port}",
                f"-opentsdbHTTPListenAddr=127.0.0.1:{self.http_port}",
                "-search.maxUniqueTimeseries=20000000", "-loggerLevel=WARN",
                "-influxMeasurementFieldSeparator=."]

    def settle(self):
        self.call("GET", "/internal/force_flush")
        self.call("GET", "/internal/force_merge")
        before = -1
        while before != (now := self.file_bytes()):
            before = now
            time.sleep(1)

    @staticmethod
    def get(path, **parameters):
        return "GET", f"{path}?{urllib.parse.urlencode({'nocache': 1, **parameters})}", None

    def count(self, metrics, start, end):
        self.call("GET", "/internal/force_flush")  # what came in is found a second later otherwise
        names = "|".join(metric.replace(".", "[.]") for metric in metrics)
        text = f'sum(count_over_time({{__name__=~"{names}"}}[{end - start}s]))'
        result = json.loads(self.ask(self.get("/api/v1/query", query=text, time=end - 0.001)))
        vector = result["data"]["result"]
        return int(float(vector[0]["value"][1])) if vector else 0

    def request(self, query):
        names = "|".join(metric.replace(".", "[.]") for metric in query.metrics)
        hosts = f',host=~"{"|".join(query.hosts)}"' if query.hosts else ""
        selector = f'{{__name__=~"{names}"{hosts}}}'
        if query.is_last:
            text = f"last_over_time({selector}[{query.end - query.start}s]) keep_metric_names"
            return self.get("/api/v1/query", query=text, time=query.end - 0.001)
        by = "__name__,host" if query.by_host else "__name__"
        text = (f"{query.function}({query.function}_over_time({selector}[{query.bucket}s]) "
                f"keep_metric_names) by ({by})")
        # The bucket [t, t+b) of the others is (t-0.001, t+b-0.001] here.
        return self.get("/api/v1/query_range", query=text, step=query.bucket,
                        start=query.start + query.bucket - 0.001, end=query.end - 0.001)

    def answer(self, query, body):
        result = {}
        for series in json.loads(body)["data"]["result"]:
            names = series["metric"]
            key = (names["__name__"], names["host"] if query.by_host or query.is_last else "")
            if query.is_last:
                # An instant query says when it was asked, not when the point was written.
                result[key] = {query.end - query.step: float(series["value"][1])}
            else:
                result[key] = {round(t + 0.001) - query.bucket: float(v)
                               for t, v in series["values"]}
        return result


class InfluxDB(Server):
    name = "influxdb"
    telnet_port = http_port = 14252
    api_port = 18086
    influx_path = "/write?db=opentsdb"
    forms = ("telnet", "http", "influx")
    ready_path = "/ping"

    def command(self):
        path = os.path.join(self.directory, "influxdb.conf")
        with open(path, "w") as file:
            file.write(f"""reporting-enabled = false
bind-address = "127.0.0.1:18088"
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
        before = -1
        while before != (now := self.file_bytes()):
            before = now
            time.sleep(7)

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
            return f'SELECT {function}("{field}") FROM "{measurement}" {rest}'
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

    def request(self, query):
        where = f"WHERE time >= {query.start}s AND time < {query.end}s"
        if query.hosts:
            where += f" AND host =~ /^({'|'.join(query.hosts)})$/"
        if query.is_last:
            return self.select("last", query.metrics, f"{where} GROUP BY host")
        host = ",host" if query.by_host else ""
        function = "mean" if query.function == "avg" else query.function
        return self.select(function, query.metrics,
                           f"{where} GROUP BY time({query.bucket}s){host} fill(none)")

    def answer(self, query, body):
        return {(query.metrics[i], series.get("tags", {}).get("host", "")):
                {t: float(v) for t, v in series["values"]} for i, series in self.series(body)}


def build_load(directory):
    """The load generator, compiled if it is older than its source."""
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "peer_load.cc")
    program = os.path.join(directory, "peer_load")
    if not os.path.exists(program) or os.path.getmtime(program) < os.path.getmtime(source):
        subprocess.run(["g++", "-std=c++20", "-O2", "-pthread", source, "-o", program, "-lfmt",
                        "-lsnappy"], check=True)
    return program


def find_servers(hourcell, directory):
    """Those that are on this machine: {name: Server}. $VICTORIA and $INFLUX are other programs."""
    programs = {
        VictoriaMetrics: os.environ.get("VICTORIA") or shutil.which("victoria-metrics"),
        InfluxDB: os.environ.get("INFLUX") or shutil.which("influxd"),
        Hourcell: hourcell,
    }
    return {kind.name: kind(os.path.abspath(program), directory)
            for kind, program in programs.items() if program}
