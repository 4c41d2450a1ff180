#include "engine/salt_admin.h"

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/clock.h"
#include "codec/base/kill_point.h"
#include "codec/base/status_macros.h"
#include "codec/limits.h"
#include "codec/rows/row_key.h"
#include "codec/rows/salt_schedule.h"
#include "engine/annotations/annotation_store.h"
#include "engine/rows/key_description.h"
#include "engine/rows/system_table.h"
#include "engine/table/tables.h"
#include "engine/write/sealer.h"

namespace hourcell {
namespace {

// By default an epoch begins at least this long from now.
constexpr int64_t kAheadMs = 3600 * 1000;

}  // namespace

absl::StatusOr<std::vector<SaltEpoch>> SaltAdmin::Epochs() const {
  if (parts_.check_is_writer) HOURCELL_RETURN_IF_ERROR(parts_.check_is_writer());
  return parts_.schedule->epochs().epochs();
}

absl::Status SaltAdmin::Change(uint32_t buckets, std::optional<uint64_t> from_s) {
  if (parts_.before_change) HOURCELL_RETURN_IF_ERROR(parts_.before_change());
  MutexLock lock(&change_);
  if (parts_.row_keys->layout().salt_width == 0) {
    return absl::FailedPreconditionError(
        "salt: expected a store whose rows are salted, got a change of the buckets "
        "(tsd.storage.salt.width is 0)");
  }
  const auto change = [&]() -> absl::Status {
    HOURCELL_ASSIGN_OR_RETURN(const SaltEpoch epoch, FindPlace(buckets, from_s));
    SaltEpochs longer = parts_.schedule->epochs();
    HOURCELL_RETURN_IF_ERROR(longer.Append(epoch));
    HOURCELL_KILL_POINT("salt:checked");
    HOURCELL_RETURN_IF_ERROR(WriteSaltEpochs(longer, parts_.tables));
    HOURCELL_KILL_POINT("salt:written");
    // Before a row of the epoch is written. If this fails, the epoch is stored all the same.
    const absl::Status noted = parts_.note_change ? parts_.note_change() : absl::OkStatus();
    HOURCELL_RETURN_IF_ERROR(parts_.schedule->Append(epoch));
    return noted;
  };
  return parts_.sealer->WithSealed([&] { return parts_.annotations->WithoutEdits(change); });
}

absl::StatusOr<SaltEpoch> SaltAdmin::FindPlace(uint32_t buckets,
                                               std::optional<uint64_t> from_s) const {
  HOURCELL_ASSIGN_OR_RETURN(const uint64_t end_s, EndOfRows());
  if (!from_s.has_value()) {
    const int64_t ahead_ms = std::clamp<int64_t>(parts_.clock->NowMs() + kAheadMs, 0,
                                                 kTimestampMsMax - kDataRowSpan.ms());
    from_s = std::max(kDataRowSpan.EndS(kDataRowSpan.BaseS(ahead_ms)), end_s);
  }
  if (*from_s > UINT32_MAX) {
    return absl::InvalidArgumentError(
        fmt::format("salt epoch from {} s: expected at most {} s", *from_s, UINT32_MAX));
  }
  if (*from_s < end_s) {
    return absl::FailedPreconditionError(
        fmt::format("salt epoch from {} s: the store has rows of the hour from {}; expected an "
                    "epoch after it, from {} s on",
                    *from_s, UtcText(static_cast<uint32_t>(end_s - kDataRowSpan.seconds)), end_s));
  }
  return SaltEpoch{.from_s = *from_s, .buckets = buckets};
}

absl::StatusOr<uint64_t> SaltAdmin::EndOfRows() const {
  // An undo shows hidden points in the buckets that their rows have now.
  const std::unique_ptr<TableView> view = parts_.tables->SnapshotWithHidden();
  uint64_t end_s = 0;
  for (const TableSpec& table : kTableSpecs) {
    if (!table.row_span.is_by_time()) continue;
    HOURCELL_ASSIGN_OR_RETURN(const uint64_t of_table, EndOfRowsIn(view.get(), table));
    end_s = std::max(end_s, of_table);
  }
  return end_s;
}

// Among keys with the same bytes before their time the last one is the latest: one seek for each
// metric and bucket.
absl::StatusOr<uint64_t> SaltAdmin::EndOfRowsIn(TableView* view, const TableSpec& table) const {
  const RowKeyCodec& row_keys = *parts_.row_keys;
  const std::unique_ptr<RowCursor> cursor = view->NewCursor(table.id, {});
  uint64_t end_s = 0;
  cursor->SeekToLast();
  while (cursor->valid()) {
    const std::string key(cursor->key());
    if (key.size() < row_keys.tags_offset()) {
      return absl::DataLossError(
          fmt::format("{}: row key {}: too short: expected at least {} bytes, got {}", table.name,
                      ToHex(key), row_keys.tags_offset(), key.size()));
    }
    const bool is_salted = row_keys.HasMetric(key);  // else a global annotation
    if (is_salted) end_s = std::max(end_s, table.row_span.EndS(row_keys.BaseTimeOf(key)));
    const std::string before_time = key.substr(0, row_keys.base_time_offset());
    if (is_salted && before_time.empty()) break;
    cursor->SeekBefore(before_time.empty() ? key : before_time);
  }
  HOURCELL_RETURN_IF_ERROR(cursor->status());
  return end_s;
}

}  // namespace hourcell
