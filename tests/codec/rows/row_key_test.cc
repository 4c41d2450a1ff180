#include "codec/rows/row_key.h"

#include <algorithm>
#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/bytes.h"
#include "codec/rows/salt.h"
#include "tests/codec/codec_testing.h"
#include "tests/support/status_matchers.h"
#include "tests/support/vectors.h"

namespace hourcell::row_key_test {
namespace {

using ::testing::HasSubstr;

const Layout kSalted{.salt_width = 1};
const std::string kTsuid = Hex("000001000001000001");

std::string KeyOf(const RowKeyCodec& codec, std::string_view tsuid, uint32_t base_time_s) {
  std::string key;
  codec.Append(tsuid, base_time_s, &key);
  return key;
}

TEST(RowKeyTest, BaseTimeIsTheHourOfAnInstant) {
  EXPECT_EQ(kHourSpan.BaseS(0), 0U);
  EXPECT_EQ(kHourSpan.BaseS(3'599'999), 0U);
  EXPECT_EQ(kHourSpan.BaseS(3'600'000), 3600U);
  EXPECT_EQ(kHourSpan.BaseS(1356998400500), 1356998400U);
  EXPECT_EQ(kHourSpan.BaseS(kTimestampMsMax), 4294965600U);
}

// Deviations: negative timestamps are refused before a key is made, and a series has a tag.
TEST(RowKeyTest, VectorsFromTsuid) {
  size_t checked = 0;
  for (const TestVector& vector : LoadVectors("storage.json", "row_key.from_tsuid")) {
    SCOPED_TRACE(vector.from);
    const Layout layout = LayoutOf(vector.given);
    const std::string tsuid = BytesOf(vector.given, "tsuid");
    const int64_t timestamp = IntOf(vector.given, "timestamp");
    if (vector.wants_error() || tsuid.size() == layout.metric_width) {
      EXPECT_THAT(ParseTsuid(layout, tsuid), StatusIs(absl::StatusCode::kInvalidArgument));
    } else if (timestamp >= 0) {
      const std::string key = KeyOf(RowKeyCodec(layout), tsuid, kHourSpan.BaseS(timestamp * 1000));
      EXPECT_EQ(ToHex(key), TextOf(vector.expect, "row_key"));
      ++checked;
    }
  }
  EXPECT_EQ(checked, 3U);
}

// Deviation: the vectors' base time 01010101 is no whole hour, which Parse refuses; it is replaced.
TEST(RowKeyTest, VectorsTsuid) {
  for (const TestVector& vector : LoadVectors("storage.json", "row_key.tsuid")) {
    SCOPED_TRACE(vector.from);
    const RowKeyCodec codec(LayoutOf(vector.given));
    std::string key = BytesOf(vector.given, "row_key");
    const size_t time_at = codec.layout().salt_width + 3;
    if (key.size() >= time_at + 4) key.replace(time_at, 4, 4, '\0');

    const auto view = codec.Parse(key);

    if (vector.wants_error()) {
      EXPECT_THAT(view, StatusIs(absl::StatusCode::kDataLoss));
      continue;
    }
    ASSERT_OK(view);
    std::string tsuid;
    RowKeyCodec::AppendTsuid(*view, &tsuid);
    EXPECT_EQ(ToHex(tsuid), TextOf(vector.expect, "tsuid"));
  }
}

TEST(RowKeyTest, VectorsContainsMetric) {
  for (const TestVector& vector : LoadVectors("storage.json", "row_key.contains_metric")) {
    SCOPED_TRACE(vector.from);
    const std::string key = BytesOf(vector.given, "row_key");
    if (key.empty()) continue;  // not a key of ours, nor of any row
    const auto view = RowKeyCodec(LayoutOf(vector.given)).Parse(key);
    const bool contains = view.ok() && view->metric == BytesOf(vector.given, "metric");
    EXPECT_EQ(contains, IntOf(vector.expect, "sign") == 0);
  }
}

TEST(RowKeyTest, VectorsCompareIgnoringSalt) {
  for (const TestVector& vector : LoadVectors("storage.json", "row_key.compare_ignoring_salt")) {
    SCOPED_TRACE(vector.from);
    const RowKeyCodec codec(LayoutOf(vector.given));
    const std::string a = BytesOf(vector.given, "a");
    const std::string b = BytesOf(vector.given, "b");
    if (a.empty()) continue;  // REQUIRES salt bytes
    EXPECT_EQ(codec.CompareIgnoringSalt(a, b), IntOf(vector.expect, "sign"));
    EXPECT_EQ(codec.CompareIgnoringSalt(b, a), -IntOf(vector.expect, "sign"));
  }
}

TEST(RowKeyTest, ParseRejectsEveryTruncation) {
  for (const Layout& layout : {Layout{}, kSalted}) {
    const RowKeyCodec codec(layout);
    const std::string key = KeyOf(codec, Hex("000001 000001000001 000002000007"), 1356998400);
    const size_t one_tag = key.size() - 6;
    for (size_t size = 0; size < key.size(); ++size) {
      SCOPED_TRACE(size);
      if (size == one_tag) continue;  // a whole key again
      EXPECT_THAT(codec.Parse(std::string_view(key).substr(0, size)),
                  StatusIs(absl::StatusCode::kDataLoss));
    }
  }
}

TEST(RowKeyTest, ParseNamesTheFaultAndTheKey) {
  const RowKeyCodec codec(Layout{});
  EXPECT_THAT(codec.Parse(Hex("000001 50e22700 000001000001 0000")),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("8 bytes of tags")));
  EXPECT_THAT(codec.Parse(Hex("000001 50e22701 000001000001")),
              StatusIs(absl::StatusCode::kDataLoss,
                       HasSubstr("row key 00000150e22701000001000001: base time 1356998401 s")));
  EXPECT_THAT(codec.Parse(Hex("000001 50e22700") + std::string(6 * (kTagsMax + 1), '\1')),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("expected 1 to 64 pairs")));
}

