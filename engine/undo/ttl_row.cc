#include "engine/undo/ttl_row.h"

#include <cstddef>
#include <utility>

#include <absl/status/status.h>
#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/check.h"
#include "codec/base/status_macros.h"
#include "codec/field_reader.h"
#include "engine/rows/key_range.h"
#include "engine/table/retention.h"

namespace hourcell {
namespace {

constexpr char kTtlRowByte = 'T';
constexpr uint8_t kTtlRowVersion = 1;
constexpr uint64_t kNoTtl = UINT64_MAX;

absl::Status BadTtlRow(std::string_view key, std::string_view fault) {
  return absl::DataLossError(fmt::format("record of a TTL {}: {}", ToHex(key), fault));
}

bool IsTtlOfRow(uint64_t stored) {
  return stored <= static_cast<uint64_t>(kTtlMaxS);
}

uint64_t StoredTtl(std::optional<int64_t> ttl_s) {
  return ttl_s.has_value() ? static_cast<uint64_t>(*ttl_s) : kNoTtl;
}

std::optional<int64_t> TtlOf(uint64_t stored) {
  if (stored == kNoTtl) return std::nullopt;
  return static_cast<int64_t>(stored);
}

}  // namespace

std::string TtlRowsPrefix() {
  return std::string(1, kTtlRowByte);
}

std::string TtlRowKey(uint64_t id) {
  std::string key = TtlRowsPrefix();
  AppendBigEndian(id, 8, &key);
  return key;
}

std::string TtlRowValue(const TtlRow& row) {
  HOURCELL_DCHECK(row.changed_ms >= 0 && row.changed_ms <= row.until_ms);
  std::string value(1, static_cast<char>(kTtlRowVersion));
  for (const uint64_t field :
       {static_cast<uint64_t>(row.changed_ms), static_cast<uint64_t>(row.until_ms), row.metric,
        StoredTtl(row.before_s), StoredTtl(row.shortened_s), StoredTtl(row.file_ttl_s)}) {
    AppendBigEndian(field, 8, &value);
  }
  return value;
}

absl::StatusOr<TtlRow> ParseTtlRow(std::string_view key, std::string_view value) {
  constexpr size_t kKeyBytes = 1 + 8;
  if (key.size() != kKeyBytes || key.front() != kTtlRowByte) {
    return BadTtlRow(key, fmt::format("expected a key of {} bytes", kKeyBytes));
  }
  TtlRow row;
  row.id = LoadBigEndian(key.data() + 1, 8);
  FieldReader fields(value);
  const uint8_t version = fields.Byte();
  row.changed_ms = static_cast<int64_t>(fields.BigEndian(8));
  row.until_ms = static_cast<int64_t>(fields.BigEndian(8));
  row.metric = fields.BigEndian(8);
  const uint64_t before = fields.BigEndian(8);
  const uint64_t shortened = fields.BigEndian(8);
  const uint64_t of_files = fields.BigEndian(8);
  if (fields.failed() || !fields.rest().empty()) {
    return BadTtlRow(key, fmt::format("expected 49 bytes, got {}", value.size()));
  }
  if (version != kTtlRowVersion) {
    return BadTtlRow(key, fmt::format("version {}; expected {}", version, kTtlRowVersion));
  }
  if (row.id == 0 || row.changed_ms < 0 || row.until_ms < row.changed_ms) {
    return BadTtlRow(key, "a time or the id is out of range");
  }
  const auto may_be = [&row](uint64_t ttl) {
    return IsTtlOfRow(ttl) || (ttl == kNoTtl && row.metric != kNoUid);
  };
  if (!may_be(before) || !may_be(shortened) || !IsTtlOfRow(of_files)) {
    return BadTtlRow(key, fmt::format("a TTL is not 0 to {} seconds", kTtlMaxS));
  }
  row.before_s = TtlOf(before);
  row.shortened_s = TtlOf(shortened);
  row.file_ttl_s = static_cast<int64_t>(of_files);
  return row;
}

absl::StatusOr<std::vector<TtlRow>> ReadTtlRows(TableView* view) {
  std::vector<TtlRow> rows;
  absl::Status damage;
  const auto visit = [&](std::string_view key, std::string_view value) {
    absl::StatusOr<TtlRow> row = ParseTtlRow(key, value);
    damage = row.status();
    if (row.ok()) rows.push_back(*std::move(row));
    return damage.ok();
  };
  HOURCELL_RETURN_IF_ERROR(view->Scan(TableId::kSystem, PrefixRange(TtlRowsPrefix()), visit));
  HOURCELL_RETURN_IF_ERROR(damage);
  return rows;
}

absl::flat_hash_map<Uid, int64_t> FileTtlsOf(std::span<const TtlRow> rows) {
  absl::flat_hash_map<Uid, int64_t> ttls;
  for (const TtlRow& row : rows) {
    const auto [longest, is_new] = ttls.try_emplace(row.metric, row.file_ttl_s);
    if (!is_new) longest->second = LongerTtl(longest->second, row.file_ttl_s);
  }
  return ttls;
}

}  // namespace hourcell
