// peer_load: sends points to a time-series server: those of hosts, in the form of TSBS's devops
// data, or those of a file.
//
//   peer_load --form=telnet|http|influx|prom --port=PORT --path=PATH [--connections=1]
//             [--batch=1000] [--prometheus-names=1] [--stream=1]
//             [--hosts=100] [--steps=8640] [--step=10] [--tags=10]
//             [--values=integers|decimals|noisy|counters]
//   peer_load --form=telnet|http|prom --port=PORT --path=PATH --file=PATH [...]
//   peer_load --form=lines [...]      prints the points as lines for OpenTSDB's import
//
// Each host has ten metrics, cpu.usage_user to cpu.usage_guest_nice, and the first `tags` of TSBS's
// ten tags. A series has a point each `step` seconds from 2024-01-01 00:00:00 UTC on. The values:
//
//   integers  random walks of 0 to 100 with steps of a normal distribution (deviation 1), as whole
//             numbers: TSBS's cpu-only data
//   decimals  the same walks with two decimals
//   noisy     decimals; one in 360 is the next double, as sums of decimals are: 50.130000000000003
//   counters  whole numbers that rest in 70 % of the steps and grow by 1 to 1,000 in bursts
//
// The same arguments give the same points, with any number of connections. A connection has every
// k-th host. A file has lines for OpenTSDB's import: "metric timestamp value tagk=tagv ...". A
// connection has every k-th series.
//
// All bytes are in memory before it sends any; with --stream=1 it makes each request when it sends
// it. It prints "ready", waits for a line on standard input, sends, and prints an object: points,
// bytes, seconds, and the 50th and 99th percentile of the time of a request in milliseconds (except
// for telnet). On any response except 2xx, and on any reply to a telnet put, it exits with code 1.

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <snappy.h>

namespace {

constexpr int64_t kStartS = 1704067200;  // 2024-01-01 00:00:00 UTC
constexpr std::array<std::string_view, 10> kMetrics = {
    "usage_user", "usage_system",  "usage_idle",  "usage_nice",  "usage_iowait",
    "usage_irq",  "usage_softirq", "usage_steal", "usage_guest", "usage_guest_nice"};
constexpr std::array<std::string_view, 9> kRegions = {
    "us-east-1",      "us-west-1",      "us-west-2",      "eu-west-1", "eu-central-1",
    "ap-southeast-1", "ap-southeast-2", "ap-northeast-1", "sa-east-1"};
constexpr std::array<std::string_view, 3> kSystems = {"Ubuntu16.10", "Ubuntu16.04LTS",
                                                      "Ubuntu15.10"};
constexpr std::array<std::string_view, 2> kArchitectures = {"x64", "x86"};
constexpr std::array<std::string_view, 4> kTeams = {"SF", "NYC", "LON", "CHI"};
constexpr std::array<std::string_view, 3> kEnvironments = {"production", "staging", "test"};
constexpr std::array<std::string_view, 5> kForms = {"telnet", "http", "influx", "prom", "lines"};
constexpr std::array<std::string_view, 4> kKinds = {"integers", "decimals", "noisy", "counters"};

struct Arguments {
  std::string form = "telnet";
  std::string path = "/api/put";
  std::string values = "integers";
  std::string file;  // empty: the points are of hosts
  uint64_t port = 0;
  uint64_t hosts = 100;
  uint64_t steps = 8640;
  uint64_t step_s = 10;
  uint64_t tags = 10;
  uint64_t connections = 1;
  uint64_t batch = 1000;
  uint64_t prometheus_names = 0;  // 1: a metric is cpu_usage_user, as Prometheus requires
  uint64_t stream = 0;
};

[[noreturn]] void Die(std::string_view why) {
  fmt::print(stderr, "peer_load: {}\n", why);
  std::exit(1);
}

uint64_t NumberOf(std::string_view name, std::string_view text) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number == 0) {
    Die(fmt::format("{}: wrong value; expected a number above 0, got \"{}\"", name, text));
  }
  return number;
}

template <size_t kCount>
void CheckWord(std::string_view name,
               const std::array<std::string_view, kCount>& words,
               std::string_view word) {
  if (std::ranges::find(words, word) != words.end()) return;
  Die(fmt::format("{}: unknown; expected one of {}, got \"{}\"", name, fmt::join(words, ", "),
                  word));
}

