#include "tests/http/load_writer.h"

#include <signal.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <fstream>
#include <string_view>
#include <thread>

#include <fmt/format.h>
#include <simdjson.h>

#include "tests/support/temp_dir.h"

namespace hourcell {
namespace {

constexpr int64_t kStartS = 1356998400;  // 2013-01-01 00:00:00 UTC
constexpr uint64_t kHours = 12;
constexpr uint64_t kStepS = 30;  // few instants, so that they meet again
constexpr uint64_t kBatchBitsMax = 9;

int64_t NumberOf(std::string_view text) {
  int64_t number = -1;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

}  // namespace

// Of one hour, and small more often than large, so that hours are as old as can be when they are
// sealed, and differ in it.
LoadWriter::Batch LoadWriter::NextBatch(uint64_t series) {
  Batch batch;
  const uint64_t size = 1 + random_.Below(uint64_t{1} << random_.Below(kBatchBitsMax));
  const uint64_t hour = random_.Below(kHours);
  for (uint64_t i = 0; i < size; ++i) {
    const uint64_t second = hour * 3600 + random_.Below(3600 / kStepS) * kStepS;
    const Key key{random_.Below(series), kStartS + static_cast<int64_t>(second)};
    if (batch.try_emplace(key, last_value_ + 1).second) ++last_value_;
  }
  return batch;
}

LoadWriter::Batch LoadWriter::SendBatch(uint64_t series) {
  Batch batch = NextBatch(series);
  for (const auto& [key, value] : batch)
    points_[key].since.push_back(value);
  return batch;
}

LoadWriter::Outcome LoadWriter::PutBatch(uint16_t port, uint64_t series) {
  const Batch batch = SendBatch(series);
  const Outcome outcome = protocol_ == Protocol::kHttp     ? PutHttp(port, batch)
                          : protocol_ == Protocol::kInflux ? PutInflux(port, batch)
                          : protocol_ == Protocol::kTelnet ? PutTelnet(port, batch)
                                                           : PutImport(port, batch);
  if (outcome != Outcome::kAcknowledged) return outcome;
  for (const auto& [key, value] : batch) {
    Sent& sent = points_[key];
    if (has_forgotten_) sent.before.insert(sent.before.end(), sent.since.begin(), sent.since.end());
    sent.since.clear();
    sent.acknowledged = value;
  }
  ++acknowledged_;
  return outcome;
}

void LoadWriter::Run(uint16_t port, uint64_t series) {
  constexpr auto kPatience = std::chrono::milliseconds(5);
  while (true) {
    const Outcome outcome = PutBatch(port, series);
    if (outcome == Outcome::kGone || outcome == Outcome::kWrong) return;
    if (outcome == Outcome::kRefused) std::this_thread::sleep_for(kPatience);
  }
}

void LoadWriter::ImportAndKill(const std::string& store, uint64_t series, int64_t after_ms) {
  TempDir directory;
  const std::string file = directory.file("points");
  std::ofstream(file) << Lines(SendBatch(series), "");
  const int code = RunAndKill({"import", "--data", store, file}, after_ms);
  if (code != 0 && code != -SIGKILL) Wrong(fmt::format("import into the store: exit {}", code));
}

void LoadWriter::Forget() {
  has_forgotten_ = true;
  for (auto& [key, sent] : points_) {
    sent.since.insert(sent.since.end(), sent.before.begin(), sent.before.end());
    sent.before.clear();
    sent.acknowledged = 0;
  }
}

int64_t LoadWriter::CountShown(uint16_t port) {
  Batch found;
  return FindAll(port, &found) ? static_cast<int64_t>(found.size()) : -1;
}

LoadWriter::Outcome LoadWriter::Wrong(const std::string& what) {
  if (fault_.empty()) fault_ = fmt::format("{}: {}\n", metric_, what);
  return Outcome::kWrong;
}

LoadWriter::Outcome LoadWriter::PutHttp(uint16_t port, const Batch& batch) {
  std::string body;
  for (const auto& [key, value] : batch) {
    body += fmt::format(R"({}{{"metric":"{}","timestamp":{},"value":{},"tags":{{"s":"{}"}}}})",
                        body.empty() ? "[" : ",", metric_, key.second, value, key.first);
  }
  return OutcomeOf(HttpCall(port, "POST", "/api/put", body + "]"));
}

LoadWriter::Outcome LoadWriter::PutInflux(uint16_t port, const Batch& batch) {
  const size_t separator = metric_.rfind('_');
  std::string body;
  for (const auto& [key, value] : batch) {
    body += fmt::format("{},s={} {}={}i {}\n", metric_.substr(0, separator), key.first,
                        metric_.substr(separator + 1), value, key.second);
  }
  return OutcomeOf(
      HttpCall(port, "POST", "/write?precision=s", body, "Content-Type: text/plain\r\n"));
}

LoadWriter::Outcome LoadWriter::OutcomeOf(const HttpResult& result) {
  if (result.status == 0) return Outcome::kGone;
  if (result.status == 204) return Outcome::kAcknowledged;
  const bool says_when = result.headers.find("\r\nRetry-After: 1") != std::string::npos;
  if (result.status != 503 || !says_when) {
    return Wrong(fmt::format("{}\n{}", result.headers, result.body));
  }
  refusal_ = result.body;
  return Outcome::kRefused;
}

LoadWriter::Outcome LoadWriter::PutTelnet(uint16_t port, const Batch& batch) {
  if (telnet_ == nullptr || telnet_port_ != port) telnet_ = std::make_unique<TcpClient>(port);
  telnet_port_ = port;
  telnet_->Send(Lines(batch, "put ") + "version\n");
  Outcome outcome = Outcome::kAcknowledged;
  // Error lines may come first; the answer to `version` has two lines.
  while (true) {
    const std::string line = telnet_->ReadLines(1);
    if (!line.ends_with('\n')) {
      telnet_.reset();
      return Outcome::kGone;
    }
    if (line.starts_with("Built with ")) return outcome;
    if (line.starts_with("put: HBase error: ")) {
      refusal_ = line;
      outcome = Outcome::kRefused;
    } else if (!line.starts_with("hourcell ")) {
      return Wrong(line);
    }
  }
}

LoadWriter::Outcome LoadWriter::PutImport(uint16_t port, const Batch& batch) {
  const ProgramResult import = RunProgram(
      {"import", "--url", fmt::format("http://127.0.0.1:{}", port), "-"}, Lines(batch, ""));
  if (import.exit_code == 0) return Outcome::kAcknowledged;
  refusal_ = import.err;
  if (import.exit_code != 1) return Wrong(fmt::format("exit {}\n{}", import.exit_code, import.err));
  return HttpCall(port, "GET", "/version").status == 200 ? Outcome::kRefused : Outcome::kGone;
}

std::string LoadWriter::Lines(const Batch& batch, std::string_view command) const {
  std::string lines;
  for (const auto& [key, value] : batch)
    lines += fmt::format("{}{} {} {} s={}\n", command, metric_, key.second, value, key.first);
  return lines;
}

bool LoadWriter::FindAll(uint16_t port, Batch* found) {
  const HttpResult result =
      HttpCall(port, "GET",
               fmt::format("/api/query?start={}&end={}&m=none:{}%7Bs=*%7D", kStartS,
                           kStartS + static_cast<int64_t>(kHours) * 3600, metric_));
  if (result.status == 0) return false;
  // Nothing of the metric was ever stored.
  if (result.status == 400 && result.body.find("No such name") != std::string::npos) return true;
  simdjson::dom::parser parser;
  simdjson::dom::array series;
  if (result.status != 200 || parser.parse(result.body).get(series) != simdjson::SUCCESS) {
    Wrong(fmt::format("query: {} {}", result.status, result.body));
    return false;
  }
  for (const simdjson::dom::element one : series) {
    const auto number = static_cast<uint64_t>(NumberOf(one["tags"]["s"].get_string().value()));
    for (const auto [time, value] : one["dps"].get_object().value()) {
      int64_t integer = -1;
      if (value.get(integer) != simdjson::SUCCESS) Wrong(fmt::format("{}: no integer", time));
      (*found)[{number, NumberOf(time)}] = integer;
    }
  }
  return true;
}

std::string LoadWriter::Settle(uint16_t port) {
  Batch found;
  const bool has_answered = FindAll(port, &found);
  if (!fault_.empty()) return fault_;
  if (!has_answered) return kNoAnswer;
  std::string faults;
  const auto note = [&](const Key& key, std::string_view what, int64_t value) {
    faults += fmt::format("{} s={} at {}: {} {}\n", metric_, key.first, key.second, what, value);
  };
  for (const auto& [key, sent] : points_) {
    if (sent.acknowledged != 0 && !found.contains(key)) note(key, "lost", sent.acknowledged);
  }
  for (const auto& [key, value] : found) {
    const auto sent = points_.find(key);
    if (sent == points_.end()) {
      note(key, "never put, found", value);
    } else if (value != sent->second.acknowledged &&
               std::ranges::find(sent->second.since, value) == sent->second.since.end()) {
      note(key, fmt::format("acknowledged {}, found", sent->second.acknowledged), value);
    }
  }
  if (has_forgotten_) return faults;
  points_.clear();
  for (const auto& [key, value] : found)
    points_[key] = {.acknowledged = value, .since = {}, .before = {}};
  return faults;
}

}  // namespace hourcell
