// QueryNames: the names of the UIDs of one query's results, each mostly looked up once.
// Thread-compatible.

#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <absl/container/flat_hash_map.h>
#include <absl/status/status.h>

#include "codec/rows/layout.h"
#include "codec/rows/uid.h"
#include "engine/query/memory_account.h"
#include "uid/uid_directory.h"

namespace hourcell {

// Names kept from series to series.
inline constexpr size_t kQueryNamesMax = 16'384;

class QueryNames {
 public:
  // All are borrowed. `memory` counts the kept names; when it is exhausted, names are looked up
  // again. Null: no limit.
  QueryNames(const Layout& layout, UidDirectory* uids, MemoryAccount* memory = nullptr)
      : layout_(layout), uids_(*uids), hold_(memory) {}

  // The name; or the UID in hex if its name was deleted, so that its data stay readable. Lives
  // until ForgetMany.
  std::string_view NameOf(UidKind kind, Uid uid);

  // The first error of a read of a name. After an error, do not show results of NameOf: a UID in
  // hex would look like one without a name.
  const absl::Status& status() const { return status_; }

  // Forgets all names if there are more than kQueryNamesMax, or more than `memory` allows: a query
  // may use millions.
  void ForgetMany();

 private:
  // A name that was requested lately. Groups one after another share most names.
  struct Recent {
    Uid uid = kNoUid;
    UidKind kind = UidKind::kMetric;
    std::string_view name;
  };
  static constexpr size_t kRecent = 32;  // a power of two

  // A name that is kept.
  struct Kept {
    Uid uid = kNoUid;
    UidKind kind = UidKind::kMetric;
    std::string name = {};
  };
  static constexpr size_t kFirst = 16;

  std::string_view Find(UidKind kind, Uid uid);
  std::string Read(UidKind kind, Uid uid);
  size_t kept() const { return first_count_ + (more_.has_value() ? more_->size() : 0); }

  const Layout& layout_;
  UidDirectory& uids_;
  absl::Status status_;
  // The first names, which are searched in turn: most queries have only these.
  std::array<Kept, kFirst> first_;
  size_t first_count_ = 0;
  std::optional<std::deque<std::string>> more_;  // the others
  size_t names_bytes_ = 0;                       // size of all
  MemoryHold hold_;                              // the same at the last ForgetMany
  absl::flat_hash_map<std::pair<Uid, UidKind>, std::string_view> by_uid_;  // into more_
  std::array<Recent, kRecent> recent_ = {};  // by the low bits of UID and kind; into the names
};

}  // namespace hourcell
