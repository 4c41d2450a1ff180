// SeriesNames: the names of one series after another, each UID looked up once. For results that
// have many series with few different names. Thread-compatible.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <absl/container/node_hash_map.h>
#include <absl/status/status.h>

#include "codec/point.h"
#include "codec/rows/layout.h"
#include "codec/rows/uid.h"
#include "engine/query/last_query.h"
#include "engine/query/memory_account.h"
#include "uid/uid_directory.h"

namespace hourcell {

class SeriesNames {
 public:
  // All are borrowed. `memory` counts the kept names; when it is exhausted, names are looked up
  // again. Null: no limit.
  SeriesNames(const Layout& layout, UidDirectory* uids, MemoryAccount* memory = nullptr)
      : layout_(layout), uids_(*uids), hold_(memory) {}

  // Sets `*series` to a series and its names; UIDs without a name are in hex. `tsuid` is borrowed;
  // the names live until the next call. Errors: those of reading names. REQUIRES: a whole tsuid.
  absl::Status Resolve(std::string_view tsuid, FoundSeries* series);

 private:
  void ForgetMany();
  absl::Status NameOf(UidKind kind, std::string_view uid_bytes, std::string_view* name);

  const Layout layout_;
  UidDirectory& uids_;
  absl::node_hash_map<Uid, std::string> names_[std::size(kUidKinds)];
  size_t names_bytes_ = 0;  // size of names_
  MemoryHold hold_;         // size of names_ at the last Resolve
  std::vector<TagView> tags_;
};

}  // namespace hourcell
