// DocumentMap: the texts that users attached to the UIDs and series of a store: one read instead of
// one for each name or series.
//
// Thread-compatible.

#pragma once

#include <map>
#include <memory>

#include <absl/status/statusor.h>

#include "engine/tsdb.h"
#include "server/names/meta_fields.h"

namespace hourcell {

class DocumentMap {
 public:
  // `control` is borrowed. kResourceExhausted: they need more memory than queries have.
  static absl::StatusOr<DocumentMap> Read(Tsdb* tsdb, QueryControl* control);

  // Empty for a key without a text.
  const MetaFields& Of(const DocumentKey& key) const;

 private:
  std::unique_ptr<MemoryAccount> memory_;  // null: the store is closed
  std::map<DocumentKey, MetaFields> fields_;
};

}  // namespace hourcell
