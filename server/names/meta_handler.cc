#include "server/names/meta_handler.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <fmt/format.h>
#include <simdjson.h>

#include "codec/base/bytes.h"
#include "codec/base/json_writer.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "codec/rows/tsuid.h"
#include "codec/rows/uid.h"
#include "server/http/body/body_writer.h"
#include "server/http/http_error.h"
#include "server/http/http_router.h"
#include "server/names/meta_fields.h"
#include "server/names/meta_reader.h"
#include "server/query/query_handler.h"
#include "server/text/json_fields.h"
#include "server/text/series_text.h"

namespace hourcell {
namespace {

// The parts of a request, from its body or its parameters.
struct MetaRequest {
  std::string id;    // uid or tsuid, as sent
  std::string type;  // of a UID
  MetaFields edit;
};

std::string TextOfParam(const HttpRequest& request, std::string_view name) {
  const std::string* const value = request.param(name);
  return value != nullptr ? *value : std::string();
}

absl::StatusOr<MetaRequest> ReadMetaRequest(const HttpRequest& request, std::string_view id_field) {
  MetaRequest read{
      .id = TextOfParam(request, id_field), .type = TextOfParam(request, "type"), .edit = {}};
  if (request.body.empty()) {
    HOURCELL_ASSIGN_OR_RETURN(read.edit, MetaFieldsOfParams(request));
    return read;
  }
  simdjson::dom::parser parser;
  HOURCELL_ASSIGN_OR_RETURN(const simdjson::dom::object object,
                            ParseJsonObject(request.body, &parser));
  for (const auto [key, value] : object) {
    if (key == id_field) {
      HOURCELL_ASSIGN_OR_RETURN(read.id, JsonText(key, value));
    } else if (key == "type") {
      HOURCELL_ASSIGN_OR_RETURN(read.type, JsonText(key, value));
    }
  }
  HOURCELL_ASSIGN_OR_RETURN(read.edit, ParseMetaFields(object));
  return read;
}

HttpResponse WithoutBody(int status) {
  HttpResponse response;
  response.status = status;
  return response;
}

HttpResponse MetaError(const absl::Status& status) {
  if (absl::IsNotFound(status)) return HttpError(404, status);
  return absl::IsInvalidArgument(status) ? HttpError(400, status) : QueryError(status);
}

HttpResponse LookupMetaError(const absl::Status& status) {
  if (!absl::IsNotFound(status)) return MetaError(status);
  return HttpError(404, "Unable to resolve one or more UIDs", std::string(status.message()));
}

// Sets the fields of the edit. `may_create`: also without a document.
absl::Status ChangeFields(
    const DocumentKey& key, const MetaFields& edit, bool replaces, bool may_create, Tsdb* tsdb) {
  const MetaOf of = key.kind.has_value() ? MetaOf::kUid : MetaOf::kSeries;
  using Text = std::optional<std::string>;
  return tsdb->names().ChangeDocument(key, [&](const Text& before) -> absl::StatusOr<Text> {
    if (!before.has_value() && !may_create) {
      return absl::InvalidArgumentError("Requested TSMeta did not exist");
    }
    MetaFields stored;
    if (before.has_value()) {
      HOURCELL_ASSIGN_OR_RETURN(stored, ParseMetaDocument(*before));
    }
    return PrintMetaDocument(MergeMeta(stored, edit, replaces), of);
  });
}

HttpResponse RemoveFields(const DocumentKey& key, Tsdb* tsdb) {
  using Text = std::optional<std::string>;
  const absl::Status removed =
      tsdb->names().ChangeDocument(key, [](const Text&) -> absl::StatusOr<Text> { return Text(); });
  return removed.ok() ? WithoutBody(204) : MetaError(removed);
}

absl::StatusOr<DocumentKey> KeyOfUid(const MetaRequest& read, Tsdb* tsdb) {
  if (read.id.empty()) return absl::InvalidArgumentError("Missing UID");
  if (read.type.empty()) return absl::InvalidArgumentError("Missing type");
  const std::optional<UidKind> kind = ParseMetaType(read.type);
  if (!kind.has_value()) {
    return absl::InvalidArgumentError(
        fmt::format("type: expected metric, tagk or tagv, got {}", QuoteForMessage(read.type)));
  }
  HOURCELL_ASSIGN_OR_RETURN(std::string uid, UidBytesFromHex(read.id, tsdb->layout().width(*kind)));
  return DocumentKey{.kind = kind, .id = std::move(uid)};
}

HttpResponse AnswerUidMeta(const DocumentKey& key, Tsdb* tsdb) {
  const absl::StatusOr<UidMeta> meta = MetaReader(tsdb).OfUid(*key.kind, key.id);
  if (absl::IsNotFound(meta.status())) {
    return HttpError(404, "Could not find the requested UID", std::string(meta.status().message()));
  }
  if (!meta.ok()) return MetaError(meta.status());
  HttpResponse response;
  AppendUidMeta(*meta, &response.body);
  return response;
}

absl::StatusOr<std::string> ParseTsuidHex(std::string_view hex, Tsdb* tsdb) {
  HOURCELL_ASSIGN_OR_RETURN(std::string tsuid, FromHex(hex));
  HOURCELL_RETURN_IF_ERROR(ParseTsuid(tsdb->layout(), tsuid).status());
  return tsuid;
}

// Of a series of the store, or of a tsuid with a document.
HttpResponse AnswerSeriesMeta(const std::string& tsuid, Tsdb* tsdb) {
  constexpr std::string_view kNone = "Could not find Timeseries meta data";
  const MetaReader reader(tsdb);
  const absl::StatusOr<bool> has_series = reader.HasSeries(tsuid);
  if (!has_series.ok()) return MetaError(has_series.status());
  const auto document = tsdb->names().FindDocument({.kind = {}, .id = tsuid});
  if (!document.ok()) return MetaError(document.status());
  if (!*has_series && !document->has_value()) return HttpError(404, kNone);
  absl::StatusOr<SeriesMeta> meta = reader.OfTsuid(tsuid);
  if (absl::IsNotFound(meta.status())) {
    return HttpError(404, kNone, std::string(meta.status().message()));
  }
  if (!meta.ok()) return MetaError(meta.status());
  const absl::StatusOr<int64_t> last_s = reader.LastPointS(tsuid);
  if (!last_s.ok()) return MetaError(last_s.status());
  meta->last_received_s = *last_s;
  HttpResponse response;
  AppendSeriesMeta(*meta, &response.body);
  return response;
}

HttpResponse ListSeriesMeta(const HttpRequest& request,
                            const std::string& m,
                            const QueryService& service) {
  absl::StatusOr<SeriesText> series = ParseSeriesText(m);
  if (!series.ok()) return HttpError(400, series.status());
  if (series->metric.empty()) return HttpError(400, "Missing metric in 'm'");
  LookupQuery query{.metric = std::move(series->metric), .tags = std::move(series->tags)};
  query.deadline_ms = request.deadline_ms;
  std::string text;
  JsonWriter listed(&text);
  listed.OpenObject();
  listed.Field("type", "TSMETA");
  listed.Field("m", m);
  listed.CloseObject();
  const auto print = [tsdb = service.tsdb, query = std::move(query)](
                         QueryControl* control, BodyWriter* body) -> absl::Status {
    const MetaReader reader(tsdb);
    JsonWriter json(&body->buffer());
    absl::Status printed;
    json.OpenArray();
    const auto add = [&](const FoundSeries& found) {
      const absl::StatusOr<SeriesMeta> meta = reader.OfSeries(found);
      printed = meta.status();
      if (!printed.ok()) return false;
      AppendSeriesMeta(*meta, json.RawValue());
      printed = body->Offer();
      return printed.ok();
    };
    const absl::StatusOr<uint64_t> total = tsdb->queries().LookupSeries(query, add, control);
    HOURCELL_RETURN_IF_ERROR(printed);
    HOURCELL_RETURN_IF_ERROR(total.status());
    json.CloseArray();
    return absl::OkStatus();
  };
  return ListedResponse(service, request, std::move(text), print, &LookupMetaError);
}

// The series that a write names by `tsuid` or by `m`.
absl::StatusOr<std::string> TsuidOfWrite(const HttpRequest& request,
                                         const MetaRequest& read,
                                         Tsdb* tsdb) {
  if (!read.id.empty()) return ParseTsuidHex(read.id, tsdb);
  const std::string m = TextOfParam(request, "m");
  if (m.empty()) return absl::InvalidArgumentError("Missing TSUID");
  HOURCELL_ASSIGN_OR_RETURN(const SeriesText series, ParseSeriesText(m));
  return MetaReader(tsdb).TsuidOf(series);
}

HttpResponse WriteSeriesMeta(const HttpRequest& request,
                             const MetaRequest& read,
                             bool replaces,
                             Tsdb* tsdb) {
  const absl::StatusOr<std::string> tsuid = TsuidOfWrite(request, read, tsdb);
  if (!tsuid.ok()) return LookupMetaError(tsuid.status());
  const bool creates = read.id.empty() && LowerCase(TextOfParam(request, "create")) == "true";
  if (read.edit.is_empty() && !creates) return WithoutBody(304);
  bool may_create = creates;
  if (!may_create) {
    const absl::StatusOr<bool> has_series = MetaReader(tsdb).HasSeries(*tsuid);
    if (!has_series.ok()) return MetaError(has_series.status());
    may_create = *has_series;
  }
  const absl::Status changed =
      ChangeFields({.kind = {}, .id = *tsuid}, read.edit, replaces, may_create, tsdb);
  return changed.ok() ? AnswerSeriesMeta(*tsuid, tsdb) : MetaError(changed);
}

}  // namespace

HttpResponse HandleUidMeta(const HttpRequest& request, const QueryService& service) {
  Tsdb* const tsdb = service.tsdb;
  const std::optional<HttpMethod> method = EffectiveMethod(request);
  if (!method.has_value()) return MethodNotAllowed(request);
  const absl::StatusOr<MetaRequest> read = ReadMetaRequest(request, "uid");
  if (!read.ok()) return HttpError(400, read.status());
  const absl::StatusOr<DocumentKey> key = KeyOfUid(*read, tsdb);
  if (!key.ok()) return HttpError(400, key.status());
  if (*method == HttpMethod::kGet) return AnswerUidMeta(*key, tsdb);
  if (*method == HttpMethod::kDelete) return RemoveFields(*key, tsdb);
  if (*method != HttpMethod::kPost && *method != HttpMethod::kPut) return MethodNotAllowed(request);
  if (read->edit.is_empty()) return WithoutBody(304);
  const absl::StatusOr<UidMeta> known = MetaReader(tsdb).OfUid(*key->kind, key->id);
  if (!known.ok()) return AnswerUidMeta(*key, tsdb);
  const absl::Status changed = ChangeFields(*key, read->edit, *method == HttpMethod::kPut,
                                            /*may_create=*/true, tsdb);
  return changed.ok() ? AnswerUidMeta(*key, tsdb) : MetaError(changed);
}

HttpResponse HandleSeriesMeta(const HttpRequest& request, const QueryService& service) {
  Tsdb* const tsdb = service.tsdb;
  const std::optional<HttpMethod> method = EffectiveMethod(request);
  if (!method.has_value()) return MethodNotAllowed(request);
  const absl::StatusOr<MetaRequest> read = ReadMetaRequest(request, "tsuid");
  if (!read.ok()) return HttpError(400, read.status());
  if (*method == HttpMethod::kPost || *method == HttpMethod::kPut) {
    return WriteSeriesMeta(request, *read, *method == HttpMethod::kPut, tsdb);
  }
  if (*method == HttpMethod::kGet && read->id.empty()) {
    const std::string m = TextOfParam(request, "m");
    if (m.empty()) return HttpError(400, "Missing 'tsuid' or 'm'");
    return ListSeriesMeta(request, m, service);
  }
  if (read->id.empty()) return HttpError(400, "Missing TSUID");
  const absl::StatusOr<std::string> tsuid = ParseTsuidHex(read->id, tsdb);
  if (!tsuid.ok()) return HttpError(400, tsuid.status());
  if (*method == HttpMethod::kGet) return AnswerSeriesMeta(*tsuid, tsdb);
  if (*method != HttpMethod::kDelete) return MethodNotAllowed(request);
  return RemoveFields({.kind = {}, .id = *tsuid}, tsdb);
}

}  // namespace hourcell
