#include "server/query/query_writer.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <string_view>

#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/check.h"
#include "codec/base/status_macros.h"
#include "codec/base/stop_watch.h"
#include "codec/text/number.h"
#include "server/query/annotation_json.h"
#include "server/query/query_echo.h"
#include "server/text/json_text.h"

namespace hourcell {
namespace {

// The longest text of an int64: a sign and 19 digits.
constexpr size_t kIntegerBytesMax = 20;
// A time without its last four digits.
constexpr int64_t kLastDigits = 10'000;

// A text of at most 8 bytes, which is copied as a word.
struct FrameText {
  char bytes[8] = {};
  uint8_t size = 0;

  constexpr explicit FrameText(std::string_view text) : size(static_cast<uint8_t>(text.size())) {
    for (size_t i = 0; i < text.size(); ++i)
      bytes[i] = text[i];
  }
};

// A point: comma, bracket, quotes, colon, time, value; and the rest of the last word.
constexpr size_t kWrittenBytesMax =
    8 + kIntegerBytesMax + kJavaDoubleBytesMax + sizeof(FrameText::bytes);

// The text around points and their parts.
struct PointFrame {
  FrameText begin;
  FrameText before_time;  // of the first point
  FrameText between;      // before the time of another
  FrameText before_value;
  FrameText after;
  FrameText end;
};
constexpr PointFrame kObjectFrame = {FrameText("{"),   FrameText("\""), FrameText(",\""),
                                     FrameText("\":"), FrameText(""),   FrameText("}")};
constexpr PointFrame kArrayFrame = {FrameText("["), FrameText("["), FrameText(",["),
                                    FrameText(","), FrameText("]"), FrameText("]")};
constexpr FrameText kNull("null");
constexpr FrameText kNanString("\"NaN\"");

// As BodyWriter::Offer; adds its time to the trace, if any.
absl::Status Offer(BodyWriter* body, QueryTrace* trace) {
  if (trace == nullptr) return body->Offer();
  const StopWatch watch(&trace->send_us);
  return body->Offer();
}

// "00", "01", ... "99".
constexpr std::array<char, 200> kTwoDigits = [] {
  std::array<char, 200> digits = {};
  for (size_t i = 0; i < 100; ++i) {
    digits[2 * i] = static_cast<char>('0' + i / 10);
    digits[2 * i + 1] = static_cast<char>('0' + i % 10);
  }
  return digits;
}();

// Prints points to a body through a separate buffer. It checks the room once a point, and copies
// the text once. The caller keeps the end of the text, in a register; functions that write return
// the new one.
class WrittenPoint {
 public:
  WrittenPoint(BodyWriter* body, QueryTrace* trace) : body_(*body), trace_(trace) {}

  char* begin() { return text_; }

  // True if there is room for kWrittenBytesMax.
  bool HasRoom(const char* end) const {
    return sizeof text_ - static_cast<size_t>(end - text_) >= kWrittenBytesMax;
  }
  // Sends the text; the next one begins at begin().
  absl::Status MakeRoom(const char* end) {
    Flush(end);
    return Offer(&body_, trace_);
  }
  void Flush(const char* end) { body_.buffer().append(text_, static_cast<size_t>(end - text_)); }

  static char* Integer(int64_t value, char* end) {
    return std::to_chars(end, end + kIntegerBytesMax, value).ptr;
  }
  // As Integer. Successive times differ in their last digits, so the text of the first is kept.
  char* Time(int64_t value, char* end) {
    if (value < kLastDigits) return Integer(value, end);
    if (const int64_t first = value / kLastDigits; first != first_digits_) {
      first_digits_ = first;
      first_size_ =
          std::to_chars(first_text_, first_text_ + sizeof first_text_, first).ptr - first_text_;
    }
    std::memcpy(end, first_text_, sizeof first_text_);  // a fixed size is quicker, and fits
    end += first_size_;
    const auto last = static_cast<uint32_t>(value % kLastDigits);
    std::memcpy(end, &kTwoDigits[2 * (last / 100)], 2);
    std::memcpy(end + 2, &kTwoDigits[2 * (last % 100)], 2);
    return end + 4;
  }
  static char* Text(const FrameText& text, char* end) {
    std::memcpy(end, text.bytes, sizeof text.bytes);
    return end + text.size;
  }

