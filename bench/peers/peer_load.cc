// peer_load: sends points of hosts in the form of TSBS's devops data to a time-series server.
//
//   peer_load --form=telnet|http|influx|prom --port=PORT --path=PATH [--hosts=100] [--steps=8640]
//             [--connections=1] [--batch=1000]
//
// Each host has ten metrics, cpu.usage_user to cpu.usage_guest_nice, with the tags host, region and
// rack; a point each 10 s from 2024-01-01 00:00:00 UTC on. The values are whole numbers of 0 to
// 100, each a random walk. The same arguments give the same bytes. A connection has every k-th
// host.
//
// All bytes are in memory before it sends any: it prints "ready", waits for a line on standard
// input, sends, and prints an object: points, bytes, seconds, and the 50th and 99th percentile of
// the time of a request in milliseconds (all but telnet). On any response except 2xx, and on any
// reply to a telnet put, it exits with code 1.

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <snappy.h>

namespace {

constexpr int64_t kStartS = 1704067200;  // 2024-01-01 00:00:00 UTC
constexpr int64_t kStepS = 10;
constexpr std::array<std::string_view, 10> kMetrics = {
    "usage_user", "usage_system",  "usage_idle",  "usage_nice",  "usage_iowait",
    "usage_irq",  "usage_softirq", "usage_steal", "usage_guest", "usage_guest_nice"};
constexpr std::array<std::string_view, 4> kRegions = {"eu-west-1", "us-east-1", "us-west-2",
                                                      "ap-southeast-1"};

struct Arguments {
  std::string form = "telnet";
  std::string path = "/api/put";
  int port = 0;
  uint64_t hosts = 100;
  uint64_t steps = 8640;
  uint64_t connections = 1;
  uint64_t batch = 1000;
};

[[noreturn]] void Die(std::string_view why) {
  fmt::print(stderr, "peer_load: {}\n", why);
  std::exit(1);
}

uint64_t NumberOf(std::string_view text) {
  const std::string digits(text);
  char* end = nullptr;
  const uint64_t number = std::strtoull(digits.c_str(), &end, 10);
  if (digits.empty() || *end != '\0' || number == 0) Die(fmt::format("no number: {}", text));
  return number;
}

Arguments ParseArguments(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word(argv[i]);
    const size_t equals = word.find('=');
    if (equals == std::string_view::npos) Die(fmt::format("expected --name=value, got {}", word));
    const std::string_view name = word.substr(0, equals);
    const std::string_view value = word.substr(equals + 1);
    if (name == "--form") {
      arguments.form = value;
    } else if (name == "--path") {
      arguments.path = value;
    } else if (name == "--port") {
      arguments.port = static_cast<int>(NumberOf(value));
    } else if (name == "--hosts") {
      arguments.hosts = NumberOf(value);
    } else if (name == "--steps") {
      arguments.steps = NumberOf(value);
    } else if (name == "--connections") {
      arguments.connections = NumberOf(value);
    } else if (name == "--batch") {
      arguments.batch = NumberOf(value);
    } else {
      Die(fmt::format("no such argument: {}", word));
    }
  }
  constexpr std::array<std::string_view, 4> kForms = {"telnet", "http", "influx", "prom"};
  if (std::ranges::find(kForms, arguments.form) == kForms.end()) {
    Die("--form: expected telnet, http, influx or prom");
  }
  return arguments;
}

// xorshift64*: the same numbers on every machine.
class Numbers {
 public:
  explicit Numbers(uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15U + 1) {}
  uint64_t Next() {
    state_ ^= state_ >> 12U;
    state_ ^= state_ << 25U;
    state_ ^= state_ >> 27U;
    return (state_ * 0x2545F4914F6CDD1DU) >> 32U;
  }

 private:
  uint64_t state_;
};

// A point of a metric of a host.
struct Point {
  size_t metric = 0;  // of kMetrics
  uint64_t host = 0;
  int64_t time_s = 0;
  int value = 0;
};

bool EndsLine(const Point& point) {
  return point.metric + 1 == kMetrics.size();
}

std::string_view RegionOf(uint64_t host) {
  return kRegions[host % kRegions.size()];
}

// Protocol Buffers: a number, and a field whose value has a length.
void AppendVarint(uint64_t number, std::string* out) {
  for (; number >= 0x80; number >>= 7U)
    out->push_back(static_cast<char>(number | 0x80U));
  out->push_back(static_cast<char>(number));
}

void AppendBytes(uint64_t field, std::string_view bytes, std::string* out) {
  AppendVarint(field << 3U | 2U, out);
  AppendVarint(bytes.size(), out);
  out->append(bytes);
}

