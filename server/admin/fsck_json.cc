#include "server/admin/fsck_json.h"

#include <algorithm>
#include <iterator>

#include <absl/status/status.h>
#include <fmt/format.h>
#include <simdjson.h>

#include "codec/base/json_writer.h"
#include "codec/base/strings.h"

namespace hourcell {
namespace {

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

// Reads a field if it exists and has this type; the caller decides if it is required.
template <typename T>
bool TakeValue(const simdjson::dom::element& object, std::string_view name, T* value) {
  return object[name].get(*value) == simdjson::SUCCESS;
}

bool TakeText(const simdjson::dom::element& object, std::string_view name, std::string* value) {
  std::string_view text;
  if (!TakeValue(object, name, &text)) return false;
  *value = text;
  return true;
}

bool TakeFault(std::string_view name, FsckFault* fault) {
  const auto* const found = std::ranges::find(kFsckFaults, name, &FsckFaultName);
  if (found == std::end(kFsckFaults)) return false;
  *fault = *found;
  return true;
}

bool TakeReport(const simdjson::dom::element& object, FsckReport* report) {
  for (const Count& count : kCounts) {
    if (!TakeValue(object, count.name, &(report->*count.value))) return false;
  }
  TakeValue(object, "histograms", &report->histograms);
  TakeValue(object, "wasted_uids", &report->wasted_uids);
  simdjson::dom::object faults;
  simdjson::dom::array examples;
  if (!TakeValue(object, "fixed", &report->fixed) || !TakeValue(object, "faults", &faults) ||
      !TakeValue(object, "examples", &examples)) {
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
  JsonWriter json(out);
  json.OpenObject();
  for (const Count& count : kCounts)
    json.Field(count.name, report.*count.value);
  if (report.histograms > 0) json.Field("histograms", report.histograms);
  if (report.dropped > 0) json.Field("dropped", report.dropped);
  if (report.wasted_uids > 0) json.Field("wasted_uids", report.wasted_uids);
  json.Field("ms", elapsed_ms);
  json.Field("fixed", report.fixed);
  json.Key("faults");
  json.OpenObject();
  for (const auto& [fault, count] : report.counts)
    json.Field(FsckFaultName(fault), count);
  json.CloseObject();
  json.Key("examples");
  json.OpenArray();
  for (const FsckFinding& finding : report.examples) {
    json.OpenObject();
    json.Field("fault", FsckFaultName(finding.fault));
    json.Field("text", finding.text);
    json.CloseObject();
  }
  json.CloseArray();
  json.CloseObject();
}

absl::StatusOr<FsckReport> ParseFsckReport(std::string_view json, int64_t* elapsed_ms) {
  simdjson::dom::parser parser;
  simdjson::dom::element object;
  FsckReport report;
  if (parser.parse(json.data(), json.size()).get(object) == simdjson::SUCCESS &&
      TakeValue(object, "ms", elapsed_ms) && TakeReport(object, &report)) {
    return report;
  }
  return absl::InvalidArgumentError(
      fmt::format("expected the report of a check, got {}", QuoteForMessage(json)));
}

}  // namespace hourcell
