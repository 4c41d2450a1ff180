#include "engine/query/stages/group_by.h"

#include <algorithm>

#include "codec/base/check.h"

namespace hourcell {
namespace {

// Appends the values of `tagks` (ascending) in `tags`; if one is missing, appends nothing and
// returns false.
bool AppendValues(std::span<const TagUids> tags,
                  std::span<const Uid> tagks,
                  std::vector<Uid>* values) {
  const size_t size = values->size();
  auto tag = tags.begin();
  for (const Uid tagk : tagks) {
    while (tag != tags.end() && tag->tagk < tagk)
      ++tag;
    if (tag == tags.end() || tag->tagk != tagk) {
      values->resize(size);
      return false;
    }
    values->push_back(tag->tagv);
  }
  return true;
}

// The state of one key after the members so far.
struct KeyState {
  TagUids first;
  bool is_aggregated = false;
};

void AddMember(std::span<const TagUids> tags, std::vector<KeyState>* keys) {
  size_t at = 0;
  for (const TagUids& tag : tags) {
    while (at < keys->size() && (*keys)[at].first.tagk < tag.tagk)
      ++at;
    if (at == keys->size() || (*keys)[at].first.tagk != tag.tagk) {
      keys->insert(keys->begin() + static_cast<ptrdiff_t>(at),
                   {.first = tag, .is_aggregated = false});
    } else if ((*keys)[at].first.tagv != tag.tagv) {
      (*keys)[at].is_aggregated = true;
    }
  }
}

}  // namespace

void TagsColumn::Append(const TagsColumn& from, size_t begin, size_t end) {
  if (begin == end) return;
  const size_t first = begin == 0 ? 0 : from.ends_[begin - 1];
  const size_t shift = tags_.size() - first;  // may wrap around, and back
  tags_.insert(tags_.end(), from.tags_.begin() + static_cast<ptrdiff_t>(first),
               from.tags_.begin() + static_cast<ptrdiff_t>(from.ends_[end - 1]));
  for (size_t i = begin; i < end; ++i)
    ends_.push_back(from.ends_[i] + shift);
}

SeriesGroups GroupSeries(const TagsColumn& series,
                         std::span<const uint32_t> selected,
                         std::span<const Uid> group_by_tagks,
                         bool each_alone) {
  HOURCELL_DCHECK(std::ranges::is_sorted(selected));
  std::vector<Uid> tagks(group_by_tagks.begin(), group_by_tagks.end());
  std::ranges::sort(tagks);
  tagks.erase(std::unique(tagks.begin(), tagks.end()), tagks.end());

  std::vector<uint32_t> members;
  std::vector<Uid> values;  // of the keys, member by member
  for (const uint32_t member : selected) {
    if (AppendValues(series[member], tagks, &values)) members.push_back(member);
  }
  SeriesGroups groups;
  if (each_alone || tagks.empty()) {
    for (const uint32_t member : members)
      groups.Add(member, /*is_new_group=*/each_alone);
    return groups;
  }
  const auto values_of = [&](uint32_t i) {
    return std::span<const Uid>(values).subspan(i * tagks.size(), tagks.size());
  };
  std::vector<uint32_t> order(members.size());
  for (uint32_t i = 0; i < order.size(); ++i)
    order[i] = i;
  std::ranges::stable_sort(order, [&](uint32_t a, uint32_t b) {
    return std::ranges::lexicographical_compare(values_of(a), values_of(b));
  });
  for (size_t i = 0; i < order.size(); ++i) {
    const bool is_new = i == 0 || !std::ranges::equal(values_of(order[i - 1]), values_of(order[i]));
    groups.Add(members[order[i]], is_new);
  }
  return groups;
}

GroupTags TagsOfGroup(const TagsColumn& series, std::span<const uint32_t> members) {
  std::vector<KeyState> keys;
  for (const uint32_t member : members)
    AddMember(series[member], &keys);
  GroupTags tags;
  for (const KeyState& key : keys) {
    if (key.is_aggregated) {
      tags.aggregated.push_back(key.first.tagk);
    } else {
      tags.common.push_back(key.first);
    }
  }
  return tags;
}

}  // namespace hourcell