// A time series of Prometheus' WriteRequest with one sample, as Prometheus sends a scrape. Labels
// are sorted.
void AppendSeries(const Point& point, std::string* out) {
  const std::array<std::pair<std::string_view, std::string>, 4> labels = {
      {{"__name__", fmt::format("cpu.{}", kMetrics[point.metric])},
       {"host", fmt::format("host_{}", point.host)},
       {"rack", fmt::format("{}", point.host % 20)},
       {"region", std::string(RegionOf(point.host))}}};
  std::string series;
  for (const auto& [name, value] : labels) {
    std::string label;
    AppendBytes(1, name, &label);
    AppendBytes(2, value, &label);
    AppendBytes(1, label, &series);
  }
  std::string sample(1, '\x09');  // field 1, eight bytes
  uint64_t bits = std::bit_cast<uint64_t>(static_cast<double>(point.value));
  for (int i = 0; i < 8; ++i, bits >>= 8U)
    sample.push_back(static_cast<char>(bits));
  sample.push_back('\x10');  // field 2, a number
  AppendVarint(static_cast<uint64_t>(point.time_s) * 1000, &sample);
  AppendBytes(2, sample, &series);
  AppendBytes(1, series, out);
}

void AppendPoint(const Point& point, std::string_view form, std::string* out) {
  if (form == "prom") return AppendSeries(point, out);
  auto at = std::back_inserter(*out);
  const std::string_view metric = kMetrics[point.metric];
  const uint64_t rack = point.host % 20;
  if (form == "telnet") {
    fmt::format_to(at, "put cpu.{} {} {} host=host_{} region={} rack={}\n", metric, point.time_s,
                   point.value, point.host, RegionOf(point.host), rack);
  } else if (form == "http") {
    fmt::format_to(at,
                   "{{\"metric\":\"cpu.{}\",\"timestamp\":{},\"value\":{},\"tags\":{{"
                   "\"host\":\"host_{}\",\"region\":\"{}\",\"rack\":\"{}\"}}}},",
                   metric, point.time_s, point.value, point.host, RegionOf(point.host), rack);
  } else {
    // A line has the ten metrics of a host as its fields.
    if (point.metric == 0) {
      fmt::format_to(at, "cpu,host=host_{},region={},rack={} ", point.host, RegionOf(point.host),
                     rack);
    }
    fmt::format_to(at, "{}{}={}", point.metric == 0 ? "" : ",", metric, point.value);
    if (EndsLine(point)) fmt::format_to(at, " {}000000000\n", point.time_s);
  }
}

// The data of a connection: requests, or one block of lines.
class Script {
 public:
  explicit Script(const Arguments& arguments) : arguments_(arguments) {}

  void Add(const Point& point) {
    AppendPoint(point, arguments_.form, &body_);
    ++points_;
    const bool may_end = arguments_.form != "influx" || EndsLine(point);
    if (++in_body_ >= arguments_.batch && may_end) EndRequest();
  }
  void EndRequest() {
    if (in_body_ == 0) return;
    if (arguments_.form == "telnet") {
      requests_.push_back(std::move(body_));
    } else {
      requests_.push_back(HttpRequest());
    }
    body_.clear();
    in_body_ = 0;
  }

  const std::vector<std::string>& requests() const { return requests_; }
  uint64_t points() const { return points_; }

 private:
  // Of the points in the body.
  std::string HttpRequest() {
    std::string_view type = "text/plain";
    if (arguments_.form == "http") {
      body_.back() = ']';
      body_.insert(0, "[");
      type = "application/json";
    } else if (arguments_.form == "prom") {
      std::string compressed;
      snappy::Compress(body_.data(), body_.size(), &compressed);
      body_ = std::move(compressed);
      type =
          "application/x-protobuf\r\nContent-Encoding: snappy"
          "\r\nX-Prometheus-Remote-Write-Version: 0.1.0";
    }
    return fmt::format(
        "POST {} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {}\r\nContent-Length: {}\r\n\r\n{}",
        arguments_.path, type, body_.size(), body_);
  }

  const Arguments& arguments_;
  std::vector<std::string> requests_;
  std::string body_;
  uint64_t in_body_ = 0;
  uint64_t points_ = 0;
};

