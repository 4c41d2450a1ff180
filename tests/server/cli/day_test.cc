// A day of a store, by a clock of the test's: memory stays flat from hour to hour, every hour is
// sealed once, so that each row is one cell, and `hourcell scan --hex` prints the bytes that the
// points give when they are encoded one by one. The same is printed of a store that was given the
// day series by series and keeps OpenTSDB's cells.
//
//   HOURCELL_DAY_SERIES=10000 cli_tests --gtest_filter='DayTest.*'
//
// is the full size, 14.4 million points; with HOURCELL_DAY_STEP=10, a point every 10 s rather than
// every minute, 86.4 million. Memory is held against its limit from 1,000 series on.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "codec/base/bytes.h"
#include "codec/base/clock.h"
#include "codec/base/random.h"
#include "codec/qualifier.h"
#include "codec/rows/row_key.h"
#include "codec/rows/tsuid.h"
#include "codec/value.h"
#include "engine/tsdb.h"
#include "server/cli/data/scan/scan.h"
#include "tests/server/cli/captured_terminal.h"
#include "tests/support/builders.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::day_test {
namespace {

constexpr int64_t kFirstS = 1356998400;
constexpr int64_t kHourS = 3600;
constexpr int64_t kHours = 24;
// Fewer series take less memory than a store does by itself.
constexpr int64_t kSeriesForMemory = 1000;

// A number of the environment, or what it is without one.
int64_t FromEnvironment(const char* name, int64_t otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoll(text, nullptr, 10);
}

// Of this process, in KiB.
int64_t ResidentKib() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmRSS:")) return std::strtoll(line.c_str() + 6, nullptr, 10);
  }
  return 0;
}

