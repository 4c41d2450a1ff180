#include "server/names/meta_reader.h"

#include <optional>
#include <utility>
#include <vector>

#include <absl/status/status.h>
#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "codec/rows/tsuid.h"
#include "codec/rows/uid.h"

namespace hourcell {

absl::StatusOr<MetaFields> MetaReader::FieldsOf(const DocumentKey& key) const {
  HOURCELL_ASSIGN_OR_RETURN(const std::optional<std::string> text, tsdb_.names().FindDocument(key));
  return text.has_value() ? ParseMetaDocument(*text) : MetaFields();
}

absl::StatusOr<UidMeta> MetaReader::OfNamedUid(UidKind kind,
                                               std::string_view uid,
                                               std::string_view name) const {
  UidMeta meta{.kind = kind, .uid = ToUpperHex(uid), .name = std::string(name)};
  HOURCELL_ASSIGN_OR_RETURN(meta.fields, FieldsOf({.kind = kind, .id = std::string(uid)}));
  return meta;
}

absl::StatusOr<UidMeta> MetaReader::OfUid(UidKind kind, std::string_view uid) const {
  HOURCELL_ASSIGN_OR_RETURN(const Uid number, UidFromBytes(uid, tsdb_.layout().width(kind)));
  HOURCELL_ASSIGN_OR_RETURN(const UidRow row, tsdb_.names().FindName(kind, number));
  return OfNamedUid(kind, uid, row.name);
}

absl::StatusOr<SeriesMeta> MetaReader::OfTsuid(std::string_view tsuid) const {
  const Layout& layout = tsdb_.layout();
  HOURCELL_ASSIGN_OR_RETURN(const SeriesUids uids, ParseTsuid(layout, tsuid));
  SeriesMeta meta{.tsuid = ToUpperHex(tsuid)};
  const auto of_uid = [&](UidKind kind, Uid uid) -> absl::StatusOr<UidMeta> {
    HOURCELL_ASSIGN_OR_RETURN(const std::string bytes, UidToBytes(uid, layout.width(kind)));
    return OfUid(kind, bytes);
  };
  HOURCELL_ASSIGN_OR_RETURN(meta.metric, of_uid(UidKind::kMetric, uids.metric));
  for (const TagUids& tag : uids.tags) {
    HOURCELL_ASSIGN_OR_RETURN(UidMeta tagk, of_uid(UidKind::kTagk, tag.tagk));
    HOURCELL_ASSIGN_OR_RETURN(UidMeta tagv, of_uid(UidKind::kTagv, tag.tagv));
    meta.tags.push_back(std::move(tagk));
    meta.tags.push_back(std::move(tagv));
  }
  HOURCELL_ASSIGN_OR_RETURN(meta.fields, FieldsOf({.kind = {}, .id = std::string(tsuid)}));
  return meta;
}

absl::StatusOr<SeriesMeta> MetaReader::OfSeries(const FoundSeries& series) const {
  const Layout& layout = tsdb_.layout();
  SeriesMeta meta{.tsuid = ToUpperHex(series.tsuid)};
  size_t at = 0;
  const auto next = [&](UidKind kind, std::string_view name) {
    const std::string_view uid = series.tsuid.substr(at, layout.width(kind));
    at += uid.size();
    return OfNamedUid(kind, uid, name);
  };
  HOURCELL_ASSIGN_OR_RETURN(meta.metric, next(UidKind::kMetric, series.metric));
  for (const TagView& tag : series.tags) {
    HOURCELL_ASSIGN_OR_RETURN(UidMeta tagk, next(UidKind::kTagk, tag.key));
    HOURCELL_ASSIGN_OR_RETURN(UidMeta tagv, next(UidKind::kTagv, tag.value));
    meta.tags.push_back(std::move(tagk));
    meta.tags.push_back(std::move(tagv));
  }
  HOURCELL_ASSIGN_OR_RETURN(meta.fields, FieldsOf({.kind = {}, .id = std::string(series.tsuid)}));
  return meta;
}

absl::StatusOr<bool> MetaReader::HasSeries(std::string_view tsuid) const {
  const absl::StatusOr<SeriesMeta> names = OfTsuid(tsuid);
  if (absl::IsNotFound(names.status())) return false;
  HOURCELL_RETURN_IF_ERROR(names.status());
  LookupQuery query{.metric = names->metric.name};
  for (size_t i = 0; i + 1 < names->tags.size(); i += 2)
    query.tags.push_back({.tagk = names->tags[i].name, .tagv = names->tags[i + 1].name});
  bool found = false;
  const auto visit = [&](const FoundSeries& series) {
    found = series.tsuid == tsuid;
    return !found;
  };
  HOURCELL_RETURN_IF_ERROR(tsdb_.queries().LookupSeries(query, visit).status());
  return found;
}

absl::StatusOr<int64_t> MetaReader::LastPointS(std::string_view tsuid) const {
  int64_t last_s = 0;
  LastQuery query;
  query.queries.push_back({.metric = {}, .tags = {}, .tsuids = {ToUpperHex(tsuid)}});
  HOURCELL_RETURN_IF_ERROR(
      tsdb_.queries().LastPoints(query, [&](const LastPoint& point) { last_s = point.ms / 1000; }));
  return last_s;
}

absl::StatusOr<Uid> MetaReader::UidOf(UidKind kind, const std::string& name) const {
  HOURCELL_ASSIGN_OR_RETURN(const UidRow row, tsdb_.names().FindUid(kind, name));
  return UidFromBytes(row.uid_bytes, tsdb_.layout().width(kind));
}

absl::StatusOr<std::string> MetaReader::TsuidOf(const SeriesText& series) const {
  if (series.metric.empty() || series.tags.empty()) {
    return absl::InvalidArgumentError("m: expected a metric and its tags: cpu{host=web01}");
  }
  HOURCELL_ASSIGN_OR_RETURN(const Uid metric, UidOf(UidKind::kMetric, series.metric));
  std::vector<TagUids> tags;
  for (const TagMatch& tag : series.tags) {
    if (tag.tagk.empty() || tag.tagk == "*" || tag.tagv.empty() || tag.tagv == "*") {
      return absl::InvalidArgumentError("m: expected each tag with its value: cpu{host=web01}");
    }
    TagUids& uids = tags.emplace_back();
    HOURCELL_ASSIGN_OR_RETURN(uids.tagk, UidOf(UidKind::kTagk, tag.tagk));
    HOURCELL_ASSIGN_OR_RETURN(uids.tagv, UidOf(UidKind::kTagv, tag.tagv));
    for (size_t i = 0; i + 1 < tags.size(); ++i) {
      if (tags[i].tagk != uids.tagk) continue;
      return absl::InvalidArgumentError(
          fmt::format("m: tag {}: expected one value", QuoteForMessage(tag.tagk)));
    }
  }
  return EncodeTsuid(tsdb_.layout(), metric, tags);
}

}  // namespace hourcell
