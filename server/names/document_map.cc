#include "server/names/document_map.h"

#include <cstddef>
#include <string_view>
#include <utility>

#include <absl/status/status.h>

#include "codec/base/status_macros.h"

namespace hourcell {

absl::StatusOr<DocumentMap> DocumentMap::Read(Tsdb* tsdb, QueryControl* control) {
  constexpr size_t kDocumentBytes = 512;
  DocumentMap map;
  map.memory_ = tsdb->queries().LeaseQueryMemory(control);
  absl::Status ended;
  HOURCELL_RETURN_IF_ERROR(
      tsdb->names().VisitDocuments([&](const DocumentKey& key, std::string_view text) {
        if (map.memory_ != nullptr) ended = map.memory_->Take(kDocumentBytes + 2 * text.size());
        if (!ended.ok()) return false;
        absl::StatusOr<MetaFields> fields = ParseMetaDocument(text);
        ended = fields.status();
        if (ended.ok()) map.fields_.emplace(key, *std::move(fields));
        return ended.ok();
      }));
  HOURCELL_RETURN_IF_ERROR(ended);
  return map;
}

const MetaFields& DocumentMap::Of(const DocumentKey& key) const {
  static const auto* const none = new MetaFields;
  const auto found = fields_.find(key);
  return found == fields_.end() ? *none : found->second;
}

}  // namespace hourcell
