#include "engine/names/meta_documents.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "codec/rows/tsuid.h"

namespace hourcell {
namespace {

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

absl::StatusOr<std::string> MetaDocuments::RowIdOf(const DocumentKey& key) const {
  HOURCELL_RETURN_IF_ERROR(CheckId(layout_, key));
  return fmt::format("{}/{}", WordOf(key.kind), ToUpperHex(key.id));
}

absl::StatusOr<DocumentKey> MetaDocuments::ParseRowId(std::string_view row_id) const {
  const size_t slash = std::min(row_id.find('/'), row_id.size());
  DocumentKey key;
  absl::StatusOr<std::optional<UidKind>> kind = KindOfWord(row_id.substr(0, slash));
  absl::StatusOr<std::string> id = FromHex(row_id.substr(std::min(slash + 1, row_id.size())));
  if (kind.ok() && id.ok()) {
    key = {.kind = *kind, .id = *std::move(id)};
    if (CheckId(layout_, key).ok()) return key;
  }
  return absl::DataLossError(
      fmt::format("meta {}: expected document/ metrics, tagk, tagv or ts, and an id in hex",
                  QuoteForMessage(fmt::format("document/{}", row_id))));
}

absl::StatusOr<std::optional<std::string>> MetaDocuments::Find(const DocumentKey& key) const {
  HOURCELL_ASSIGN_OR_RETURN(const std::string row_id, RowIdOf(key));
  return rows_.Find(row_id);
}

absl::Status MetaDocuments::Change(const DocumentKey& key, const DocumentChange& change) {
  HOURCELL_ASSIGN_OR_RETURN(const std::string row_id, RowIdOf(key));
  return rows_.Change(row_id, change);
}

absl::Status MetaDocuments::Visit(
    const std::function<bool(const DocumentKey& key, std::string_view text)>& visit) const {
  absl::Status parsed;
  HOURCELL_RETURN_IF_ERROR(rows_.Visit([&](std::string_view row_id, std::string_view text) {
    const absl::StatusOr<DocumentKey> key = ParseRowId(row_id);
    parsed = key.status();
    return key.ok() && visit(*key, text);
  }));
  return parsed;
}

}  // namespace hourcell
