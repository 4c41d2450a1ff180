// QueryNames: the names of the UIDs of one query's results, each mostly looked up once.
// Thread-compatible.

#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <string>
#include <string_view>

#include <absl/container/flat_hash_map.h>
#include <absl/status/status.h>

#include "codec/rows/layout.h"
#include "codec/rows/uid.h"
#include "engine/query/memory_account.h"
#include "uid/uid_directory.h"

namespace hourcell {

// Names that are kept from series to series.
inline constexpr size_t kQueryNamesMax = 16'384;

class QueryNames {
 public:
  // All are borrowed. `memory` counts the names that are kept; when it has no more, they are looked
  // up again. Null: nothing counts them.
  QueryNames(const Layout& layout, UidDirectory* uids, MemoryAccount* memory = nullptr)
      : layout_(layout), uids_(*uids), hold_(memory) {}

  // The name, or the UID in hex if it has none: a deleted name must not make the data of its UID
  // unreadable. Lives until ForgetMany.
  std::string_view NameOf(UidKind kind, Uid uid);

  // Why a name could not be read, the first that was not. What NameOf returned since then is not to
  // be shown: a UID in hex would pass for one without a name.
  const absl::Status& status() const { return status_; }

  // Forgets all names if there are more than kQueryNamesMax, or more than there is memory for: a
  // query may name millions.
  void ForgetMany();

 private:
  const Layout& layout_;
  UidDirectory& uids_;
  absl::Status status_;
  std::deque<std::string> names_;
  size_t names_bytes_ = 0;  // of what names_ has
  MemoryHold hold_;         // of what names_ had at the last ForgetMany
  std::array<absl::flat_hash_map<Uid, std::string_view>, std::size(kUidKinds)> by_uid_;
};

}  // namespace hourcell
