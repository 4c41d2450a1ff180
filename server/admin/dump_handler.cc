#include "server/admin/dump_handler.h"

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/json_writer.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "server/histograms/histogram_line.h"
#include "server/http/body/body_writer.h"
#include "server/http/http_error.h"
#include "server/http/http_router.h"
#include "server/http/http_status.h"
#include "server/text/row_aggregate_json.h"

namespace hourcell {
namespace {

// The lines of a body, until the client hangs up, the query is cancelled or it times out.
class DumpedLines {
 public:
  // All are borrowed. `deadline_ms`: of the clock's MonotonicMs; 0 = none.
  DumpedLines(QueryControl* control, MonotonicClock* clock, int64_t deadline_ms, BodyWriter* body)
      : control_(*control), clock_(*clock), deadline_ms_(deadline_ms), body_(*body) {}

  bool ShouldStop() const { return control_.is_cancelled() || IsLate(); }

  // Appends a line that `add` writes as an object. False: no more.
  bool Add(const std::function<void(JsonWriter* json)>& add) {
    JsonWriter json(&body_.buffer());
    json.OpenObject();
    add(&json);
    json.CloseObject();
    body_.buffer() += '\n';
    ++lines_;
    offered_ = body_.Offer();
    return offered_.ok() && !ShouldStop();
  }

  // The last line. An error before the first piece of the body becomes the response. A later error
  // becomes the last line, since a cut body cannot carry a message.
  absl::Status Finish(absl::Status status) {
    HOURCELL_RETURN_IF_ERROR(offered_);
    if (status.ok() && control_.is_cancelled()) status = absl::CancelledError("cancelled");
    if (status.ok() && IsLate()) {
      status = absl::DeadlineExceededError("timed out; see tsd.query.timeout");
    }
    if (!status.ok() && !body_.started()) return status;
    JsonWriter json(&body_.buffer());
    json.OpenObject();
    if (status.ok()) {
      json.Field("lines", lines_);
    } else {
      json.Field("error", MessageOf(status));
    }
    json.CloseObject();
    body_.buffer() += '\n';
    return absl::OkStatus();
  }

 private:
  bool IsLate() const { return deadline_ms_ > 0 && clock_.MonotonicMs() > deadline_ms_; }

