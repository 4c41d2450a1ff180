#include "server/cli/query/row_source.h"

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <simdjson.h>

#include "codec/base/bytes.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "codec/point.h"
#include "codec/qualifier.h"
#include "codec/value.h"

namespace hourcell {
namespace {

// A row that a server sent.
class SentRow {
 public:
  // kDataLoss: the object is no row, or its bytes are no points.
  absl::Status Read(simdjson::dom::object object) {
    std::string_view key;
    std::string_view qualifiers;
    std::string_view values;
    uint64_t base_s = 0;
    simdjson::dom::object tags;
    if (object["key"].get(key) || object["metric"].get(row_.metric) || object["tags"].get(tags) ||
        object["base"].get(base_s) || object["qualifiers"].get(qualifiers) ||
        object["values"].get(values) || base_s > UINT32_MAX) {
      return absl::DataLossError("a row without all of its fields");
    }
    HOURCELL_ASSIGN_OR_RETURN(key_, FromHex(key));
    HOURCELL_ASSIGN_OR_RETURN(qualifiers_, FromHex(qualifiers));
    HOURCELL_ASSIGN_OR_RETURN(values_, FromHex(values));
    row_.base_time_s = static_cast<uint32_t>(base_s);
    tags_.clear();
    for (const auto [tagk, value] : tags) {
      std::string_view tagv;
      if (value.get(tagv)) return absl::DataLossError("a tag that is no text");
      tags_.push_back({.key = tagk, .value = tagv});
    }
    return ReadPoints();
  }

  // Borrows the object.
  const ScannedRow& row() {
    row_.key = key_;
    row_.qualifiers = qualifiers_;
    row_.values = values_;
    row_.tags = tags_;
    row_.times = times_;
    row_.point_values = point_values_;
    return row_;
  }

 private:
  absl::Status ReadPoints() {
    times_.clear();
    point_values_.clear();
    std::string_view qualifiers(qualifiers_);
    std::string_view values(values_);
    while (!qualifiers.empty()) {
      HOURCELL_ASSIGN_OR_RETURN(const Qualifier qualifier, ParseQualifier(qualifiers));
      if (qualifier.value_size() > values.size()) return absl::DataLossError("too few values");
      HOURCELL_ASSIGN_OR_RETURN(
          const Value value, ParseValue(qualifier.flags, values.substr(0, qualifier.value_size())));
      times_.push_back(
          {.ms = int64_t{row_.base_time_s} * 1000 + qualifier.offset_ms, .is_ms = qualifier.is_ms});
      point_values_.push_back(value);
      qualifiers.remove_prefix(qualifier.encoded_size());
      values.remove_prefix(qualifier.value_size());
    }
    return absl::OkStatus();
  }

  ScannedRow row_;
  std::string key_;
  std::string qualifiers_;
  std::string values_;
  std::vector<TagView> tags_;
  std::vector<Timestamp> times_;
  std::vector<Value> point_values_;
};

std::string ScanTarget(const ScanSpec& spec) {
  std::string target = fmt::format("/api/admin/scan?start={}&end={}", spec.start_ms, spec.end_ms);
  if (!spec.metric.empty()) target += "&metric=" + EscapeParam(spec.metric);
  for (const TagFilterSpec& filter : spec.filters) {
    target += "&tag=" + EscapeParam(fmt::format("{}={}({})", filter.tagk,
                                                FilterTypeName(filter.type), filter.filter));
  }
  return target;
}

// What a line of the answer is.
enum class Sent : uint8_t { kRow, kEnd };

absl::StatusOr<Sent> ReadLine(std::string_view line, simdjson::dom::parser* parser, SentRow* row) {
  simdjson::dom::object object;
  std::string_view error;
  if (parser->parse(line.data(), line.size()).get(object)) {
    return absl::DataLossError(fmt::format("a line that is no row: {}", QuoteForMessage(line)));
  }
  if (object["lines"].error() == simdjson::SUCCESS) return Sent::kEnd;
  if (object["error"].get(error) == simdjson::SUCCESS) {
    return absl::UnavailableError(std::string(error));
  }
  HOURCELL_RETURN_IF_ERROR(row->Read(object));
  return Sent::kRow;
}

absl::Status VisitRowsOfServer(const HttpUrl& url,
                               const std::string& target,
                               const std::function<bool(const ScannedRow&)>& visit) {
  HttpClient client(url);
  simdjson::dom::parser parser;
  SentRow row;
  absl::StatusOr<Sent> last = Sent::kRow;
  bool had_enough = false;
  const auto take = [&](std::string_view line) {
    last = ReadLine(line, &parser, &row);
    had_enough = last.ok() && *last == Sent::kRow && !visit(row.row());
    return last.ok() && !had_enough;
  };
  HOURCELL_ASSIGN_OR_RETURN(const HttpReply reply, client.GetLines(target, take));
  const auto failed = [&client](std::string_view why) {
    return absl::UnavailableError(fmt::format("{}: {}", client.address(), why));
  };
  if (reply.status != kHttpOk) return failed(HttpErrorText(reply));
  if (!last.ok()) return failed(MessageOf(last.status()));
  if (!had_enough && *last != Sent::kEnd) return failed("the answer has no end");
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<VisitRows> OpenRows(const ScanSpec& spec, const RowSourceOptions& options) {
  if (!options.url.empty()) {
    HOURCELL_ASSIGN_OR_RETURN(const HttpUrl url, ParseHttpUrl(options.url, options.trust));
    return VisitRows([url, target = ScanTarget(spec)](const auto& visit) {
      return VisitRowsOfServer(url, target, visit);
    });
  }
  HOURCELL_ASSIGN_OR_RETURN(std::unique_ptr<Tsdb> opened,
                            OpenStore(options.store, StoreUse::kExisting));
  return VisitRows([spec, tsdb = std::shared_ptr<Tsdb>(std::move(opened))](const auto& visit) {
    return tsdb->Scan(spec, visit);
  });
}

}  // namespace hourcell
