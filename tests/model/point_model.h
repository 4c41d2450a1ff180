// PointModel: the points that a store must show, by simple means: maps of every point that was put,
// the time, and the TTLs.
//
// A point that is older than its metric's TTL must not be shown. Expired points may leave a store
// at any time and in parts, so once a TTL is raised the model allows a set: an instant that has
// been expired shows either nothing or a value that was put there. With several values each is
// allowed, as the last may have left its file before the first. A point put since then is certain
// again. Raising TTLs is worth the set: only this tests that new points survive next to rows that
// are being dropped.

#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "codec/point.h"

namespace hourcell {

// A value as it was put, with the precision of its time.
struct ModelValue {
  Value value;
  bool is_ms = false;
  friend bool operator==(const ModelValue&, const ModelValue&) = default;
};

// A store's value at an instant. `is_ms` empty: not shown.
struct ShownPoint {
  int64_t ms = 0;
  Value value;
  std::optional<bool> is_ms;
};

// Thread-compatible.
class PointModel {
 public:
  // A metric and a host.
  using Series = std::pair<std::string, std::string>;
  using Shown = std::map<Series, std::vector<ShownPoint>>;

  explicit PointModel(int64_t now_ms) : now_ms_(now_ms) {}

  // A point that is expired already is not stored.
  void Put(const Series& series, Timestamp time, Value value);
  void SetNow(int64_t now_ms);
  // Seconds; 0 = points never expire.
  void SetStoreTtl(int64_t ttl_s);
  // Nothing: as the store's.
  void SetMetricTtl(const std::string& metric, std::optional<int64_t> ttl_s);

  const std::map<std::string, int64_t>& metric_ttls() const { return metric_ttls_; }
  bool Knows(const Series& series) const { return points_.contains(series); }

  // The fault in the points shown of [start_ms, end_ms], both inclusive, of all series of `metric`,
  // or of all metrics if it is empty; empty: no fault. REQUIRES: start_ms <= end_ms.
  std::string Fault(const std::string& metric,
                    int64_t start_ms,
                    int64_t end_ms,
                    const Shown& shown) const;

  // The least and the greatest number of points of a range that may be shown.
  std::pair<size_t, size_t> CountBounds(const Series& series,
                                        int64_t start_ms,
                                        int64_t end_ms) const;

  // The coverage of the run so far, in points: refused for their age; expired in the store; visible
  // again after a TTL was raised, counted at each change of time or TTL.
  uint64_t expired_when_put() const { return expired_when_put_; }
  uint64_t expired_later() const { return expired_later_; }
  uint64_t back_in_sight() const { return back_in_sight_; }

 private:
  struct Instant {
    std::vector<ModelValue> put;  // oldest first
    bool has_expired = false;     // since the last put
  };
  using Instants = std::map<int64_t, Instant>;

  int64_t ExpiresBeforeMs(const std::string& metric) const;
  // Records the points that are expired now; to be called after every change that makes points
  // expire.
  void NoteExpired();
  std::string SeriesFault(const Series& series,
                          int64_t start_ms,
                          int64_t end_ms,
                          const std::vector<ShownPoint>& shown) const;
  static std::string PointFault(const Instant& instant, const ShownPoint& shown);

  int64_t now_ms_;
  int64_t store_ttl_s_ = 0;
  std::map<std::string, int64_t> metric_ttls_;
  std::map<Series, Instants> points_;
  uint64_t expired_when_put_ = 0;
  uint64_t expired_later_ = 0;
  uint64_t back_in_sight_ = 0;
};

}  // namespace hourcell
