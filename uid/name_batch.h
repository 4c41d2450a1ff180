// NameBatch: the UIDs of many names. Names outside the caches are read together, in one call of the
// store for each kind, so that a put's calls do not grow with its names.
//
//   NameBatch names(&directory);
//   names.Find(UidKind::kMetric, "cpu");        // of every name; kNoUid: not in the cache
//   RETURN_IF_ERROR(names.Read());              // those
//   ASSIGN_OR_RETURN(Uid uid, names.Get(UidKind::kMetric, "cpu"));
//
// An assignment that uses the batch (UidAssignment::Use) does not read its names again. Names are
// UTF-8, borrowed, and outlive the batch. Not thread-safe.

#pragma once

#include <cstdint>
#include <iterator>
#include <list>
#include <string>
#include <string_view>

#include <absl/container/flat_hash_map.h>
#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "codec/rows/uid.h"
#include "uid/uid_directory.h"

namespace hourcell {

class NameBatch {
 public:
  // `directory` is borrowed.
  explicit NameBatch(UidDirectory* directory);

  // The UID of a name, from the cache; kNoUid: Read looks for it. Looks up each name once.
  Uid Find(UidKind kind, std::string_view name);

  // Reads the names that Find did not find. The store's own errors.
  absl::Status Read();

  // kNoUid: the name lacked a UID when Read looked for it. kInvalidArgument: it lacks one and is
  // illegal, as UidDirectory::Find says. REQUIRES: Find was called with it, and Read after that.
  absl::StatusOr<Uid> Get(UidKind kind, std::string_view name);

 private:
  friend class UidAssignment;

  struct Entry {
    std::string_view stored = {};
    Uid uid = kNoUid;
    bool is_legal = false;  // known to be legal
  };
  using Entries = absl::flat_hash_map<std::string_view, Entry>;

  // For the assignment, which prevents other changes of names. If names changed since they were
  // read, reads the names without a UID again.
  absl::Status Renew();
  // REQUIRES: Renew. False for a name outside the batch.
  bool IsAbsent(UidKind kind, std::string_view name) const;

  absl::Status ReadKind(UidKind kind);
  Entries& of(UidKind kind) { return kinds_[static_cast<size_t>(kind)]; }

  UidDirectory& directory_;
  uint64_t turns_;                  // of the directory, before the names were read
  std::list<std::string> encoded_;  // stored bytes that differ from the name
  Entries kinds_[std::size(kUidKinds)];
};

}  // namespace hourcell
