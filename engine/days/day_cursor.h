// DayCursor: shows the rows of days as rows of their hours, in key order.
//
//   stored   metric day 0, series a: hours 0 1      shown   metric hour 0, series a
//            metric day 0, series b: hours   1              metric hour 1, series a
//                                                           metric hour 1, series b
//
// So the rows of a day are passed once for each of its hours. A row whose directory does not decode
// is shown whole in each hour of its day: every reader of an hour gets the fault.
//
// Thread-compatible.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <absl/status/status.h>

#include "codec/cells/cell.h"
#include "engine/days/hour_place.h"
#include "engine/table/table.h"

namespace hourcell {

class DayCursor final : public RowCursor {
 public:
  // `at` is RowKeyCodec::base_time_offset(). `view` is the stored one, and borrowed.
  DayCursor(size_t at, TableView* view, const ScanRange& range);

  void Seek(std::string_view key) override;
  void SeekBefore(std::string_view key) override;
  void SeekToLast() override;
  void Next() override;
  bool valid() const override { return is_valid_; }
  std::string_view key() const override { return key_; }
  std::string_view value() const override;
  absl::Status status() const override { return rows_->status(); }

 private:
  // A day of the rows that share the bytes before the base time.
  struct Day {
    std::string before;
    uint32_t day_s = 0;
  };

  void FindFrom(const HourPlace& place);
  void FindBefore(const HourPlace& place);
  bool FindLastIn(const Day& day, uint32_t hours, std::string_view after);
  bool FindInHour(const Day& day, uint32_t hour, std::string_view after);
  bool FindFurther();
  uint32_t HoursOf(const Day& day);
  std::optional<Day> NextDay(std::string from);
  std::optional<Day> DayBefore(std::string before);
  std::string PrefixOf(const Day& day) const;
  void KeepInRange();

  const size_t at_;
  const ScanRange range_;
  std::unique_ptr<RowCursor> rows_;  // of days, among others
  bool is_valid_ = false;
  std::string key_;
  std::string prefix_;   // of the stored rows of the day shown
  uint32_t hour_s_ = 0;  // that is shown
  mutable CellColumns columns_;
  mutable std::string value_;
  mutable bool has_value_ = false;
};

}  // namespace hourcell
