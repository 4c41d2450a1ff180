// QueryNames: the names of the UIDs of one query's results, each looked up once. Thread-compatible.

#pragma once

#include <array>
#include <deque>
#include <string>
#include <string_view>

#include <absl/container/flat_hash_map.h>

#include "codec/layout.h"
#include "codec/uid.h"
#include "uid/uid_directory.h"

namespace hourcell {

class QueryNames {
 public:
  // Both are borrowed.
  QueryNames(const Layout& layout, UidDirectory* uids) : layout_(layout), uids_(*uids) {}

  // The name, or the UID in hex if it has none: a deleted name must not make the data of its UID
  // unreadable. Lives as long as the object.
  std::string_view NameOf(UidKind kind, Uid uid);

 private:
  const Layout& layout_;
  UidDirectory& uids_;
  std::deque<std::string> names_;
  std::array<absl::flat_hash_map<Uid, std::string_view>, std::size(kUidKinds)> by_uid_;
};

}  // namespace hourcell