TEST(RowKeyTest, ParsesWhatItAppendsInEveryFieldOrder) {
  Layout layout{.metric_width = 2, .tagk_width = 1, .tagv_width = 4, .salt_width = 2};
  const std::string tsuid = Hex("0102 03 04050607");
  size_t orders = 0;
  do {
    const RowKeyCodec codec(layout);
    const std::string key = KeyOf(codec, tsuid, 7200);
    const auto view = codec.Parse(key);
    ASSERT_OK(view);
    EXPECT_EQ(view->salt_bucket, SaltBucket(layout, tsuid));
    EXPECT_EQ(view->base_time_s, 7200U);
    EXPECT_EQ(ToHex(view->metric), "0102");
    EXPECT_EQ(ToHex(view->tags), "0304050607");
    ++orders;
  } while (std::next_permutation(layout.fields.begin(), layout.fields.begin() + 3));
  EXPECT_EQ(orders, 6U);
}

TEST(RowKeyTest, ByteOrderIsSaltMetricTimeTags) {
  const RowKeyCodec codec(kSalted);
  using Order = std::tuple<uint32_t, Uid, uint32_t, std::vector<TagUids>>;
  std::vector<std::pair<Order, std::string>> rows;
  const std::vector<Uid> uids = {1, 0x7F, 0x80, 0xFF, 0x100, 0x7FFFFF, 0x800000, 0xFFFFFF};
  for (const Uid metric : uids) {
    for (const uint32_t base_time_s : {0U, 3600U, 2147482800U, 2147486400U, 4294965600U}) {
      for (const Uid uid : uids) {
        for (const auto& tags : {std::vector<TagUids>{{uid, 1}}, {{1, uid}}, {{1, 1}, {2, uid}}}) {
          const std::string tsuid = EncodeTsuid(kSalted, metric, tags);
          rows.push_back({{SaltBucket(kSalted, tsuid), metric, base_time_s, tags},
                          KeyOf(codec, tsuid, base_time_s)});
        }
      }
    }
  }

  std::sort(rows.begin(), rows.end());

  EXPECT_TRUE(std::is_sorted(rows.begin(), rows.end(),
                             [](const auto& a, const auto& b) { return a.second < b.second; }));
}

