// Random puts and queries against a model that is a std::map: the same list of operations under
// several options must give the model's answers. A failure prints the seed; HOURCELL_TEST_SEED
// reruns it.

#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "codec/base/random.h"
#include "engine/tsdb.h"
#include "tests/support/builders.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell {
namespace {

constexpr int64_t kFirstMs = 1356998400000;
constexpr int64_t kHours = 5;
constexpr int kHosts = 6;

// What a store holds, without any of its cleverness: host -> instant -> value.
using Model = std::map<std::string, std::map<int64_t, Value>>;

struct Variant {
  std::string name;
  size_t salt_width = 0;
  uint32_t salt_buckets = 1;
  size_t tagv_width = 3;
  bool reopen = false;  // close and open between batches
  bool flush = false;   // flush between batches
};

uint64_t Seed() {
  const char* const text = std::getenv("HOURCELL_TEST_SEED");
  return text != nullptr ? std::strtoull(text, nullptr, 10) : 20130101;
}

class ModelTest : public testing::TestWithParam<Variant> {
 protected:
  void Open() {
    tsdb_.reset();
    Options options = TinyOptions(directory_.path());
    options.layout.salt_width = GetParam().salt_width;
    options.layout.salt_buckets = GetParam().salt_buckets;
    options.layout.tagv_width = GetParam().tagv_width;
    auto opened = Tsdb::Open(options);
    ASSERT_OK(opened);
    tsdb_ = *std::move(opened);
  }

  // In order, out of order, late, overwritten in another type or precision: all of it.
  OwnedPoint RandomPoint() {
    const std::string host = "h" + std::to_string(random_.Below(kHosts));
    const bool is_ms = random_.Below(3) == 0;
    const int64_t instants = random_.Below(4) == 0 ? 5 : kHours * 3600;
    int64_t ms =
        kFirstMs + static_cast<int64_t>(random_.Below(static_cast<uint64_t>(instants))) * 1000;
    if (is_ms && random_.Below(2) == 0) ms += static_cast<int64_t>(random_.Below(1000));
    const Value value = RandomValue();
    model_[host][ms] = value;
    return {"m", "host=" + host, Timestamp{.ms = ms, .is_ms = is_ms}, value};
  }

  Value RandomValue() {
    switch (random_.Below(4)) {
      case 0:
        return Value::Integer(static_cast<int64_t>(random_.Below(300)) - 150);
      case 1:
        return Value::Integer(static_cast<int64_t>(random_.Next()));
      case 2:
        return Value::Float(static_cast<double>(random_.Below(1000)) / 4);
      default:
        return Value::Float(random_.Fraction() * 1e6);
    }
  }

  void PutBatch() {
    std::vector<OwnedPoint> points;
    const uint64_t size = 1 + random_.Below(40);
    for (uint64_t i = 0; i < size; ++i)
      points.push_back(RandomPoint());
    std::vector<PointView> views;
    for (OwnedPoint& point : points)
      views.push_back(point.view());
    std::vector<RefusedPoint> refused;
    ASSERT_OK(tsdb_->Append(views, &refused).Wait());
    ASSERT_TRUE(refused.empty());
  }

  // Every series alone, over a random range: exactly the model's points in it.
  void CheckRange() {
    const int64_t start = kFirstMs + static_cast<int64_t>(random_.Below(kHours * 3600)) * 1000;
    const int64_t end = start + static_cast<int64_t>(random_.Below(kHours * 3600)) * 1000;
    QuerySpec spec = MakeQuery(Aggregator::kNone, "m", {}, 0, 0);
    spec.start_ms = start;
    spec.end_ms = end;
    const auto result = tsdb_->Query(spec);
    ASSERT_OK(result);
    size_t points = 0;
    for (const ResultSeries& series : result->series) {
      const std::map<int64_t, Value>& want = model_.at(series.tags.at(0).second);
      auto at = want.lower_bound(start);
      for (const ResultPoint& point : series.points) {
        ASSERT_TRUE(at != want.end());
        ASSERT_EQ(point.ms, at->first);
        // A value before a float is shown as one; the number is the same.
        ASSERT_EQ(point.value.ToDouble(), at->second.ToDouble());
        ++at;
        ++points;
      }
    }
    ASSERT_EQ(points, CountInModel(start, end));
  }

  size_t CountInModel(int64_t start, int64_t end) const {
    size_t count = 0;
    for (const auto& [host, points] : model_) {
      count +=
          static_cast<size_t>(std::distance(points.lower_bound(start), points.upper_bound(end)));
    }
    return count;
  }

  // One host by its literal name: point reads see what the scan of all sees.
  void CheckOneHost() {
    const std::string host = "h" + std::to_string(random_.Below(kHosts));
    if (!model_.contains(host)) return;
    const auto result = tsdb_->Query(MakeQuery(Aggregator::kCount, "m",
                                               {{"host", FilterType::kLiteralOr, host, false}},
                                               kFirstMs / 1000, kFirstMs / 1000 + kHours * 3600));
    ASSERT_OK(result);
    ASSERT_EQ(result->series.size(), 1u);
    ASSERT_EQ(result->series[0].points.size(), model_[host].size());
  }

  const uint64_t seed_ = Seed();
  Random random_{seed_};
  TempDir directory_;
  std::unique_ptr<Tsdb> tsdb_;
  Model model_;
};

TEST_P(ModelTest, RandomPutsAndQueriesAgreeWithTheModel) {
  SCOPED_TRACE(testing::Message() << "rerun with HOURCELL_TEST_SEED=" << seed_);
  ASSERT_NO_FATAL_FAILURE(Open());
  for (int round = 0; round < 60; ++round) {
    ASSERT_NO_FATAL_FAILURE(PutBatch());
    if (GetParam().flush && round % 7 == 0) {
      ASSERT_OK(tsdb_->Flush());
    }
    if (GetParam().reopen && round % 15 == 0) {
      ASSERT_NO_FATAL_FAILURE(Open());
    }
    ASSERT_NO_FATAL_FAILURE(CheckRange());
    ASSERT_NO_FATAL_FAILURE(CheckOneHost());
  }
}

INSTANTIATE_TEST_SUITE_P(
    Options,
    ModelTest,
    testing::Values(Variant{.name = "Plain"},
                    Variant{.name = "Salted", .salt_width = 1, .salt_buckets = 20},
                    Variant{.name = "WideSaltOneBucket", .salt_width = 2, .salt_buckets = 1},
                    Variant{.name = "NarrowTagValues", .tagv_width = 1},
                    Variant{.name = "WideTagValues", .tagv_width = 8, .flush = true},
                    Variant{.name = "Flushed", .flush = true},
                    Variant{.name = "Reopened", .salt_width = 1, .reopen = true, .flush = true}),
    [](const auto& param_info) { return param_info.param.name; });

}  // namespace
}  // namespace hourcell