Arguments ParseArguments(int argc, char** argv) {
  Arguments arguments;
  const std::unordered_map<std::string_view, std::string*> texts = {{"--form", &arguments.form},
                                                                    {"--path", &arguments.path},
                                                                    {"--values", &arguments.values},
                                                                    {"--file", &arguments.file}};
  const std::unordered_map<std::string_view, uint64_t*> numbers = {
      {"--port", &arguments.port},    {"--hosts", &arguments.hosts},
      {"--steps", &arguments.steps},  {"--step", &arguments.step_s},
      {"--tags", &arguments.tags},    {"--connections", &arguments.connections},
      {"--batch", &arguments.batch},  {"--prometheus-names", &arguments.prometheus_names},
      {"--stream", &arguments.stream}};
  for (int i = 1; i < argc; ++i) {
    const std::string_view word(argv[i]);
    const size_t equals = std::min(word.find('='), word.size());
    const std::string_view name = word.substr(0, equals);
    const std::string_view value = word.substr(std::min(equals + 1, word.size()));
    if (const auto text = texts.find(name); text != texts.end()) {
      *text->second = value;
    } else if (const auto number = numbers.find(name); number != numbers.end()) {
      *number->second = NumberOf(name, value);
    } else {
      Die(fmt::format("{}: no such option; expected --name=value", word));
    }
  }
  CheckWord("--form", kForms, arguments.form);
  CheckWord("--values", kKinds, arguments.values);
  if (!arguments.file.empty() && arguments.form == "influx") {
    Die("--form: expected telnet, http or prom with --file, got influx");
  }
  return arguments;
}

// xorshift64*: the same numbers on every machine.
class Numbers {
 public:
  explicit Numbers(uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15U + 1) {}
  // 32 bits.
  uint64_t Next() {
    state_ ^= state_ >> 12U;
    state_ ^= state_ << 25U;
    state_ ^= state_ >> 27U;
    return (state_ * 0x2545F4914F6CDD1DU) >> 32U;
  }
  // Of about the normal distribution with deviation 1: the sum of four uniform numbers.
  double Normal() {
    int64_t sum = -2 * int64_t{0xFFFF};
    for (int i = 0; i < 2; ++i) {
      const uint64_t bits = Next();
      sum += static_cast<int64_t>((bits & 0xFFFFU) + (bits >> 16U));
    }
    return static_cast<double>(sum) * std::sqrt(3.0) / 0x1p16;
  }

 private:
  uint64_t state_;
};

using Tags = std::vector<std::pair<std::string_view, std::string>>;