// A gauge of integers, one of two decimals, or a counter.
Value ValueAt(int64_t series, int64_t second) {
  const auto noise = static_cast<int64_t>(
      Random(static_cast<uint64_t>(series * kHours * kHourS + second)).Below(10'001));
  switch (series % 3) {
    case 0:
      return Value::Integer(noise / 100);
    case 1:
      return Value::Float(static_cast<double>(noise) / 100);
    default:
      return Value::Integer(second * 1000 + noise);
  }
}

class DayTest : public testing::Test {
 protected:
  DayTest() {
    tags_.reserve(static_cast<size_t>(series_));
    for (int64_t series = 0; series < series_; ++series)
      tags_.push_back(fmt::format("host=h{}", series));
  }

  // A store whose caches and buffers are full within an hour or two.
  std::unique_ptr<Tsdb> Open(const std::string& name, CellEncoding cells) {
    Options options = TinyOptions(directory_.file(name));
    options.write_buffer_bytes = 4 << 20;
    options.block_cache_bytes = 8 << 20;
    options.clock = &clock_;
    options.seal_in_background = false;
    options.cell_encoding = cells;
    auto opened = Tsdb::Open(options);
    HOURCELL_CHECK(opened.ok());
    return *std::move(opened);
  }

  LinePoint PointAt(int64_t series, int64_t second) const {
    return {.metric = "m",
            .tags = tags_[static_cast<size_t>(series)],
            .timestamp = {.ms = (kFirstS + second) * 1000},
            .value = ValueAt(series, second)};
  }

  static void Append(const std::vector<LinePoint>& points, Tsdb* tsdb) {
    std::vector<RefusedPoint> refused;
    ASSERT_OK(tsdb->points().Append(points, &refused).Wait());
    ASSERT_TRUE(refused.empty());
  }

  static int64_t Stat(Tsdb* tsdb, std::string_view name, std::string_view type = "") {
    for (const StatSample& sample : tsdb->stats().Snapshot()) {
      if (sample.name != name) continue;
      if (type.empty() || (!sample.tags.empty() && sample.tags[0].second == type)) {
        return sample.value;
      }
    }
    ADD_FAILURE() << "no stat " << name;
    return -1;
  }

  // All series report at once, step after step, as the clock says.
  void LiveThroughTheDay(Tsdb* tsdb) {
    const int64_t sealed_at = TinyOptions("").seal_grace_s + step_;
    std::vector<LinePoint> points;
    for (int64_t second = 0; second < kHours * kHourS; second += step_) {
      clock_.Set((kFirstS + second) * 1000);
      points.clear();
      for (int64_t series = 0; series < series_; ++series)
        points.push_back(PointAt(series, second));
      ASSERT_NO_FATAL_FAILURE(Append(points, tsdb));
      ASSERT_OK(tsdb->maintenance().SealDue());
      const bool is_sealed = second > kHourS && second % kHourS >= sealed_at;
      if (is_sealed && second % kHourS < sealed_at + step_) NoteHour(tsdb, second / kHourS);
    }
    clock_.Set((kFirstS + kHours * kHourS + sealed_at) * 1000);
    ASSERT_OK(tsdb->maintenance().SealDue());
    NoteHour(tsdb, kHours);
  }

  // `hours` are over and sealed.
  void NoteHour(Tsdb* tsdb, int64_t hours) {
    EXPECT_EQ(Stat(tsdb, "seal.hours", "all"), hours * series_) << "each hour is sealed once";
    EXPECT_EQ(Stat(tsdb, "hours.open"), hours == kHours ? 0 : series_);
    resident_kib_.push_back(ResidentKib());
    if (series_ < kSeriesForMemory) return;
    std::printf("hour %2d sealed: %6.1f MiB resident, %5.1f MiB of open hours, %5.1f of journal\n",
                static_cast<int>(hours), Mib(resident_kib_.back() * 1024),
                Mib(Stat(tsdb, "hours.bytes")), Mib(Stat(tsdb, "journal.bytes")));
    std::fflush(stdout);
  }
  static double Mib(int64_t bytes) { return static_cast<double>(bytes) / (1 << 20); }

  void ExpectFlatMemory() const {
    ASSERT_EQ(resident_kib_.size(), static_cast<size_t>(kHours));
    const int64_t early = *std::max_element(resident_kib_.begin() + 2, resident_kib_.begin() + 6);
    const int64_t late = *std::max_element(resident_kib_.end() - 4, resident_kib_.end());
    EXPECT_LE(late, early + early / 20 + (4 << 10))
        << "KiB resident in the last four hours; expected no more than in hours 3 to 6, and 5 % "
           "and 4 MiB";
  }

  // Appends what `scan --hex` must print of one hour: each point encoded by itself. UIDs are given
  // in the order of the series.
  void AppendHourFromPoints(int64_t hour, std::string* text) const {
    const Layout layout;
    for (int64_t series = 0; series < series_; ++series) {
      std::string key;
      const TagUids tags[] = {{.tagk = 1, .tagv = static_cast<Uid>(series) + 1}};
      RowKeyCodec(layout).Append(EncodeTsuid(layout, 1, tags),
                                 static_cast<uint32_t>(kFirstS + hour * kHourS), &key);
      std::string qualifiers;
      std::string values;
      for (int64_t offset = 0; offset < kHourS; offset += step_) {
        const Value value = ValueAt(series, hour * kHourS + offset);
        AppendQualifier({.offset_ms = static_cast<uint32_t>(offset * 1000),
                         .is_ms = false,
                         .flags = ValueFlags(value)},
                        &qualifiers);
        AppendValue(value, ValueFlags(value), &values);
      }
      values += '\0';  // the meta byte: all in seconds
      *text += fmt::format("{}\t{}\t{}\n", ToHex(key), ToHex(qualifiers), ToHex(values));
    }
  }

  std::string ScanHours(const std::string& name, int64_t first, int64_t last) const {
    const auto time = [](int64_t hour) { return fmt::format("{}", kFirstS + hour * kHourS); };
    CapturedTerminal terminal;
    EXPECT_EQ(RunScan({.store = {.data = directory_.file(name)},
                       .format = ScanFormat::kHex,
                       .words = {time(first), time(last), "m"}},
                      terminal.get()),
              kExitOk)
        << terminal.err();
    return terminal.out();
  }

  // Names the first row that differs rather than all of both.
  void ExpectScanIs(const std::string& want,
                    const std::string& name,
                    int64_t first,
                    int64_t last) const {
    const std::string got = ScanHours(name, first, last);
    if (got == want) return;
    const auto differs = std::mismatch(got.begin(), got.end(), want.begin(), want.end());
    const auto at = static_cast<size_t>(differs.first - got.begin());
    const size_t row = at == 0 ? 0 : want.rfind('\n', at - 1) + 1;
    ADD_FAILURE() << name << ", from hour " << first << ", byte " << at << ":\ngot  "
                  << got.substr(std::min(row, got.size()), 400) << "\nwant "
                  << want.substr(row, 400);
  }

  const int64_t series_ = FromEnvironment("HOURCELL_DAY_SERIES", 100);
  const int64_t step_ = FromEnvironment("HOURCELL_DAY_STEP", 60);  // in seconds
  TempDir directory_;
  ManualClock clock_{kFirstS * 1000};
  std::vector<std::string> tags_;      // of each series
  std::vector<int64_t> resident_kib_;  // after each hour
};

TEST_F(DayTest, MemoryIsFlatAndEveryRowIsOneCellOfOpenTsdbsBytes) {
  std::unique_ptr<Tsdb> lived = Open("lived", CellEncoding::kPacked);
  ASSERT_NO_FATAL_FAILURE(LiveThroughTheDay(lived.get()));
  EXPECT_EQ(Stat(lived.get(), "seal.hours", "early"), 0);
  EXPECT_EQ(Stat(lived.get(), "seal.points"), series_ * kHours * kHourS / step_);
  if (series_ >= kSeriesForMemory) ExpectFlatMemory();
  ASSERT_OK(lived->Close());

  // The straightforward path.
  std::unique_ptr<Tsdb> put = Open("put", CellEncoding::kOpenTsdb);
  for (int64_t series = 0; series < series_; ++series) {
    std::vector<LinePoint> points;
    for (int64_t second = 0; second < kHours * kHourS; second += step_)
      points.push_back(PointAt(series, second));
    ASSERT_NO_FATAL_FAILURE(Append(points, put.get()));
  }
  ASSERT_OK(put->Close());

  // A day of many series is too much text for one piece.
  const int64_t hours_at_once = series_ < kSeriesForMemory ? kHours : 1;
  for (int64_t first = 0; first < kHours && !HasFailure(); first += hours_at_once) {
    const int64_t last = first + hours_at_once - 1;
    std::string want;
    for (int64_t hour = first; hour <= last; ++hour)
      AppendHourFromPoints(hour, &want);
    ExpectScanIs(want, "lived", first, last);
    ExpectScanIs(want, "put", first, last);
  }
}

}  // namespace
}  // namespace hourcell::day_test
