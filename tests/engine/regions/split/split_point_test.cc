#include "engine/regions/split/split_point.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/bytes.h"
#include "codec/base/random.h"
#include "tests/support/status_matchers.h"

namespace hourcell::split_point_test {
namespace {

using testing::HasSubstr;

constexpr uint64_t kRowBytes = 100;

// A region in memory: its rows, and files of `rows_a_file` rows each as a level of RocksDB has
// them.
class Rows {
 public:
  explicit Rows(std::set<std::string> rows, size_t rows_a_file = 50)
      : rows_(std::move(rows)), rows_a_file_(rows_a_file) {}

  std::vector<FileSpan> Files() const {
    std::vector<FileSpan> files;
    size_t in_file = rows_a_file_;
    for (const std::string& row : rows_) {
      if (in_file++ == rows_a_file_) {
        files.push_back({.smallest = row});
        in_file = 1;
      }
      files.back().largest = row;
      files.back().bytes += kRowBytes;
    }
    return files;
  }

  SplitProbe Probe(bool with_rows = true) const {
    SplitProbe probe;
    probe.bytes_between = [this](std::string_view start, std::string_view end) {
      const auto from = rows_.lower_bound(std::string(start));
      const auto to = end.empty() ? rows_.end() : rows_.lower_bound(std::string(end));
      return static_cast<uint64_t>(std::distance(from, to)) * kRowBytes;
    };
    if (with_rows) {
      probe.first_row_from = [this](std::string_view key) {
        const auto row = rows_.lower_bound(std::string(key));
        return row == rows_.end() ? "" : *row;
      };
    }
    return probe;
  }

  SplitTarget Target(RegionRange range = {}) const {
    return {.range = std::move(range), .files = Files(), .daughter_bytes_min = kRowBytes};
  }

  bool Has(const std::string& row) const { return rows_.contains(row); }

