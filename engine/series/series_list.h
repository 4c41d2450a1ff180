// SeriesList: series of one metric, ascending by tsuid, as columns. Immutable once built;
// thread-safe.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>

#include "codec/rows/layout.h"
#include "codec/rows/tsuid.h"
#include "engine/query/stages/group_by.h"
#include "engine/rows/series_key.h"

namespace hourcell {

class SeriesList {
 public:
  size_t size() const { return numbers_.size(); }
  SeriesNumber number(size_t i) const { return numbers_[i]; }
  std::string_view tsuid(size_t i) const {
    const size_t begin = i == 0 ? 0 : tsuid_ends_[i - 1];
    return std::string_view(tsuids_).substr(begin, tsuid_ends_[i] - begin);
  }
  // The tsuid without its metric, as in the row key.
  std::string_view tag_bytes(size_t i) const { return tsuid(i).substr(metric_width_); }
  // Ascending by tagk.
  std::span<const TagUids> tags(size_t i) const { return tags_[i]; }
  const TagsColumn& all_tags() const { return tags_; }

  size_t allocated_bytes() const;

  // A new list of both, of one metric, each series once. Copies the series of `most` in long
  // pieces, so it is for adding a few series to many.
  static SeriesList Merged(const SeriesList& most, const SeriesList& few);

 private:
  friend class SeriesListBuilder;
  // Appends the series of `from` at [begin, end).
  void Append(const SeriesList& from, size_t begin, size_t end);
  // The place of the first at or after `begin` that is not below `tsuid`.
  size_t LowerBound(size_t begin, std::string_view tsuid) const;

  size_t metric_width_ = 0;
  std::vector<SeriesNumber> numbers_;
  std::string tsuids_;  // one after another
  std::vector<size_t> tsuid_ends_;
  TagsColumn tags_;
};

// Thread-compatible.
class SeriesListBuilder {
 public:
  explicit SeriesListBuilder(const Layout& layout) : layout_(layout) {}

  // Adds a series, in any order. kInvalidArgument: not a tsuid of the layout.
  absl::Status Add(SeriesNumber number, std::string_view tsuid);

  size_t size() const { return list_.size(); }
  size_t allocated_bytes() const { return list_.allocated_bytes(); }

  // The list. To be called once, last.
  SeriesList Build() &&;

 private:
  const Layout& layout_;
  SeriesList list_;
  bool ascends_ = true;
};

}  // namespace hourcell
