// NewSeries: the latest series, whose rows by number, tsuid and tag are not in the tables yet.
//
// Only the log row of a new series is written at once; the rows that can be made from it again are
// written for tens of thousands of series together, in key order (series_table.h). Until then the
// series is found here. Takes about 150 bytes a series, and 20 more for each tag key that WithTag
// has looked up. Thread-compatible: const functions may run at once.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "codec/base/mutex.h"
#include "codec/rows/layout.h"
#include "codec/rows/tsuid.h"
#include "codec/rows/uid.h"
#include "engine/rows/series_key.h"

namespace hourcell {

class NewSeries {
 public:
  struct Entry {
    SeriesNumber number = 0;
    std::string_view tsuid;  // borrows from the NewSeries
  };
  // First and last number of a log row.
  using LogRow = std::pair<SeriesNumber, SeriesNumber>;

  // For series with numbers from `first_number` on.
  NewSeries(const Layout& layout, SeriesNumber first_number)
      : layout_(layout), first_number_(first_number) {}
  NewSeries(const NewSeries&) = delete;
  NewSeries& operator=(const NewSeries&) = delete;

  // Does nothing if the number is there. REQUIRES: it is not below the first; a tsuid that is no
  // other number's.
  void Add(SeriesNumber number, std::string_view tsuid);
  void AddLogRow(LogRow row) { log_rows_.push_back(row); }

  // 0 if it is not there.
  SeriesNumber NumberOf(std::string_view tsuid) const;
  // Empty if it is not there.
  std::string_view TsuidOf(SeriesNumber number) const;

  // The series of a metric, in the order they were added; empty if it is not there.
  std::span<const Entry> OfMetric(Uid metric) const;
  // The same, of numbers above `above` only: appended.
  void AppendNewer(Uid metric, SeriesNumber above, std::vector<Entry>* entries) const;

  // Appends the numbers of a metric's series with a tag, in the order they were added. Makes or
  // completes an index of the tag's key first.
  void WithTag(Uid metric, const TagUids& tag, std::vector<SeriesNumber>* numbers) const;

  // Makes a part of that index, of at most `series_max` series. True if it is complete.
  bool IndexTagKey(Uid metric, Uid tagk, size_t series_max) const;

  // Calls `visit` with the series of one metric after the other.
  void VisitMetrics(
      const std::function<void(Uid metric, std::span<const Entry> series)>& visit) const;

  // Takes the series with numbers above `last` out, into a new object. A log row goes where its
  // last number does. REQUIRES: first_number() - 1 <= last <= last_number().
  std::unique_ptr<NewSeries> SplitAfter(SeriesNumber last);

  std::span<const LogRow> log_rows() const { return log_rows_; }
  size_t size() const { return numbers_.size(); }
  SeriesNumber first_number() const { return first_number_; }
  // The highest number; first_number() - 1 if empty.
  SeriesNumber last_number() const { return first_number_ + by_number_.size() - 1; }

 private:
  // The series of one metric.
  struct OfOneMetric {
    std::vector<Entry> entries;
    bool ascends = true;  // by number
  };
  // The values of one tag key, of the first before.size() series of a metric. The places in its
  // entries that have a value make a chain: the last, that before it, and so on.
  struct KeyIndex {
    static constexpr uint32_t kNone = UINT32_MAX;
    absl::flat_hash_map<Uid, uint32_t> last;
    std::vector<uint32_t> before;  // of each place
  };

  std::string_view Keep(std::string_view tsuid);
  KeyIndex& ExtendLocked(Uid metric, Uid tagk, size_t series_max) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(index_mutex_);

  const Layout layout_;
  const SeriesNumber first_number_;
  std::vector<std::unique_ptr<char[]>> pieces_;  // of memory for tsuids
  size_t used_ = 0;                              // of the last piece
  std::vector<std::string_view> by_number_;      // from first_number_ on; empty: not there
  absl::flat_hash_map<std::string_view, SeriesNumber> numbers_;
  absl::flat_hash_map<Uid, OfOneMetric> metrics_;
  std::vector<LogRow> log_rows_;

  mutable Mutex index_mutex_;
  // By metric and tag key, for those that were looked up.
  mutable absl::flat_hash_map<std::pair<Uid, Uid>, KeyIndex> indexes_ ABSL_GUARDED_BY(index_mutex_);
};

}  // namespace hourcell
