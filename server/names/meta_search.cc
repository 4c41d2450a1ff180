#include "server/names/meta_search.h"

#include <array>
#include <string>
#include <utility>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <fmt/format.h>
#include <simdjson.h>

#include "codec/base/bytes.h"
#include "codec/base/json_writer.h"
#include "codec/base/status_macros.h"
#include "server/http/http_error.h"
#include "server/names/document_map.h"
#include "server/names/meta_fields.h"
#include "server/names/meta_reader.h"
#include "server/names/search_json.h"
#include "server/names/search_terms.h"
#include "server/names/search_writer.h"
#include "server/query/annotation_json.h"
#include "server/text/json_fields.h"

namespace hourcell {
namespace {

struct SearchWord {
  std::string_view word;  // in a path
  SearchType type;
  std::string_view name;  // in an answer
};

constexpr std::array kSearchWords = {
    SearchWord{"uidmeta", SearchType::kUidMeta, "UIDMETA"},
    SearchWord{"tsmeta", SearchType::kSeriesMeta, "TSMETA"},
    SearchWord{"tsmeta_summary", SearchType::kSeriesSummary, "TSMETA_SUMMARY"},
    SearchWord{"tsuids", SearchType::kTsuids, "TSUIDS"},
    SearchWord{"annotation", SearchType::kAnnotation, "ANNOTATION"},
};

std::string_view SearchTypeName(SearchType type) {
  return kSearchWords[static_cast<size_t>(type)].name;
}

struct MetaQuery {
  std::string text;
  SearchTerms terms;
  uint64_t limit = kLookupLimitDefault;  // 0 = all
  uint64_t start_index = 0;
  int64_t deadline_ms = 0;
};

absl::Status ReadCountOf(const HttpRequest& request, std::string_view name, uint64_t* count) {
  const std::string* const text = request.param(name);
  if (text == nullptr) return absl::OkStatus();
  HOURCELL_ASSIGN_OR_RETURN(*count, ParseLookupCount(name, *text));
  return absl::OkStatus();
}

absl::Status ReadMetaBody(const std::string& body, MetaQuery* query, bool* has_text) {
  simdjson::dom::parser parser;
  HOURCELL_ASSIGN_OR_RETURN(const simdjson::dom::object object, ParseJsonObject(body, &parser));
  for (const auto [key, value] : object) {
    if (key != "query" && key != "limit" && key != "startIndex") continue;
    HOURCELL_ASSIGN_OR_RETURN(std::string text, JsonText(key, value));
    if (key == "query") {
      *has_text = !value.is_null();
      query->text = std::move(text);
    } else {
      uint64_t* const count = key == "limit" ? &query->limit : &query->start_index;
      HOURCELL_ASSIGN_OR_RETURN(*count, ParseLookupCount(key, text));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<MetaQuery> ParseMetaQuery(const HttpRequest& request) {
  MetaQuery query;
  bool has_text = false;
  if (request.method == "POST") {
    HOURCELL_RETURN_IF_ERROR(ReadMetaBody(request.body, &query, &has_text));
  } else {
    if (const std::string* const text = request.param("query")) {
      has_text = true;
      query.text = *text;
    }
    HOURCELL_RETURN_IF_ERROR(ReadCountOf(request, "limit", &query.limit));
    HOURCELL_RETURN_IF_ERROR(ReadCountOf(request, "start_index", &query.start_index));
  }
  if (!has_text) return absl::InvalidArgumentError("Missing parameter <code>query</code>");
  HOURCELL_ASSIGN_OR_RETURN(query.terms, SearchTerms::Parse(query.text));
  query.deadline_ms = request.deadline_ms;
  return query;
}

void AddMetaQuery(const MetaQuery& query, JsonWriter* json) {
  json->Field("query", query.text);
  json->Field("metric", "*");
  json->Key("tags");
  json->OpenArray();
  json->CloseArray();
  json->Field("limit", query.limit);
}

// Adds the texts of a document. `names` keeps the names of its custom fields.
void AddTexts(const MetaFields& meta,
              std::vector<std::string>* names,
              std::vector<SearchField>* fields) {
  fields->push_back({"displayname", meta.display_name});
  fields->push_back({"description", meta.description});
  fields->push_back({"notes", meta.notes});
  fields->push_back({"units", meta.units});
  fields->push_back({"datatype", meta.data_type});
  if (!meta.custom.has_value()) return;
  names->reserve(meta.custom->size());  // the fields view them
  for (const auto& [key, value] : *meta.custom) {
    names->push_back("custom." + key);
    fields->push_back({names->back(), value});
  }
}

// One search: counts all matches, and prints the results that the query wants.
class MetaSearch {
 public:
  MetaSearch(const MetaQuery& query, const QueryService& service, BodyWriter* body)
      : query_(query), tsdb_(*service.tsdb), writer_(service.clock, body) {}

  absl::Status Run(SearchType type, QueryControl* control) {
    writer_.Begin(SearchTypeName(type), [this](JsonWriter* json) { AddMetaQuery(query_, json); });
    absl::Status done;
    if (type == SearchType::kAnnotation) {
      done = SearchAnnotations(control);
    } else {
      HOURCELL_ASSIGN_OR_RETURN(const DocumentMap documents, DocumentMap::Read(&tsdb_, control));
      done = type == SearchType::kUidMeta ? SearchUids(documents, control)
                                          : SearchSeries(type, documents, control);
    }
    HOURCELL_RETURN_IF_ERROR(writer_.status());
    HOURCELL_RETURN_IF_ERROR(failed_);
    HOURCELL_RETURN_IF_ERROR(done);
    writer_.Finish(query_.start_index, total_);
    return absl::OkStatus();
  }

 private:
  // Counts a match; true if its result is to be printed.
  bool IsWanted() {
    const uint64_t index = total_++;
    return index >= query_.start_index &&
           (query_.limit == 0 || index - query_.start_index < query_.limit);
  }

  absl::Status SearchUids(const DocumentMap& documents, QueryControl* control) {
    for (const UidKind kind : kUidKinds) {
      const NameQuery names{.kind = kind, .prefix = "", .deadline_ms = query_.deadline_ms};
      const auto visit = [&](std::string_view name) { return VisitName(kind, name, documents); };
      HOURCELL_RETURN_IF_ERROR(tsdb_.names().VisitNames(names, visit, control));
      if (!failed_.ok() || !writer_.status().ok()) break;
    }
    return absl::OkStatus();
  }

  bool VisitName(UidKind kind, std::string_view name, const DocumentMap& documents) {
    const absl::StatusOr<UidRow> row = tsdb_.names().FindUid(kind, name);
    if (absl::IsNotFound(row.status())) return true;  // renamed or deleted meanwhile
    failed_ = row.status();
    if (!failed_.ok()) return false;
    const UidMeta meta{.kind = kind,
                       .uid = ToUpperHex(row->uid_bytes),
                       .name = std::string(name),
                       .fields = documents.Of({.kind = kind, .id = row->uid_bytes})};
    std::vector<SearchField> fields = {
        {"name", name}, {"uid", meta.uid}, {"type", MetaTypeName(kind)}};
    std::vector<std::string> custom_names;
    AddTexts(meta.fields, &custom_names, &fields);
    if (!query_.terms.Matches(fields) || !IsWanted()) return true;
    AppendUidMeta(meta, writer_.NextResult());
    return writer_.Offer();
  }

  absl::Status SearchSeries(SearchType type, const DocumentMap& documents, QueryControl* control) {
    LookupQuery all;
    all.deadline_ms = query_.deadline_ms;
    const auto visit = [&](const FoundSeries& series) {
      return VisitSeries(type, series, documents);
    };
    return tsdb_.queries().LookupSeries(all, visit, control).status();
  }

  bool VisitSeries(SearchType type, const FoundSeries& series, const DocumentMap& documents) {
    const std::string tsuid = ToUpperHex(series.tsuid);
    std::vector<SearchField> fields = {
        {"tsuid", tsuid}, {"metric", series.metric}, {"name", series.metric}};
    for (const TagView& tag : series.tags) {
      fields.push_back({"tagk", tag.key});
      fields.push_back({"tagv", tag.value});
      fields.push_back({tag.key, tag.value});
    }
    std::vector<std::string> custom_names;
    AddTexts(documents.Of({.kind = {}, .id = std::string(series.tsuid)}), &custom_names, &fields);
    if (!query_.terms.Matches(fields) || !IsWanted()) return true;
    if (type == SearchType::kTsuids) {
      AppendJsonString(tsuid, writer_.NextResult());
    } else if (type == SearchType::kSeriesSummary) {
      AppendFoundSeries(series, writer_.NextResult());
    } else {
      const absl::StatusOr<SeriesMeta> meta = MetaReader(&tsdb_).OfSeries(series);
      failed_ = meta.status();
      if (!failed_.ok()) return false;
      AppendSeriesMeta(*meta, writer_.NextResult());
    }
    return writer_.Offer();
  }

  absl::Status SearchAnnotations(QueryControl* control) {
    return tsdb_.annotations().Visit([&](const Annotation& annotation) -> absl::Status {
      if (control->is_cancelled()) return absl::CancelledError("the search was cancelled");
      std::vector<SearchField> fields = {{"tsuid", annotation.tsuid},
                                         {"description", annotation.description},
                                         {"notes", annotation.notes}};
      std::vector<std::string> names;
      names.reserve(annotation.custom.size());  // the fields view them
      for (const auto& [key, value] : annotation.custom) {
        names.push_back("custom." + key);
        fields.push_back({names.back(), value});
      }
      if (!query_.terms.Matches(fields) || !IsWanted()) return absl::OkStatus();
      AppendAnnotation(annotation, writer_.NextResult());
      writer_.Offer();
      return writer_.status();
    });
  }

  const MetaQuery& query_;
  Tsdb& tsdb_;
  SearchWriter writer_;
  uint64_t total_ = 0;
  absl::Status failed_;
};

std::string ListedText(SearchType type, const MetaQuery& query) {
  std::string text;
  JsonWriter json(&text);
  json.OpenObject();
  json.Field("type", SearchTypeName(type));
  AddMetaQuery(query, &json);
  json.CloseObject();
  return text;
}

}  // namespace

std::optional<SearchType> ParseSearchType(std::string_view word) {
  for (const SearchWord& known : kSearchWords) {
    if (known.word == word) return known.type;
  }
  return std::nullopt;
}

HttpResponse AnswerSearch(SearchType type,
                          const HttpRequest& request,
                          const QueryService& service) {
  absl::StatusOr<MetaQuery> query = ParseMetaQuery(request);
  if (!query.ok()) return HttpError(400, query.status());
  std::string text = ListedText(type, *query);
  const auto print = [type, &service, parsed = *std::move(query)](QueryControl* control,
                                                                  BodyWriter* body) {
    return MetaSearch(parsed, service, body).Run(type, control);
  };
  return ListedResponse(service, request, std::move(text), print, &QueryError);
}

}  // namespace hourcell
