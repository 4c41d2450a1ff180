#include "engine/annotations/annotation_scan.h"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "codec/base/random.h"
#include "engine/rows/annotation_key.h"
#include "tests/support/counting_view.h"
#include "tests/support/mem_table_store.h"
#include "tests/support/status_matchers.h"

namespace hourcell::annotation_scan_test {
namespace {

constexpr int64_t kHourMs = 3'600'000;
constexpr int64_t kStartMs = 1'356'998'400'000;

class AnnotationScanTest : public testing::Test {
 protected:
  void Set(const RowKeyCodec& row_keys, std::string_view tsuid, const Timestamp& start) {
    Mutation row{TableId::kAnnotation, Mutation::Kind::kSet, {}, "v"};
    AppendAnnotationKey(row_keys, tsuid, start, &row.key);
    ASSERT_OK(tables_->Apply({&row, 1}, /*sync=*/false));
  }

  // Tsuid and start of each row found, and how often a cursor moved.
  using Found = std::multiset<std::pair<std::string, int64_t>>;
  Found Scan(const RowKeyCodec& row_keys,
             const std::set<std::string>& tsuids,
             int64_t start_ms,
             int64_t end_ms) {
    CountingView view(tables_->Snapshot());
    const std::vector<std::string_view> views(tsuids.begin(), tsuids.end());
    Found found;
    EXPECT_OK(ScanSeriesAnnotations(row_keys, &view, views, start_ms, end_ms,
                                    [&](const AnnotationRow& row) {
                                      EXPECT_EQ(row.value, "v");
                                      found.emplace(row.tsuid, row.start_ms);
                                      return absl::OkStatus();
                                    }));
    moves_ = view.moves();
    return found;
  }