 private:
  std::set<std::string> rows_;
  size_t rows_a_file_;
};

// `count` row keys of 13 bytes, as those of the data table: few metrics, many series.
std::set<std::string> DataRows(Random* random, size_t count) {
  std::set<std::string> rows;
  while (rows.size() < count) {
    std::string key;
    AppendBigEndian(1 + random->Below(20), 3, &key);
    AppendBigEndian(1'700'000'000 / 3600 * 3600 + 3600 * random->Below(48), 4, &key);
    AppendBigEndian(1, 3, &key);
    AppendBigEndian(random->Below(5'000), 3, &key);
    rows.insert(key);
  }
  return rows;
}

std::set<std::string> Texts(std::initializer_list<std::pair<std::string, int>> prefixes) {
  std::set<std::string> rows;
  for (const auto& [prefix, count] : prefixes) {
    for (int i = 0; i < count; ++i)
      rows.insert(fmt::format("{}{:05}", prefix, i));
  }
  return rows;
}

SplitRestriction Prefix(uint64_t length) {
  return {.kind = RestrictionKind::kKeyPrefix, .prefix_length = length};
}

SplitRestriction Delimited(std::string delimiter) {
  return {.kind = RestrictionKind::kDelimitedKeyPrefix, .delimiter = std::move(delimiter)};
}

double LeftShare(const SplitPoint& point) {
  return static_cast<double>(point.left_bytes) /
         static_cast<double>(point.left_bytes + point.right_bytes);
}

TEST(SplitPointTest, BytesCutUniformDataInHalf) {
  constexpr uint64_t kSeed = 20240551;
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  Random random(kSeed);
  for (const size_t rows_a_file : {size_t{1}, size_t{37}, size_t{400}, size_t{5'000}}) {
    for (const bool with_rows : {true, false}) {
      const Rows rows(DataRows(&random, 2'000), rows_a_file);
      const SplitPoint point = FindSplitPoint(rows.Target(), rows.Probe(with_rows));
      ASSERT_TRUE(point.found()) << point.reason;
      EXPECT_GE(LeftShare(point), 0.45) << rows_a_file;
      EXPECT_LE(LeftShare(point), 0.55) << rows_a_file;
      EXPECT_TRUE(!with_rows || rows.Has(point.key)) << "not the start of a row";
    }
  }
}

TEST(SplitPointTest, BytesHoldInsideOfARegionWhoseFilesReachBeyondIt) {
  const Rows rows(Texts({{"a", 1'000}, {"b", 1'000}, {"c", 1'000}}), 700);

  const SplitPoint point = FindSplitPoint(rows.Target({"b", "c"}), rows.Probe());

  EXPECT_TRUE(point.key > "b" && point.key < "c") << point.key;
  EXPECT_NEAR(LeftShare(point), 0.5, 0.05);
}

TEST(SplitPointTest, BytesFindTheCutInOneFileOfClusteredKeys) {
  // All keys share 20 bytes: the bisection must go through them and not stop above.
  const Rows rows(Texts({{"twenty bytes of text", 3'000}}), 100'000);

  const SplitPoint point = FindSplitPoint(rows.Target(), rows.Probe());

  EXPECT_NEAR(LeftShare(point), 0.5, 0.05) << point.key;
}

// Between two hours of a metric there are 2^48 keys, and rows only at one end.
TEST(SplitPointTest, BytesFindTheSeriesOfAnHour) {
  std::set<std::string> keys;
  for (uint64_t hour = 0; hour < 3; ++hour) {
    for (uint64_t series = 1; series <= 500; ++series) {
      std::string key;
      AppendBigEndian(7, 3, &key);
      AppendBigEndian(1'700'000'000 / 3600 * 3600 + 3600 * hour, 4, &key);
      AppendBigEndian(1, 3, &key);
      AppendBigEndian(series, 3, &key);
      keys.insert(key);
    }
  }
  const Rows rows(keys, 1'500);

  EXPECT_NEAR(LeftShare(FindSplitPoint(rows.Target(), rows.Probe())), 0.5, 0.01);
}

TEST(SplitPointTest, NoPointInAnEmptyRegion) {
  const Rows rows({});

  EXPECT_EQ(FindSplitPoint(rows.Target(), rows.Probe()).reason, "no bytes");
}

TEST(SplitPointTest, NoPointInARegionOfOneRow) {
  const Rows rows({"only"});

  const SplitPoint point = FindSplitPoint(rows.Target(), rows.Probe());

  EXPECT_FALSE(point.found());
  EXPECT_THAT(point.reason, HasSubstr("expected at least 100 each"));
}

TEST(SplitPointTest, TwoRowsAreCutBetweenThem) {
  const Rows rows({"a", "b"});

  EXPECT_EQ(FindSplitPoint(rows.Target({"a", ""}), rows.Probe()).key, "b");
}

TEST(SplitPointTest, EachSideHasTheLeastBytes) {
  const Rows rows(Texts({{"a", 10}}));
  SplitTarget target = rows.Target();
  target.daughter_bytes_min = 5 * kRowBytes;
  EXPECT_TRUE(FindSplitPoint(target, rows.Probe()).found());

  target.daughter_bytes_min = 6 * kRowBytes;

  EXPECT_FALSE(FindSplitPoint(target, rows.Probe()).found());
}

TEST(SplitPointTest, PrefixMovesThePointToTheStartOfItsGroup) {
  const Rows rows(Texts({{"aa", 100}, {"bb", 100}, {"cc", 100}}));
  SplitTarget target = rows.Target();
  target.restriction = Prefix(2);

  const SplitPoint point = FindSplitPoint(target, rows.Probe());

  EXPECT_EQ(point.key, "bb");
  EXPECT_EQ(point.reason, "");
}

// HBASE-26996: in a region that begins with the group of its median HBase finds no point, ever.
TEST(SplitPointTest, PrefixOfTheRegionsStartDoesNotWedgeIt) {
  const Rows rows(Texts({{"1", 900}, {"15", 10}, {"2", 100}}));
  SplitTarget target = rows.Target({"1", "9"});
  target.restriction = Prefix(1);

  for (const bool with_rows : {true, false}) {
    const SplitPoint point = FindSplitPoint(target, rows.Probe(with_rows));
    EXPECT_EQ(point.key, "2");
    EXPECT_EQ(point.reason, "1 is the region's start; next group taken");
  }
}

TEST(SplitPointTest, NextGroupIsOneThatHasRows) {
  const Rows rows(Texts({{"1", 900}, {"7", 100}}));
  SplitTarget target = rows.Target({"1", "9"});
  target.restriction = Prefix(1);

  EXPECT_EQ(FindSplitPoint(target, rows.Probe()).key, "7");
}

// HBASE-26996, a comment: [empty, 00) can never hold a row with a prefix of one byte.
TEST(SplitPointTest, RefusesAPointWithNothingOnOneSide) {
  std::set<std::string> keys;
  for (uint64_t i = 0; i < 1'000; ++i) {
    std::string key(1, '\0');
    AppendBigEndian(i, 2, &key);
    keys.insert(key);
  }
  const Rows rows(std::move(keys));
  SplitTarget target = rows.Target({"", "\x01"});
  target.restriction = Prefix(1);

  const SplitPoint point = FindSplitPoint(target, rows.Probe());

  EXPECT_FALSE(point.found());
  EXPECT_THAT(point.reason, HasSubstr("would leave 0 and 100000 bytes"));
  EXPECT_THAT(point.reason, HasSubstr("nor is there another group"));
}

TEST(SplitPointTest, OneGroupIsNotCut) {
  const Rows rows(Texts({{"user7_", 500}}));
  SplitTarget target = rows.Target({"user7", "user8"});
  target.restriction = Delimited("_");

  const SplitPoint point = FindSplitPoint(target, rows.Probe());

  EXPECT_EQ(point.reason, "user7 is the region's start, nor is there another group");
}

TEST(SplitPointTest, LeadingDelimiterGivesTheGroupsEdges) {
  const Rows rows(Texts({{"!x", 100}, {",a", 900}}));
  SplitTarget target = rows.Target();
  target.restriction = Delimited(",");

  const SplitPoint point = FindSplitPoint(target, rows.Probe());

  EXPECT_EQ(point.key, ",");
  EXPECT_EQ(point.reason, "the point is empty; next group taken");
  EXPECT_EQ(point.left_bytes, 100 * kRowBytes);
}

TEST(SplitPointTest, NoGroupIsEverCut) {
  constexpr uint64_t kSeed = 20240552;
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  Random random(kSeed);
  for (int round = 0; round < 200; ++round) {
    std::set<std::string> keys;
    for (uint64_t count = 1 + random.Below(40); count > 0; --count)
      keys.insert(fmt::format("{}|{:02}",
                              std::string(random.Below(3), 'a') + std::string(random.Below(3), 'z'),
                              random.Below(20)));
    const Rows rows(keys, 7);
    SplitTarget target = rows.Target();
    target.restriction = random.Below(2) == 0 ? Delimited("|") : Prefix(1 + random.Below(3));
    const SplitPoint point = FindSplitPoint(target, rows.Probe(random.Below(2) == 0));
    if (!point.found()) continue;
    std::set<std::string> left;
    for (const std::string& key : keys) {
      const std::string group(target.restriction.Truncate(key));
      if (key < point.key) left.insert(group);
      ASSERT_TRUE(key < point.key || !left.contains(group)) << point.key << " cuts " << group;
    }
  }
}

TEST(SplitPointTest, EndLeavesEverythingOnTheLeft) {
  const Rows rows(Texts({{"a", 100}}));
  SplitTarget target = rows.Target();
  target.place = SplitPlace::kEnd;
  target.hint = "a00099";

  const SplitPoint point = FindSplitPoint(target, rows.Probe());

  EXPECT_EQ(point.key, std::string("a00099\0", 7));
  EXPECT_EQ(point.left_bytes, 100 * kRowBytes);
  EXPECT_EQ(point.right_bytes, 0U);
}

TEST(SplitPointTest, EndKeepsTheLastGroupTogether) {
  const Rows rows(Texts({{"a", 100}}));
  SplitTarget target = rows.Target();
  target.place = SplitPlace::kEnd;
  target.hint = "a00099";
  target.restriction = Prefix(1);

  EXPECT_EQ(FindSplitPoint(target, rows.Probe()).key, "b");
  target.range = {"", "b"};
  EXPECT_THAT(FindSplitPoint(target, rows.Probe()).reason, HasSubstr("no key of the region"));
}

TEST(SplitPointTest, LoadTakesTheHint) {
  const Rows rows(Texts({{"a", 100}}));
  SplitTarget target = rows.Target();
  target.place = SplitPlace::kLoad;
  EXPECT_EQ(FindSplitPoint(target, rows.Probe()).reason, "no point by load");

  target.hint = "a00090";

  EXPECT_EQ(FindSplitPoint(target, rows.Probe()).key, "a00090");
  EXPECT_NEAR(LeftShare(FindSplitPoint(target, rows.Probe())), 0.9, 1e-9);
}

TEST(SplitPointTest, HBaseTakesTheMiddleOfTheLargestFileOfTheLargestStore) {
  const std::vector<FileSpan> files = {
      {.smallest = "a", .largest = "e", .mid = "c", .bytes = 60, .store = 0},
      {.smallest = "a", .largest = "z", .mid = "m", .bytes = 50, .store = 1},
      {.smallest = "a", .largest = "z", .mid = "p", .bytes = 40, .store = 1}};

  EXPECT_EQ(HBaseSplitPoint(files), "m");
}

TEST(SplitPointTest, HBaseSkipsStoresWhoseLargestFileHasNoMiddle) {
  const FileSpan one_row{.smallest = "k", .largest = "k", .mid = "k", .bytes = 90, .store = 0};
  const FileSpan other{.smallest = "a", .largest = "z", .mid = "m", .bytes = 10, .store = 1};

  EXPECT_EQ(HBaseSplitPoint(std::vector{one_row, other}), "m");
  EXPECT_EQ(HBaseSplitPoint(std::vector{one_row}), "");
  EXPECT_EQ(HBaseSplitPoint({}), "");
}

TEST(SplitPointTest, FirstOfEqualStoresWins) {
  const std::vector<FileSpan> files = {
      {.smallest = "a", .largest = "z", .mid = "g", .bytes = 10, .store = 0},
      {.smallest = "a", .largest = "z", .mid = "m", .bytes = 10, .store = 1}};

  EXPECT_EQ(HBaseSplitPoint(files), "g");
}

TEST(SplitPointTest, UsersPointIsCheckedAndTruncated) {
  const RegionRange range{"b", "d"};
  constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;

  EXPECT_THAT(CheckUserPoint(range, {}, "c1"), IsOkAndHolds("c1"));
  EXPECT_THAT(CheckUserPoint(range, Prefix(1), "c1"), IsOkAndHolds("c"));
  EXPECT_THAT(CheckUserPoint(range, {}, ""), StatusIs(kInvalid, HasSubstr("is empty")));
  EXPECT_THAT(CheckUserPoint(range, Prefix(1), "b7"),
              StatusIs(kInvalid,
                       "split key \"b7\", cut to \"b\": is the region's start; expected a key "
                       "inside of [b, d) and not its start"));
  EXPECT_THAT(CheckUserPoint(range, {}, "d"), StatusIs(kInvalid, HasSubstr("is outside")));
  EXPECT_THAT(CheckUserPoint(range, {}, "a"), StatusIs(kInvalid, HasSubstr("is outside")));
}

TEST(KeyBetweenTest, LiesBetween) {
  constexpr uint64_t kSeed = 20240553;
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  Random random(kSeed);
  const auto key = [&] {
    std::string text = random.Below(2) == 0 ? "" : "common";
    for (uint64_t size = random.Below(6); size > 0; --size)
      text += "\x01\x02\x80\xFF"[random.Below(4)];
    return text;
  };
  for (int i = 0; i < 5'000; ++i) {
    const auto [low, high] = std::minmax({key(), key()});
    if (low == high) continue;
    const std::string middle = KeyBetween(low, high);
    ASSERT_LT(low, middle) << testing::PrintToString(high);
    ASSERT_LT(middle, high) << testing::PrintToString(low);
  }
}

TEST(BytesOfSpansTest, SpreadsBytesEvenlyOverTheSpan) {
  const std::vector<FileSpan> files = {{.smallest = "common0", .largest = "common8", .bytes = 800},
                                       {.smallest = "x", .largest = "x", .bytes = 50}};

  EXPECT_EQ(BytesOfSpans(files, "", ""), 850U);
  EXPECT_NEAR(static_cast<double>(BytesOfSpans(files, "", "common2")), 200, 5);
  EXPECT_NEAR(static_cast<double>(BytesOfSpans(files, "common6", "")), 250, 5);
  EXPECT_EQ(BytesOfSpans(files, "x", "y"), 50U);
  EXPECT_EQ(BytesOfSpans(files, "y", ""), 0U);
}

TEST(BytesOfSpansTest, IsEnoughForAMedian) {
  const Rows rows(Texts({{"a", 1'000}, {"b", 1'000}, {"c", 1'000}}), 100);
  const SplitTarget target = rows.Target();
  SplitProbe probe;
  probe.bytes_between = [&](std::string_view start, std::string_view end) {
    return BytesOfSpans(target.files, start, end);
  };

  const SplitPoint point = FindSplitPoint(target, probe);

  const uint64_t left = rows.Probe().bytes_between("", point.key);
  EXPECT_NEAR(static_cast<double>(left) / (3'000 * kRowBytes), 0.5, 0.05);
}

}  // namespace
}  // namespace hourcell::split_point_test
