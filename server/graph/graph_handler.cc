#include "server/graph/graph_handler.h"

#include <algorithm>
#include <charconv>
#include <memory>
#include <string>
#include <utility>

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <absl/strings/ascii.h>
#include <fmt/format.h>

#include "codec/base/status_macros.h"
#include "server/graph/graph_collector.h"
#include "server/graph/graph_look.h"
#include "server/graph/page_age.h"
#include "server/http/body/body_writer.h"
#include "server/http/http_error.h"
#include "server/http/http_router.h"
#include "server/plot/compose.h"
#include "server/plot/output/png.h"
#include "server/plot/output/svg.h"
#include "server/query/query_json.h"
#include "server/query/query_registry.h"
#include "server/query/query_request.h"
#include "server/query/query_string.h"

namespace hourcell {
namespace {

constexpr std::string_view kPngType = "image/png";
constexpr std::string_view kSvgType = "image/svg+xml";

std::string_view Strip(std::string_view text) {
  while (!text.empty() && text.front() == ' ')
    text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ')
    text.remove_suffix(1);
  return text;
}

// The text before `end`; removes both from `text`.
std::string_view TakeUntil(char end, std::string_view* text) {
  const size_t at = std::min(text->find(end), text->size());
  const std::string_view taken = Strip(text->substr(0, at));
  text->remove_prefix(std::min(at + 1, text->size()));
  return taken;
}

// 1 without "q=", 0 if it is not a number.
double QualityOf(std::string_view params) {
  while (!params.empty()) {
    const std::string_view param = TakeUntil(';', &params);
    if (!param.starts_with("q=")) continue;
    double quality = 0;
    std::from_chars(param.data() + 2, param.data() + param.size(), quality);
    return quality;
  }
  return 1;
}

// The quality of each type.
struct Liking {
  double png = 0;
  double svg = 0;
  double text = 0;  // JSON, a page or anything
};

Liking LikingOf(std::string_view accept) {
  Liking liking;
  while (!accept.empty()) {
    std::string_view params = TakeUntil(',', &accept);
    std::string type(TakeUntil(';', &params));
    absl::AsciiStrToLower(&type);
    const double quality = QualityOf(params);
    if (type == kPngType) {
      liking.png = std::max(liking.png, quality);
    } else if (type == kSvgType) {
      liking.svg = std::max(liking.svg, quality);
    } else if (type == "text/html" || type == "application/json" || type == "application/*") {
      liking.text = std::max(liking.text, quality);
    }
  }
  return liking;
}

// The parsed request.
struct GraphRequest {
  QueryRequest query;
  GraphLook look;
  PictureForm form = PictureForm::kPng;
};

absl::StatusOr<GraphRequest> ParseGraph(const HttpRequest& request,
                                        const QueryService& service,
                                        PictureForm form) {
  const int64_t now_ms = service.clock->NowMs();
  GraphRequest graph;
  graph.form = form;
  HOURCELL_ASSIGN_OR_RETURN(
      graph.query, request.method == "POST" ? ParseQueryJson(request.body, now_ms, service.timezone)
                                            : ParseQueryString(request, now_ms, service.timezone));
  HOURCELL_ASSIGN_OR_RETURN(graph.look, ParseGraphLook(request, service.timezone));
  if (graph.query.delete_points || EffectiveMethod(request) == HttpMethod::kDelete) {
    return absl::InvalidArgumentError(
        "A graph deletes no points; ask for JSON (Accept: application/json) to delete them");
  }
  const size_t options = graph.look.is_right.size();
  const size_t queries = graph.query.spec.queries.size();
  if (options > 0 && options != queries) {
    return absl::InvalidArgumentError(fmt::format(
        "o: expected one for each, got {} of them for {} different sub queries", options, queries));
  }
  graph.query.spec.deadline_ms = request.deadline_ms;
  return graph;
}

absl::StatusOr<std::string> Render(const plot::Figure& figure,
                                   PictureForm form,
                                   const QueryControl& control) {
  HOURCELL_ASSIGN_OR_RETURN(const plot::Scene scene, plot::Compose(figure));
  if (control.is_cancelled()) return absl::CancelledError("The query was cancelled");
  if (form == PictureForm::kSvg) return plot::SvgText(scene);
  return plot::RenderPng(scene, {.scale = 1,
                                 .has_alpha = !figure.theme.ground.has_value(),
                                 .goes_on = [&control] { return !control.is_cancelled(); }});
}

absl::Status Send(std::string_view picture, BodyWriter* body) {
  while (!picture.empty()) {
    const std::string_view piece = picture.substr(0, kBodyPieceBytes);
    picture.remove_prefix(piece.size());
    body->buffer() += piece;
    if (!picture.empty()) HOURCELL_RETURN_IF_ERROR(body->Offer());
  }
  return absl::OkStatus();
}

absl::Status RunGraph(const GraphRequest& graph,
                      const QueryService& service,
                      QueryControl* control,
                      BodyWriter* body) {
  const std::unique_ptr<MemoryAccount> memory = service.tsdb->queries().LeaseQueryMemory(control);
  GraphCollector collector(graph.query.spec, graph.look, memory.get());
  HOURCELL_RETURN_IF_ERROR(service.tsdb->queries().Query(graph.query.spec, &collector, control));
  if (graph.form == PictureForm::kPng) {
    HOURCELL_RETURN_IF_ERROR(
        collector.Take(plot::PngBytes(graph.look.width_px, graph.look.height_px, /*scale=*/1)));
  }
  const plot::Figure figure = collector.TakeFigure();
  HOURCELL_ASSIGN_OR_RETURN(const std::string picture, Render(figure, graph.form, *control));
  return Send(picture, body);
}

using PrintFailure = HttpResponse (*)(const HttpRequest& request, const absl::Status& status);

HttpResponse Draw(const HttpRequest& request,
                  const QueryService& service,
                  GraphRequest graph,
                  PrintFailure failure) {
  HttpResponse response;
  response.content_type = graph.form == PictureForm::kPng ? kPngType : kSvgType;
  response.produce = [&request, &service, failure, graph = std::move(graph)](
                         BodyWriter* body, HttpResponse* instead) {
    const auto run = [&](QueryControl* control) { return RunGraph(graph, service, control, body); };
    const absl::Status status =
        RunListed(service, request, ListedQueryText(graph.query), run, body);
    if (!status.ok()) *instead = failure(request, status);
    return status.ok();
  };
  return response;
}

HttpResponse ApiFailure(const HttpRequest& /*request*/, const absl::Status& status) {
  return QueryError(status);
}

HttpResponse PageFailure(const HttpRequest& request, const absl::Status& status) {
  return PageError(request, QueryErrorStatus(status.code()), std::string(status.message()));
}

}  // namespace

std::optional<PictureForm> PictureOf(std::string_view accept) {
  if (accept.find("image/") == std::string_view::npos) return std::nullopt;  // nearly all requests
  const Liking liking = LikingOf(accept);
  const double best = std::max(liking.png, liking.svg);
  if (best <= liking.text) return std::nullopt;
  return liking.png >= liking.svg ? PictureForm::kPng : PictureForm::kSvg;
}

HttpResponse DrawQuery(const HttpRequest& request, const QueryService& service, PictureForm form) {
  absl::StatusOr<GraphRequest> graph = ParseGraph(request, service, form);
  if (!graph.ok()) return HttpError(400, graph.status());
  HttpResponse response = Draw(request, service, *std::move(graph), &ApiFailure);
  response.headers.emplace_back("Vary", "Accept");
  return response;
}

HttpResponse DrawQueryPage(const HttpRequest& request,
                           const QueryService& service,
                           PictureForm form) {
  absl::StatusOr<GraphRequest> graph = ParseGraph(request, service, form);
  if (!graph.ok()) return PageError(request, 400, std::string(graph.status().message()));
  const std::string max_age =
      fmt::format("max-age={}", PageMaxAgeS(request, graph->query.spec, service.clock->NowMs()));
  HttpResponse response = Draw(request, service, *std::move(graph), &PageFailure);
  response.headers.emplace_back("Cache-Control", max_age);
  return response;
}

}  // namespace hourcell
