// UidDirectory: the names and UIDs of the three kinds, cached from a UidStore.
//
// Lookups use bounded caches. A UidAssignment assigns UIDs to names that are in neither cache nor
// store: a short transaction, one at a time, whose new mappings are committed together with the
// rows that need them (a new series: its UIDs, number and postings in one batch).
//
//   UidAssignment assignment(&directory);                  // waits for the one before
//   ASSIGN_OR_RETURN(Uid metric, assignment.GetOrAssign(UidKind::kMetric, "cpu"));
//   ... build a batch from assignment.changes() and more, commit it ...
//   assignment.Publish();                                  // only now others can see them
//
// Two callers that assign one new name at the same time get one UID: the second waits and then
// finds it. A failed or abandoned assignment does not publish; its numbers are used again. A number
// whose reverse row exists is never assigned, whatever the counter.
//
// Only new names are checked for legality: a stored name can be looked up, renamed and deleted even
// if it is illegal under the present settings.
//
// Thread-safe. Names in this interface are UTF-8. A thread that holds a UidAssignment must not call
// GetOrAssign, Rename or Delete of its directory: they wait for that assignment.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <absl/container/flat_hash_set.h>
#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "codec/base/mutex.h"
#include "codec/base/random.h"
#include "codec/base/strings.h"
#include "codec/limits.h"
#include "codec/rows/uid.h"
#include "uid/uid_cache.h"
#include "uid/uid_options.h"
#include "uid/uid_store.h"

namespace hourcell {

class NameBatch;

// Counters of one kind, for /api/stats (uid.cache-hit and so on).
struct UidStats {
  uint64_t cache_hits = 0;
  uint64_t cache_misses = 0;
  uint64_t cache_names = 0;
  uint64_t assigned = 0;  // since open
  uint64_t refused = 0;   // illegal names and names that may not be created
  uint64_t random_collisions = 0;
  uint64_t ids_used = 0;       // the counter; 0 for random metrics, as in OpenTSDB
  uint64_t ids_available = 0;  // numbers of the width above ids_used; 0 for random metrics
};

class UidDirectory {
 public:
  // Reads the three counters. kDataLoss: one is damaged or above the maximum of its width.
  // kInvalidArgument: an invalid layout, or random metrics with a metric width of 8. `store` is
  // borrowed.
  static absl::StatusOr<std::unique_ptr<UidDirectory>> Open(UidOptions options, UidStore* store);

  const UidOptions& options() const { return options_; }

  // The UID of `name`; nullopt without one. kInvalidArgument: it lacks a UID and is illegal; the
  // message is NameFault's, such as "illegal character: !" (the caller adds the prefix "Invalid
  // metric name (...)").
  absl::StatusOr<std::optional<Uid>> Find(UidKind kind, std::string_view name);

  // As Find, but kNotFound "No such name for 'metrics': 'x'" without a UID, for legal and illegal
  // names.
  absl::StatusOr<Uid> Get(UidKind kind, std::string_view name);

  // The name of `uid`. kNotFound "No such unique ID for 'metrics': 000001".
  absl::StatusOr<std::string> NameOf(UidKind kind, Uid uid);

  // Find, or assign and commit. Ignores auto_create: the call itself is the permission (mkmetric).
  // Errors as Find, UidAssignment::GetOrAssign and the store's own.
  absl::StatusOr<Uid> GetOrAssign(UidKind kind, std::string_view name);

  // Gives names their UIDs from elsewhere, all in one commit; UIDs that are assigned later are
  // above them. Skips names that already have their UID. kAlreadyExists: a name has another UID, or
  // a UID another name; the message gives both, and the store stays unchanged. kInvalidArgument: an
  // illegal name, or a UID above the maximum of the width.
  absl::Status AssignGiven(UidKind kind, std::span<const UidMapping> given);

  // Names with the prefix in byte order of their stored form, at most `max`. The prefix may be
  // empty and need not be a legal name.
  absl::StatusOr<std::vector<std::string>> Suggest(UidKind kind,
                                                   std::string_view prefix,
                                                   size_t max);

