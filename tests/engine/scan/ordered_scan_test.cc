#include "engine/scan/ordered_scan.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/random.h"
#include "codec/base/status_macros.h"
#include "tests/support/status_matchers.h"

namespace hourcell::ordered_scan_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

using Rows = std::map<std::string, std::string>;

// Rows of 'a', 'b' and so on, each a bucket with random keys, some keys in several buckets.
Rows RandomRows(int buckets, int rows) {
  Random random(7);
  Rows made;
  for (int i = 0; i < rows; ++i) {
    const char bucket = static_cast<char>('a' + random.Below(static_cast<uint64_t>(buckets)));
    const std::string key = fmt::format("{}{:04}", bucket, random.Below(2000));
    made[key] = fmt::format("value of {}", key);
  }
  return made;
}

std::vector<ScanRange> RangesOf(int buckets) {
  std::vector<ScanRange> ranges;
  for (int i = 0; i < buckets; ++i) {
    ranges.push_back({.begin = std::string(1, static_cast<char>('a' + i)),
                      .end = std::string(1, static_cast<char>('b' + i))});
  }
  return ranges;
}

OrderedScan::Read ReadOf(const Rows& rows) {
  return [&rows](const ScanRange& range, const OrderedScan::Visit& visit) -> absl::Status {
    for (auto row = rows.lower_bound(range.begin); row != rows.end() && row->first < range.end;
         ++row) {
      HOURCELL_ASSIGN_OR_RETURN(const bool go_on, visit(row->first, row->second));
      if (!go_on) break;
    }
    return absl::OkStatus();
  };
}

// By the bytes after the bucket, then by bucket.
std::vector<std::pair<std::string, std::string>> InOrder(const Rows& rows) {
  std::vector<std::pair<std::string, std::string>> sorted(rows.begin(), rows.end());
  std::ranges::sort(sorted, {}, [](const auto& row) {
    return std::pair(row.first.substr(1), row.first.substr(0, 1));
  });
  return sorted;
}

class OrderedScanTest : public testing::TestWithParam<size_t> {
 protected:
  OrderedScan::Settings settings() const {
    return {.salt = {.begin = 0, .size = 1}, .threads = GetParam(), .block_bytes = 200};
  }
};

TEST_P(OrderedScanTest, MergesBucketsByWhatFollowsTheSalt) {
  const Rows rows = RandomRows(5, 3000);
  std::vector<std::pair<std::string, std::string>> got;
  OrderedScan scan(RangesOf(6), settings(), ReadOf(rows));  // one range is empty
  ASSERT_OK(scan.Run([&](std::string_view key, std::string_view value) {
    got.emplace_back(key, value);
    return true;
  }));
  EXPECT_EQ(got, InOrder(rows));
}

TEST_P(OrderedScanTest, LeavesTheSaltOutWhereverItIs) {
  const Rows rows = {{"x1-b", "1"}, {"x1-d", "2"}, {"x2-a", "3"}, {"x2-b", "4"}, {"x2-e", "5"}};
  OrderedScan::Settings in_middle = settings();
  in_middle.salt = {.begin = 1, .size = 1};
  OrderedScan scan({{.begin = "x1", .end = "x2"}, {.begin = "x2", .end = "x3"}}, in_middle,
                   ReadOf(rows));
  std::string order;
  ASSERT_OK(scan.Run([&](std::string_view key, std::string_view value) {
    EXPECT_EQ(rows.at(std::string(key)), value);
    order += value;
    return true;
  }));
  EXPECT_EQ(order, "31425");
}

TEST_P(OrderedScanTest, EndsWhenItsReaderHasEnough) {
  const Rows rows = RandomRows(5, 3000);
  const auto want = InOrder(rows);
  for (const size_t enough : {1u, 17u}) {
    std::vector<std::pair<std::string, std::string>> got;
    OrderedScan scan(RangesOf(5), settings(), ReadOf(rows));
    ASSERT_OK(scan.Run([&](std::string_view key, std::string_view value) {
      got.emplace_back(key, value);
      return got.size() < enough;
    }));
    EXPECT_THAT(got, SizeIs(enough));
    EXPECT_TRUE(std::equal(got.begin(), got.end(), want.begin()));
  }
}

TEST_P(OrderedScanTest, GivesNoRowAfterOneThatMayBeMissing) {
  const Rows rows = RandomRows(4, 2000);
  const auto want = InOrder(rows);
  const OrderedScan::Read read = ReadOf(rows);
  std::atomic<int> reads{0};
  std::vector<std::pair<std::string, std::string>> got;
  OrderedScan scan(RangesOf(4), settings(),
                   [&](const ScanRange& range, const OrderedScan::Visit& visit) -> absl::Status {
                     if (range.begin.starts_with('c') && ++reads == 5) {
                       return absl::DataLossError("torn");
                     }
                     return read(range, visit);
                   });
  EXPECT_THAT(scan.Run([&](std::string_view key, std::string_view value) {
    got.emplace_back(key, value);
    return true;
  }),
              StatusIs(absl::StatusCode::kDataLoss, "torn"));
  EXPECT_LT(got.size(), want.size());
  EXPECT_TRUE(std::equal(got.begin(), got.end(), want.begin()));
}

TEST_P(OrderedScanTest, EndsWithItsReadersErrorAndWhenCancelled) {
  const Rows rows = RandomRows(4, 2000);
  OrderedScan failing(RangesOf(4), settings(), ReadOf(rows));
  EXPECT_THAT(
      failing.Run([](std::string_view, std::string_view) { return absl::AbortedError("full"); }),
      StatusIs(absl::StatusCode::kAborted, "full"));

  std::atomic<bool> cancelled{false};
  OrderedScan::Settings with_flag = settings();
  with_flag.cancelled = &cancelled;
  OrderedScan scan(RangesOf(4), with_flag, ReadOf(rows));
  int got = 0;
  EXPECT_THAT(scan.Run([&](std::string_view, std::string_view) {
    cancelled = ++got == 3;
    return true;
  }),
              StatusIs(absl::StatusCode::kCancelled));
  EXPECT_EQ(got, 3);
}

INSTANTIATE_TEST_SUITE_P(Threads, OrderedScanTest, testing::Values(0u, 1u, 3u));

}  // namespace
}  // namespace hourcell::ordered_scan_test
