// The vectors of tests/data/regions.json about HBase's policies, names, normaliser and file rules.
// Each test states the number it ran.

#include "tests/engine/regions/region_vectors.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include <gtest/gtest.h>

#include "bench/lab/simulate/model/file_reference.h"
#include "bench/lab/simulate/model/minor_compaction.h"
#include "engine/regions/region_name.h"
#include "engine/regions/split/busy_rate.h"
#include "engine/regions/split/load_sampler.h"
#include "engine/regions/split/memory_budget.h"
#include "engine/regions/split/normalizer.h"
#include "engine/regions/split/region_size.h"
#include "engine/regions/split/split_point.h"
#include "engine/regions/split/split_policy.h"
#include "tests/engine/regions/region_builders.h"
#include "tests/support/vectors.h"

namespace hourcell::region_vectors_test {
namespace {

using simdjson::dom::array;
using simdjson::dom::element;

constexpr uint64_t kMiB = 1 << 20;

uint64_t CountOf(element object, std::string_view key) {
  return static_cast<uint64_t>(IntOf(object, key));
}

// A text or hex field: "region_start" or "region_start_hex".
std::string KeyOf(element object, const std::string& key) {
  return Has(object, key + "_hex") ? BytesOf(object, key + "_hex") : TextOf(object, key);
}

using Runner = std::function<void(const RegionVector&)>;

// Runs each vector of a group by its fn; returns the number of each fn.
std::map<std::string, int> RunGroup(std::string_view group,
                                    const std::map<std::string, Runner>& runners) {
  std::map<std::string, int> ran;
  for (const RegionVector& vector : LoadRegionVectors(group)) {
    SCOPED_TRACE(vector.id);
    const auto runner = runners.find(vector.fn);
    if (runner == runners.end()) {
      ADD_FAILURE() << "no test for " << vector.fn;
      continue;
    }
    runner->second(vector);
    ++ran[vector.fn];
  }
  return ran;
}

using Ran = std::map<std::string, int>;

SplitSettings SettingsOf(SplitPolicyKind policy, element input) {
  SplitSettings settings = HBaseSplitSettings();
  settings.policy = policy;
  settings.jitter = 0;
  if (Has(input, "initial_size")) settings.initial_bytes = CountOf(input, "initial_size");
  if (Has(input, "max_file_size")) settings.max_bytes = CountOf(input, "max_file_size");
  if (Has(input, "exponent")) settings.exponent = CountOf(input, "exponent");
  return settings;
}

uint64_t ThresholdOf(const SplitSettings& settings, uint64_t regions) {
  return MakeSplitPolicy(settings)->Decide({}, {.regions = regions}).threshold_bytes;
}

void ExpectThreshold(SplitPolicyKind policy, const RegionVector& vector) {
  const SplitSettings settings = SettingsOf(policy, vector.input);
  EXPECT_EQ(ThresholdOf(settings, CountOf(vector.input, "region_count")), uint64_t(vector.expect));
}

// How much is written in all when a table goes from R to R + 1 regions, ascending keys: the last
// region is full, each before it kept half of its former threshold.
void ExpectGrowth(const RegionVector& vector) {
  SplitSettings settings = SettingsOf(SplitPolicyKind::kIncreasingToUpperBound, vector.input);
  settings.initial_bytes = CountOf(vector.input, "initial_mib") * kMiB;
  settings.max_bytes = CountOf(vector.input, "max_mib") * kMiB;
  uint64_t kept = 0;
  const array want_mib(vector.expect);
  ASSERT_EQ(want_mib.size(), CountOf(vector.input, "splits"));
  uint64_t regions = 0;
  for (const element want : want_mib) {
    ++regions;
    const uint64_t threshold = ThresholdOf(settings, regions);
    EXPECT_EQ(static_cast<double>((kept + threshold) / kMiB), double(want));
    kept += threshold / 2;
  }
}

void ExpectProgression(const RegionVector& vector) {
  SplitSettings settings = SettingsOf(SplitPolicyKind::kIncreasingToUpperBound, vector.input);
  settings.flush_bytes = CountOf(vector.input, "flush");
  settings.max_bytes = CountOf(vector.input, "max");
  for (const element pair : array(vector.expect["by_region_count"])) {
    EXPECT_EQ(ThresholdOf(settings, uint64_t(pair.at(0))), uint64_t(pair.at(1)));
  }
}

TEST(RegionVectorsTest, Threshold) {
  const Ran ran = RunGroup(
      "threshold",
      {{"increasing_to_upper_bound",
        [](const RegionVector& vector) {
          ExpectThreshold(SplitPolicyKind::kIncreasingToUpperBound, vector);
        }},
       {"stepping",
        [](const RegionVector& vector) { ExpectThreshold(SplitPolicyKind::kStepping, vector); }},
       {"sequential_growth_total_at_split", ExpectGrowth},
       {"split_progression_seed_erratum", ExpectProgression}});

  EXPECT_EQ(ran, (Ran{{"increasing_to_upper_bound", 53},
                      {"stepping", 8},
                      {"sequential_growth_total_at_split", 1},
                      {"split_progression_seed_erratum", 1}}));
}

TEST(RegionVectorsTest, Jitter) {
  const Ran ran =
      RunGroup("jitter", {{"constant_size_desired", [](const RegionVector& vector) {
                             SplitSettings settings =
                                 SettingsOf(SplitPolicyKind::kConstantSize, vector.input);
                             settings.jitter = NumberOf(vector.input, "jitter");
                             RegionFacts region;
                             region.jitter_draw = NumberOf(vector.input, "uniform_r");
                             const auto policy = MakeSplitPolicy(settings);
                             EXPECT_EQ(policy->ThresholdBytes(region, {}), uint64_t(vector.expect));
                           }}});

  EXPECT_EQ(ran, (Ran{{"constant_size_desired", 4}}));
}

void ExpectTrigger(const RegionVector& vector) {
  SplitSettings settings = SettingsOf(SplitPolicyKind::kConstantSize, vector.input);
  settings.max_bytes = CountOf(vector.input, "threshold");
  settings.measure =
      BoolOf(vector.input, "overallfiles") ? SizeMeasure::kTotal : SizeMeasure::kLargestStore;
  std::vector<uint64_t> stores;
  for (const int64_t bytes : IntsOf(vector.input["store_sizes"]))
    stores.push_back(static_cast<uint64_t>(bytes));
  const RegionFacts region{.size = SizeOfStores(stores),
                           .has_references = !BoolOf(vector.input, "all_stores_splittable")};

  EXPECT_EQ(MakeSplitPolicy(settings)->Decide(region, {}).should_split, bool(vector.expect));
}

TEST(RegionVectorsTest, Trigger) {
  EXPECT_EQ(RunGroup("trigger", {{"should_split", ExpectTrigger}}), (Ran{{"should_split", 5}}));
}

void ExpectBusy(const RegionVector& vector) {
  SplitSettings settings = SettingsOf(SplitPolicyKind::kBusy, vector.input);
  settings.busy = {.blocked_share_min = NumberOf(vector.input, "blocked_limit"),
                   .age_ms_min = CountOf(vector.input, "min_age_ms"),
                   .window_ms = CountOf(vector.input, "window_ms")};
  const auto policy = MakeSplitPolicy(settings);
  const std::vector<int64_t> initial = IntsOf(vector.input["initial_blocked_writes"]);
  BusyRate rate(0, {.writes = static_cast<uint64_t>(initial[1]),
                    .blocked = static_cast<uint64_t>(initial[0])});
  size_t i = 0;
  for (const element event : array(vector.input["events_t_blocked_writes"])) {
    const uint64_t now_ms{event.at(0)};
    const RegionFacts region{
        .age_ms = now_ms,
        .blocked_share =
            rate.Update(now_ms, {.writes = uint64_t(event.at(2)), .blocked = uint64_t(event.at(1))},
                        settings.busy.window_ms)};
    const element want = vector.expect.at(i++);
    EXPECT_NEAR(region.blocked_share, NumberOf(want, "rate"), 1e-6);
    EXPECT_EQ(policy->Decide(region, {}).should_split, BoolOf(want, "split"));
  }
}

TEST(RegionVectorsTest, Busy) {
  EXPECT_EQ(RunGroup("busy", {{"busy_policy", ExpectBusy}}), (Ran{{"busy_policy", 3}}));
}

std::string_view VerdictOf(SplitPointFault fault) {
  switch (fault) {
    case SplitPointFault::kNone:
      return "OK";
    case SplitPointFault::kEmpty:
      return "REJECT_EMPTY";
    case SplitPointFault::kEqualsStart:
      return "REJECT_EQUALS_START";
    case SplitPointFault::kOutside:
      return "REJECT_OUTSIDE";
  }
  return "";
}

void ExpectPrefix(const SplitRestriction& restriction, const RegionVector& vector) {
  const std::string raw = Has(vector.input, "raw_hex") ? BytesOf(vector.input, "raw_hex")
                                                       : TextOf(vector.input, "raw_text");
  const std::string want = Has(vector.expect, "split_hex") ? BytesOf(vector.expect, "split_hex")
                                                           : TextOf(vector.expect, "split_text");
  const RegionRange range{KeyOf(vector.input, "region_start"), KeyOf(vector.input, "region_end")};

  const std::string_view point = restriction.Truncate(raw);

  EXPECT_EQ(point, want);
  EXPECT_EQ(VerdictOf(CheckSplitPoint(range, point)), TextOf(vector.expect, "verdict"));
  EXPECT_EQ(CheckUserPoint(range, restriction, raw).ok(), TextOf(vector.expect, "verdict") == "OK");
}

TEST(RegionVectorsTest, Prefix) {
  const Ran ran =
      RunGroup("prefix", {{"key_prefix_split_point",
                           [](const RegionVector& vector) {
                             // HBase does not truncate for a length below 1; ours cannot be
                             // negative.
                             const int64_t length =
                                 std::max<int64_t>(0, IntOf(vector.input, "prefix_length"));
                             ExpectPrefix({.kind = RestrictionKind::kKeyPrefix,
                                           .prefix_length = static_cast<uint64_t>(length)},
                                          vector);
                           }},
                          {"delimited_prefix_split_point", [](const RegionVector& vector) {
                             ExpectPrefix({.kind = RestrictionKind::kDelimitedKeyPrefix,
                                           .delimiter = TextOf(vector.input, "delimiter")},
                                          vector);
                           }}});

  EXPECT_EQ(ran, (Ran{{"key_prefix_split_point", 6}, {"delimited_prefix_split_point", 7}}));
}

// The key at a place of an index, as the mid key of a file whose point is looked for.
void ExpectMidOfSingleLevel(const RegionVector& vector) {
  const std::vector<std::string> blocks = TextsOf(vector.input["block_first_rows"]);
  const std::string& mid = blocks[MidBlockOfSingleLevelIndex(blocks.size(), MidKeyRule::kCurrent)];
  const FileSpan file{.smallest = TextOf(vector.input, "file_first_row"),
                      .largest = TextOf(vector.input, "file_last_row"),
                      .mid = mid,
                      .bytes = 1};

  EXPECT_EQ(mid, TextOf(vector.expect, "mid_row"));
  EXPECT_EQ(blocks[MidBlockOfSingleLevelIndex(blocks.size(), MidKeyRule::kOld)],
            TextOf(vector.expect, "old_mid_index_(n-1)/2"));
  const element want = vector.expect["split_row"];
  EXPECT_EQ(HBaseSplitPoint(std::vector{file}),
            want.is_null() ? "" : std::string(std::string_view(want)));
}

TEST(RegionVectorsTest, SplitPoint) {
  const Ran ran =
      RunGroup("split_point",
               {{"mid_of_single_level_block_index", ExpectMidOfSingleLevel},
                {"mid_of_multi_level_block_index",
                 [](const RegionVector& vector) {
                   EXPECT_EQ(MidBlockOfMultiLevelIndex(CountOf(vector.input, "total_data_blocks")),
                             CountOf(vector.expect, "zero_based_block"));
                 }},
                {"largest_store_wins", [](const RegionVector& vector) {
                   ASSERT_EQ(array(vector.input["stores"]).size(), 0U);
                   EXPECT_EQ(HBaseSplitPoint({}).empty(), vector.expect.is_null());
                 }}});

  EXPECT_EQ(ran, (Ran{{"mid_of_single_level_block_index", 6},
                      {"mid_of_multi_level_block_index", 4},
                      {"largest_store_wins", 1}}));
}

FileShare ShareOf(element share) {
  if (share.is_null()) return FileShare::kNothing;
  return std::string_view(share) == "link" ? FileShare::kLink : FileShare::kReference;
}

TEST(RegionVectorsTest, Reference) {
  const Ran ran = RunGroup(
      "reference", {{"split_store_file", [](const RegionVector& vector) {
                       const DaughterFiles files = ShareFile(TextOf(vector.input, "file_first_row"),
                                                             TextOf(vector.input, "file_last_row"),
                                                             TextOf(vector.input, "split_row"));
                       EXPECT_EQ(files.bottom, ShareOf(vector.expect["bottom_daughter"]));
                       EXPECT_EQ(files.top, ShareOf(vector.expect["top_daughter"]));
                     }}});

  EXPECT_EQ(ran, (Ran{{"split_store_file", 5}}));
}

void ExpectName(const RegionVector& vector) {
  const RegionNameParts parts{.table = TextOf(vector.input, "table"),
                              .start = TextOf(vector.input, "start_key"),
                              .id = {CountOf(vector.input, "region_id")}};
  const std::string name = TextOf(vector.expect, "name");

  EXPECT_EQ(EncodedRegionName(parts.table, parts.start, parts.id),
            TextOf(vector.expect, "encoded"));
  EXPECT_EQ(PrintableRegionName(parts.table, parts.start, parts.id), name);
  const auto parsed = ParseRegionName(name);
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ(*parsed, parts);
}

void ExpectMerged(const RegionVector& vector) {
  std::vector<RegionRange> ranges;
  std::vector<RegionId> ids;
  for (const element region : array(vector.input["regions"])) {
    ranges.push_back({TextOf(region, "start"), TextOf(region, "end")});
    ids.push_back({CountOf(region, "id")});
  }

  EXPECT_EQ(MergedRange(ranges),
            (RegionRange{TextOf(vector.expect, "start"), TextOf(vector.expect, "end")}));
  EXPECT_EQ(MergedId(ids).value, CountOf(vector.expect, "id"));
}

TEST(RegionVectorsTest, RegionName) {
  const Ran ran =
      RunGroup("region_name", {{"encoded_region_name", ExpectName},
                               {"daughter_region_id",
                                [](const RegionVector& vector) {
                                  EXPECT_EQ(DaughterId(CountOf(vector.input, "now_ms"),
                                                       {CountOf(vector.input, "parent_id")})
                                                .value,
                                            uint64_t(vector.expect));
                                }},
                               {"merged_region", ExpectMerged}});

  EXPECT_EQ(ran,
            (Ran{{"encoded_region_name", 5}, {"daughter_region_id", 1}, {"merged_region", 1}}));
}

NormalizerSettings NormalizerOf(element input) {
  NormalizerSettings settings = HBaseNormalizerSettings();
  settings.is_enabled = true;
  if (Has(input, "target_size")) settings.target_bytes = CountOf(input, "target_size") * kMiB;
  if (Has(input, "target_count")) settings.target_regions = CountOf(input, "target_count");
  if (Has(input, "minc")) settings.merge_regions_min = CountOf(input, "minc");
  if (Has(input, "minmb")) settings.merge_bytes_min = CountOf(input, "minmb") * kMiB;
  if (Has(input, "split")) settings.allow_splits = BoolOf(input, "split");
  return settings;
}

void ExpectPlan(const RegionVector& vector) {
  const std::vector<int64_t> sizes_mb = IntsOf(vector.input["region_sizes_mb"]);
  std::vector<std::string> keys;
  for (size_t i = 1; i < sizes_mb.size(); ++i)
    keys.emplace_back(1, static_cast<char>('a' + i));
  std::vector<NormalizerRegion> regions;
  for (const RegionInfo& region : TiledRegions(keys)) {
    const auto bytes = static_cast<uint64_t>(sizes_mb[regions.size()]) * kMiB;
    regions.push_back({.region = region, .bytes = bytes});
  }
  std::vector<size_t> want_splits;
  std::vector<std::vector<size_t>> want_merges;
  for (const element action : array(vector.expect)) {
    std::vector<size_t> members;
    for (const int64_t member : IntsOf(action.at(1)))
      members.push_back(static_cast<size_t>(member));
    if (std::string_view(action.at(0)) == "split") {
      want_splits.insert(want_splits.end(), members.begin(), members.end());
    } else {
      want_merges.push_back(members);
    }
  }

  const NormalizerPlan plan =
      PlanNormalization(regions, NormalizerOf(vector.input), 1'700'000'000'000);

  EXPECT_EQ(plan.splits, want_splits);
  EXPECT_EQ(plan.merges, want_merges);
}

TEST(RegionVectorsTest, Normalizer) {
  EXPECT_EQ(RunGroup("normalizer", {{"simple_normalizer_plan", ExpectPlan}}),
            (Ran{{"simple_normalizer_plan", 11}}));
}

void ExpectSelection(const RegionVector& vector) {
  std::vector<uint64_t> files;
  for (const int64_t bytes : IntsOf(vector.input["files_old_to_new"]))
    files.push_back(static_cast<uint64_t>(bytes));
  const RatioSettings settings{.ratio = NumberOf(vector.input, "ratio"),
                               .files_min = CountOf(vector.input, "min"),
                               .files_max = CountOf(vector.input, "max"),
                               .bytes_min = CountOf(vector.input, "min_size"),
                               .bytes_max = CountOf(vector.input, "max_size")};

  const FileRange range = SelectForMinorLsmCompaction(files, settings);

  std::vector<int64_t> selected;
  for (size_t i = range.begin; i < range.end; ++i)
    selected.push_back(static_cast<int64_t>(files[i]));
  EXPECT_EQ(selected, IntsOf(vector.expect));
}

TEST(RegionVectorsTest, MinorLsmCompaction) {
  EXPECT_EQ(RunGroup("compaction", {{"ratio_minor_selection", ExpectSelection}}),
            (Ran{{"ratio_minor_selection", 3}}));
}

void ExpectCellBytes(const RegionVector& vector) {
  const uint64_t bytes =
      HBaseCellBytes(CountOf(vector.input, "row"), CountOf(vector.input, "family"),
                     CountOf(vector.input, "qualifier"), CountOf(vector.input, "value"));

  EXPECT_EQ(bytes, CountOf(vector.expect, "keyvalue"));
  EXPECT_EQ(bytes + 1, CountOf(vector.expect, "in_block_with_1_byte_mvcc"));
}

TEST(RegionVectorsTest, Memory) {
  const Ran ran =
      RunGroup("memory", {{"region_count_by_memstore",
                           [](const RegionVector& vector) {
                             const MemoryBudget budget{
                                 .memory_bytes = CountOf(vector.input, "heap_mb") * kMiB,
                                 .share = NumberOf(vector.input, "fraction"),
                                 .flush_bytes = CountOf(vector.input, "flush_mb") * kMiB,
                                 .families = CountOf(vector.input, "families")};
                             EXPECT_DOUBLE_EQ(RegionsInMemory(budget), double(vector.expect));
                           }},
                          {"keyvalue_bytes", ExpectCellBytes}});

  EXPECT_EQ(ran, (Ran{{"region_count_by_memstore", 1}, {"keyvalue_bytes", 1}}));
}

void ExpectScore(const RegionVector& vector) {
  const LoadScore score = ScoreOf({.left = CountOf(vector.input, "left"),
                                   .right = CountOf(vector.input, "right"),
                                   .contained = CountOf(vector.input, "contained")},
                                  {});

  EXPECT_EQ(score.is_eligible, BoolOf(vector.expect, "eligible"));
  if (!score.is_eligible) {
    EXPECT_EQ(TextOf(vector.expect, "why"), "counters<100");
    EXPECT_EQ(score.why, "99 observations; expected 100");
    return;
  }
  EXPECT_NEAR(score.balance, NumberOf(vector.expect, "balance"), 5e-5);
  EXPECT_NEAR(score.contained, NumberOf(vector.expect, "contained"), 5e-5);
  EXPECT_NEAR(score.total(), NumberOf(vector.expect, "score"), 5e-5);
}

TEST(RegionVectorsTest, LoadSplit) {
  EXPECT_EQ(RunGroup("load_split", {{"reservoir_candidate_score", ExpectScore}}),
            (Ran{{"reservoir_candidate_score", 4}}));
}

}  // namespace
}  // namespace hourcell::region_vectors_test
