// Grouping: the division of a sub query's spans into groups to aggregate, and the tags of the
// output. Pure.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "codec/rows/tsuid.h"

namespace hourcell {

// The tags of many series, one after another.
class TagsColumn {
 public:
  size_t size() const { return ends_.size(); }
  std::span<const TagUids> operator[](size_t i) const {
    const size_t begin = i == 0 ? 0 : ends_[i - 1];
    return std::span(tags_).subspan(begin, ends_[i] - begin);
  }
  // Ascending by tagk.
  void push_back(std::span<const TagUids> tags) {
    tags_.insert(tags_.end(), tags.begin(), tags.end());
    ends_.push_back(tags_.size());
  }
  // Appends those of `from` at [begin, end).
  void Append(const TagsColumn& from, size_t begin, size_t end);
  void Reserve(size_t series, size_t tags) {
    ends_.reserve(series);
    tags_.reserve(tags);
  }
  size_t tags() const { return tags_.size(); }  // of all
  size_t allocated_bytes() const {
    return tags_.capacity() * sizeof(TagUids) + ends_.capacity() * sizeof(size_t);
  }

 private:
  std::vector<TagUids> tags_;
  std::vector<size_t> ends_;
};

// Groups of series: positions in a TagsColumn, in series-key order in each group.
class SeriesGroups {
 public:
  size_t size() const { return ends_.size(); }
  std::span<const uint32_t> operator[](size_t i) const {
    const size_t begin = i == 0 ? 0 : ends_[i - 1];
    return std::span(members_).subspan(begin, ends_[i] - begin);
  }
  // The members of all groups, group by group.
  std::span<const uint32_t> members() const { return members_; }

  void Reserve(size_t members) {
    members_.reserve(members);
    ends_.reserve(members);
  }
  // Adds `member` to the last group, or to a new one.
  void Add(uint32_t member, bool is_new_group) {
    members_.push_back(member);
    if (is_new_group || ends_.empty()) ends_.push_back(0);
    ends_.back() = members_.size();
  }

 private:
  std::vector<uint32_t> members_;
  std::vector<size_t> ends_;
};

// Groups the series at the positions `selected` by their values of `group_by_tagks` (UIDs; order
// and repeats do not matter): one group for each combination, ascending by the tag value UIDs in
// tagk-UID order. Without keys: one group of all. `each_alone` (aggregator none): one group a
// series. Series that lack one of the keys are omitted. REQUIRES: `selected` ascends.
SeriesGroups GroupSeries(const TagsColumn& series,
                         std::span<const uint32_t> selected,
                         std::span<const Uid> group_by_tagks,
                         bool each_alone);

// The tags of a group's output: a key is common, with its value, unless a later member has another
// value; then it is aggregated. A key that some members lack stays common (as in OpenTSDB).
struct GroupTags {
  std::vector<TagUids> common;  // ascending by tagk
  std::vector<Uid> aggregated;  // ascending
};
// Sets `*tags`, in its memory.
void TagsOfGroup(const TagsColumn& series, std::span<const uint32_t> members, GroupTags* tags);

}  // namespace hourcell