  // As Suggest, one by one until `visit` returns false.
  absl::Status VisitNames(UidKind kind,
                          std::string_view prefix,
                          const std::function<bool(std::string_view name)>& visit);

  // As VisitNames, with the UIDs.
  absl::Status VisitMappings(UidKind kind,
                             std::string_view prefix,
                             const std::function<bool(const UidMapping& mapping)>& visit);

  // Visits the mappings in whose name the RE2 expression matches anywhere, in name order, until
  // `visit` returns false.
  // kInvalidArgument: the expression does not compile, or uses Java's class intersection, "&&[",
  // which RE2 would read as plain characters.
  absl::Status Grep(UidKind kind,
                    std::string_view expression,
                    bool ignore_case,
                    const std::function<bool(UidMapping mapping)>& visit);

  // Gives the UID of each name another name, both directions of all in one commit.
  // kNotFound: no such name; kAlreadyExists: new_name has a UID; kInvalidArgument: it is illegal.
  // The store then stays unchanged.
  struct Renaming {
    std::string name;
    std::string new_name;
  };
  absl::Status RenameAll(UidKind kind, std::span<const Renaming> renamings);
  absl::Status Rename(UidKind kind, std::string_view name, std::string_view new_name) {
    const Renaming one{.name = std::string(name), .new_name = std::string(new_name)};
    return RenameAll(kind, {&one, 1});
  }

  // Removes both directions of all names in one commit. Data of their UIDs stay, but queries cannot
  // name them any more. kNotFound: no such name; the store then stays unchanged.
  absl::Status DeleteAll(UidKind kind, std::span<const std::string> names);
  absl::Status Delete(UidKind kind, std::string_view name) {
    const std::string one(name);
    return DeleteAll(kind, {&one, 1});
  }

  // Empties the caches.
  void DropCaches();

  UidStats stats(UidKind kind);

 private:
  friend class NameBatch;
  friend class UidAssignment;

  struct PerKind {
    explicit PerKind(size_t names_max) : cache(names_max) {}
    UidCache cache;
    // Atomic for stats(), which must not wait for a commit. Changed only under assign_mutex_.
    std::atomic<Uid> counter{0};
    std::atomic<uint64_t> assigned{0};
    std::atomic<uint64_t> refused{0};
    std::atomic<uint64_t> random_collisions{0};
    // UIDs of failed commits that may be in the store nevertheless, by name: if the name comes
    // again, it gets its UID; other names never do. Changed only under assign_mutex_.
    StringMap<Uid> unsure;
    bool counter_is_unsure = false;  // the store may have a lower one; under assign_mutex_
  };

  UidDirectory(UidOptions options, UidStore* store);

  PerKind& per_kind(UidKind kind) { return kinds_[static_cast<size_t>(kind)]; }
  bool is_random(UidKind kind) const { return kind == UidKind::kMetric && options_.random_metrics; }

  // The stored bytes of `name`: `name` for ASCII, else written to `*buffer`. kInvalidArgument with
  // NameFault's text if it cannot be stored.
  absl::StatusOr<std::string_view> StoredName(std::string_view name, std::string* buffer) const;
  absl::StatusOr<std::string> TextOf(std::string stored_name) const;
  absl::Status CheckLegal(UidKind kind, std::string_view name);
  absl::Status AddRenaming(UidKind kind, const Renaming& renaming, std::vector<UidChange>* changes)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(assign_mutex_);

  // One zero byte is the row of the counters; with UIDs of 8 bytes it would read as a mapping.
  static bool CanBeStored(std::string_view stored_name) {
    return !stored_name.empty() && stored_name.size() <= kNameBytesMax &&
           stored_name != std::string_view("\0", 1);
  }

  // The number of possible changes of names: grows when an assignment, a rename or a delete ends.
  // If it has grown since a look-up that did not find a name, look again.
  uint64_t turns() const { return turns_.load(); }

