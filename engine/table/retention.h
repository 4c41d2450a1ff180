// Retention: how long points are kept, by their timestamps: for the whole store, and for single
// metrics.
//
// A metric's TTL counts, or else the store's; 0 keeps points without a limit. A point is expired
// once it is older than the TTL: it is not shown and not stored any more. A row is expired once its
// last possible point is; from then on it may be deleted from disk, in parts and at any time. So
// after a TTL was raised, some expired points may show again, and others not; points put then are
// kept.
//
// After a TTL was shortened, the longer one may count for files a while longer: the TTL of files.
// Rows expire by it then, so that an undo shows their points again; points expire by the shorter.
//
// Until rules are set nothing expires: a store that is being opened does not drop rows by a guess.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include <absl/container/flat_hash_map.h>

#include "codec/base/check.h"
#include "codec/base/clock.h"
#include "codec/base/mutex.h"
#include "codec/limits.h"
#include "codec/rows/row_key.h"
#include "codec/rows/row_span.h"
#include "codec/rows/uid.h"

namespace hourcell {

// The longest TTL in seconds: the range of timestamps.
inline constexpr int64_t kTtlMaxS = kTimestampMsMax / 1000;

// The TTLs of a store, 0 to kTtlMaxS seconds; 0 = no expiry.
struct RetentionRules {
  int64_t store_ttl_s = 0;
  absl::flat_hash_map<Uid, int64_t> metric_ttl_s = {};  // of metrics with a TTL
  // The longer TTLs of files; of kNoUid: of all metrics without their own TTL.
  absl::flat_hash_map<Uid, int64_t> file_ttl_s = {};

  // The metric's own TTL, or else the store's. kNoUid: the store's.
  int64_t TtlS(Uid metric) const;
  // The longest of TtlS and the TTLs of files that count for the metric.
  int64_t FileTtlS(Uid metric) const;

  // Points of the metric before this instant are expired; 0: no point is.
  int64_t ExpiresBeforeMs(Uid metric, int64_t now_ms) const;
  // Rows of the metric expire as if its points did before this instant; 0: none does.
  int64_t FilesExpireBeforeMs(Uid metric, int64_t now_ms) const;
  // As above, for all metrics with UIDs from `first` to `last`; for some the instant may be later.
  int64_t FilesExpireBeforeMs(Uid first, Uid last, int64_t now_ms) const;
  // The shortest TTL of any metric; 0: points never expire.
  int64_t ShortestTtlS() const;
};

// 0 is the longest TTL.
inline bool IsShorterTtl(int64_t ttl_s, int64_t other_s) {
  return ttl_s != 0 && (other_s == 0 || ttl_s < other_s);
}
inline int64_t LongerTtl(int64_t ttl_s, int64_t other_s) {
  return IsShorterTtl(ttl_s, other_s) ? other_s : ttl_s;
}

// The rules in force. Thread-safe: readers take an immutable snapshot, Set replaces it.
class Retention {
 public:
  void Set(RetentionRules rules);

  // Null before the first Set.
  std::shared_ptr<const RetentionRules> rules() const;

  // Points from this instant on are not expired in any metric; 0: no point is expired. One atomic
  // load, for puts: only older points need a lookup of their metric.
  int64_t MayExpireBeforeMs(int64_t now_ms) const;

 private:
  std::atomic<int64_t> shortest_ttl_s_{0};
  mutable Mutex mutex_;
  std::shared_ptr<const RetentionRules> rules_ ABSL_GUARDED_BY(mutex_);
};

// The rules in force, the time and the layout of rows: decides whether points and rows are expired.
// Thread-safe.
class RowExpiry {
 public:
  // `retention` and `clock` are borrowed.
  RowExpiry(const Layout& layout, const Retention* retention, WallClock* clock);

  // Points of the metric before this are expired now; 0: none is. kNoUid: of a metric that is new.
  int64_t ExpiresBeforeMs(Uid metric) const;
  // Rows of the metric may be deleted from disk now as if its points expired before this; 0: none.
  int64_t FilesExpireBeforeMs(Uid metric) const;
  // Retention's, now.
  int64_t MayExpireBeforeMs() const { return retention_.MayExpireBeforeMs(clock_.NowMs()); }

  // One pass over rows with fixed time and rules. Borrows the RowExpiry. Thread-compatible.
  class Pass {
   public:
    explicit Pass(const RowExpiry& expiry);

    // True if the row is expired; false for a key that is not a row's. Quickest for rows in order.
    bool IsExpired(std::string_view key);

    // After IsExpired(key) was true: a greater key, all rows from `key` to which are expired too.
    // Empty if none is known, as with layouts that put the time before the metric.
    std::string EndOfExpired(std::string_view key) const;

    // Rows of all metrics from `first` to `last` with only points before this are expired; 0: none.
    int64_t FilesExpireBeforeMs(Uid first, Uid last) const;
    // False if nothing ever expires.
    bool is_any() const { return rules_ != nullptr && rules_->ShortestTtlS() != 0; }

   private:
    const RowExpiry& expiry_;
    const std::shared_ptr<const RetentionRules> rules_;  // may be null
    const int64_t now_ms_;
    std::string metric_;     // UID bytes of the row asked for last
    int64_t before_ms_ = 0;  // its metric's FilesExpireBeforeMs
    RowSpan span_ = {};      // of that row
  };

  const RowKeyCodec& row_keys() const { return row_keys_; }

 private:
  const RowKeyCodec row_keys_;
  const Retention& retention_;
  WallClock& clock_;
  size_t base_time_at_ = 0;  // where the base time is in a key
  bool metric_is_before_time_ = false;
};

// True if all points a row of that base time may have are before `before_ms`.
inline bool RowIsBefore(RowSpan span, uint32_t base_time_s, int64_t before_ms) {
  return (int64_t{base_time_s} + span.seconds) * 1000 <= before_ms;
}

// The first base time with a row not wholly before `before_ms`. REQUIRES: before_ms >= 0.
inline uint32_t FirstRowFromS(RowSpan span, int64_t before_ms) {
  HOURCELL_DCHECK(before_ms >= 0);
  return span.BaseS(before_ms < kTimestampMsMax ? before_ms : kTimestampMsMax);
}

}  // namespace hourcell