// The first `count` of TSBS's tags.
Tags TagsOf(uint64_t host, uint64_t count) {
  Numbers numbers(host + 1000003);
  const auto pick = [&](const auto& words) {
    return std::string(words[numbers.Next() % words.size()]);
  };
  const std::string region = pick(kRegions);
  Tags tags = {{"host", fmt::format("host_{}", host)},
               {"region", region},
               {"datacenter", region + "abc"[numbers.Next() % 3]},
               {"rack", fmt::format("{}", numbers.Next() % 100)},
               {"os", pick(kSystems)},
               {"arch", pick(kArchitectures)},
               {"team", pick(kTeams)},
               {"service", fmt::format("{}", numbers.Next() % 20)},
               {"service_version", fmt::format("{}", numbers.Next() % 2)},
               {"service_environment", pick(kEnvironments)}};
  tags.resize(std::min<size_t>(count, tags.size()));
  return tags;
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

std::string PrometheusName(std::string_view name) {
  std::string result(name);
  for (char& c : result) {
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (!is_letter && (c < '0' || c > '9')) c = '_';
  }
  return result;
}

// The text of a series' points: before the time, between time and value, after the value. Of remote
// write, `before` has the labels.
struct Series {
  std::string before;
  std::string between;
  std::string after;
};

// Labels are sorted.
std::string LabelsOf(std::string_view metric, const Tags& tags, bool prometheus_names) {
  Tags labels = tags;
  labels.emplace_back("__name__", prometheus_names ? PrometheusName(metric) : std::string(metric));
  std::ranges::sort(labels);
  std::string result;
  for (const auto& [name, value] : labels) {
    std::string label;
    AppendBytes(1, name, &label);
    AppendBytes(2, value, &label);
    AppendBytes(1, label, &result);
  }
  return result;
}

Series SeriesOf(std::string_view metric, const Tags& tags, const Arguments& arguments) {
  if (arguments.form == "prom") {
    return {.before = LabelsOf(metric, tags, arguments.prometheus_names != 0),
            .between = "",
            .after = ""};
  }
  std::vector<std::string> pairs;
  pairs.reserve(tags.size());
  const bool is_json = arguments.form == "http";
  for (const auto& [key, value] : tags) {
    pairs.push_back(is_json ? fmt::format("\"{}\":\"{}\"", key, value)
                            : fmt::format("{}={}", key, value));
  }
  if (is_json) {
    return {.before = fmt::format("{{\"metric\":\"{}\",\"timestamp\":", metric),
            .between = ",\"value\":",
            .after = fmt::format(",\"tags\":{{{}}}}},", fmt::join(pairs, ","))};
  }
  return {.before = fmt::format("{}{} ", arguments.form == "telnet" ? "put " : "", metric),
          .between = " ",
          .after = fmt::format(" {}\n", fmt::join(pairs, " "))};
}

// A line of InfluxDB has the ten metrics of a host as its fields.
Series InfluxFieldOf(size_t metric, const Tags& tags) {
  Series result;
  if (metric == 0) {
    result.before = "cpu";
    for (const auto& [key, value] : tags)
      result.before += fmt::format(",{}={}", key, value);
  }
  result.between = fmt::format("{}{}=", metric == 0 ? " " : ",", kMetrics[metric]);
  return result;
}

struct Point {
  const Series* series = nullptr;
  int64_t time_s = 0;
  std::string_view value;  // until the next point of its source
  bool may_end_request = true;
};

// A time series of Prometheus' WriteRequest with one sample, as Prometheus sends a scrape.
void AppendTimeSeries(const Point& point, std::string* out) {
  double value = 0;
  std::from_chars(point.value.data(), point.value.data() + point.value.size(), value);
  std::string sample(1, '\x09');  // field 1, eight bytes
  uint64_t bits = std::bit_cast<uint64_t>(value);
  for (int i = 0; i < 8; ++i, bits >>= 8U)
    sample.push_back(static_cast<char>(bits));
  sample.push_back('\x10');  // field 2, a number
  AppendVarint(static_cast<uint64_t>(point.time_s) * 1000, &sample);
  std::string series = point.series->before;
  AppendBytes(2, sample, &series);
  AppendBytes(1, series, out);
}

void AppendPoint(const Point& point, std::string_view form, std::string* out) {
  if (form == "prom") return AppendTimeSeries(point, out);
  out->append(point.series->before);
  if (form != "influx") fmt::format_to(std::back_inserter(*out), "{}", point.time_s);
  out->append(point.series->between).append(point.value).append(point.series->after);
  if (form == "influx" && point.may_end_request) {
    fmt::format_to(std::back_inserter(*out), " {}000000000\n", point.time_s);
  }
}

// The values of one series, as text.
class Values {
 public:
  Values(std::string_view kind, uint64_t seed)
      : kind_(kind),
        numbers_(seed),
        walk_(static_cast<double>(numbers_.Next()) / 0x1p32 * 100),
        counter_(numbers_.Next() % 1'000'000) {}

  std::string_view Next() {
    text_ = kind_ == "counters" ? fmt::format("{}", Count()) : Walk();
    return text_;
  }

 private:
  std::string Walk() {
    const double value = std::exchange(walk_, std::clamp(walk_ + numbers_.Normal(), 0.0, 100.0));
    if (kind_ == "integers") return fmt::format("{}", static_cast<int>(value));
    const auto hundredths = static_cast<int>(std::round(value * 100));
    if (kind_ == "noisy" && numbers_.Next() % 360 == 0) {
      return fmt::format("{}", std::nextafter(hundredths / 100.0, 101.0));
    }
    return fmt::format("{}.{:02}", hundredths / 100, hundredths % 100);
  }

  // A burst has 6 steps and a rest 14, on average: a rest is 70 % of the time.
  uint64_t Count() {
    if (numbers_.Next() % (in_burst_ ? 6 : 14) == 0) in_burst_ = !in_burst_;
    if (in_burst_) counter_ += 1 + numbers_.Next() % 1000;
    return counter_;
  }

  const std::string_view kind_;
  Numbers numbers_;
  double walk_;
  uint64_t counter_;
  bool in_burst_ = false;
  std::string text_;
};

// Points in the order in which they are sent.
class PointSource {
 public:
  PointSource() = default;
  virtual ~PointSource() = default;
  PointSource(const PointSource&) = delete;
  PointSource& operator=(const PointSource&) = delete;
  // False: there are no more.
  virtual bool Next(Point* point) = 0;
};

// The points of every k-th host.
class HostPoints : public PointSource {
 public:
  HostPoints(const Arguments& arguments, uint64_t first) : arguments_(arguments) {
    for (uint64_t host = first; host < arguments.hosts; host += arguments.connections) {
      const Tags tags = TagsOf(host, arguments.tags);
      for (size_t i = 0; i < kMetrics.size(); ++i) {
        series_.push_back(arguments.form == "influx"
                              ? InfluxFieldOf(i, tags)
                              : SeriesOf(fmt::format("cpu.{}", kMetrics[i]), tags, arguments));
        values_.emplace_back(arguments.values, host * kMetrics.size() + i);
      }
    }
  }

  bool Next(Point* point) override {
    if (at_ == series_.size()) {
      at_ = 0;
      ++step_;
    }
    if (step_ == arguments_.steps || series_.empty()) return false;
    *point = {.series = &series_[at_],
              .time_s = kStartS + static_cast<int64_t>(step_ * arguments_.step_s),
              .value = values_[at_].Next(),
              .may_end_request = arguments_.form != "influx" || (at_ + 1) % kMetrics.size() == 0};
    ++at_;
    return true;
  }

 private:
  const Arguments& arguments_;
  std::vector<Series> series_;
  std::vector<Values> values_;
  uint64_t step_ = 0;
  size_t at_ = 0;  // of series_
};

std::string_view TakeWord(std::string_view* text, char end) {
  const std::string_view word = text->substr(0, text->find(end));
  text->remove_prefix(std::min(word.size() + 1, text->size()));
  return word;
}

// The points of every k-th series of a file's lines, which stay in memory.
class FilePoints : public PointSource {
 public:
  FilePoints(std::string_view lines, const Arguments& arguments, uint64_t remainder)
      : lines_(lines), arguments_(arguments), remainder_(remainder) {}

  bool Next(Point* point) override {
    while (!lines_.empty()) {
      std::string_view line = TakeWord(&lines_, '\n');
      if (line.empty()) continue;
      const std::string_view metric = TakeWord(&line, ' ');
      const std::string_view time = TakeWord(&line, ' ');
      point->value = TakeWord(&line, ' ');
      point->time_s = static_cast<int64_t>(NumberOf("timestamp", time));
      const auto [series, is_new] = series_.try_emplace(fmt::format("{} {}", metric, line));
      if (is_new) Add(metric, line, &series->second);
      if (!series->second.is_sent) continue;
      point->series = &series->second.text;
      return true;
    }
    return false;
  }

 private:
  struct SeriesOfFile {
    Series text;
    bool is_sent = false;  // by this connection
  };

  void Add(std::string_view metric, std::string_view pairs, SeriesOfFile* series) {
    Tags tags;
    while (!pairs.empty()) {
      std::string_view pair = TakeWord(&pairs, ' ');
      const std::string_view key = TakeWord(&pair, '=');
      tags.emplace_back(key, pair);
    }
    series->text = SeriesOf(metric, tags, arguments_);
    series->is_sent = (series_.size() - 1) % arguments_.connections == remainder_;
  }

  std::string_view lines_;
  const Arguments& arguments_;
  const uint64_t remainder_;
  std::unordered_map<std::string, SeriesOfFile> series_;
};

// The requests of a connection: bodies of HTTP with their heads, or blocks of lines.
class Requests {
 public:
  Requests(const Arguments& arguments, std::unique_ptr<PointSource> source)
      : arguments_(arguments), source_(std::move(source)) {}

  void MakeAll() {
    std::string request;
    while (Make(&request))
      made_.push_back(std::move(request));
  }

  // False: there are no more.
  bool Next(std::string* request) {
    if (at_ < made_.size()) {
      *request = std::move(made_[at_++]);
    } else if (!Make(request)) {
      return false;
    }
    bytes_ += request->size();
    return true;
  }

  uint64_t points() const { return points_; }
  uint64_t bytes() const { return bytes_; }

 private:
  bool Make(std::string* request) {
    request->clear();
    uint64_t points = 0;
    Point point;
    while (source_->Next(&point)) {
      AppendPoint(point, arguments_.form, request);
      if (++points >= arguments_.batch && point.may_end_request) break;
    }
    points_ += points;
    if (points > 0 && arguments_.form != "telnet" && arguments_.form != "lines") AddHead(request);
    return points > 0;
  }

  void AddHead(std::string* body) const {
    std::string_view type = "text/plain";
    if (arguments_.form == "http") {
      body->back() = ']';
      body->insert(0, "[");
      type = "application/json";
    } else if (arguments_.form == "prom") {
      std::string compressed;
      snappy::Compress(body->data(), body->size(), &compressed);
      *body = std::move(compressed);
      type =
          "application/x-protobuf\r\nContent-Encoding: snappy"
          "\r\nX-Prometheus-Remote-Write-Version: 0.1.0";
    }
    *body = fmt::format(
        "POST {} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {}\r\nContent-Length: {}\r\n\r\n{}",
        arguments_.path, type, body->size(), *body);
  }

  const Arguments& arguments_;
  std::unique_ptr<PointSource> source_;
  std::vector<std::string> made_;
  size_t at_ = 0;  // of made_
  uint64_t points_ = 0;
  uint64_t bytes_ = 0;
};

class Connection {
 public:
  explicit Connection(uint64_t port) : socket_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
      Die(fmt::format("port {}: cannot connect", port));
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

// Sends all requests of a connection. Returns their times in milliseconds, except of telnet.
std::vector<double> Play(const Arguments& arguments, Requests* requests) {
  std::vector<double> times_ms;
  Connection connection(arguments.port);
  std::string request;
  while (requests->Next(&request)) {
    const auto begin = std::chrono::steady_clock::now();
    connection.Send(request);
    if (arguments.form == "telnet") continue;
    connection.WaitFor2xx();
    times_ms.push_back(
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
            .count());
  }
  connection.Finish();
  return times_ms;
}

double Percentile(std::vector<double>* times, double share) {
  if (times->empty()) return 0;
  std::ranges::sort(*times);
  return (*times)[static_cast<size_t>(share * static_cast<double>(times->size() - 1))];
}

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream content;
  if (!file || !(content << file.rdbuf())) Die(fmt::format("{}: cannot be read", path));
  return std::move(content).str();
}

// Calls `work` for each connection, in a thread for each.
void ForEachConnection(const Arguments& arguments, const std::function<void(size_t)>& work) {
  std::vector<std::thread> threads;
  threads.reserve(arguments.connections);
  for (size_t i = 0; i < arguments.connections; ++i)
    threads.emplace_back(work, i);
  for (std::thread& thread : threads)
    thread.join();
}

}  // namespace

