#include "bench/lab/simulate/input/trace_source.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <utility>

#include <absl/status/status.h>
#include <fmt/format.h>

#include "bench/lab/simulate/input/trace_names.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "codec/rows/row_span.h"
#include "codec/text/point_text.h"
#include "engine/regions/presplit/presplit.h"
#include "engine/regions/region_name.h"

namespace hourcell {
namespace {

class TraceSource final : public PutSource {
 public:
  TraceSource(TraceLines lines, const TraceOptions& options)
      : lines_(std::move(lines)), options_(options), rows_(options.rows_remembered) {}

  // Reads ahead by one put.
  absl::Status Start() {
    HOURCELL_ASSIGN_OR_RETURN(has_first_, Read(&first_));
    start_ms_ = has_first_ ? first_.now_ms : options_.start_ms;
    return absl::OkStatus();
  }

  absl::StatusOr<bool> Next(SourcePut* put) override {
    if (std::exchange(has_first_, false)) {
      *put = first_;
      return true;
    }
    return Read(put);
  }

  uint64_t start_ms() const override { return start_ms_; }
  uint64_t duration_ms() const override { return 0; }

 private:
  absl::StatusOr<bool> Read(SourcePut* put) {
    std::string_view line;
    do {
      HOURCELL_ASSIGN_OR_RETURN(const bool more, lines_(&line));
      if (!more) return false;
      ++line_number_;
    } while (line.empty());
    *put = {};
    const absl::Status status =
        options_.form == TraceForm::kPuts ? ReadPoint(line, put) : ReadKey(line, put);
    if (!status.ok()) return status;
    put->now_ms = std::max(put->now_ms, last_ms_);
    last_ms_ = put->now_ms;
    return true;
  }

  absl::Status Refuse(std::string_view line, std::string_view why) const {
    return absl::InvalidArgumentError(
        fmt::format("line {}: {}: {}", line_number_, why, QuoteForMessage(line)));
  }

  absl::Status ReadPoint(std::string_view line, SourcePut* put) {
    constexpr std::string_view kPut = "put ";
    const bool is_telnet = line.starts_with(kPut);
    if (is_telnet) line.remove_prefix(kPut.size());
    const std::optional<PointError> error =
        text_.Parse(line, is_telnet ? PointSyntax::kTelnet : PointSyntax::kImport, {});
    if (error.has_value()) return Refuse(line, error->text);
    const PointView& point = text_.point();
    HOURCELL_ASSIGN_OR_RETURN(const TraceNames::Series series,
                              names_.Find(point.metric, point.tags));
    const auto time_ms = static_cast<uint64_t>(point.timestamp.ms);
    put->parts = {.tsuid = series.tsuid,
                  .metric_bytes = names_.metric_bytes(),
                  .number = series.number,
                  .time_ms = time_ms};
    put->now_ms = time_ms;
    put->begins_row = rows_.IsNew(series.tsuid, time_ms / kHourSpan.ms());
    return absl::OkStatus();
  }

  // The text before the next tab; `*rest` becomes the text after it, empty at the end.
  static std::string_view TakeField(std::optional<std::string_view>* rest) {
    const std::string_view text = **rest;
    const size_t tab = text.find('\t');
    if (tab == std::string_view::npos) {
      rest->reset();
      return text;
    }
    *rest = text.substr(tab + 1);
    return text.substr(0, tab);
  }

  absl::Status ReadKey(std::string_view line, SourcePut* put) {
    std::optional<std::string_view> rest = line;
    const absl::StatusOr<std::string> key = FromStringBinary(TakeField(&rest));
    if (!key.ok() || key->empty() || key->size() > kSplitKeyBytesMax) {
      return Refuse(line, "no row key; expected printable characters and \\xNN, 1 to 32767 bytes");
    }
    key_ = *key;
    put->key = key_;
    std::optional<uint64_t> time_ms;
    for (uint64_t* const number : {&put->puts, &time_ms.emplace()}) {
      if (!rest.has_value()) {
        if (number != &put->puts) time_ms.reset();
        continue;
      }
      const std::string_view text = TakeField(&rest);
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *number);
      if (error != std::errc() || end != text.data() + text.size()) {
        return Refuse(line, "no number; expected key, puts and milliseconds, with tabs between");
      }
    }
    if (rest.has_value()) return Refuse(line, "more than three fields");
    put->now_ms = time_ms.value_or(options_.start_ms + keys_ * 1'000 / options_.keys_per_s);
    keys_ += put->puts;
    put->parts.time_ms = put->now_ms;
    put->begins_row = rows_.IsNew(key_, 0);
    return absl::OkStatus();
  }

  const TraceLines lines_;
  const TraceOptions options_;
  PointText text_;
  TraceNames names_;
  RecentRows rows_;
  std::string key_;
  SourcePut first_;
  bool has_first_ = false;
  uint64_t start_ms_ = 0;
  uint64_t last_ms_ = 0;
  uint64_t line_number_ = 0;
  uint64_t keys_ = 0;
};

}  // namespace

absl::StatusOr<std::unique_ptr<PutSource>> MakeTrace(TraceLines lines,
                                                     const TraceOptions& options) {
  if (options.keys_per_s == 0) return absl::InvalidArgumentError("trace: got 0 keys a second");
  if (options.rows_remembered == 0) {
    return absl::InvalidArgumentError("trace: expected at least 1, got 0 rows to remember");
  }
  auto trace = std::make_unique<TraceSource>(std::move(lines), options);
  HOURCELL_RETURN_IF_ERROR(trace->Start());
  return trace;
}

}  // namespace hourcell