  std::unique_ptr<MemTableStore> tables_ = std::make_unique<MemTableStore>();
  int moves_ = 0;  // of the last Scan
};

std::string RandomTsuid(const Layout& layout, Random* random) {
  // The type of an annotation's qualifier is 1, so tag keys around it matter, of their first byte.
  const Uid top = layout.tagk_width == 1 ? 1 : 1ULL << 8 * (layout.tagk_width - 1);
  std::vector<TagUids> tags;
  for (const Uid tagk : {Uid{1} * top, Uid{2}, Uid{1} * top + 1, Uid{2} * top}) {
    if (random->Below(2) == 0 && (tags.empty() || tags.back().tagk != tagk)) {
      tags.push_back({.tagk = tagk, .tagv = 1 + random->Below(4)});
    }
  }
  if (tags.empty()) tags.push_back({.tagk = 1, .tagv = 1});
  std::sort(tags.begin(), tags.end());
  tags.erase(std::unique(tags.begin(), tags.end(),
                         [](const TagUids& a, const TagUids& b) { return a.tagk == b.tagk; }),
             tags.end());
  return EncodeTsuid(layout, 1 + random->Below(2), tags);
}

TEST_F(AnnotationScanTest, FindsWhatAWalkOverEverythingFinds) {
  const uint64_t seed = 20260101;
  std::printf("HOURCELL_TEST_SEED=%llu\n", static_cast<unsigned long long>(seed));
  Random random(seed);
  size_t all = 0;
  for (int round = 0; round < 60; ++round) {
    Layout layout{.metric_width = 1U + random.Below(3),
                  .tagk_width = 1U + random.Below(3),
                  .tagv_width = 1U + random.Below(3),
                  .salt_width = random.Below(2),
                  .salt_buckets = 4};
    if (random.Below(4) == 0) std::swap(layout.fields[1], layout.fields[2]);
    if (random.Below(4) == 0) std::swap(layout.fields[0], layout.fields[1]);
    const RowKeyCodec row_keys(layout);
    tables_ = std::make_unique<MemTableStore>();
    Found stored;
    for (int i = 0; i < 600; ++i) {
      const std::string tsuid = RandomTsuid(layout, &random);
      const int64_t ms = kStartMs + static_cast<int64_t>(random.Below(4 * kHourMs));
      const Timestamp start{.ms = random.Below(2) == 0 ? ms : ms / 1000 * 1000, .is_ms = true};
      if (stored.contains({tsuid, start.ms})) continue;
      stored.emplace(tsuid, start.ms);
      Set(row_keys, tsuid, start);
      if (i % 10 == 0) Set(row_keys, "", start);
    }
    std::set<std::string> wanted;
    const uint64_t count = 1 + random.Below(12);
    for (uint64_t i = 0; i < count; ++i)
      wanted.insert(RandomTsuid(layout, &random));
    const int64_t start_ms = kStartMs + static_cast<int64_t>(random.Below(kHourMs));
    const int64_t end_ms = start_ms + static_cast<int64_t>(random.Below(4 * kHourMs));

    Found want;
    for (const auto& [tsuid, ms] : stored) {
      if (wanted.contains(tsuid) && ms >= start_ms && ms <= end_ms) want.emplace(tsuid, ms);
    }
    all += want.size();
    ASSERT_EQ(Scan(row_keys, wanted, start_ms, end_ms), want) << "round " << round;
  }
  EXPECT_GT(all, 1000U);
}

TEST_F(AnnotationScanTest, OneSeriesAmongManyTakesFewSteps) {
  const RowKeyCodec row_keys{Layout{}};
  std::set<std::string> tsuids;
  for (Uid host = 1; host <= 1000; ++host) {
    const TagUids tags[] = {{.tagk = 1, .tagv = host}};
    tsuids.insert(EncodeTsuid(row_keys.layout(), 1, tags));
  }
  for (const std::string& tsuid : tsuids) {
    for (int hour = 0; hour < 3; ++hour)
      Set(row_keys, tsuid, {.ms = kStartMs + hour * kHourMs});
  }
  const std::string one = *std::next(tsuids.begin(), 500);

  EXPECT_EQ(Scan(row_keys, {one}, kStartMs, kStartMs + 3 * kHourMs - 1).size(), 3U);
  EXPECT_LT(moves_, 100);
  EXPECT_EQ(Scan(row_keys, tsuids, kStartMs, kStartMs + 3 * kHourMs - 1).size(), 3000U);
  EXPECT_LT(moves_, 3010);
}

TEST_F(AnnotationScanTest, BoundsAreInclusiveAndMayBeAnything) {
  const RowKeyCodec row_keys{Layout{}};
  const TagUids tags[] = {{.tagk = 1, .tagv = 1}};
  const std::string tsuid = EncodeTsuid(row_keys.layout(), 1, tags);
  for (const int64_t ms : {int64_t{0}, kStartMs, kStartMs + 1, kTimestampMsMax})
    Set(row_keys, tsuid, {.ms = ms, .is_ms = true});

  EXPECT_EQ(Scan(row_keys, {tsuid}, kStartMs, kStartMs).size(), 1U);
  EXPECT_EQ(Scan(row_keys, {tsuid}, kStartMs, kStartMs + 1).size(), 2U);
  EXPECT_EQ(Scan(row_keys, {tsuid}, kStartMs + 2, kTimestampMsMax - 1).size(), 0U);
  EXPECT_EQ(Scan(row_keys, {tsuid}, INT64_MIN, INT64_MAX).size(), 4U);
  EXPECT_EQ(Scan(row_keys, {tsuid}, 2, 1).size(), 0U);
  EXPECT_EQ(Scan(row_keys, {}, 0, INT64_MAX).size(), 0U);
}

TEST_F(AnnotationScanTest, GlobalOnesAreFoundInEveryLayout) {
  for (const bool time_first : {false, true}) {
    for (const size_t salt_width : {0U, 1U}) {
      Layout layout{.salt_width = salt_width};
      if (time_first) std::swap(layout.fields[1], layout.fields[2]);
      const RowKeyCodec row_keys(layout);
      tables_ = std::make_unique<MemTableStore>();
      const TagUids tags[] = {{.tagk = 1, .tagv = 1}};
      for (const int64_t ms : {int64_t{0}, kStartMs, kStartMs + 2 * kHourMs, kTimestampMsMax}) {
        Set(row_keys, "", {.ms = ms, .is_ms = true});
        Set(row_keys, EncodeTsuid(layout, 1, tags), {.ms = ms, .is_ms = true});
      }
      const auto count = [&](int64_t start_ms, int64_t end_ms) {
        int found = 0;
        EXPECT_OK(ScanGlobalAnnotations(row_keys, tables_->Snapshot().get(), start_ms, end_ms,
                                        [&](const AnnotationRow& row) {
                                          EXPECT_EQ(row.tsuid, "");
                                          ++found;
                                          return absl::OkStatus();
                                        }));
        return found;
      };
      EXPECT_EQ(count(INT64_MIN, INT64_MAX), 4);
      EXPECT_EQ(count(kStartMs, kStartMs + 2 * kHourMs), 2);
      EXPECT_EQ(count(kStartMs + 1, kStartMs + 2 * kHourMs - 1), 0);
      EXPECT_EQ(count(2, 1), 0);
    }
  }
}

TEST_F(AnnotationScanTest, ADamagedKeyIsDataLossAndAVisitsErrorEndsTheScan) {
  const RowKeyCodec row_keys{Layout{}};
  Set(row_keys, "", {.ms = kStartMs});
  const auto scan = [&](const absl::Status& answer) {
    return ScanGlobalAnnotations(row_keys, tables_->Snapshot().get(), 0, INT64_MAX,
                                 [&](const AnnotationRow&) { return answer; });
  };
  EXPECT_OK(scan(absl::OkStatus()));
  EXPECT_THAT(scan(absl::CancelledError("enough")), StatusIs(absl::StatusCode::kCancelled));
  const Mutation bad{TableId::kAnnotation, Mutation::Kind::kSet, std::string("\0\0\0\1", 4), "v"};
  ASSERT_OK(tables_->Apply({&bad, 1}, /*sync=*/false));
  EXPECT_THAT(scan(absl::OkStatus()), StatusIs(absl::StatusCode::kDataLoss));
}

}  // namespace
}  // namespace hourcell::annotation_scan_test
