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
#include "uid/uid_directory.h"

namespace hourcell {

// Names that are kept from series to series.
inline constexpr size_t kQueryNamesMax = 16'384;

class QueryNames {
 public:
  // Both are borrowed.
  QueryNames(const Layout& layout, UidDirectory* uids) : layout_(layout), uids_(*uids) {}

  // The name, or the UID in hex if it has none: a deleted name must not make the data of its UID
  // unreadable. Lives until ForgetMany.
  std::string_view NameOf(UidKind kind, Uid uid);

  // Why a name could not be read, the first that was not. What NameOf returned since then is not to
  // be shown: a UID in hex would pass for one without a name.
  const absl::Status& status() const { return status_; }

  // Forgets all names if there are more than kQueryNamesMax: a query may name millions.
  void ForgetMany();

 private:
  const Layout& layout_;
  UidDirectory& uids_;
  absl::Status status_;
  std::deque<std::string> names_;
  std::array<absl::flat_hash_map<Uid, std::string_view>, std::size(kUidKinds)> by_uid_;
};

}  // namespace hourcell