TEST(RowKeyTest, RangesHoldExactlyTheirHours) {
  for (const Layout& layout : {Layout{}, kSalted}) {
    const RowKeyCodec codec(layout);
    const auto ranges = codec.Ranges(1, 7200, 14400);
    ASSERT_EQ(ranges.size(), layout.salt_width == 0 ? 1U : 20U);
    for (const Uid metric : {0U, 1U, 2U}) {
      for (uint32_t hour = 0; hour < 6; ++hour) {
        const TagUids tags[] = {{1, 0xFFFFFF}};
        const std::string key = KeyOf(codec, EncodeTsuid(layout, metric, tags), hour * 3600);
        const auto holds = std::count_if(ranges.begin(), ranges.end(), [&key](const auto& range) {
          return range.begin <= key && key < range.end;
        });
        EXPECT_EQ(holds, metric == 1 && (hour == 2 || hour == 3) ? 1 : 0) << metric << " " << hour;
      }
    }
  }
}

TEST(RowKeyTest, RangesAscendAndDoNotOverlap) {
  const auto ranges = RowKeyCodec(kSalted).Ranges(5, 3600, 7200);
  for (size_t i = 0; i < ranges.size(); ++i) {
    EXPECT_LT(ranges[i].begin, ranges[i].end);
    if (i > 0) {
      EXPECT_LE(ranges[i - 1].end, ranges[i].begin);
    }
  }
}

TEST(RowKeyTest, TheGlobalRowHasNoSaltWhateverTheOrder) {
  Layout layout{.salt_width = 1};
  std::sort(layout.fields.begin(), layout.fields.end() - 1);
  do {
    const RowKeyCodec codec(layout);
    std::string key;
    codec.AppendGlobal(1328137200, &key);

    EXPECT_EQ(key.size(), codec.tags_offset());
    EXPECT_EQ(codec.ParseGlobal(key), 1328137200U);
    EXPECT_FALSE(codec.Parse(key).ok());
    EXPECT_EQ(codec.ParseGlobal(KeyOf(codec, kTsuid, 1328137200)), std::nullopt);
    for (char& byte : key) {
      byte = static_cast<char>(byte ^ 1);
      EXPECT_EQ(codec.ParseGlobal(key), std::nullopt) << ToHex(key);
      byte = static_cast<char>(byte ^ 1);
    }
  } while (std::next_permutation(layout.fields.begin(), layout.fields.end() - 1));
}

TEST(RowKeyTest, OpenRangesEndWithTheirMetric) {
  const RowKeyCodec codec(Layout{});
  EXPECT_EQ(ToHex(codec.Ranges(1, 3600, 0)[0].begin), "00000100000e10");
  EXPECT_EQ(ToHex(codec.Ranges(1, 3600, 0)[0].end), "000002");
  EXPECT_EQ(ToHex(codec.Ranges(0xFFFF, 0, uint64_t{1} << 32)[0].end), "01");
  EXPECT_EQ(codec.Ranges(0xFFFFFF, 0, 0)[0].end, "");
}

TEST(RowKeyTest, RangesAreOneWhereTheTimePrecedesTheSalt) {
  const Layout layout{
      .salt_width = 1,
      .fields = {RowField::kMetric, RowField::kBaseTime, RowField::kSalt, RowField::kTags}};
  const auto ranges = RowKeyCodec(layout).Ranges(1, 3600, 7200);
  ASSERT_EQ(ranges.size(), 1U);
  EXPECT_EQ(ToHex(ranges[0].begin), "00000100000e10");
  EXPECT_EQ(ToHex(ranges[0].end), "00000100001c20");
}

