// VirtualMetrics: the virtual metrics of a store, in memory and in the system table:
//
//   key              value
//   virtual/<UID>    the expression of the metric with that UID, in hex (expression_cell.h)
//
// A store without virtual metrics pays one load of an atomic for each question.
//
// Writes are rare: one at a time, synced, under a lock that is held during the write. A reader sees
// the metrics before or after it. Thread-safe. Errors are the storage's, and those named below.

#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/container/flat_hash_map.h>
#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "codec/base/mutex.h"
#include "codec/rows/layout.h"
#include "codec/rows/uid.h"
#include "engine/names/expression_cell.h"
#include "engine/query/metric_expression.h"
#include "engine/table/tables.h"
#include "uid/uid_directory.h"

namespace hourcell {

// The maximum number of virtual metrics of a store.
inline constexpr size_t kVirtualMetricsMax = 10'000;
// The maximum number of virtual metrics from one to the stored metrics that it is calculated from.
inline constexpr size_t kVirtualLevelsMax = 4;

// Visits the rows of all virtual metrics, ascending by UID. kDataLoss: a row does not decode.
absl::Status VisitVirtualMetrics(
    const Layout& layout,
    Tables* tables,
    const std::function<void(Uid metric, StoredExpression stored)>& visit);

class VirtualMetrics {
 public:
  using Expression = std::shared_ptr<const StoredExpression>;

  // Both are borrowed.
  VirtualMetrics(const Layout& layout, Tables* tables, UidDirectory* uids)
      : layout_(layout), tables_(tables), uids_(*uids) {}

  // Reads all rows: at open, and in a follower after the writer changed one. kDataLoss: a row does
  // not decode.
  absl::Status Load();

  bool is_empty() const { return count_.load(std::memory_order_acquire) == 0; }
  bool Has(Uid metric) const { return !is_empty() && Find(metric) != nullptr; }
  // Null: the metric is not virtual.
  Expression Find(Uid metric) const;
  // Ascending by UID.
  std::vector<std::pair<Uid, Expression>> All() const;

  // The expression with UIDs for its names. kNotFound: a metric or a tag key is unknown.
  absl::StatusOr<StoredExpression> Resolve(const MetricExpression& expression) const;
  // The expression with the present names, and a name. A deleted name is its UID in hex, so that
  // lists and errors can show it.
  absl::StatusOr<MetricExpression> Named(const StoredExpression& stored) const;
  absl::StatusOr<std::string> NameOf(UidKind kind, Uid uid) const;

  // The name of a virtual metric that is calculated from the metric, or whose expression has the
  // tag key; nullopt: none. REQUIRES: another kind than tagv.
  absl::StatusOr<std::optional<std::string>> UserOf(UidKind kind, Uid uid) const;

  // Makes the metric virtual, or replaces its expression. `name`: for errors. kInvalidArgument: the
  // metric would be calculated from itself, or from more than kVirtualLevelsMax levels;
  // kResourceExhausted: there are kVirtualMetricsMax others. The caller has made sure that the
  // metric lacks series, and that none is created meanwhile.
  absl::Status Define(Uid metric, std::string_view name, StoredExpression stored);

  // Removes the expression. kNotFound: the metric is not virtual; kFailedPrecondition: another
  // virtual metric is calculated from it.
  absl::Status Drop(Uid metric, std::string_view name);

 private:
  using Map = absl::flat_hash_map<Uid, Expression>;

  std::shared_ptr<const Map> map() const {
    ReaderLock lock(&map_mutex_);
    return map_;
  }
  void Publish(std::shared_ptr<const Map> map);
  absl::StatusOr<std::optional<std::string>> UserIn(const Map& map, UidKind kind, Uid uid) const;
  static absl::Status CheckLevels(const Map& map, Uid metric, std::string_view name);
  std::string RowKeyOf(Uid metric) const;

  const Layout layout_;
  Tables* const tables_;
  UidDirectory& uids_;
  Mutex edit_ ABSL_ACQUIRED_BEFORE(map_mutex_);  // held across a write
  mutable SharedMutex map_mutex_;
  std::shared_ptr<const Map> map_ ABSL_GUARDED_BY(map_mutex_) = std::make_shared<const Map>();
  std::atomic<size_t> count_{0};
};

}  // namespace hourcell
