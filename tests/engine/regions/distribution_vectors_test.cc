// The vectors of tests/data/regions.json about pre-splitting, sampling and distribution.

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/lab/keys/key_sample.h"
#include "bench/lab/simulate/region_report.h"
#include "codec/base/bytes.h"
#include "codec/rows/salt.h"
#include "engine/regions/keys/distributor_spec.h"
#include "engine/regions/keys/scan_tasks.h"
#include "engine/regions/keys/time_distributor.h"
#include "engine/regions/md5.h"
#include "engine/regions/presplit/presplit.h"
#include "engine/regions/presplit/split_algorithm.h"
#include "engine/scan/merge_cursor.h"
#include "tests/engine/regions/region_vectors.h"
#include "tests/support/status_matchers.h"
#include "tests/support/vectors.h"

namespace hourcell::distribution_vectors_test {
namespace {

using simdjson::dom::array;
using simdjson::dom::element;

// A check of one rule's vectors.
using Check = void (*)(element input, element expect);

// Runs all vectors of a group, each by its rule's check. Returns the number without a check.
size_t RunGroup(std::string_view group, const std::map<std::string, Check>& checks, size_t want) {
  size_t without = 0;
  const std::vector<RegionVector> vectors = LoadRegionVectors(group);
  for (const RegionVector& vector : vectors) {
    SCOPED_TRACE(vector.id + " " + vector.fn);
    const auto check = checks.find(vector.fn);
    if (check == checks.end()) {
      ++without;
      continue;
    }
    check->second(vector.input, vector.expect);
  }
  EXPECT_EQ(vectors.size(), want);
  return without;
}

bool IsError(element expect) {
  return expect.is_string() && std::string_view(expect) == "ERROR";
}

std::unique_ptr<KeyDistributor> Distributor(const std::string& spec) {
  auto made = MakeKeyDistributor(spec, Layout());
  EXPECT_OK(made);
  return *std::move(made);
}

std::string Encoded(const KeyDistributor& distributor, std::string_view key) {
  std::string stored;
  EXPECT_OK(distributor.Encode(key, &stored));
  return stored;
}

std::string Long(uint64_t number) {
  std::string bytes;
  AppendBigEndian(number, 8, &bytes);
  return bytes;
}

uint32_t Regions(element input) {
  return static_cast<uint32_t>(IntOf(input, "regions"));
}

std::vector<std::string> Hexes(std::vector<std::string> keys) {
  for (std::string& key : keys)
    key = ToHex(key);
  return keys;
}

// --- presplit ---

void ExpectKeys(const absl::StatusOr<std::vector<std::string>>& keys, element expect, bool is_hex) {
  if (IsError(expect)) {
    EXPECT_THAT(keys, StatusIs(absl::StatusCode::kInvalidArgument));
    return;
  }
  ASSERT_OK(keys);
  EXPECT_EQ(is_hex ? Hexes(*keys) : *keys, TextsOf(expect));
}

void HexSplit(element input, element expect) {
  ExpectKeys(SplitAlgorithm::HexString().Split(Regions(input)), expect, false);
}
void DecimalSplit(element input, element expect) {
  ExpectKeys(SplitAlgorithm::DecimalString().Split(Regions(input)), expect, false);
}
void UniformSplit(element input, element expect) {
  ExpectKeys(SplitAlgorithm::Uniform().Split(Regions(input)), expect, true);
}
void HexMidpoint(element input, element expect) {
  EXPECT_THAT(SplitAlgorithm::HexString().Midpoint(TextOf(input, "start"), TextOf(input, "end")),
              IsOkAndHolds(std::string_view(expect)));
}
void DecimalMidpoint(element input, element expect) {
  EXPECT_THAT(
      SplitAlgorithm::DecimalString().Midpoint(TextOf(input, "start"), TextOf(input, "end")),
      IsOkAndHolds(std::string_view(expect)));
}
void UniformMidpoint(element input, element expect) {
  const auto key =
      SplitAlgorithm::Uniform().Midpoint(BytesOf(input, "start_hex"), BytesOf(input, "end_hex"));
  ASSERT_OK(key);
  EXPECT_EQ(ToHex(*key), std::string_view(expect));
}
void UniformSubrange(element input, element expect) {
  ExpectKeys(SplitAlgorithm::Uniform().SplitRange(
                 BytesOf(input, "start_hex"), BytesOf(input, "end_hex"),
                 static_cast<uint32_t>(IntOf(input, "parts")), BoolOf(input, "inclusive_ends")),
             expect, true);
}
void Granularity(element input, element expect) {
  const SplitAlgorithm algorithm = {.kind = IntOf(input, "radix") == 16
                                                ? SplitAlgorithm::Kind::kHexString
                                                : SplitAlgorithm::Kind::kDecimalString,
                                    .first = TextOf(input, "first"),
                                    .last = TextOf(input, "last")};
  const auto keys = algorithm.Split(Regions(input));
  EXPECT_EQ(keys.ok(), !IsError(expect)) << keys.status();
}
void SplitsFile(element input, element expect) {
  std::string text;
  for (const std::string& key : TextsOf(input["split_keys"]))
    text += key + "\n";
  const auto keys = ParseSplitsFile(text);
  ASSERT_OK(keys);
  EXPECT_EQ(keys->size() + 1, static_cast<size_t>(IntOf(expect, "regions")));
  EXPECT_EQ(RegionIndexOf(*keys, TextOf(input, "row")),
            static_cast<size_t>(IntOf(expect, "region_index")));
}
void SamplingCalculator(element input, element expect) {
  const std::vector<std::string> keys = TextsOf(input["sorted_sample"]);
  KeySample sample(KeySampleOptions{});
  for (const std::string& key : keys)
    sample.Add(key);
  const auto split = sample.Split(Regions(input), SmallSample::kAccept);
  ASSERT_OK(split);
  EXPECT_EQ(split->keys, TextsOf(expect["split_keys"]));
  std::vector<int64_t> rows(Regions(input));
  for (const std::string& key : keys)
    ++rows[RegionIndexOf(split->keys, key)];
  EXPECT_EQ(rows, IntsOf(expect["sample_rows_per_region"]));
}
void PartitionSplitKeys(element input, element expect) {
  const auto keys = PartitionKeys(static_cast<uint32_t>(IntOf(input, "partitions")));
  ASSERT_OK(keys);
  EXPECT_EQ(ToHex(keys->front()), TextOf(expect, "first"));
  EXPECT_EQ(ToHex(keys->back()), TextOf(expect, "last"));
  EXPECT_EQ(keys->size(), static_cast<size_t>(IntOf(expect, "count")));
}
void PartitionRow(element input, element expect) {
  const int64_t partitions = IntOf(input, "partitions");
  const std::string row = Encoded(*Distributor(fmt::format("partition:{}", partitions)),
                                  Long(static_cast<uint64_t>(IntOf(input, "id"))));
  EXPECT_EQ(ToHex(row), TextOf(expect, "row_hex"));
  EXPECT_EQ(RegionIndexOf(*PartitionKeys(static_cast<uint32_t>(partitions)), row),
            static_cast<size_t>(IntOf(expect, "region_index")));
}
void PartitionDistribution(element input, element expect) {
  ASSERT_EQ(TextOf(input, "ids"), "1..100000");
  const auto partitions = static_cast<uint32_t>(IntOf(input, "partitions"));
  const auto distributor = Distributor(fmt::format("partition:{}", partitions));
  const auto keys = PartitionKeys(partitions);
  std::vector<uint64_t> counts(partitions);
  for (uint64_t id = 1; id <= 100'000; ++id)
    ++counts[RegionIndexOf(*keys, Encoded(*distributor, Long(id)))];
  const SpreadOfCounts spread = SpreadOf(counts);
  EXPECT_EQ(spread.max, static_cast<uint64_t>(IntsOf(expect["per_region"])[0]));
  EXPECT_EQ(static_cast<double>(spread.max) / static_cast<double>(spread.min),
            NumberOf(expect, "ratio_max_min"));
}
void CreateTable(element input, element expect) {
  ExpectKeys(CreateTableKeys(TextOf(input, "start"), TextOf(input, "end"), Regions(input)), expect,
             false);
}

TEST(DistributionVectorsTest, Presplit) {
  EXPECT_EQ(RunGroup("presplit",
                     {{"hex_string_split", HexSplit},
                      {"decimal_string_split", DecimalSplit},
                      {"uniform_split", UniformSplit},
                      {"hex_midpoint", HexMidpoint},
                      {"decimal_midpoint", DecimalMidpoint},
                      {"uniform_midpoint", UniformMidpoint},
                      {"uniform_subrange", UniformSubrange},
                      {"granularity_precondition", Granularity},
                      {"splits_file_locate", SplitsFile},
                      {"sampling_calculator", SamplingCalculator},
                      {"partition_split_keys", PartitionSplitKeys},
                      {"partition_row_key", PartitionRow},
                      {"partition_distribution", PartitionDistribution},
                      {"create_table_start_end_count", CreateTable}},
                     47),
            0u);
}

// --- sampling ---

void PredictedSpreadOnly(element input, element expect) {
  EXPECT_NEAR(PredictedSpread(Regions(input), NumberOf(input, "sample")),
              NumberOf(expect, "predicted_rel_std"), 1e-6);
}
void PredictedAndObserved(element input, element expect) {
  PredictedSpreadOnly(input, expect);
  std::vector<uint64_t> counts;
  for (const int64_t count : IntsOf(input["observed_counts"]))
    counts.push_back(static_cast<uint64_t>(count));
  const SpreadOfCounts spread = SpreadOf(counts);
  EXPECT_NEAR(spread.relative_deviation, NumberOf(expect, "observed_rel_std"), 1e-6);
  EXPECT_NEAR(static_cast<double>(spread.max) / static_cast<double>(spread.min),
              NumberOf(expect, "observed_max_over_min"), 1e-6);
}
// Bounds that were sampled once lie within a thousandth of the key space of the computed ones.
void SampledBounds(element input, element expect) {
  const auto computed = SplitAlgorithm::HexString().Split(10);
  ASSERT_OK(computed);
  EXPECT_EQ(*computed, TextsOf(input["hex_string_split_10"]));
  const std::vector<std::string> sampled = TextsOf(input["seed_boundaries"]);
  ASSERT_EQ(sampled.size(), computed->size());
  double most = 0;
  size_t i = 0;
  for (const element want : array(expect["deviation_fraction_of_keyspace"])) {
    const double deviation = (static_cast<double>(std::stoull(sampled[i], nullptr, 16)) -
                              static_cast<double>(std::stoull((*computed)[i], nullptr, 16))) /
                             0x1p32;
    EXPECT_NEAR(deviation, double(want), 1e-6);
    most = std::max(most, std::abs(deviation));
    ++i;
  }
  EXPECT_NEAR(most, NumberOf(expect, "max_abs"), 1e-6);
}

TEST(DistributionVectorsTest, Sampling) {
  EXPECT_EQ(RunGroup("sampling",
                     {{"predicted_relative_spread_only", PredictedSpreadOnly},
                      {"predicted_relative_spread", PredictedAndObserved},
                      {"sampled_bounds_vs_hex_string_split", SampledBounds}},
                     5),
            0u);
}

// --- hbasewd ---

void OneByteHash(element input, element expect) {
  const auto distributor = Distributor(fmt::format("simple-hash:{}", IntOf(input, "buckets")));
  const std::string key = BytesOf(input, "key_hex");
  EXPECT_EQ(JavaBytesHash(key), IntOf(expect, "java_hash"));
  EXPECT_EQ(ToHex(Encoded(*distributor, key)), TextOf(expect, "distributed_hex"));
  EXPECT_EQ(ToHex(Encoded(*distributor, key)).substr(0, 2), TextOf(expect, "prefix_hex"));
}
// HBaseWD's prefix is in no bucket; ours is.
void OneByteHashOfIntMin(element input, element expect) {
  const auto distributor = Distributor(fmt::format("simple-hash:{}", IntOf(input, "buckets")));
  const std::string key = BytesOf(input, "key_hex");
  const std::string theirs = BytesOf(expect, "original_prefix_hex") + key;
  std::string scratch;
  EXPECT_EQ(JavaBytesHash(key), IntOf(expect, "java_hash"));
  EXPECT_THAT(distributor->Decode(theirs, &scratch), StatusIs(absl::StatusCode::kDataLoss));
  EXPECT_EQ(Encoded(*distributor, key), BytesOf(expect, "correct_unsigned_prefix_hex") + key);
  const auto all = distributor->AllKeys(key);
  ASSERT_OK(all);
  EXPECT_THAT(*all, testing::Contains(Encoded(*distributor, key)));
}
void RoundRobin(element input, element expect) {
  const auto distributor = Distributor(fmt::format("round-robin:{}", IntOf(input, "buckets")));
  std::vector<int64_t> buckets;
  for (int64_t i = 0; i < IntOf(input, "writes"); ++i)
    buckets.push_back(static_cast<uint8_t>(Encoded(*distributor, "k")[0]));
  EXPECT_EQ(buckets, IntsOf(expect));
}
void Intervals(element input, element expect) {
  const auto range = Distributor(fmt::format("simple-hash:{}", IntOf(input, "buckets")))
                         ->Intervals(BytesOf(input, "start_hex"), BytesOf(input, "stop_hex"));
  ASSERT_OK(range);
  EXPECT_TRUE(range->is_exact);
  ASSERT_EQ(range->intervals.size(), array(expect).size());
  for (size_t i = 0; i < range->intervals.size(); ++i) {
    const BucketInterval& interval = range->intervals[i];
    EXPECT_EQ(interval.bucket, i);
    EXPECT_EQ(Hexes({interval.start, interval.stop}), TextsOf(array(expect).at(i)));
  }
}

// The rows of one bucket, in a vector.
class BucketSource {
 public:
  explicit BucketSource(std::vector<std::string> keys) : keys_(std::move(keys)) {}
  bool Valid() const { return at_ < keys_.size(); }
  std::string_view key() const { return keys_[at_]; }
  void Next() { ++at_; }

 private:
  std::vector<std::string> keys_;
  size_t at_ = 0;
};

void Merge(element input, element expect) {
  std::vector<BucketSource> sources;
  for (const element keys : array(input["buckets_original_keys"]))
    sources.emplace_back(TextsOf(keys));
  size_t row = 0;
  for (MergeCursor<BucketSource> cursor(sources, {}); cursor.Valid(); cursor.Next()) {
    ASSERT_LT(row, array(expect).size());
    const element want = array(expect).at(row++);
    EXPECT_EQ(cursor.key(), std::string_view(want.at(0)));
    EXPECT_EQ(static_cast<int64_t>(cursor.bucket()), int64_t(want.at(1)));
  }
  EXPECT_EQ(row, array(expect).size());
}
void InputSplits(element input, element expect) {
  const auto range = Distributor(fmt::format("simple-hash:{}", IntOf(input, "buckets")))
                         ->Intervals(BytesOf(input, "start_hex"), BytesOf(input, "stop_hex"));
  ASSERT_OK(range);
  std::vector<std::string> bounds;
  for (const std::string& key : TextsOf(input["region_split_keys_hex"]))
    bounds.push_back(*FromHex(key));
  std::vector<RegionBytes> regions = {{.start = "", .end = "", .bytes = 1}};
  for (const std::string& bound : bounds) {
    regions.back().end = bound;
    regions.push_back({.start = bound, .end = "", .bytes = 1});
  }
  const auto tasks = PlanScanTasks(range->intervals, regions, {});
  ASSERT_OK(tasks);
  EXPECT_EQ(static_cast<int64_t>(tasks->size()), int64_t(expect));
}

TEST(DistributionVectorsTest, HBaseWd) {
  EXPECT_EQ(RunGroup("hbasewd",
                     {{"one_byte_simple_hash", OneByteHash},
                      {"one_byte_simple_hash_int_min_bug", OneByteHashOfIntMin},
                      {"round_robin_one_byte", RoundRobin},
                      {"distributed_intervals", Intervals},
                      {"distributed_scan_merge", Merge},
                      {"mapreduce_split_count", InputSplits}},
                     19),
            0u);
}

// --- opentsdb ---

void SaltOfSeries(element input, element expect) {
  Layout layout;
  layout.salt_width = 1;
  layout.salt_buckets = static_cast<uint32_t>(IntOf(input, "buckets"));
  const std::string metric = BytesOf(input, "metric_hex");
  const std::string tags = BytesOf(input, "tags_hex");
  EXPECT_EQ(JavaBytesHash(metric + tags), IntOf(expect, "java_hash"));
  const auto salt = MakeKeyDistributor("series-salt", layout);
  ASSERT_OK(salt);
  for (const char* base_time : {"\x50\xe2\x27\x01", "\x50\xe2\x35\x10"}) {
    EXPECT_THAT((*salt)->BucketOf(metric + base_time + tags),
                IsOkAndHolds(static_cast<uint64_t>(IntOf(expect, "salt"))));
  }
}

TEST(DistributionVectorsTest, OpenTsdb) {
  EXPECT_EQ(RunGroup("opentsdb", {{"salt_bucket", SaltOfSeries}}, 2), 0u);
}

// --- rowkey ---

void Md5FourHex(element input, element expect) {
  EXPECT_EQ(Md5Hex(TextOf(input, "key")), TextOf(expect, "md5"));
  EXPECT_EQ(Encoded(*Distributor("md5-4hex"), TextOf(input, "key")), TextOf(expect, "row"));
}
void Md5EightHex(element input, element expect) {
  const std::string row =
      Encoded(*Distributor("md5-8hex"), Long(static_cast<uint64_t>(IntOf(input, "id"))));
  EXPECT_EQ(ToHex(row), TextOf(expect, "row_hex"));
  EXPECT_EQ(row.substr(0, 8), TextOf(expect, "prefix"));
}
// Java's remainder keeps the sign of the hash; a bucket is not negative.
void TimestampSalt(element input, element expect) {
  const int64_t servers = IntOf(input, "servers");
  const auto time = static_cast<uint64_t>(IntOf(input, "timestamp"));
  const int64_t hash = IntOf(expect, "java_long_hash");
  EXPECT_EQ(static_cast<int32_t>(static_cast<uint32_t>(time ^ (time >> 32))), hash);
  EXPECT_EQ(hash % servers, IntOf(expect, "salt"));
  EXPECT_THAT(Distributor(fmt::format("time-hash:{}", servers))->BucketOf(Long(time)),
              IsOkAndHolds(static_cast<uint64_t>(std::abs(IntOf(expect, "salt")))));
}
void ReverseFixed(element input, element expect) {
  EXPECT_EQ(Encoded(*Distributor("reversed"), TextOf(input, "key")), std::string_view(expect));
}
void ReversedTimestamp(element input, element expect) {
  const auto time = static_cast<uint64_t>(IntOf(input, "timestamp"));
  EXPECT_EQ(ReverseTime(time), static_cast<uint64_t>(IntOf(expect, "value")));
  EXPECT_EQ(ToHex(Encoded(*Distributor("reversed-time:0"), Long(time))), TextOf(expect, "hex"));
}
void CyclicPeriod(element input, element expect) {
  const auto seconds = [&](std::string_view days) {
    return static_cast<uint64_t>(NumberOf(input, days) * 86'400);
  };
  const absl::Status status = CheckCycle({.period_s = seconds("period_days"),
                                          .slot_s = 86'400,
                                          .ttl_s = seconds("ttl_days"),
                                          .lsm_compaction_s = seconds("major_compaction_days")});
  EXPECT_EQ(status.ok(), bool(expect)) << status;
}

TEST(DistributionVectorsTest, RowKey) {
  EXPECT_EQ(RunGroup("rowkey",
                     {{"md5_4hex_prefix", Md5FourHex},
                      {"md5_8hex_plus_long", Md5EightHex},
                      {"seed_timestamp_salt", TimestampSalt},
                      {"reverse_fixed_string", ReverseFixed},
                      {"reversed_timestamp", ReversedTimestamp},
                      {"cyclic_key_period_safe", CyclicPeriod}},
                     15),
            0u);
}

// --- simulator ---

std::vector<RegionPuts> PutsOf(element input) {
  std::vector<RegionPuts> regions;
  for (const int64_t puts : IntsOf(input["puts"])) {
    regions.push_back({.start = regions.empty() ? "" : fmt::format("k{}", regions.size()),
                       .puts = static_cast<uint64_t>(puts)});
  }
  return regions;
}
void ReportRatio(element input, element expect) {
  const std::vector<RegionPuts> regions = PutsOf(input);
  const std::vector<std::string> ratios = TextsOf(expect["ratios"]);
  ASSERT_EQ(regions.size(), ratios.size());
  std::string want = "Report Result:\n";
  for (size_t i = 0; i < regions.size(); ++i)
    want += fmt::format("{}:{}:({})\n", regions[i].start, regions[i].puts, ratios[i]);
  want += fmt::format("total requests:{}\n", IntOf(expect, "total"));
  EXPECT_EQ(ClassicReport(regions), want);
}
// The original divides by zero; otherwise the vector leaves the expected result open.
void ReportWithEmptyRegion(element input, element expect) {
  EXPECT_TRUE(std::string_view(expect).starts_with("DEFINE"));
  EXPECT_EQ(ClassicReport(PutsOf(input)),
            "Report Result:\n:0:(1.0)\nk1:10:(inf)\ntotal requests:10\n");
}

TEST(DistributionVectorsTest, Simulator) {
  EXPECT_EQ(RunGroup("simulator",
                     {{"report_ratio", ReportRatio},
                      {"report_ratio_with_empty_region", ReportWithEmptyRegion}},
                     3),
            0u);
}

}  // namespace
}  // namespace hourcell::distribution_vectors_test
