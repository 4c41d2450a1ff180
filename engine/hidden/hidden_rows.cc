#include "engine/hidden/hidden_rows.h"

#include <cstddef>
#include <optional>

#include "codec/base/status_macros.h"
#include "engine/hidden/hidden_cell.h"
#include "engine/rows/deletion_row.h"
#include "engine/rows/key_range.h"

namespace hourcell {

absl::Status HiddenRows::FindParts(std::string_view row_key, std::vector<HiddenPart>* parts) {
  hidden_.FindParts(row_key, parts);
  return parts->empty() ? absl::OkStatus() : RemoveTakenOut(row_key, parts);
}

absl::Status HiddenRows::RemoveTakenOut(std::string_view row_key, std::vector<HiddenPart>* parts) {
  HOURCELL_ASSIGN_OR_RETURN(const bool may_have,
                            MayHaveKeys(HiddenRowsPrefix() + std::string(row_key)));
  if (!may_have) return absl::OkStatus();
  size_t kept = 0;
  for (size_t i = 0; i < parts->size(); ++i) {
    HOURCELL_ASSIGN_OR_RETURN(const std::optional<std::string> taken_out,
                              stored_.Get(TableId::kSystem, HiddenRowKey(row_key, (*parts)[i].id)));
    if (!taken_out.has_value()) (*parts)[kept++] = (*parts)[i];
  }
  parts->resize(kept);
  return absl::OkStatus();
}

// Whether a key 'U' begins with `prefix`: of the row, or of a row whose key begins with that of the
// row.
absl::StatusOr<bool> HiddenRows::MayHaveKeys(std::string_view prefix) {
  const bool is_known =
      next_ != nullptr && prefix >= sought_ && (!next_->valid() || next_->key() >= prefix);
  if (!is_known) {
    if (next_ == nullptr) {
      next_ = stored_.NewCursor(TableId::kSystem, PrefixRange(HiddenRowsPrefix()));
    }
    next_->Seek(prefix);
    sought_ = prefix;
    if (absl::Status read = next_->status(); !read.ok()) {
      next_.reset();  // it knows no next key
      return read;
    }
  }
  return next_->valid() && next_->key().starts_with(prefix);
}

absl::StatusOr<bool> HiddenRows::Show(std::string_view row_key, std::string* value) {
  HOURCELL_RETURN_IF_ERROR(FindParts(row_key, &parts_));
  return parts_.empty() || ShowParts(parts_, value) != ShownRow::kNothing;
}

}  // namespace hourcell