int main(int argc, char** argv) {
  const Arguments arguments = ParseArguments(argc, argv);
  const std::string lines = arguments.file.empty() ? "" : ReadFile(arguments.file);
  std::vector<std::unique_ptr<Requests>> requests(arguments.connections);
  ForEachConnection(arguments, [&](size_t i) {
    std::unique_ptr<PointSource> source;
    if (arguments.file.empty()) {
      source = std::make_unique<HostPoints>(arguments, i);
    } else {
      source = std::make_unique<FilePoints>(lines, arguments, i);
    }
    requests[i] = std::make_unique<Requests>(arguments, std::move(source));
    if (arguments.stream == 0) requests[i]->MakeAll();
  });
  if (arguments.form == "lines") {
    std::string lines_of_request;
    while (requests[0]->Next(&lines_of_request))
      fmt::print("{}", lines_of_request);
    return 0;
  }
  fmt::print("ready\n");
  std::fflush(stdout);
  if (std::getchar() == EOF) Die("standard input: closed; expected a line");

  const auto begin = std::chrono::steady_clock::now();
  std::vector<std::vector<double>> times_ms(arguments.connections);
  ForEachConnection(arguments, [&](size_t i) { times_ms[i] = Play(arguments, requests[i].get()); });
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;

  uint64_t points = 0;
  uint64_t bytes = 0;
  std::vector<double> all;
  for (size_t i = 0; i < arguments.connections; ++i) {
    points += requests[i]->points();
    bytes += requests[i]->bytes();
    all.insert(all.end(), times_ms[i].begin(), times_ms[i].end());
  }
  fmt::print(
      "{{\"points\":{},\"bytes\":{},\"seconds\":{:.6f},\"p50_ms\":{:.3f},\"p99_ms\":{:.3f}}}\n",
      points, bytes, taken.count(), Percentile(&all, 0.5), Percentile(&all, 0.99));
}
