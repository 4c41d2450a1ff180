#include "engine/undo/rename_row.h"

#include <cstddef>
#include <utility>

#include <absl/status/status.h>
#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/check.h"
#include "codec/base/status_macros.h"
#include "codec/field_reader.h"
#include "engine/rows/key_range.h"

namespace hourcell {
namespace {

constexpr char kRenameRowByte = 'R';
constexpr uint8_t kRenameRowVersion = 1;
constexpr size_t kNameSizeBytes = 2;

absl::Status BadRenameRow(std::string_view key, std::string_view fault) {
  return absl::DataLossError(fmt::format("record of a rename {}: {}", ToHex(key), fault));
}

}  // namespace

std::string RenameRowsPrefix() {
  return std::string(1, kRenameRowByte);
}

std::string RenameRowKey(uint64_t id) {
  std::string key = RenameRowsPrefix();
  AppendBigEndian(id, 8, &key);
  return key;
}

std::string RenameRowValue(const RenameRow& row) {
  HOURCELL_DCHECK(row.renamed_ms >= 0 && row.renamed_ms <= row.until_ms);
  HOURCELL_DCHECK(!row.old_name.empty() && row.old_name.size() <= UINT16_MAX);
  HOURCELL_DCHECK(!row.new_name.empty());
  std::string value(1, static_cast<char>(kRenameRowVersion));
  AppendBigEndian(static_cast<uint64_t>(row.renamed_ms), 8, &value);
  AppendBigEndian(static_cast<uint64_t>(row.until_ms), 8, &value);
  value.push_back(static_cast<char>(row.kind));
  AppendBigEndian(row.uid, 8, &value);
  AppendBigEndian(row.old_name.size(), kNameSizeBytes, &value);
  value += row.old_name;
  value += row.new_name;
  return value;
}

absl::StatusOr<RenameRow> ParseRenameRow(std::string_view key, std::string_view value) {
  constexpr size_t kKeyBytes = 1 + 8;
  if (key.size() != kKeyBytes || key.front() != kRenameRowByte) {
    return BadRenameRow(key, fmt::format("expected a key of {} bytes", kKeyBytes));
  }
  RenameRow row;
  row.id = LoadBigEndian(key.data() + 1, 8);
  FieldReader fields(value);
  const uint8_t version = fields.Byte();
  row.renamed_ms = static_cast<int64_t>(fields.BigEndian(8));
  row.until_ms = static_cast<int64_t>(fields.BigEndian(8));
  const uint8_t kind = fields.Byte();
  row.uid = fields.BigEndian(8);
  const uint64_t size = fields.BigEndian(kNameSizeBytes);
  // The new name has a byte or more.
  if (fields.failed() || size >= fields.rest().size()) return BadRenameRow(key, "cut short");
  if (version != kRenameRowVersion) {
    return BadRenameRow(key, fmt::format("version {}; expected {}", version, kRenameRowVersion));
  }
  if (kind > static_cast<uint8_t>(UidKind::kTagv)) {
    return BadRenameRow(key, fmt::format("kind {}; expected 0 to 2", kind));
  }
  if (row.id == 0 || row.uid == kNoUid || row.renamed_ms < 0 || row.until_ms < row.renamed_ms ||
      size == 0) {
    return BadRenameRow(key, "a time, the id, the UID or a name is out of range");
  }
  row.kind = static_cast<UidKind>(kind);
  row.old_name = fields.rest().substr(0, size);
  row.new_name = fields.rest().substr(size);
  return row;
}

absl::StatusOr<std::vector<RenameRow>> ReadRenameRows(TableView* view) {
  std::vector<RenameRow> rows;
  absl::Status damage;
  const auto visit = [&](std::string_view key, std::string_view value) {
    absl::StatusOr<RenameRow> row = ParseRenameRow(key, value);
    damage = row.status();
    if (row.ok()) rows.push_back(*std::move(row));
    return damage.ok();
  };
  HOURCELL_RETURN_IF_ERROR(view->Scan(TableId::kSystem, PrefixRange(RenameRowsPrefix()), visit));
  HOURCELL_RETURN_IF_ERROR(damage);
  return rows;
}

}  // namespace hourcell
