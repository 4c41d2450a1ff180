// UidStore: the port through which uid/ reaches storage. Two implementations exist: the engine's on
// its tables, and the tests' in memory with faults.
//
// The logical content is OpenTSDB's tsdb-uid table, per kind:
//   forward   name bytes -> UID       (family id)
//   reverse   UID -> name bytes       (family name)
//   counter   highest UID handed out  (row \0)
// Names here are stored bytes (codec/text/name.h), not UTF-8.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "codec/rows/uid.h"

namespace hourcell {

// One row of either direction, as scans visit it.
struct UidMapping {
  std::string name;
  Uid uid = kNoUid;
  friend bool operator==(const UidMapping&, const UidMapping&) = default;
};

// One change. A group of changes is committed in one atomic step. Their order is one that may be
// interrupted anywhere, for engines without such a step: counter, reverse, forward.
struct UidChange {
  enum class What : uint8_t {
    kSetCounter,     // uid = the new highest
    kSetReverse,     // uid -> name
    kSetForward,     // name -> uid
    kDeleteForward,  // name
    kDeleteReverse,  // uid
  };
  What what = What::kSetCounter;
  UidKind kind = UidKind::kMetric;
  Uid uid = kNoUid;
  std::string name;
};

// Thread-safe. Errors are the storage's own, kDataLoss for rows that do not decode.
class UidStore {
 public:
  virtual ~UidStore() = default;

  virtual absl::StatusOr<std::optional<Uid>> GetForward(UidKind kind, std::string_view name) = 0;
  // Looks up many names; uids->at(i) belongs to names[i], and is nullopt without a UID.
  virtual absl::Status GetForwards(UidKind kind,
                                   std::span<const std::string_view> names,
                                   std::vector<std::optional<Uid>>* uids) = 0;
  virtual absl::StatusOr<std::optional<std::string>> GetReverse(UidKind kind, Uid uid) = 0;
  // The least UID that is at least `from` and has a reverse row; nullopt without one.
  virtual absl::StatusOr<std::optional<Uid>> NextReverse(UidKind kind, Uid from) = 0;
  // The highest assigned UID; 0 if there never was one.
  virtual absl::StatusOr<Uid> GetCounter(UidKind kind) = 0;

  // Forward rows whose name begins with `prefix`, in byte order, until `visit` returns false.
  virtual absl::Status ScanForward(UidKind kind,
                                   std::string_view prefix,
                                   const std::function<bool(const UidMapping&)>& visit) = 0;
  // All reverse rows in UID order, until `visit` returns false.
  virtual absl::Status ScanReverse(UidKind kind,
                                   const std::function<bool(const UidMapping&)>& visit) = 0;

  // Applies all changes or none, unless failed_commits_may_be_there(). Durable against kill -9 on
  // return.
  virtual absl::Status Commit(std::span<const UidChange> changes) = 0;
  // True if changes of a failed commit may be in the store, now or later, although this object does
  // not read them. True for storage without atomic groups: a later process may read them.
  virtual bool failed_commits_may_be_there() const { return false; }
};

}  // namespace hourcell
