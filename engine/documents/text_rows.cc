#include "engine/documents/text_rows.h"

#include <utility>
#include <vector>

#include <fmt/format.h>

#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "engine/rows/key_range.h"

namespace hourcell {

std::string TextRows::RowKeyOf(std::string_view id) const {
  std::string row_key(prefix_);
  row_key += id;
  return row_key;
}

absl::StatusOr<std::optional<std::string>> TextRows::Find(std::string_view id) const {
  return tables_->Snapshot()->Get(TableId::kSystem, RowKeyOf(id));
}

absl::Status TextRows::CheckText(std::string_view text) const {
  if (text.size() > kDocumentBytesMax) {
    return absl::InvalidArgumentError(fmt::format("{}: expected at most {} bytes, got {}", subject_,
                                                  kDocumentBytesMax, text.size()));
  }
  if (!IsUtf8(text)) return absl::InvalidArgumentError(fmt::format("{}: not UTF-8", subject_));
  return absl::OkStatus();
}

absl::Status TextRows::Change(std::string_view id, const DocumentChange& change) {
  MutexLock lock(&edit_);
  HOURCELL_ASSIGN_OR_RETURN(const std::optional<std::string> before, Find(id));
  HOURCELL_ASSIGN_OR_RETURN(std::optional<std::string> after, change(before));
  if (after == before) return absl::OkStatus();
  Mutation write{.table = TableId::kSystem,
                 .kind = after.has_value() ? Mutation::Kind::kSet : Mutation::Kind::kDelete,
                 .key = RowKeyOf(id),
                 .value = {}};
  if (after.has_value()) {
    HOURCELL_RETURN_IF_ERROR(CheckText(*after));
    write.value = *std::move(after);
  }
  return tables_->Apply({&write, 1}, sync_);
}

absl::Status TextRows::Set(std::span<const MetadataRow> rows) {
  std::vector<Mutation> writes;
  writes.reserve(rows.size());
  for (const MetadataRow& row : rows) {
    HOURCELL_RETURN_IF_ERROR(CheckText(row.text));
    writes.push_back({.table = TableId::kSystem,
                      .kind = Mutation::Kind::kSet,
                      .key = RowKeyOf(row.metric),
                      .value = row.text});
  }
  MutexLock lock(&edit_);
  return tables_->Apply(writes, sync_);
}

absl::Status TextRows::Visit(
    const std::function<bool(std::string_view id, std::string_view text)>& visit) const {
  return tables_->Snapshot()->Scan(TableId::kSystem, PrefixRange(prefix_),
                                   [&](std::string_view row_key, std::string_view text) {
                                     return visit(row_key.substr(prefix_.size()), text);
                                   });
}

}  // namespace hourcell
