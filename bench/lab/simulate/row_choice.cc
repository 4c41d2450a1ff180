#include "bench/lab/simulate/row_choice.h"

#include "engine/days/few_points.h"
#include "engine/days/hour_place.h"

namespace hourcell {

RowChoice::RowChoice(const KeyMaker& keys, const CellSettings& cells)
    : has_day_rows_(keys.has_day_rows()) {
  const std::optional<size_t> salt_bytes = keys.store_salt_bytes();
  if (salt_bytes.has_value() && cells.model == CellModel::kHourcell) {
    day_row_points_ = static_cast<uint32_t>(cells.day_row_points);
    salt_bytes_ = *salt_bytes;
  }
  if (has_day_rows_ || day_row_points_ > 0) days_.emplace();
}

ChosenRow RowChoice::RowOf(std::string_view key, const SourcePut& put) {
  if (IsShared(key, put)) {
    day_key_ = DayKeyOf(key, salt_bytes_ + put.parts.metric_bytes);
    key = day_key_;
  } else if (!has_day_rows_) {
    return {.key = key, .begins = put.begins_row};
  }
  // Sources give hours: of the hours of a day, the first begins its row.
  return {.key = key, .begins = put.begins_row && days_->IsNew(key, 0)};
}

bool RowChoice::IsShared(std::string_view key, const SourcePut& put) const {
  // A put with its own key may have any fields.
  if (!put.is_hour || !put.key.empty() || put.puts > UINT32_MAX) return false;
  if (key.size() < salt_bytes_ + put.parts.metric_bytes + kTimeFieldBytes) return false;
  constexpr uint64_t kUnknownTimeMs = 0;
  return AreFewPoints(static_cast<uint32_t>(put.puts), kUnknownTimeMs, day_row_points_);
}

}  // namespace hourcell