// A codec whose salt is of 20 buckets, of 3 for hours 2 and 3, and of 40 from hour 4 on.
RowKeyCodec WithEpochs(const Layout& layout) {
  auto epochs = SaltEpochs::Parse("0=20,7200=3,14400=40", layout.salt_width);
  EXPECT_TRUE(epochs.ok()) << epochs.status();
  return RowKeyCodec(layout, std::make_shared<SaltSchedule>(*std::move(epochs)));
}

TEST(RowKeyTest, TheSaltIsThatOfTheHoursEpoch) {
  const RowKeyCodec codec = WithEpochs(kSalted);
  for (Uid tagv = 1; tagv < 200; ++tagv) {
    const TagUids tags[] = {{1, tagv}};
    const std::string tsuid = EncodeTsuid(kSalted, 1, tags);
    for (uint32_t hour = 0; hour < 6; ++hour) {
      const uint32_t buckets = hour < 2 ? 20 : hour < 4 ? 3 : 40;
      const auto key = codec.Parse(KeyOf(codec, tsuid, hour * 3600));
      ASSERT_TRUE(key.ok());
      EXPECT_EQ(key->salt_bucket, SaltBucket(kSalted, tsuid, buckets));
      EXPECT_EQ(key->salt_bucket, codec.BucketOf(tsuid, buckets));
    }
  }
}

// Of every order of the fields, every range of hours, and series in most buckets: each row of the
// metric and the hours is in one range, others in none where the metric comes before the time.
TEST(RowKeyTest, RangesOverEpochsHoldEachRowOnce) {
  Layout layout{.salt_width = 1};
  std::sort(layout.fields.begin(), layout.fields.end() - 1);
  do {
    const RowKeyCodec codec = WithEpochs(layout);
    for (uint32_t begin = 0; begin < 7; ++begin) {
      for (uint32_t end = begin + 1; end < 8; ++end) {
        const auto ranges = codec.Ranges(1, begin * 3600, end < 7 ? end * 3600 : 0);
        for (size_t i = 0; i + 1 < ranges.size(); ++i)
          ASSERT_LE(ranges[i].end, ranges[i + 1].begin);
        for (uint32_t hour = 0; hour < 7; ++hour) {
          for (Uid tagv = 1; tagv < 60; ++tagv) {
            const TagUids tags[] = {{1, tagv}};
            const std::string key = KeyOf(codec, EncodeTsuid(layout, 1, tags), hour * 3600);
            const auto holds = std::count_if(ranges.begin(), ranges.end(), [&](const auto& range) {
              return range.begin <= key && (range.end.empty() || key < range.end);
            });
            ASSERT_EQ(holds, hour >= begin && hour < end ? 1 : 0)
                << FormatLayout(layout) << begin << ".." << end << " at " << hour;
          }
        }
      }
    }
  } while (std::next_permutation(layout.fields.begin(), layout.fields.end() - 1));
}

TEST(RowKeyTest, OnlyBucketsOfTheTouchedEpochsAreRanges) {
  const RowKeyCodec codec = WithEpochs(kSalted);
  EXPECT_EQ(codec.Ranges(1, 0, 7200).size(), 20U);
  EXPECT_EQ(codec.Ranges(1, 7200, 14400).size(), 3U);
  EXPECT_EQ(codec.Ranges(1, 14400, 0).size(), 40U);
  // 3 buckets are of all times, 17 before and after, 20 after.
  EXPECT_EQ(codec.Ranges(1, 0, 0).size(), 3U + 2 * 17U + 20U);
  EXPECT_TRUE(codec.Ranges(1, 3600, 3600).empty());
}

}  // namespace
}  // namespace hourcell::row_key_test