  // Lookup: from cache or store. ReadForward: from the store and into the cache.
  absl::StatusOr<std::optional<Uid>> Lookup(UidKind kind, std::string_view stored_name);
  absl::StatusOr<std::optional<Uid>> ReadForward(UidKind kind, std::string_view stored_name);

  const UidOptions options_;
  UidStore* const store_;           // borrowed
  Mutex assign_mutex_;              // held by the one UidAssignment, Rename and Delete
  std::atomic<uint64_t> turns_{0};  // changed under assign_mutex_
  PerKind kinds_[3];
  Random random_;  // used by the one UidAssignment
};

// See above. Reserved UIDs that are not published by its end can be used again; but if a failed
// commit may be in the store (UidStore::failed_commits_may_be_there), the UIDs stay with their
// names. Not thread-safe itself; holds the directory's assignment lock for its life, so it begins
// and ends on one thread.
class UidAssignment {
 public:
  explicit UidAssignment(UidDirectory* directory);
  ~UidAssignment();
  UidAssignment(const UidAssignment&) = delete;
  UidAssignment& operator=(const UidAssignment&) = delete;

  // Reuses the look-ups of `names`, except for names added since: one read for each kind finds
  // those. `names` is borrowed. The store's own errors.
  absl::Status Use(NameBatch* names);

  // The UID of `name`: known, reserved earlier by this assignment, or reserved now.
  // kNotFound "No such name for ...": unknown and the kind may not be created (unless `force`);
  // kInvalidArgument: illegal name; kFailedPrecondition: all UIDs of the kind are assigned, or no
  // free random one was drawn; kDataLoss: the counter is far below the UIDs in the store.
  // A failure reserves nothing.
  absl::StatusOr<Uid> GetOrAssign(UidKind kind, std::string_view name, bool force = false);

  // Reserves a mapping that was committed once and got lost in a power failure; does nothing if it
  // is still there. kDataLoss: the name has another UID by now, or the UID another name; the
  // message gives both.
  absl::Status Restore(UidKind kind, std::string_view name, Uid uid);

  // Excludes the UIDs up to `highest`, or up to the maximum of the width, from new names of the
  // kind. Does nothing for random metrics.
  void RaiseCounter(UidKind kind, Uid highest);

  // The changes for the UIDs reserved so far: the counters, then the reverse rows, then the forward
  // rows of all, so that storage without atomic groups writes each part at once. Empty without
  // reservations.
  std::vector<UidChange> changes() const;

  // Publishes the reserved UIDs, and begins anew. REQUIRES: changes() are committed.
  void Publish();

  // A position for RollBackTo, which undoes later reservations, for a point that turned out bad.
  size_t Mark() const { return reservations_.size(); }
  // REQUIRES: `mark` is from Mark(), called since the last Publish.
  void RollBackTo(size_t mark);

 private:
  struct Reservation {
    UidKind kind;
    Uid uid;
    Uid counter_before;
    std::string name;  // stored bytes
  };

  void Reserve(UidKind kind, std::string_view stored_name, Uid uid);
  void KeepUnsure();
  absl::StatusOr<Uid> NextUid(UidKind kind);
  absl::StatusOr<Uid> NextSequentialUid(UidKind kind);
  absl::StatusOr<Uid> StoredCounter(UidKind kind);
  absl::StatusOr<Uid> NextRandomUid(UidKind kind);

  UidDirectory* const directory_;
  const MutexLock lock_;
  const NameBatch* names_ = nullptr;  // from Use
  std::vector<Reservation> reservations_;
  StringMap<Uid> reserved_[3];
  absl::flat_hash_set<Uid> reserved_random_;
  Uid counters_[3];  // the directory's, advanced by the reservations
  // Numbers without a reverse row: [begin, end), by kind.
  struct FreeNumbers {
    Uid begin = 0;
    Uid end = 0;
  };
  FreeNumbers free_[3];
  std::optional<Uid> stored_counters_[3];  // as StoredCounter read them
  // The last search for a free number that failed.
  struct FailedSearch {
    Uid counter = 0;  // it began after this number
    absl::Status status;
  };
  FailedSearch failed_[3];
};

}  // namespace hourcell