std::vector<Script> MakeScripts(const Arguments& arguments) {
  std::vector<Script> scripts(arguments.connections, Script(arguments));
  std::vector<int> values(arguments.hosts * kMetrics.size());
  Numbers numbers(arguments.hosts);
  for (int& value : values)
    value = static_cast<int>(numbers.Next() % 101);
  for (uint64_t step = 0; step < arguments.steps; ++step) {
    for (uint64_t host = 0; host < arguments.hosts; ++host) {
      for (size_t i = 0; i < kMetrics.size(); ++i) {
        int& value = values[host * kMetrics.size() + i];
        value = std::clamp(value + static_cast<int>(numbers.Next() % 7) - 3, 0, 100);
        scripts[host % scripts.size()].Add({.metric = i,
                                            .host = host,
                                            .time_s = kStartS + static_cast<int64_t>(step) * kStepS,
                                            .value = value});
      }
    }
  }
  for (Script& script : scripts)
    script.EndRequest();
  return scripts;
}

class Connection {
 public:
  explicit Connection(int port) : socket_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
      Die(fmt::format("cannot connect to port {}", port));
    }
    const int on = 1;
    setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  }
  ~Connection() { close(socket_); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void Send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) Die("the server closed the connection");
      bytes.remove_prefix(static_cast<size_t>(sent));
    }
  }

  // Reads one response: heads are short, and bodies of 2xx are empty or short.
  void WaitFor2xx() {
    std::string answer;
    while (!IsWhole(answer)) {
      std::array<char, 4096> piece = {};
      const ssize_t got = recv(socket_, piece.data(), piece.size(), 0);
      if (got <= 0) Die("the server closed the connection");
      answer.append(piece.data(), static_cast<size_t>(got));
    }
    if (!answer.starts_with("HTTP/1.1 2")) Die(answer.substr(0, 300));
  }

  // Shuts down its sending side, and waits until the server has read everything and closes, too.
  void Finish() {
    shutdown(socket_, SHUT_WR);
    std::array<char, 4096> piece = {};
    const ssize_t got = recv(socket_, piece.data(), piece.size(), 0);
    if (got > 0) Die(std::string(piece.data(), static_cast<size_t>(got)));
  }

 private:
  static bool IsWhole(std::string_view answer) {
    const size_t head = answer.find("\r\n\r\n");
    if (head == std::string_view::npos) return false;
    constexpr std::string_view kLength = "Content-Length: ";
    const size_t length = answer.substr(0, head).find(kLength);
    if (length == std::string_view::npos) return true;  // 204
    const uint64_t bytes =
        std::strtoull(std::string(answer.substr(length + kLength.size(), 12)).c_str(), nullptr, 10);
    return answer.size() >= head + 4 + bytes;
  }

  const int socket_;
};

// Appends the times of its requests, in milliseconds.
void Play(const Script& script, const Arguments& arguments, std::vector<double>* times_ms) {
  Connection connection(arguments.port);
  for (const std::string& request : script.requests()) {
    const auto begin = std::chrono::steady_clock::now();
    connection.Send(request);
    if (arguments.form == "telnet") continue;
    connection.WaitFor2xx();
    times_ms->push_back(
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
            .count());
  }
  connection.Finish();
}

double Percentile(std::vector<double>* times, double share) {
  if (times->empty()) return 0;
  std::ranges::sort(*times);
  return (*times)[static_cast<size_t>(share * static_cast<double>(times->size() - 1))];
}

}  // namespace

int main(int argc, char** argv) {
  const Arguments arguments = ParseArguments(argc, argv);
  const std::vector<Script> scripts = MakeScripts(arguments);
  uint64_t points = 0;
  uint64_t bytes = 0;
  for (const Script& script : scripts) {
    points += script.points();
    for (const std::string& request : script.requests())
      bytes += request.size();
  }
  fmt::print("ready\n");
  std::fflush(stdout);
  if (std::getchar() == EOF) Die("nobody said go");

  const auto begin = std::chrono::steady_clock::now();
  std::vector<std::vector<double>> times_ms(scripts.size());
  std::vector<std::thread> threads;
  threads.reserve(scripts.size());
  for (size_t i = 0; i < scripts.size(); ++i)
    threads.emplace_back([&, i] { Play(scripts[i], arguments, &times_ms[i]); });
  for (std::thread& thread : threads)
    thread.join();
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;

  std::vector<double> all;
  for (const std::vector<double>& of_one : times_ms)
    all.insert(all.end(), of_one.begin(), of_one.end());
  fmt::print(
      "{{\"points\":{},\"bytes\":{},\"seconds\":{:.6f},\"p50_ms\":{:.3f},\"p99_ms\":{:.3f}}}\n",
      points, bytes, taken.count(), Percentile(&all, 0.5), Percentile(&all, 0.99));
}
