#include "engine/series/series_ref.h"

#include <algorithm>

#include <fmt/format.h>

#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "codec/text/name.h"

namespace hourcell {
namespace {

std::string MetricPlace(std::string_view metric) {
  return fmt::format("Invalid metric name (\"{}\")", TextForMessage(metric));
}
std::string TagkPlace(const TagView& tag) {
  return fmt::format("Invalid tag name with value [{}] (\"{}\")", TextForMessage(tag.value),
                     TextForMessage(tag.key));
}
std::string TagvPlace(const TagView& tag) {
  return fmt::format("Invalid tag value with key [{}] (\"{}\")", TextForMessage(tag.key),
                     TextForMessage(tag.value));
}

}  // namespace

PointError NameError(const absl::Status& status, std::string_view where) {
  const std::string text(status.message());
  switch (status.code()) {
    case absl::StatusCode::kNotFound:
      return {PointErrorKind::kUnknownName, text};
    case absl::StatusCode::kInvalidArgument:
      return {PointErrorKind::kIllegalArgument, fmt::format("{}: {}", where, text)};
    case absl::StatusCode::kUnavailable:
      return {PointErrorKind::kThrottled, text};
    default:
      return {PointErrorKind::kStorage, text};
  }
}

std::optional<PointError> NamesFault(const PointView& point,
                                     NameEncoding encoding,
                                     std::string_view extra_chars) {
  const auto fault_of = [&](std::string_view name) {
    const std::string fault = NameFault(name, encoding, extra_chars);
    return fault.empty() ? absl::OkStatus() : absl::InvalidArgumentError(fault);
  };
  if (const absl::Status metric = fault_of(point.metric); !metric.ok()) {
    return NameError(metric, MetricPlace(point.metric));
  }
  for (const TagView& tag : point.tags) {
    if (const absl::Status key = fault_of(tag.key); !key.ok())
      return NameError(key, TagkPlace(tag));
    if (const absl::Status value = fault_of(tag.value); !value.ok()) {
      return NameError(value, TagvPlace(tag));
    }
  }
  return std::nullopt;
}

std::optional<PointError> FillRef(
    const Layout& layout,
    const PointView& point,
    const std::function<absl::StatusOr<Uid>(UidKind, std::string_view)>& get,
    SeriesRef* ref) {
  const auto fill = [&get](UidKind kind, std::string_view name, Uid* uid) -> absl::Status {
    if (*uid != kNoUid) return absl::OkStatus();
    HOURCELL_ASSIGN_OR_RETURN(*uid, get(kind, name));
    return absl::OkStatus();
  };
  const absl::Status metric = fill(UidKind::kMetric, point.metric, &ref->metric);
  if (!metric.ok()) return NameError(metric, MetricPlace(point.metric));
  bool complete = ref->metric != kNoUid;
  ref->tags.resize(point.tags.size());
  for (size_t i = 0; i < point.tags.size(); ++i) {
    const TagView& tag = point.tags[i];
    TagUids& uids = ref->tags[i];
    const absl::Status tagk = fill(UidKind::kTagk, tag.key, &uids.tagk);
    if (!tagk.ok()) return NameError(tagk, TagkPlace(tag));
    const absl::Status tagv = fill(UidKind::kTagv, tag.value, &uids.tagv);
    if (!tagv.ok()) return NameError(tagv, TagvPlace(tag));
    complete = complete && uids.tagk != kNoUid && uids.tagv != kNoUid;
  }
  if (complete) ref->tsuid = EncodeTsuid(layout, ref->metric, ref->tags);
  return std::nullopt;
}

bool HaveSameTags(const PointView& a, const PointView& b) {
  return std::ranges::equal(a.tags, b.tags, [](const TagView& x, const TagView& y) {
    return x.value == y.value && x.key == y.key;
  });
}

}  // namespace hourcell
