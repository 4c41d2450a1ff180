#include "server/api/query_page.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "codec/text/number.h"
#include "engine/query.h"
#include "server/graph/graph_handler.h"
#include "server/graph/graph_look.h"
#include "server/graph/page_age.h"
#include "server/http/body/body_writer.h"
#include "server/http/http_router.h"
#include "server/query/query_request.h"
#include "server/query/query_string.h"
#include "server/text/json_text.h"

namespace hourcell {
namespace {

// The HTML before the lines of points. Its links lead to the same query in machine-readable forms;
// they are relative, to keep a proxy's prefix.
std::string PageHead(const HttpRequest& request) {
  const size_t question = request.target.find('?');
  const std::string query =
      question == std::string::npos ? "" : EscapeMarkup(request.target.substr(question + 1));
  return fmt::format(
      "<!DOCTYPE html><html><head><title>Hourcell: points</title></head><body>"
      "<p>{0}</p><p><a href=\"?{0}&amp;ascii\">as text</a> (of all hours read) "
      "<a href=\"?{0}&amp;json\">counted</a></p><pre>",
      query);
}
constexpr std::string_view kPageTail = "</pre></body></html>\n";

// Prints points as lines.
class AsciiWriter : public QuerySink {
 public:
  AsciiWriter(BodyWriter* body, bool is_html) : body_(*body), is_html_(is_html) {}

  absl::Status OnSeries(const SeriesView& series) override {
    metric_ = is_html_ ? EscapeMarkup(series.metric) : std::string(series.metric);
    tail_.clear();
    for (const auto& [tagk, tagv] : series.tags)
      fmt::format_to(std::back_inserter(tail_), " {}={}", tagk, tagv);
    if (is_html_) tail_ = EscapeMarkup(tail_);
    tail_.push_back('\n');
    for (size_t i = 0; i < series.points.size(); ++i) {
      const Value value = series.points.value(i);
      if (std::isnan(value.ToDouble())) continue;
      AppendLine(series.points.t[i] / 1000, value);
      HOURCELL_RETURN_IF_ERROR(body_.Offer());
    }
    return absl::OkStatus();
  }

 private:
  void AppendLine(int64_t seconds, Value value) {
    std::string& out = body_.buffer();
    out.append(metric_).append(" ");
    out.append(fmt::format_int(seconds).c_str()).append(" ");
    if (value.is_integer()) {
      out.append(fmt::format_int(value.integer()).c_str());
    } else {
      AppendJavaDouble(value.floating(), &out);
    }
    out.append(tail_);
  }

  BodyWriter& body_;
  const bool is_html_;
  // The parts shared by all lines of a series, escaped if needed.
  std::string metric_;
  std::string tail_;
};

// Counts the points that a graph would show.
class PointCounter : public QuerySink {
 public:
  // `spec` is borrowed.
  explicit PointCounter(const QuerySpec& spec) : spec_(spec), tags_(spec.queries.size()) {}

  absl::Status OnSeries(const SeriesView& series) override {
    plotted_ += static_cast<uint64_t>(std::ranges::count_if(
        series.points.t, [&](int64_t ms) { return ms >= spec_.start_ms && ms <= spec_.end_ms; }));
    tags_[series.query_index].insert(series.aggregate_tags.begin(), series.aggregate_tags.end());
    return absl::OkStatus();
  }

  void AppendJson(uint64_t points_read, int64_t elapsed_ms, std::string* out) const {
    fmt::format_to(std::back_inserter(*out), "{{\"plotted\":{},\"points\":{},\"etags\":[", plotted_,
                   points_read);
    for (size_t i = 0; i < tags_.size(); ++i) {
      *out += i == 0 ? "[" : ",[";
      for (const std::string& tagk : tags_[i]) {
        if (out->back() != '[') out->push_back(',');
        AppendJsonString(tagk, out);
      }
      out->push_back(']');
    }
    fmt::format_to(std::back_inserter(*out), "],\"timing\":{}}}", elapsed_ms);
  }

 private:
  const QuerySpec& spec_;
  uint64_t plotted_ = 0;
  std::vector<std::set<std::string>> tags_;  // aggregated, by sub query
};

enum class PageForm : uint8_t { kAscii, kJson, kHtml };

PageForm FormOf(const HttpRequest& request) {
  if (request.has_param("ascii")) return PageForm::kAscii;
  return request.has_param("json") ? PageForm::kJson : PageForm::kHtml;
}

// As in OpenTSDB, text formats take precedence over pictures.
std::optional<PictureForm> PictureParamOf(const HttpRequest& request) {
  if (FormOf(request) != PageForm::kHtml) return std::nullopt;
  if (request.has_param("png")) return PictureForm::kPng;
  if (request.has_param("svg")) return PictureForm::kSvg;
  return std::nullopt;
}

bool PrintPage(const HttpRequest& request,
               PageForm form,
               const QueryService& service,
               const std::shared_ptr<const QueryRequest>& query,
               BodyWriter* body,
               HttpResponse* failure) {
  const int64_t start_ms = service.clock->MonotonicMs();
  AsciiWriter ascii(body, form == PageForm::kHtml);
  PointCounter counter(query->spec);
  QuerySink* const sink = form == PageForm::kJson ? static_cast<QuerySink*>(&counter) : &ascii;
  if (form == PageForm::kHtml) body->buffer() = PageHead(request);
  const auto finish = [&](const QueryControl& control) {
    if (form == PageForm::kHtml) body->buffer() += kPageTail;
    if (form != PageForm::kJson) return;
    counter.AppendJson(control.cost().points, service.clock->MonotonicMs() - start_ms,
                       &body->buffer());
  };
  const absl::Status status = RunListedQuery(service, request, query, sink, finish, body);
  if (!status.ok()) {
    *failure = PageError(request, QueryErrorStatus(status.code()), std::string(status.message()));
  }
  return status.ok();
}

}  // namespace

HttpResponse AnswerQueryPage(const HttpRequest& request, const QueryService& service) {
  if (const std::optional<PictureForm> picture = PictureParamOf(request)) {
    return DrawQueryPage(request, service, *picture);
  }
  const PageForm form = FormOf(request);
  const int64_t now_ms = service.clock->NowMs();
  absl::StatusOr<QueryRequest> query = ParseQueryString(request, now_ms, service.timezone);
  if (query.ok()) {
    if (const absl::Status checked = CheckGraphOptions(request); !checked.ok()) query = checked;
  }
  if (!query.ok()) return PageError(request, 400, std::string(query.status().message()));
  query->spec.keep_scanned = form != PageForm::kHtml;
  query->spec.deadline_ms = request.deadline_ms;
  HttpResponse response;
  if (form == PageForm::kAscii) response.content_type = "text/plain; charset=UTF-8";
  if (form == PageForm::kHtml) response.content_type = "text/html; charset=UTF-8";
  response.headers.emplace_back(
      "Cache-Control", fmt::format("max-age={}", PageMaxAgeS(request, query->spec, now_ms)));
  response.produce = [&request, &service, form,
                      parsed = std::make_shared<const QueryRequest>(*std::move(query))](
                         BodyWriter* body, HttpResponse* failure) {
    return PrintPage(request, form, service, parsed, body, failure);
  };
  return response;
}

}  // namespace hourcell