  QueryControl& control_;
  MonotonicClock& clock_;
  const int64_t deadline_ms_;
  BodyWriter& body_;
  uint64_t lines_ = 0;
  absl::Status offered_;
};

template <typename Number>
absl::StatusOr<Number> ReadNumber(std::string_view name, std::string_view text) {
  Number number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size()) return number;
  return absl::InvalidArgumentError(
      fmt::format("{}: expected a number, got {}", name, QuoteForMessage(text)));
}

absl::StatusOr<ScanSpec> ReadScan(const HttpRequest& request) {
  ScanSpec spec;
  for (const auto& [name, text] : request.params) {
    if (name == "start") {
      HOURCELL_ASSIGN_OR_RETURN(spec.start_ms, ReadNumber<int64_t>(name, text));
    } else if (name == "end") {
      HOURCELL_ASSIGN_OR_RETURN(spec.end_ms, ReadNumber<int64_t>(name, text));
    } else if (name == "metric") {
      spec.metric = text;
    } else if (name == "tag") {
      const size_t equals = text.find('=');
      if (equals == std::string::npos) {
        return absl::InvalidArgumentError(
            fmt::format("tag: expected tagk=tagv, got {}", QuoteForMessage(text)));
      }
      HOURCELL_ASSIGN_OR_RETURN(TagFilterSpec filter,
                                ParseTagValueFilter(text.substr(0, equals), text.substr(equals + 1),
                                                    /*group_by=*/false));
      spec.filters.push_back(std::move(filter));
    }
  }
  if (spec.metric.empty() && !spec.filters.empty()) {
    return absl::InvalidArgumentError("tag: needs a metric");
  }
  return spec;
}

RowAggregateTexts ReadAggregate(const HttpRequest& request) {
  RowAggregateTexts texts;
  for (const auto& [name, text] : request.params) {
    if (name == "aggregate") {
      texts.aggregate = text;
    } else if (name == "by") {
      texts.by.push_back(text);
    } else if (name == "value") {
      texts.values.push_back(text);
    } else if (name == "groups") {
      texts.groups = text;
    }
  }
  return texts;
}

void AddRow(const ScannedRow& row, JsonWriter* json) {
  json->Field("key", ToHex(row.key));
  json->Field("metric", row.metric);
  json->Key("tags");
  json->OpenObject();
  for (const TagView& tag : row.tags)
    json->Field(tag.key, tag.value);
  json->CloseObject();
  json->Field("base", row.base_time_s);
  json->Field("qualifiers", ToHex(row.qualifiers));
  json->Field("values", ToHex(row.values));
}

absl::Status PrintHistograms(const ScanSpec& spec,
                             Tsdb* tsdb,
                             QueryControl* control,
                             DumpedLines* lines) {
  std::string line;
  const auto add = [&](std::span<const HistogramPoint> some) {
    control->rows.fetch_add(some.size(), std::memory_order_relaxed);
    for (const HistogramPoint& histogram : some) {
      line.clear();
      AppendHistogramLine(histogram, &line);
      if (!lines->Add([&line](JsonWriter* json) { json->Field("line", line); })) {
        return absl::CancelledError("cancelled");
      }
    }
    return absl::OkStatus();
  };
  return lines->Finish(tsdb->queries().VisitHistograms(spec, add));
}

// The text of a request in the list of queries.
std::string ListedDump(std::string_view type, const HttpRequest& request) {
  std::string text;
  JsonWriter json(&text);
  json.OpenObject();
  json.Field("type", type);
  for (const auto& [name, value] : request.params)
    json.Field(name, value);
  json.CloseObject();
  return text;
}

HttpResponse DumpError(const absl::Status& status) {
  return FailureResponse(absl::IsCancelled(status) || absl::IsDeadlineExceeded(status)
                             ? Failed::kQuery
                             : Failed::kStore,
                         status);
}

HttpResponse AggregateError(const absl::Status& status) {
  return absl::IsNotFound(status) ? DumpError(status) : QueryError(status);
}

HttpResponse HandleAggregate(const HttpRequest& request,
                             const QueryService& service,
                             ScanSpec rows,
                             const RowAggregateTexts& texts) {
  absl::StatusOr<RowAggregateRequest> wanted = ParseRowAggregates(texts);
  if (!wanted.ok()) return HttpError(400, wanted.status());
  wanted->spec.deadline_ms = request.deadline_ms;
  const auto print = [&service, rows = std::move(rows), wanted = *std::move(wanted)](
                         QueryControl* control, BodyWriter* body) -> absl::Status {
    HOURCELL_ASSIGN_OR_RETURN(const RowAggregates result,
                              service.tsdb->queries().AggregateRows(rows, wanted.spec, control));
    AppendRowAggregates(result, wanted, &body->buffer());
    return absl::OkStatus();
  };
  return ListedResponse(service, request, ListedDump("SCAN", request), print, &AggregateError);
}

// The selection of mappings.
struct WantedNames {
  UidKind kind = UidKind::kMetric;
  const std::string* grep = nullptr;
  const std::string* name = nullptr;
  const std::string* uid = nullptr;
  bool ignore_case = false;
};

absl::StatusOr<WantedNames> ReadNames(const HttpRequest& request) {
  WantedNames wanted{.grep = request.param("grep"),
                     .name = request.param("name"),
                     .uid = request.param("uid"),
                     .ignore_case = request.has_param("ignore_case")};
  const std::string* const kind = request.param("kind");
  if (kind == nullptr) return absl::InvalidArgumentError("kind: missing");
  HOURCELL_ASSIGN_OR_RETURN(wanted.kind, ParseKindName(*kind));
  const int given = (wanted.grep != nullptr ? 1 : 0) + (wanted.name != nullptr ? 1 : 0) +
                    (wanted.uid != nullptr ? 1 : 0);
  if (given == 1) return wanted;
  return absl::InvalidArgumentError(
      fmt::format("expected one of them, got {} of grep, name and uid", given));
}

absl::StatusOr<UidRow> FindOne(const WantedNames& wanted, Tsdb* tsdb) {
  if (wanted.name != nullptr) return tsdb->names().FindUid(wanted.kind, *wanted.name);
  HOURCELL_ASSIGN_OR_RETURN(const Uid uid, ReadNumber<Uid>("uid", *wanted.uid));
  return tsdb->names().FindName(wanted.kind, uid);
}

absl::Status PrintNames(const WantedNames& wanted, Tsdb* tsdb, DumpedLines* lines) {
  const auto add = [lines](const UidRow& row) {
    return lines->Add([&row](JsonWriter* json) {
      json->Field("kind", KindName(row.kind));
      json->Field("name", row.name);
      json->Field("uid", ToUpperHex(row.uid_bytes));
    });
  };
  if (wanted.grep != nullptr) {
    return lines->Finish(
        tsdb->names().GrepUids(wanted.kind, *wanted.grep, wanted.ignore_case, add));
  }
  const absl::StatusOr<UidRow> row = FindOne(wanted, tsdb);
  if (row.ok()) add(*row);
  return lines->Finish(row.status());
}

HttpResponse DeleteName(const WantedNames& wanted, Tsdb* tsdb) {
  if (wanted.name == nullptr) return HttpError(400, "name: missing");
  const absl::Status deleted = tsdb->names().DeleteUid(wanted.kind, *wanted.name);
  if (!deleted.ok()) return FailureResponse(Failed::kStore, deleted);
  HttpResponse response;
  response.status = 204;
  return response;
}

}  // namespace

