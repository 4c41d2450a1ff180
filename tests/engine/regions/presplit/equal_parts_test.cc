#include "engine/regions/presplit/equal_parts.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/random.h"

namespace hourcell::equal_parts_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

// Rows and their bytes.
using Rows = std::map<std::string, uint64_t>;

uint64_t BytesBetween(const Rows& rows, std::string_view start, std::string_view end) {
  uint64_t bytes = 0;
  for (auto row = rows.lower_bound(std::string(start)); row != rows.end(); ++row) {
    if (!end.empty() && row->first >= end) break;
    bytes += row->second;
  }
  return bytes;
}

SplitProbe ProbeOf(const Rows& rows) {
  SplitProbe probe;
  probe.bytes_between = [&rows](std::string_view start, std::string_view end) {
    return BytesBetween(rows, start, end);
  };
  probe.first_row_from = [&rows](std::string_view key) {
    const auto row = rows.lower_bound(std::string(key));
    return row == rows.end() ? std::string() : row->first;
  };
  return probe;
}

SplitTarget TargetOf(const Rows& rows, RegionRange range = {}) {
  SplitTarget target{.range = std::move(range), .daughter_bytes_min = 1};
  if (rows.empty()) return target;
  target.files = {{.smallest = rows.begin()->first,
                   .largest = rows.rbegin()->first,
                   .bytes = BytesBetween(rows, "", "")}};
  return target;
}

Rows EvenRows(int count) {
  Rows rows;
  for (int i = 0; i < count; ++i)
    rows.emplace(fmt::format("k{:05}", i), 100);
  return rows;
}

TEST(EqualPartsTest, EvenRowsAreCutIntoEvenParts) {
  const Rows rows = EvenRows(1000);
  for (const uint32_t parts : {2U, 3U, 5U, 8U, 20U}) {
    SCOPED_TRACE(parts);
    const EqualParts found = FindEqualParts(TargetOf(rows), ProbeOf(rows), parts);
    ASSERT_THAT(found.keys, SizeIs(parts - 1));
    EXPECT_TRUE(std::ranges::is_sorted(found.keys));
    std::string start;
    for (size_t i = 0; i < parts; ++i) {
      const std::string end = i + 1 < parts ? found.keys[i] : "";
      const double bytes = static_cast<double>(BytesBetween(rows, start, end));
      EXPECT_NEAR(bytes * parts / 100'000, 1.0, 0.12) << "part " << i;
      start = end;
    }
  }
}

TEST(EqualPartsTest, PartsAreOfBytesNotOfRows) {
  Rows rows = EvenRows(100);
  for (int i = 0; i < 10; ++i)
    rows[fmt::format("k{:05}", i)] = 3000;  // 30,000 of 39,000 bytes
  const EqualParts found = FindEqualParts(TargetOf(rows), ProbeOf(rows), 3);
  ASSERT_THAT(found.keys, SizeIs(2));
  EXPECT_LT(found.keys[0], "k00006");
  EXPECT_LT(found.keys[1], "k00010");
}

TEST(EqualPartsTest, StaysInsideOfTheRegion) {
  const Rows rows = EvenRows(1000);
  const EqualParts found =
      FindEqualParts(TargetOf(rows, {.start = "k00100", .end = "k00200"}), ProbeOf(rows), 4);
  ASSERT_THAT(found.keys, SizeIs(3));
  for (const std::string& key : found.keys) {
    EXPECT_GT(key, "k00100");
    EXPECT_LT(key, "k00200");
  }
}

TEST(EqualPartsTest, GroupsStayWhole) {
  Rows rows;
  for (int i = 0; i < 300; ++i)
    rows.emplace(fmt::format("{}-{:03}", static_cast<char>('a' + i / 50), i), 100);
  SplitTarget target = TargetOf(rows);
  target.restriction = {.kind = RestrictionKind::kKeyPrefix, .prefix_length = 1};
  const EqualParts found = FindEqualParts(target, ProbeOf(rows), 3);
  EXPECT_THAT(found.keys, ElementsAre("c", "e"));
}

TEST(EqualPartsTest, AllOrNone) {
  EXPECT_THAT(FindEqualParts(TargetOf({}), ProbeOf({}), 2).reason, HasSubstr("no bytes"));
  const Rows one = {{"k", 1000}};
  EXPECT_FALSE(FindEqualParts(TargetOf(one), ProbeOf(one), 2).found());
  EXPECT_THAT(FindEqualParts(TargetOf(one), ProbeOf(one), 2).reason, HasSubstr("at least 1 each"));
  const Rows two = {{"a", 1000}, {"b", 1000}};
  EXPECT_THAT(FindEqualParts(TargetOf(two), ProbeOf(two), 2).keys, ElementsAre("b"));
  const EqualParts three = FindEqualParts(TargetOf(two), ProbeOf(two), 3);
  EXPECT_FALSE(three.found());
  EXPECT_THAT(three.reason, HasSubstr("of 2 keys found"));
}

// Whatever the rows: as many keys as requested, ascending, each with bytes on both sides; or none.
TEST(EqualPartsTest, AnyRows) {
  constexpr uint64_t kSeed = 20261122;
  std::printf("HOURCELL_TEST_SEED=%llu\n", static_cast<unsigned long long>(kSeed));
  Random random(kSeed);
  int found_count = 0;
  for (int round = 0; round < 300; ++round) {
    SCOPED_TRACE(round);
    Rows rows;
    for (uint64_t i = random.Below(60); i > 0; --i) {
      std::string key;
      for (uint64_t j = 1 + random.Below(4); j > 0; --j)
        key += static_cast<char>(random.Below(round % 2 == 0 ? 3 : 256));
      rows[key] = 1 + random.Below(1000);
    }
    const auto parts = static_cast<uint32_t>(2 + random.Below(6));
    const EqualParts found = FindEqualParts(TargetOf(rows), ProbeOf(rows), parts);
    EXPECT_EQ(found.found(), found.reason.empty());
    if (!found.found()) continue;
    ++found_count;
    ASSERT_THAT(found.keys, SizeIs(parts - 1));
    std::string start;
    for (size_t i = 0; i < parts; ++i) {
      const std::string end = i + 1 < parts ? found.keys[i] : "";
      EXPECT_GT(BytesBetween(rows, start, end), 0u) << "part " << i;
      start = end;
    }
  }
  EXPECT_GT(found_count, 100);
}

}  // namespace
}  // namespace hourcell::equal_parts_test
