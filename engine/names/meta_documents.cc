#include "engine/names/meta_documents.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "codec/rows/tsuid.h"
#include "engine/rows/key_range.h"

namespace hourcell {
namespace {

constexpr std::string_view kDocuments = "document/";
constexpr std::string_view kSeriesWord = "ts";

std::string_view WordOf(const std::optional<UidKind>& kind) {
  return kind.has_value() ? KindName(*kind) : kSeriesWord;
}

absl::StatusOr<std::optional<UidKind>> KindOfWord(std::string_view word) {
  if (word == kSeriesWord) return std::optional<UidKind>();
  return ParseKindName(word);
}

absl::Status CheckId(const Layout& layout, const DocumentKey& key) {
  if (!key.kind.has_value()) return ParseTsuid(layout, key.id).status();
  const size_t width = layout.width(*key.kind);
  if (key.id.size() == width) return absl::OkStatus();
  return absl::InvalidArgumentError(
      fmt::format("{} UID: expected {} bytes, got {}", KindName(*key.kind), width, key.id.size()));
}

}  // namespace

absl::StatusOr<std::string> MetaDocuments::RowKeyOf(const DocumentKey& key) const {
  HOURCELL_RETURN_IF_ERROR(CheckId(layout_, key));
  return fmt::format("{}{}/{}", kDocuments, WordOf(key.kind), ToUpperHex(key.id));
}

absl::StatusOr<DocumentKey> MetaDocuments::ParseRowKey(std::string_view row_key) const {
  const std::string_view rest = row_key.substr(kDocuments.size());
  const size_t slash = std::min(rest.find('/'), rest.size());
  DocumentKey key;
  absl::StatusOr<std::optional<UidKind>> kind = KindOfWord(rest.substr(0, slash));
  absl::StatusOr<std::string> id = FromHex(rest.substr(std::min(slash + 1, rest.size())));
  if (kind.ok() && id.ok()) {
    key = {.kind = *kind, .id = *std::move(id)};
    if (CheckId(layout_, key).ok()) return key;
  }
  return absl::DataLossError(
      fmt::format("meta {}: expected {} metrics, tagk, tagv or ts, and an id in hex",
                  QuoteForMessage(row_key), kDocuments));
}

absl::StatusOr<std::optional<std::string>> MetaDocuments::Find(const DocumentKey& key) const {
  HOURCELL_ASSIGN_OR_RETURN(const std::string row_key, RowKeyOf(key));
  return tables_->Snapshot()->Get(TableId::kSystem, row_key);
}

absl::Status MetaDocuments::Change(const DocumentKey& key, const DocumentChange& change) {
  HOURCELL_ASSIGN_OR_RETURN(std::string row_key, RowKeyOf(key));
  MutexLock lock(&edit_);
  HOURCELL_ASSIGN_OR_RETURN(const std::optional<std::string> before,
                            tables_->Snapshot()->Get(TableId::kSystem, row_key));
  HOURCELL_ASSIGN_OR_RETURN(std::optional<std::string> after, change(before));
  if (after == before) return absl::OkStatus();
  Mutation write{.table = TableId::kSystem,
                 .kind = after.has_value() ? Mutation::Kind::kSet : Mutation::Kind::kDelete,
                 .key = std::move(row_key),
                 .value = {}};
  if (after.has_value()) {
    if (after->size() > kDocumentBytesMax) {
      return absl::InvalidArgumentError(fmt::format("document: expected at most {} bytes, got {}",
                                                    kDocumentBytesMax, after->size()));
    }
    if (!IsUtf8(*after)) return absl::InvalidArgumentError("document: not UTF-8");
    write.value = *std::move(after);
  }
  return tables_->Apply({&write, 1}, sync_);
}

absl::Status MetaDocuments::Visit(
    const std::function<bool(const DocumentKey& key, std::string_view text)>& visit) const {
  absl::Status parsed;
  const auto visit_row = [&](std::string_view row_key, std::string_view text) {
    const absl::StatusOr<DocumentKey> key = ParseRowKey(row_key);
    parsed = key.status();
    return key.ok() && visit(*key, text);
  };
  HOURCELL_RETURN_IF_ERROR(
      tables_->Snapshot()->Scan(TableId::kSystem, PrefixRange(kDocuments), visit_row));
  return parsed;
}

}  // namespace hourcell