HttpResponse HandleScan(const HttpRequest& request, const QueryService& service) {
  absl::StatusOr<ScanSpec> spec = ReadScan(request);
  if (!spec.ok()) return HttpError(400, spec.status());
  const RowAggregateTexts texts = ReadAggregate(request);
  if (!texts.is_empty()) return HandleAggregate(request, service, *std::move(spec), texts);
  const auto print = [&service, deadline_ms = request.deadline_ms, spec = *std::move(spec),
                      histograms = request.has_param("histograms")](QueryControl* control,
                                                                    BodyWriter* body) {
    DumpedLines lines(control, service.clock, deadline_ms, body);
    if (histograms) return PrintHistograms(spec, service.tsdb, control, &lines);
    const auto add = [&](const ScannedRow& row) {
      control->rows.fetch_add(1, std::memory_order_relaxed);
      control->points.fetch_add(row.times.size(), std::memory_order_relaxed);
      return lines.Add([&row](JsonWriter* json) { AddRow(row, json); });
    };
    return lines.Finish(
        service.tsdb->queries().Scan(spec, add, [&lines] { return lines.ShouldStop(); }));
  };
  return ListedResponse(service, request, ListedDump("SCAN", request), print, &DumpError);
}

HttpResponse HandleNames(const HttpRequest& request, const QueryService& service) {
  const absl::StatusOr<WantedNames> wanted = ReadNames(request);
  if (!wanted.ok()) return HttpError(400, wanted.status());
  if (EffectiveMethod(request) == HttpMethod::kDelete) return DeleteName(*wanted, service.tsdb);
  const auto print = [&service, deadline_ms = request.deadline_ms, wanted = *wanted](
                         QueryControl* control, BodyWriter* body) {
    DumpedLines lines(control, service.clock, deadline_ms, body);
    return PrintNames(wanted, service.tsdb, &lines);
  };
  return ListedResponse(service, request, ListedDump("UID", request), print, &DumpError);
}

}  // namespace hourcell
