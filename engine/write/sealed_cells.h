// SealedCells: the cells of frozen hours, as merges of rows.
//
//   hours of one series and day with few points,   one merge of a day cell, with the key of the
//   whose keys differ in the base time alone       first of these hours
//   any other hour                                 one merge of its cell
//
// A day is encoded and merged once, not once for each of its hours. engine/days brings a day cell
// to the row of the day, or its hours to the rows of hours. Hours of one base time share a cell.
//
// One thread owns it.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "codec/cells/cell.h"
#include "engine/hours/lane.h"
#include "engine/options.h"
#include "engine/table/table.h"

namespace hourcell {

// Appends to `*cell` the cell of an hour's points. `scratch` is overwritten.
void AppendHourPoints(const OpenHourPoints& points,
                      CellEncoding encoding,
                      CellColumns* scratch,
                      std::string* cell);

class SealedCells {
 public:
  struct Settings {
    CellEncoding encoding = CellEncoding::kPacked;
    uint32_t day_points_max = 0;    // hours of fewer points are in day cells; 0: none
    size_t base_time_at = 0;        // in keys (RowKeyCodec::base_time_offset)
    bool keeps_hour_cells = false;  // for hour_cells()
  };
  explicit SealedCells(const Settings& settings) : settings_(settings) {}

  // Adds a frozen hour; `place` and `key`, of its row, are the caller's. REQUIRES: hours of one
  // series and day one after the other, by base time, and of one base time in the order they were
  // opened; at least one point.
  void Add(size_t place, const FrozenHour& hour, std::string key);

  // Makes the last cells and sorts the merges by key. Call it once, after the last Add.
  void Finish();

  // After Finish.
  std::span<const Mutation> merges() const { return merges_; }
  // The places of the hours of merges()[i], ascending.
  std::span<const size_t> PlacesOf(size_t i) const {
    return std::span(places_).subspan(parts_[i].begin, parts_[i].end - parts_[i].begin);
  }

  // The cell of each base time, in the order of Add.
  struct HourCell {
    size_t place = 0;  // of the first hour of the base time
    std::string cell;
  };
  std::span<const HourCell> hour_cells() const { return hour_cells_; }

 private:
  // Hours of one merge, in places_.
  struct Part {
    size_t begin = 0;
    size_t end = 0;
  };
  // The hours of a cell that is not made yet.
  struct Pending {
    std::string key;  // of the first hour
    std::vector<size_t> places;
    CellColumns columns;

    bool is_empty() const { return places.empty(); }
    void Clear();
  };

  void FinishHour();
  void FinishDay();
  void AppendDay();
  bool SharesDay() const;
  void AppendMerge(Pending* pending, std::string cell);

  const Settings settings_;
  SeriesNumber series_ = 0;
  uint32_t base_time_s_ = 0;
  bool ascends_ = true;  // the points of hour_
  Pending hour_;         // of base_time_s_
  Pending day_;          // offsets are from the start of the day
  std::vector<Mutation> merges_;
  std::vector<Part> parts_;  // of merges_
  std::vector<size_t> places_;
  std::vector<HourCell> hour_cells_;
};

}  // namespace hourcell
