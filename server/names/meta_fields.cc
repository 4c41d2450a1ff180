#include "server/names/meta_fields.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <absl/status/status.h>
#include <fmt/format.h>

#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "codec/text/number.h"
#include "server/text/json_fields.h"

namespace hourcell {
namespace {

using simdjson::dom::element;

absl::Status BadNumber(std::string_view field) {
  return absl::InvalidArgumentError(fmt::format("Unable to parse '{}' value", field));
}

// An empty text is the default.
absl::Status ReadInteger(std::string_view field, std::string_view text, int64_t* value) {
  if (text.empty()) return absl::OkStatus();
  const Parsed<int64_t> parsed = ParseInteger(text);
  if (!parsed.ok()) return BadNumber(field);
  *value = *parsed;
  return absl::OkStatus();
}

absl::Status ReadReal(std::string_view field, std::string_view text, double* value) {
  if (text.empty()) return absl::OkStatus();
  const Parsed<double> parsed = ParseDouble(text);
  if (!parsed.ok()) return BadNumber(field);
  *value = *parsed;
  return absl::OkStatus();
}

absl::Status ReadCustom(element value, MetaFields* fields) {
  if (value.is_null()) return absl::OkStatus();
  simdjson::dom::object object;
  if (value.get(object)) return WrongJsonType("custom", "an object");
  fields->custom.emplace();
  for (const auto [key, item] : object) {
    HOURCELL_ASSIGN_OR_RETURN((*fields->custom)[std::string(key)], JsonText(key, item));
  }
  return absl::OkStatus();
}

// The member of a field of text; null for other fields.
std::string* TextMember(std::string_view field, MetaFields* fields) {
  if (field == "displayName") return &fields->display_name;
  if (field == "description") return &fields->description;
  if (field == "notes") return &fields->notes;
  if (field == "units") return &fields->units;
  if (field == "dataType") return &fields->data_type;
  return nullptr;
}

absl::Status ReadNumber(std::string_view field, std::string_view text, MetaFields* fields) {
  if (field == "created") return ReadInteger(field, text, &fields->created);
  if (field == "retention") return ReadInteger(field, text, &fields->retention);
  if (field == "max") return ReadReal(field, text, &fields->max);
  if (field == "min") return ReadReal(field, text, &fields->min);
  return absl::OkStatus();
}

void AddCustom(const MetaFields& fields, JsonWriter* json) {
  json->Key("custom");
  if (!fields.custom.has_value()) {
    json->RawValue()->append("null");
    return;
  }
  json->OpenObject();
  for (const auto& [key, value] : *fields.custom)
    json->Field(key, value);
  json->CloseObject();
}

// As Jackson prints it: NaN and the infinities are strings.
void AddReal(std::string_view key, double value, JsonWriter* json) {
  std::string text;
  AppendJavaDouble(value, &text);
  json->Key(key);
  if (std::isfinite(value)) {
    json->RawValue()->append(text);
  } else {
    json->Value(text);
  }
}

void AddUidMeta(const UidMeta& meta, JsonWriter* json) {
  json->OpenObject();
  json->Field("uid", meta.uid);
  json->Key("type");
  if (meta.kind.has_value()) {
    json->Value(MetaTypeName(*meta.kind));
  } else {
    json->RawValue()->append("null");
  }
  json->Field("name", meta.name);
  json->Field("description", meta.fields.description);
  json->Field("notes", meta.fields.notes);
  json->Field("created", meta.fields.created);
  AddCustom(meta.fields, json);
  json->Field("displayName", meta.fields.display_name);
  json->CloseObject();
}

void Replace(const std::string& given, std::string* text) {
  if (!given.empty()) *text = given;
}

}  // namespace

bool MetaFields::is_empty() const {
  return display_name.empty() && description.empty() && notes.empty() && created == 0 &&
         !custom.has_value() && units.empty() && data_type.empty() && retention == 0 &&
         std::isnan(max) && std::isnan(min);
}

absl::StatusOr<MetaFields> ParseMetaFields(simdjson::dom::object object) {
  MetaFields fields;
  for (const auto [key, value] : object) {
    if (key == "custom") {
      HOURCELL_RETURN_IF_ERROR(ReadCustom(value, &fields));
      continue;
    }
    std::string* const text = TextMember(key, &fields);
    const bool is_known =
        text != nullptr || key == "created" || key == "retention" || key == "max" || key == "min";
    if (!is_known) continue;
    HOURCELL_ASSIGN_OR_RETURN(std::string got, JsonText(key, value));
    if (text != nullptr) {
      *text = std::move(got);
    } else {
      HOURCELL_RETURN_IF_ERROR(ReadNumber(key, got, &fields));
    }
  }
  return fields;
}

absl::StatusOr<MetaFields> MetaFieldsOfParams(const HttpRequest& request) {
  constexpr std::pair<std::string_view, std::string_view> kTexts[] = {
      {"display_name", "displayName"},
      {"description", "description"},
      {"notes", "notes"},
      {"units", "units"},
      {"data_type", "dataType"}};
  MetaFields fields;
  for (const auto& [param, field] : kTexts) {
    if (const std::string* const text = request.param(param)) *TextMember(field, &fields) = *text;
  }
  for (const std::string_view field : {"created", "retention", "max", "min"}) {
    const std::string* const text = request.param(field);
    if (text != nullptr) HOURCELL_RETURN_IF_ERROR(ReadNumber(field, *text, &fields));
  }
  return fields;
}

std::string PrintMetaDocument(const MetaFields& fields, MetaOf of) {
  std::string text;
  JsonWriter json(&text);
  json.OpenObject();
  json.Field("displayName", fields.display_name);
  json.Field("description", fields.description);
  json.Field("notes", fields.notes);
  json.Field("created", fields.created);
  AddCustom(fields, &json);
  if (of == MetaOf::kSeries) {
    json.Field("units", fields.units);
    json.Field("dataType", fields.data_type);
    json.Field("retention", fields.retention);
    AddReal("max", fields.max, &json);
    AddReal("min", fields.min, &json);
  }
  json.CloseObject();
  return text;
}

absl::StatusOr<MetaFields> ParseMetaDocument(std::string_view text) {
  simdjson::dom::parser parser;
  simdjson::dom::object object;
  if (!parser.parse(text.data(), text.size()).get(object)) {
    absl::StatusOr<MetaFields> fields = ParseMetaFields(object);
    if (fields.ok()) return fields;
  }
  return absl::DataLossError(fmt::format("meta text: expected a JSON object of meta fields, got {}",
                                         QuoteForMessage(text)));
}

MetaFields MergeMeta(const MetaFields& stored, const MetaFields& edit, bool replaces) {
  MetaFields merged = replaces ? MetaFields() : stored;
  merged.created = stored.created;
  if (edit.created > 0 && (stored.created <= 0 || edit.created < stored.created)) {
    merged.created = edit.created;
  }
  Replace(edit.display_name, &merged.display_name);
  Replace(edit.description, &merged.description);
  Replace(edit.notes, &merged.notes);
  Replace(edit.units, &merged.units);
  Replace(edit.data_type, &merged.data_type);
  if (edit.custom.has_value()) merged.custom = edit.custom;
  if (edit.retention != 0) merged.retention = edit.retention;
  if (!std::isnan(edit.max)) merged.max = edit.max;
  if (!std::isnan(edit.min)) merged.min = edit.min;
  return merged;
}

std::string_view MetaTypeName(UidKind kind) {
  constexpr std::string_view kNames[] = {"METRIC", "TAGK", "TAGV"};
  return kNames[static_cast<size_t>(kind)];
}

std::optional<UidKind> ParseMetaType(std::string_view text) {
  const std::string type = LowerCase(text);
  if (type == "metric") return UidKind::kMetric;
  const absl::StatusOr<UidKind> kind = ParseKindName(type);
  return kind.ok() ? std::optional(*kind) : std::nullopt;
}

void AppendUidMeta(const UidMeta& meta, std::string* out) {
  JsonWriter json(out);
  AddUidMeta(meta, &json);
}

void AppendSeriesMeta(const SeriesMeta& meta, std::string* out) {
  JsonWriter json(out);
  json.OpenObject();
  json.Field("tsuid", meta.tsuid);
  json.Key("metric");
  AppendUidMeta(meta.metric, json.RawValue());
  json.Key("tags");
  json.OpenArray();
  for (const UidMeta& tag : meta.tags)
    AppendUidMeta(tag, json.RawValue());
  json.CloseArray();
  json.Field("description", meta.fields.description);
  json.Field("notes", meta.fields.notes);
  json.Field("created", meta.fields.created);
  json.Field("units", meta.fields.units);
  json.Field("retention", meta.fields.retention);
  AddReal("max", meta.fields.max, &json);
  AddReal("min", meta.fields.min, &json);
  AddCustom(meta.fields, &json);
  json.Field("displayName", meta.fields.display_name);
  json.Field("dataType", meta.fields.data_type);
  json.Field("lastReceived", meta.last_received_s);
  json.Field("totalDatapoints", 0);
  json.CloseObject();
}

}  // namespace hourcell
