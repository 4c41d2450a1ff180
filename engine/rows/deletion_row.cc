#include "engine/rows/deletion_row.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/check.h"
#include "codec/base/status_macros.h"
#include "codec/field_reader.h"
#include "codec/limits.h"
#include "engine/rows/key_range.h"

namespace hourcell {
namespace {

constexpr char kDeletionByte = 'D';
constexpr char kHiddenRowByte = 'U';
constexpr uint8_t kDeletionVersion = 1;
constexpr size_t kDeletionIdBytes = 8;
constexpr size_t kSetChunkBytes = 6;
constexpr size_t kSetSizeBytes = 4;
constexpr unsigned kSetChunkBits = 16;

absl::Status BadDeletion(std::string_view key, std::string_view fault) {
  return absl::DataLossError(fmt::format("deletion record {}: {}", ToHex(key), fault));
}

// The posting set of the numbers of one chunk, from `begin` on; sets `begin` past them.
std::string SetOfChunk(const std::vector<SeriesNumber>& series, size_t* begin) {
  std::string set;
  const uint64_t chunk = series[*begin] >> kSetChunkBits;
  std::string one;
  for (; *begin < series.size() && series[*begin] >> kSetChunkBits == chunk; ++*begin)
    AddToPosting(series[*begin], &one);
  // The merge of one set chooses the smaller format.
  const std::string_view sets[] = {one};
  MergePostings(sets, &set);
  return set;
}

absl::Status TakeSets(std::string_view key, FieldReader fields, std::vector<SeriesNumber>* series) {
  std::optional<uint64_t> last_chunk;
  while (!fields.rest().empty()) {
    const uint64_t chunk = fields.BigEndian(kSetChunkBytes);
    const uint64_t size = fields.BigEndian(kSetSizeBytes);
    if (fields.failed() || size > fields.rest().size()) return BadDeletion(key, "cut short");
    if (last_chunk.has_value() && chunk <= *last_chunk) {
      return BadDeletion(key, "its sets of series do not ascend");
    }
    last_chunk = chunk;
    const std::string_view set = fields.rest().substr(0, size);
    const size_t before = series->size();
    HOURCELL_RETURN_IF_ERROR(DecodePosting(set, chunk, series));
    if (series->size() == before) return BadDeletion(key, "a set of series is empty");
    const auto begin = series->begin() + static_cast<ptrdiff_t>(before);
    if (std::adjacent_find(begin, series->end(), std::greater_equal<>()) != series->end()) {
      return BadDeletion(key, "a set of series does not ascend");
    }
    fields = FieldReader(fields.rest().substr(size));
  }
  return absl::OkStatus();
}

}  // namespace

std::string DeletionCounterKey() {
  return std::string(1, kDeletionByte);
}

std::string DeletionCounterValue(uint64_t next_id) {
  std::string value(1, static_cast<char>(kDeletionVersion));
  AppendBigEndian(next_id, kDeletionIdBytes, &value);
  return value;
}

absl::StatusOr<uint64_t> ParseDeletionCounter(std::string_view value) {
  FieldReader fields(value);
  const uint8_t version = fields.Byte();
  const uint64_t next_id = fields.BigEndian(kDeletionIdBytes);
  if (fields.failed() || !fields.rest().empty() || version != kDeletionVersion || next_id == 0 ||
      next_id == UINT64_MAX) {
    return BadDeletion(DeletionCounterKey(), "not a counter");
  }
  return next_id;
}

std::string DeletionKey(const Layout& layout, uint64_t id, Uid metric) {
  std::string key = DeletionCounterKey();
  AppendBigEndian(id, kDeletionIdBytes, &key);
  AppendBigEndian(metric, layout.metric_width, &key);
  return key;
}

std::string DeletionValue(const DeletionRow& row) {
  HOURCELL_DCHECK(row.start_ms >= 0 && row.start_ms <= row.end_ms);
  HOURCELL_DCHECK(row.end_ms <= kTimestampMsMax);
  HOURCELL_DCHECK(row.deleted_ms >= 0 && row.deleted_ms <= row.until_ms);
  HOURCELL_DCHECK(std::ranges::is_sorted(row.series));
  std::string value(1, static_cast<char>(kDeletionVersion));
  value.push_back(static_cast<char>(row.state));
  for (const int64_t ms : {row.deleted_ms, row.until_ms, row.start_ms, row.end_ms})
    AppendBigEndian(static_cast<uint64_t>(ms), 8, &value);
  for (size_t i = 0; i < row.series.size();) {
    AppendBigEndian(row.series[i] >> kSetChunkBits, kSetChunkBytes, &value);
    const std::string set = SetOfChunk(row.series, &i);
    AppendBigEndian(set.size(), kSetSizeBytes, &value);
    value += set;
  }
  return value;
}

absl::StatusOr<DeletionRow> ParseDeletionRow(const Layout& layout,
                                             std::string_view key,
                                             std::string_view value) {
  const size_t key_bytes = 1 + kDeletionIdBytes + layout.metric_width;
  if (key.size() != key_bytes || key.front() != kDeletionByte) {
    return BadDeletion(key, fmt::format("expected a key of {} bytes", key_bytes));
  }
  DeletionRow row;
  row.id = LoadBigEndian(key.data() + 1, kDeletionIdBytes);
  row.metric = LoadBigEndian(key.data() + 1 + kDeletionIdBytes, layout.metric_width);
  FieldReader fields(value);
  const uint8_t version = fields.Byte();
  const uint8_t state = fields.Byte();
  row.deleted_ms = static_cast<int64_t>(fields.BigEndian(8));
  row.until_ms = static_cast<int64_t>(fields.BigEndian(8));
  row.start_ms = static_cast<int64_t>(fields.BigEndian(8));
  row.end_ms = static_cast<int64_t>(fields.BigEndian(8));
  if (fields.failed()) return BadDeletion(key, "cut short");
  if (version != kDeletionVersion) {
    return BadDeletion(key, fmt::format("version {}; expected {}", version, kDeletionVersion));
  }
  if (state > static_cast<uint8_t>(DeletionState::kRemoved)) {
    return BadDeletion(key, fmt::format("state {}; expected 0 to 3", state));
  }
  if (row.id == 0 || row.deleted_ms < 0 || row.until_ms < row.deleted_ms || row.start_ms < 0 ||
      row.end_ms < row.start_ms || row.end_ms > kTimestampMsMax) {
    return BadDeletion(key, "a time or the id is out of range");
  }
  row.state = static_cast<DeletionState>(state);
  HOURCELL_RETURN_IF_ERROR(TakeSets(key, fields, &row.series));
  return row;
}

std::string HiddenRowsPrefix() {
  return std::string(1, kHiddenRowByte);
}

std::string HiddenRowKey(std::string_view row_key, uint64_t id) {
  std::string key = HiddenRowsPrefix();
  key += row_key;
  AppendBigEndian(id, kDeletionIdBytes, &key);
  return key;
}

absl::StatusOr<HiddenRowKeyView> ParseHiddenRowKey(std::string_view key) {
  if (key.size() < 1 + kDeletionIdBytes || key.front() != kHiddenRowByte) {
    return absl::DataLossError(fmt::format("hidden row {}: too short a key", ToHex(key)));
  }
  const std::string_view id = key.substr(key.size() - kDeletionIdBytes);
  return HiddenRowKeyView{.row_key = key.substr(1, key.size() - 1 - kDeletionIdBytes),
                          .id = LoadBigEndian(id.data(), kDeletionIdBytes)};
}

absl::StatusOr<std::vector<DeletionRow>> ReadDeletionRows(const Layout& layout, TableView* view) {
  std::vector<DeletionRow> rows;
  absl::Status damage;
  ScanRange range = PrefixRange(DeletionCounterKey());
  range.begin = AfterKey(range.begin);  // the counter
  HOURCELL_RETURN_IF_ERROR(
      view->Scan(TableId::kSystem, range, [&](std::string_view key, std::string_view value) {
        absl::StatusOr<DeletionRow> row = ParseDeletionRow(layout, key, value);
        damage = row.status();
        if (row.ok()) rows.push_back(*std::move(row));
        return damage.ok();
      }));
  HOURCELL_RETURN_IF_ERROR(damage);
  return rows;
}

absl::StatusOr<uint64_t> ReadNextDeletionId(TableView* view) {
  HOURCELL_ASSIGN_OR_RETURN(const std::optional<std::string> value,
                            view->Get(TableId::kSystem, DeletionCounterKey()));
  if (!value.has_value()) return uint64_t{1};
  return ParseDeletionCounter(*value);
}

absl::Status RemoveSeriesWithHiddenPoints(const Layout& layout,
                                          Uid metric,
                                          TableView* view,
                                          std::vector<SeriesNumber>* numbers) {
  if (numbers->empty()) return absl::OkStatus();
  HOURCELL_ASSIGN_OR_RETURN(const std::vector<DeletionRow> rows, ReadDeletionRows(layout, view));
  for (const DeletionRow& row : rows) {
    if (row.metric != metric || row.state == DeletionState::kRemoved) continue;
    std::erase_if(*numbers, [&row](SeriesNumber number) {
      return std::ranges::binary_search(row.series, number);
    });
  }
  return absl::OkStatus();
}

}  // namespace hourcell
