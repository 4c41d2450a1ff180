// Random puts and queries against a model that is a std::map: the same list of operations under
// several options must give the model's answers, whatever the store does between them: seals hours,
// flushes, merges, is closed and opened, is killed. A failure prints the seed; HOURCELL_TEST_SEED
// reruns it.

#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rocksdb/env.h>

#include "codec/base/clock.h"
#include "codec/base/random.h"
#include "engine/tsdb.h"
#include "tests/support/builders.h"
#include "tests/support/fault_fs.h"
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
  Durability sync = Durability::kNever;
  CellEncoding cells = CellEncoding::kPacked;
  bool tiny_budgets = false;  // memory and journal so small that hours are sealed all the time
  bool disturb = false;       // seal, flush, compact, reopen and kill between batches
};

uint64_t Seed() {
  const char* const text = std::getenv("HOURCELL_TEST_SEED");
  return text != nullptr ? std::strtoull(text, nullptr, 10) : 20130101;
}

class ModelTest : public testing::TestWithParam<Variant> {
 protected:
  void Open() {
    tsdb_.reset();
    Options options = TinyOptions(directory_.path() + "/store");
    options.env = env_.get();
    options.clock = &clock_;
    options.sync = GetParam().sync;
    options.cell_encoding = GetParam().cells;
    if (GetParam().tiny_budgets) {
      options.open_hours_bytes = 64 << 10;
      options.journal_segment_bytes = 4 << 10;
      options.journal_bytes = 32 << 10;
      options.series_cache_bytes = 1 << 10;
      options.lanes = 1 + random_.Below(5);
    }
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
    std::vector<RefusedPoint> refused;
    if (random_.Below(2) == 0) {
      std::vector<PointView> views;
      for (OwnedPoint& point : points)
        views.push_back(point.view());
      ASSERT_OK(tsdb_->Append(views, &refused).Wait());
    } else {
      // The same series, spelled as a line.
      std::vector<LinePoint> lines;
      std::vector<std::string> tags;
      tags.reserve(points.size());
      for (OwnedPoint& point : points) {
        const PointView& view = point.view();
        tags.push_back("host=" + std::string(view.tags[0].value));
        if (random_.Below(3) == 0) tags.back() = " " + tags.back() + "  ";
        lines.push_back(
            {.metric = "m", .tags = tags.back(), .timestamp = view.timestamp, .value = view.value});
      }
      ASSERT_OK(tsdb_->Append(lines, &refused).Wait());
    }
    ASSERT_TRUE(refused.empty());
  }

  // What must not change an answer.
  void Disturb() {
    switch (random_.Below(8)) {
      case 0:
        ASSERT_OK(tsdb_->Seal());
        break;
      case 1:
        clock_.Advance(static_cast<int64_t>(random_.Below(4 * 3600)) * 1000);
        ASSERT_OK(tsdb_->SealDue());
        break;
      case 2:
        ASSERT_OK(tsdb_->Flush());
        break;
      case 3:
        ASSERT_OK(tsdb_->Compact());
        break;
      case 4:
        ASSERT_NO_FATAL_FAILURE(Open());
        break;
      case 5:
        ASSERT_NO_FATAL_FAILURE(Kill());
        break;
      case 6:
        tsdb_->DropCaches();
        break;
      default:
        break;
    }
  }

  // Goes on with what kill -9 leaves: nothing that the dying store still does gets to the files.
  void Kill() {
    fs_->FailOn({.is_lasting = true});
    tsdb_.reset();
    fs_->Heal();
    Open();
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
  std::shared_ptr<FaultFs> fs_ = std::make_shared<FaultFs>();
  std::unique_ptr<rocksdb::Env> env_ = rocksdb::NewCompositeEnv(fs_);
  ManualClock clock_{kFirstMs + 6 * 3600 * 1000};
  std::unique_ptr<Tsdb> tsdb_;
  Model model_;
};

TEST_P(ModelTest, RandomPutsAndQueriesAgreeWithTheModel) {
  SCOPED_TRACE(testing::Message() << "rerun with HOURCELL_TEST_SEED=" << seed_);
  ASSERT_NO_FATAL_FAILURE(Open());
  const int rounds = GetParam().disturb ? 25 : 60;
  for (int round = 0; round < rounds; ++round) {
    ASSERT_NO_FATAL_FAILURE(PutBatch());
    if (GetParam().disturb) {
      ASSERT_NO_FATAL_FAILURE(Disturb());
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
                    Variant{.name = "WideTagValues", .tagv_width = 8},
                    Variant{.name = "Disturbed", .disturb = true},
                    Variant{.name = "DisturbedOpenTsdbCells",
                            .cells = CellEncoding::kOpenTsdb,
                            .disturb = true},
                    Variant{.name = "DisturbedTiny", .tiny_budgets = true, .disturb = true},
                    Variant{.name = "DisturbedTinySyncAlways",
                            .salt_width = 1,
                            .salt_buckets = 20,
                            .sync = Durability::kAlways,
                            .tiny_budgets = true,
                            .disturb = true},
                    Variant{.name = "DisturbedTinyOpenTsdbCellsSyncInterval",
                            .sync = Durability::kInterval,
                            .cells = CellEncoding::kOpenTsdb,
                            .tiny_budgets = true,
                            .disturb = true}),
    [](const auto& param_info) { return param_info.param.name; });

}  // namespace
}  // namespace hourcell
