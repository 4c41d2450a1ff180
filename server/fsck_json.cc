#include "server/fsck_json.h"

#include <algorithm>
#include <iterator>

#include <absl/status/status.h>
#include <fmt/format.h>
#include <simdjson.h>

#include "codec/base/strings.h"
#include "server/json_text.h"

namespace hourcell {
namespace {

constexpr FsckState kStates[] = {FsckState::kNone, FsckState::kRunning, FsckState::kDone,
                                 FsckState::kCancelled, FsckState::kFailed};

// A number of a report and its name.
struct Count {
  std::string_view name;
  uint64_t FsckReport::* value;
};
constexpr Count kCounts[] = {{"rows", &FsckReport::rows},
                             {"points", &FsckReport::points},
                             {"annotations", &FsckReport::annotations},
                             {"series", &FsckReport::series},
                             {"mappings", &FsckReport::mappings},
                             {"regions", &FsckReport::regions},
                             {"journal_blocks", &FsckReport::journal_blocks},
                             {"journal_points", &FsckReport::journal_points}};

// Takes what is there and of its type; the caller knows what must be.
template <typename T>
bool Take(const simdjson::dom::element& object, std::string_view name, T* value) {
  return object[name].get(*value) == simdjson::SUCCESS;
}

bool TakeText(const simdjson::dom::element& object, std::string_view name, std::string* value) {
  std::string_view text;
  if (!Take(object, name, &text)) return false;
  *value = text;
  return true;
}

bool TakeFault(std::string_view name, FsckFault* fault) {
  const auto* const found = std::ranges::find(kFsckFaults, name, &FsckFaultName);
  if (found == std::end(kFsckFaults)) return false;
  *fault = *found;
  return true;
}

bool TakeState(std::string_view name, FsckState* state) {
  const auto* const found = std::ranges::find(kStates, name, &FsckStateName);
  if (found == std::end(kStates)) return false;
  *state = *found;
  return true;
}

bool TakeReport(const simdjson::dom::element& object, FsckReport* report) {
  for (const Count& count : kCounts) {
    if (!Take(object, count.name, &(report->*count.value))) return false;
  }
  simdjson::dom::object faults;
  simdjson::dom::array examples;
  if (!Take(object, "fixed", &report->fixed) || !Take(object, "faults", &faults) ||
      !Take(object, "examples", &examples)) {
    return false;
  }
  FsckFault fault = {};
  for (const auto& [name, value] : faults) {
    uint64_t count = 0;
    if (!TakeFault(name, &fault) || value.get(count) != simdjson::SUCCESS) return false;
    report->counts[fault] = count;
  }
  for (const simdjson::dom::element example : examples) {
    std::string name;
    FsckFinding& finding = report->examples.emplace_back();
    if (!TakeText(example, "fault", &name) || !TakeFault(name, &finding.fault) ||
        !TakeText(example, "text", &finding.text)) {
      return false;
    }
  }
  return true;
}

}  // namespace

void AppendFsckReport(const FsckReport& report, int64_t elapsed_ms, std::string* out) {
  out->push_back('{');
  for (const Count& count : kCounts)
    *out += fmt::format("\"{}\":{},", count.name, report.*count.value);
  *out += fmt::format("\"ms\":{},\"fixed\":{},\"faults\":{{", elapsed_ms, report.fixed);
  std::string_view comma;
  for (const auto& [fault, count] : report.counts) {
    *out += fmt::format("{}\"{}\":{}", comma, FsckFaultName(fault), count);
    comma = ",";
  }
  *out += "},\"examples\":[";
  comma = "";
  for (const FsckFinding& finding : report.examples) {
    *out += fmt::format("{}{{\"fault\":\"{}\",\"text\":", comma, FsckFaultName(finding.fault));
    AppendJsonString(finding.text, out);
    out->push_back('}');
    comma = ",";
  }
  *out += "]}";
}

void AppendFsckRun(const FsckRun& run, std::string* out) {
  *out += fmt::format(
      R"({{"id":{},"state":"{}","started_ms":{},"ms":{},"phase":"{}","rows":{},"points":{})",
      run.id, FsckStateName(run.state), run.started_ms, run.elapsed_ms, run.phase, run.rows,
      run.points);
  if (!run.error.empty()) {
    *out += ",\"error\":";
    AppendJsonString(run.error, out);
  }
  if (run.state == FsckState::kDone) {
    *out += ",\"report\":";
    AppendFsckReport(run.report, run.elapsed_ms, out);
  }
  out->push_back('}');
}

absl::StatusOr<FsckRun> ParseFsckRun(std::string_view json) {
  simdjson::dom::parser parser;
  simdjson::dom::element object;
  FsckRun run;
  std::string state;
  if (parser.parse(json.data(), json.size()).get(object) == simdjson::SUCCESS &&
      Take(object, "id", &run.id) && TakeText(object, "state", &state) &&
      TakeState(state, &run.state) && Take(object, "started_ms", &run.started_ms) &&
      Take(object, "ms", &run.elapsed_ms) && TakeText(object, "phase", &run.phase) &&
      Take(object, "rows", &run.rows) && Take(object, "points", &run.points)) {
    TakeText(object, "error", &run.error);
    simdjson::dom::element report;
    const bool is_whole = run.state != FsckState::kDone ||
                          (Take(object, "report", &report) && TakeReport(report, &run.report));
    if (is_whole) return run;
  }
  return absl::InvalidArgumentError(
      fmt::format("got {}; want an object of a check", QuoteForMessage(json)));
}

}  // namespace hourcell
