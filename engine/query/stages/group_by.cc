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

// A series to group.
struct Member {
  uint32_t position = 0;    // in the column of all series
  size_t values_begin = 0;  // of its values of the keys
};

// Adds a member's tags to those of the members before, in which a key with several values has
// kNoUid.
void AddMember(std::span<const TagUids> tags, std::vector<TagUids>* keys) {
  size_t at = 0;
  for (const TagUids& tag : tags) {
    while (at < keys->size() && (*keys)[at].tagk < tag.tagk)
      ++at;
    if (at == keys->size() || (*keys)[at].tagk != tag.tagk) {
      keys->insert(keys->begin() + static_cast<ptrdiff_t>(at), tag);
    } else if ((*keys)[at].tagv != tag.tagv) {
      (*keys)[at].tagv = kNoUid;
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

  SeriesGroups groups;
  groups.Reserve(selected.size());
  if (tagks.empty()) {
    for (const uint32_t member : selected)
      groups.Add(member, /*is_new_group=*/each_alone);
    return groups;
  }
  std::vector<Member> members;
  members.reserve(selected.size());
  std::vector<Uid> values;  // of the keys, member by member
  values.reserve(selected.size() * tagks.size());
  for (const uint32_t position : selected) {
    const size_t begin = values.size();
    if (AppendValues(series[position], tagks, &values)) members.push_back({position, begin});
  }
  const auto values_of = [&](const Member& member) {
    return std::span<const Uid>(values).subspan(member.values_begin, tagks.size());
  };
  const auto is_before = [&](const Member& a, const Member& b) {
    if (values[a.values_begin] != values[b.values_begin])
      return values[a.values_begin] < values[b.values_begin];
    return std::ranges::lexicographical_compare(values_of(a), values_of(b));
  };
  // Often they are: with the first key of the series as the only one.
  if (!each_alone && !std::ranges::is_sorted(members, is_before)) {
    std::ranges::stable_sort(members, is_before);
  }
  for (size_t i = 0; i < members.size(); ++i) {
    const bool is_new =
        i == 0 || !std::ranges::equal(values_of(members[i - 1]), values_of(members[i]));
    groups.Add(members[i].position, each_alone || is_new);
  }
  return groups;
}

void TagsOfGroup(const TagsColumn& series, std::span<const uint32_t> members, GroupTags* tags) {
  std::vector<TagUids>& keys = tags->common;
  keys.clear();
  tags->aggregated.clear();
  for (const uint32_t member : members)
    AddMember(series[member], &keys);
  for (const TagUids& key : keys) {
    if (key.tagv == kNoUid) tags->aggregated.push_back(key.tagk);
  }
  std::erase_if(keys, [](const TagUids& key) { return key.tagv == kNoUid; });
}

}  // namespace hourcell
