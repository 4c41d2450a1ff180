#include "engine/query/group_by.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace hourcell {
namespace {

// The values of `tagks` (ascending) in `series`; nothing if it lacks one of the keys.
std::optional<std::vector<Uid>> ValuesOf(const SeriesUids& series, std::span<const Uid> tagks) {
  std::vector<Uid> values;
  values.reserve(tagks.size());
  auto tag = series.tags.begin();
  for (const Uid tagk : tagks) {
    while (tag != series.tags.end() && tag->tagk < tagk)
      ++tag;
    if (tag == series.tags.end() || tag->tagk != tagk) return std::nullopt;
    values.push_back(tag->tagv);
  }
  return values;
}

}  // namespace

std::vector<SeriesGroup> GroupSeries(std::span<const SeriesUids> series,
                                     std::span<const Uid> group_by_tagks,
                                     bool each_alone) {
  std::vector<Uid> tagks(group_by_tagks.begin(), group_by_tagks.end());
  std::sort(tagks.begin(), tagks.end());
  tagks.erase(std::unique(tagks.begin(), tagks.end()), tagks.end());

  std::vector<SeriesGroup> alone;
  std::map<std::vector<Uid>, SeriesGroup> groups;
  for (size_t i = 0; i < series.size(); ++i) {
    auto values = ValuesOf(series[i], tagks);
    if (!values.has_value()) continue;
    if (each_alone) {
      alone.push_back({.members = {i}});
    } else {
      groups[*std::move(values)].members.push_back(i);
    }
  }
  if (each_alone) return alone;

  std::vector<SeriesGroup> ordered;
  ordered.reserve(groups.size());
  for (auto& [values, group] : groups)
    ordered.push_back(std::move(group));
  return ordered;
}

GroupTags TagsOfGroup(std::span<const SeriesUids> series, const SeriesGroup& group) {
  std::map<Uid, Uid> first_values;
  std::set<Uid> aggregated;
  for (const size_t member : group.members) {
    for (const TagUids& tag : series[member].tags) {
      const auto [found, is_new] = first_values.try_emplace(tag.tagk, tag.tagv);
      if (!is_new && found->second != tag.tagv) aggregated.insert(tag.tagk);
    }
  }
  GroupTags tags;
  for (const auto& [tagk, tagv] : first_values) {
    if (!aggregated.contains(tagk)) tags.common.push_back({.tagk = tagk, .tagv = tagv});
  }
  tags.aggregated.assign(aggregated.begin(), aggregated.end());
  return tags;
}

}  // namespace hourcell