 private:
  BodyWriter& body_;
  QueryTrace* const trace_;
  int64_t first_digits_ = -1;  // in first_text_
  ptrdiff_t first_size_ = 0;
  char first_text_[16] = {};
  char text_[8 * 1024];
};

// ["...","..."]
void AppendNames(std::span<const std::string_view> names, std::string* out) {
  out->push_back('[');
  for (size_t i = 0; i < names.size(); ++i) {
    if (i > 0) out->push_back(',');
    AppendJsonString(names[i], out);
  }
  out->push_back(']');
}

absl::Status AppendTsuids(std::span<const std::string_view> tsuids, BodyWriter* body) {
  body->buffer().push_back('[');
  for (size_t i = 0; i < tsuids.size(); ++i) {
    fmt::format_to(std::back_inserter(body->buffer()), "{}\"{}\"", i > 0 ? "," : "",
                   ToUpperHex(tsuids[i]));
    // A group may have a million.
    HOURCELL_RETURN_IF_ERROR(body->Offer());
  }
  body->buffer().push_back(']');
  return absl::OkStatus();
}

// ,"annotations":[...]; nothing without annotations.
void AppendAnnotations(std::string_view name,
                       std::span<const Annotation> annotations,
                       std::string* out) {
  if (annotations.empty()) return;
  fmt::format_to(std::back_inserter(*out), ",\"{}\":", name);
  for (size_t i = 0; i < annotations.size(); ++i) {
    out->push_back(i == 0 ? '[' : ',');
    AppendAnnotation(annotations[i], out);
  }
  out->push_back(']');
}

void AppendStep(std::string_view step, int64_t us, std::string* out) {
  fmt::format_to(std::back_inserter(*out), "{}{{\"step\":\"{}\",\"us\":{}}}",
                 out->back() == '[' ? "" : ",", step, us);
}

void AppendStepOf(size_t query, std::string_view step, int64_t us, std::string* out) {
  fmt::format_to(std::back_inserter(*out), ",{{\"step\":\"{}\",\"query\":{},\"us\":{}}}", step,
                 query, us);
}

}  // namespace

QueryWriter::QueryWriter(const QuerySpec& spec,
                         const QueryPrinting& printing,
                         BodyWriter* body,
                         QueryTrace* trace)
    : spec_(spec),
      printing_(printing),
      body_(*body),
      trace_(trace),
      printed_of_query_(spec.queries.size()) {
  constexpr size_t kUsualBytes = 1024;
  body->buffer().reserve(kUsualBytes);
  if (trace_ != nullptr) trace_->print_us.resize(spec.queries.size());
}

absl::Status QueryWriter::OnBegin(std::span<const Annotation> global_annotations) {
  AppendAnnotations("globalAnnotations", global_annotations, &global_annotations_);
  return absl::OkStatus();
}

absl::Status QueryWriter::OnSeries(const SeriesView& series) {
  if (trace_ == nullptr || series.query_index >= trace_->print_us.size())
    return PrintSeries(series);
  int64_t& print_us = trace_->print_us[series.query_index];
  const int64_t sent_before_us = trace_->send_us;
  absl::Status printed;
  {
    const StopWatch watch(&print_us);
    printed = PrintSeries(series);
  }
  print_us -= trace_->send_us - sent_before_us;
  return printed;
}

absl::Status QueryWriter::PrintSeries(const SeriesView& series) {
  HOURCELL_RETURN_IF_ERROR(AppendHead(series));
  Printed printed;
  HOURCELL_RETURN_IF_ERROR(AppendPoints(series, &printed));
  std::string& out = body_.buffer();
  if (printing_.show_stats) {
    out.append(",\"stats\":{");
    AppendPrinted(printed, &out);
    out.push_back('}');
  }
  out.push_back('}');
  printed_.points += printed.points;
  printed_.nans += printed.nans;
  if (series.query_index < printed_of_query_.size()) {
    printed_of_query_[series.query_index].points += printed.points;
    printed_of_query_[series.query_index].nans += printed.nans;
  }
  return Offer(&body_, trace_);
}

void QueryWriter::Finish(const QueryControl& control, int64_t elapsed_us) {
  if (printing_.explain) {
    BeginElement();
    AppendExplain(control, &body_.buffer());
  }
  if (trace_ != nullptr) {
    BeginElement();
    AppendTrace(*trace_, control, std::chrono::steady_clock::now(), &body_.buffer());
  }
  if (printing_.show_summary) {
    BeginElement();
    AppendSummary(control.cost(), elapsed_us);
  }
  body_.buffer().append(is_empty_ ? "[]" : "]");
}

void QueryWriter::AppendPrinted(const Printed& printed, std::string* out) {
  fmt::format_to(std::back_inserter(*out), "\"emittedDPs\":{},\"nanDPs\":{}", printed.points,
                 printed.nans);
}

void QueryWriter::BeginElement() {
  body_.buffer().push_back(is_empty_ ? '[' : ',');
  is_empty_ = false;
}

// All fields of a series except its points.
absl::Status QueryWriter::AppendHead(const SeriesView& series) {
  std::string& out = body_.buffer();
  out.append(is_empty_ ? "[{\"metric\":" : ",{\"metric\":");
  is_empty_ = false;
  AppendJsonString(series.metric, &out);
  out.append(",\"tags\":{");
  for (size_t i = 0; i < series.tags.size(); ++i) {
    if (i > 0) out.push_back(',');
    AppendJsonPair(series.tags[i].first, series.tags[i].second, &out);
  }
  out.append("},\"aggregateTags\":");
  AppendNames(series.aggregate_tags, &out);
  if (printing_.show_query) {
    HOURCELL_CHECK(series.query_index < spec_.queries.size());
    out.append(",\"query\":");
    AppendSubQueryJson(spec_.queries[series.query_index], series.query_index, &out);
  }
  if (printing_.show_tsuids) {
    out.append(",\"tsuids\":");
    HOURCELL_RETURN_IF_ERROR(AppendTsuids(series.tsuids, &body_));
  }
  AppendAnnotations("annotations", series.annotations, &out);
  out.append(global_annotations_);
  return absl::OkStatus();
}

absl::Status QueryWriter::AppendPoints(const SeriesView& series, Printed* printed) {
  const SpanView& points = series.points;
  const size_t size = points.size();
  const int64_t* const times = points.t.data();
  const uint64_t* const values = points.v.data();
  const uint8_t* const is_float = points.is_float.data();
  const PointFrame& frame = printing_.arrays ? kArrayFrame : kObjectFrame;
  const FrameText& nan = series.nan_as_null ? kNull : kNanString;
  const auto time_of = [times, ms = printing_.ms](size_t i) {
    return ms ? times[i] : times[i] / 1000;
  };
  body_.buffer().append(",\"dps\":");
  WrittenPoint text(&body_, trace_);
  char* end = WrittenPoint::Text(frame.begin, text.begin());
  const FrameText* before_time = &frame.before_time;
  int64_t next_time = size == 0 ? 0 : time_of(0);
  for (size_t i = 0; i < size; ++i) {
    const int64_t time = next_time;
    if (i + 1 < size) {
      next_time = time_of(i + 1);
      if (next_time == time) continue;
    }
    if (!text.HasRoom(end)) {
      HOURCELL_RETURN_IF_ERROR(text.MakeRoom(end));
      end = text.begin();
    }
    ++printed->points;
    end = WrittenPoint::Text(*before_time, end);
    before_time = &frame.between;
    end = text.Time(time, end);
    end = WrittenPoint::Text(frame.before_value, end);
    const double number = std::bit_cast<double>(values[i]);
    if (is_float[i] == 0) {
      end = WrittenPoint::Integer(static_cast<int64_t>(values[i]), end);
    } else if (std::isfinite(number)) {
      end = WriteJavaDouble(number, end);
    } else if (std::isnan(number)) {
      end = WrittenPoint::Text(nan, end);
      ++printed->nans;
    } else {
      return absl::InvalidArgumentError(
          fmt::format("Got Infinity: {} at {} ms", series.metric, times[i]));
    }
    end = WrittenPoint::Text(frame.after, end);
  }
  text.Flush(WrittenPoint::Text(frame.end, end));
  return absl::OkStatus();
}

// {"statsSummary":{...}} of the series printed before.
void QueryWriter::AppendSummary(const QueryCost& cost, int64_t elapsed_us) {
  std::string& out = body_.buffer();
  fmt::format_to(std::back_inserter(out),
                 "{{\"statsSummary\":{{\"rowsFromStorage\":{},\"bytesFromStorage\":{},"
                 "\"rowsSkipped\":{},\"dpsPreFilter\":{},\"series\":{},\"memory\":{},",
                 cost.rows, cost.bytes, cost.rows_skipped, cost.points, cost.series, cost.memory);
  AppendPrinted(printed_, &out);
  out.append(",\"totalTime\":");
  AppendJavaDouble(static_cast<double>(elapsed_us) / 1000, &out);
  for (size_t i = 0; i < printed_of_query_.size(); ++i) {
    fmt::format_to(std::back_inserter(out), ",\"queryIdx_{:02}\":{{", i);
    AppendPrinted(printed_of_query_[i], &out);
    out.push_back('}');
  }
  out.append("}}");
}

void AppendPlans(std::span<const PlanReport> plans, std::string* out) {
  out->push_back('[');
  for (const PlanReport& plan : plans) {
    fmt::format_to(std::back_inserter(*out),
                   "{}{{\"query\":{},\"method\":", out->back() == '[' ? "" : ",", plan.query_index);
    AppendJsonString(plan.method, out);
    fmt::format_to(std::back_inserter(*out),
                   ",\"metricSeries\":{},\"series\":{},\"groups\":{},\"hours\":{},"
                   "\"expectedRows\":{},\"expectedBytes\":{},\"rows\":{},\"dayRows\":{},"
                   "\"rowsSkipped\":{},\"points\":{},\"bytes\":{},\"memory\":{},\"cells\":{},"
                   "\"blocksCached\":{},"
                   "\"blocksRead\":{}}}",
                   plan.metric_series, plan.series, plan.groups, plan.hours, plan.expected_rows,
                   plan.expected_bytes, plan.cost.rows, plan.cost.day_rows, plan.cost.rows_skipped,
                   plan.cost.points, plan.cost.bytes, plan.cost.memory, plan.cost.cells,
                   plan.cost.blocks_cached, plan.cost.blocks_read);
  }
  out->push_back(']');
}

void AppendExplain(const QueryControl& control, std::string* out) {
  out->append("{\"explain\":");
  AppendPlans(control.plans(), out);
  out->push_back('}');
}

void AppendTrace(const QueryTrace& trace,
                 const QueryControl& control,
                 QueryTrace::TimePoint now,
                 std::string* out) {
  fmt::format_to(std::back_inserter(*out),
                 "{{\"trace\":{{\"answeredBy\":\"{} thread\",\"totalUs\":{},\"steps\":[",
                 trace.by_socket_thread ? "socket" : "query",
                 trace.receive_us + QueryTrace::Us(now - trace.received_at));
  AppendStep("receive", trace.receive_us, out);
  AppendStep("dispatch", trace.dispatch_us, out);
  AppendStep("parse", trace.parse_us, out);
  AppendStep("check", control.check_us.load(std::memory_order_relaxed), out);
  for (const PlanReport& plan : control.plans()) {
    const size_t i = plan.query_index;
    const int64_t print_us = i < trace.print_us.size() ? trace.print_us[i] : 0;
    AppendStepOf(i, "plan", plan.plan_us, out);
    AppendStepOf(i, "read", plan.read_us, out);
    AppendStepOf(i, "finish", std::max<int64_t>(0, plan.finish_us - print_us), out);
    AppendStepOf(i, "print", print_us, out);
  }
  AppendStep("send", trace.send_us, out);
  out->append("]}}");
}

}  // namespace hourcell
