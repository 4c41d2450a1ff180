// Points that expire, and TTLs that are raised again, against a model of maps that then allows
// every unspecified result: random puts and queries while hours are sealed, flushed, merged and
// dropped, regions change, and the store is closed, opened and killed. Where TTLs only become
// shorter, every result is specified: step_list_test.cc has that, and everything else. A failure
// prints the seed, and the events other than puts; HOURCELL_TEST_SEED reruns it.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rocksdb/env.h>

#include "codec/base/clock.h"
#include "codec/base/random.h"
#include "engine/region_admin.h"
#include "engine/salt_admin.h"
#include "engine/tsdb.h"
#include "tests/model/point_model.h"
#include "tests/support/builders.h"
#include "tests/support/fault_fs.h"
#include "tests/support/restless_env.h"
#include "tests/support/sanitizers.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"
#include "tests/support/times.h"

namespace hourcell::expiry_model_test {
namespace {

constexpr int64_t kFirstMs = 1356998400000;
constexpr int64_t kHours = 5;
constexpr int kHosts = 6;
constexpr int kRounds = kIsSanitized ? 40 : 75;
const std::vector<std::string> kMetrics = {"m", "n"};

struct Variant {
  std::string name;
  size_t salt_width = 0;
  uint32_t salt_buckets = 1;
  CellEncoding cells = CellEncoding::kPacked;
  bool tiny_budgets = false;  // memory and journal so small that hours are sealed all the time
  bool regions = false;       // split and merge regions
  bool epochs = false;        // change the salt's buckets
  uint32_t day_points = 200;  // hours with fewer share the row of their day

  friend void PrintTo(const Variant& variant, std::ostream* out) { *out << variant.name; }
};

uint64_t Seed() {
  const char* const text = std::getenv("HOURCELL_TEST_SEED");
  return text != nullptr ? std::strtoull(text, nullptr, 10) : 20130101;
}

class ExpiryModelTest : public testing::TestWithParam<Variant> {
 protected:
  void TearDown() override {
    if (HasFailure()) std::printf("HOURCELL_TEST_SEED=%llu:%s\n", Ull(seed_), history_.c_str());
  }

  void Open() {
    tsdb_.reset();
    Options options = TinyOptions(directory_.path() + "/store");
    options.env = env_.get();
    options.clock = &clock_;
    options.cell_encoding = GetParam().cells;
    options.day_row_points = GetParam().day_points;
    // A TTL that is not given stays as it was last given.
    if (store_ttl_s_ != kept_ttl_s_ || random_.Below(2) == 0) options.ttl_s = store_ttl_s_;
    kept_ttl_s_ = store_ttl_s_;
    if (GetParam().tiny_budgets) {
      options.open_hours_bytes = 64 << 10;
      options.journal_segment_bytes = 4 << 10;
      options.journal_bytes = 32 << 10;
      options.series_cache_bytes = 1 << 10;
      options.lanes = 1 + random_.Below(5);
    }
    options.layout.salt_width = GetParam().salt_width;
    options.layout.salt_buckets = GetParam().salt_buckets;
    auto opened = Tsdb::Open(options);
    ASSERT_OK(opened);
    tsdb_ = *std::move(opened);
    // A TTL is of a metric that has a UID.
    for (const std::string& metric : kMetrics) {
      if (!tsdb_->names().FindUid(UidKind::kMetric, metric).ok()) {
        ASSERT_OK(tsdb_->names().AssignUid(UidKind::kMetric, metric));
      }
    }
  }

  // Points are of the hours before this and one after it.
  int64_t FirstMs() { return clock_.NowMs() / kHourMs * kHourMs - (kHours - 1) * kHourMs; }

  // In order, out of order, late, overwritten in another type or precision.
  OwnedPoint RandomPoint() {
    const std::string& metric = kMetrics[random_.Below(4) == 0 ? 1 : 0];
    const std::string host = fmt::format("h{}", random_.Below(kHosts));
    const bool is_ms = random_.Below(3) == 0;
    const int64_t instants = random_.Below(4) == 0 ? 5 : kHours * 3600;
    int64_t ms =
        FirstMs() + static_cast<int64_t>(random_.Below(static_cast<uint64_t>(instants))) * 1000;
    if (is_ms && random_.Below(2) == 0) ms += static_cast<int64_t>(random_.Below(1000));
    const Timestamp time{.ms = ms, .is_ms = is_ms};
    const Value value = RandomValue();
    model_.Put({metric, host}, time, value);
    return {metric, "host=" + host, time, value};
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
      ASSERT_OK(tsdb_->points().Append(views, &refused).Wait());
    } else {
      // The same series, spelled as a line.
      std::vector<LinePoint> lines;
      std::vector<std::string> tags;
      tags.reserve(points.size());
      for (OwnedPoint& point : points) {
        const PointView& view = point.view();
        tags.push_back("host=" + std::string(view.tags[0].value));
        if (random_.Below(3) == 0) tags.back() = " " + tags.back() + "  ";
        lines.push_back({.metric = view.metric,
                         .tags = tags.back(),
                         .timestamp = view.timestamp,
                         .value = view.value});
      }
      ASSERT_OK(tsdb_->points().Append(lines, &refused).Wait());
    }
    ASSERT_TRUE(refused.empty());
  }

  // Where rows of a metric and an hour begin, as the regions' text.
  std::string RowStart() {
    std::string key;
    for (size_t i = 0; i < GetParam().salt_width; ++i)
      key += fmt::format("\\x{:02x}", random_.Below(GetParam().salt_buckets));
    const auto hour = static_cast<uint32_t>(FirstMs() / 1000 +
                                            3600 * static_cast<int64_t>(random_.Below(kHours)));
    key += fmt::format("\\x00\\x00\\x{:02x}", 1 + random_.Below(2));
    for (int shift = 24; shift >= 0; shift -= 8)
      key += fmt::format("\\x{:02x}", hour >> shift & 0xff);
    return key;
  }

  // Splits and merges, with any result: small tables have few places to be cut at.
  void ChangeRegions() {
    const auto listed = tsdb_->maintenance().regions()->List("data", ListDetail::kPlain);
    ASSERT_OK(listed);
    const size_t i = random_.Below(listed->size());
    absl::Status done;
    if (listed->size() > 1 && random_.Below(2) == 0) {
      const size_t first = std::min(i, listed->size() - 2);
      const size_t last = std::min(listed->size() - 1, first + 1 + random_.Below(3));
      std::vector<std::string> ids;
      for (size_t j = first; j <= last; ++j)
        ids.push_back(std::to_string((*listed)[j].id));
      Note(fmt::format("merge {} regions", ids.size()));
      done = tsdb_->maintenance().regions()->Merge("data", ids).status();
      if (done.ok()) ++merges_;
    } else {
      Note("split");
      SplitRequest split{.region = std::to_string((*listed)[i].id)};
      if (random_.Below(3) == 0) {
        split.into = 2 + static_cast<uint32_t>(random_.Below(2));
      } else {
        split.at = RowStart();
        split.region = *split.at;  // the one that has it
      }
      done = tsdb_->maintenance().regions()->Split(split).status();
      if (done.ok()) ++splits_;
    }
    EXPECT_TRUE(done.ok() || absl::IsFailedPrecondition(done) || absl::IsUnavailable(done) ||
                absl::IsInvalidArgument(done))
        << done;
    const auto wrong = tsdb_->maintenance().regions()->Check("data");
    ASSERT_OK(wrong);
    EXPECT_TRUE(wrong->empty()) << wrong->front();
  }

  // Mostly at a time to come; where there are rows it is refused.
  void ChangeSalt() {
    const auto buckets = static_cast<uint32_t>(1 + random_.Below(40));
    std::optional<uint64_t> from_s;
    if (random_.Below(3) == 0) {
      from_s = static_cast<uint64_t>(FirstMs()) / 1000 + 3600 * random_.Below(2 * kHours);
    }
    const absl::Status done = tsdb_->maintenance().salt()->Change(buckets, from_s);
    Note(fmt::format("salt of {} from {}: {}", buckets, from_s.value_or(0), done.ok()));
    EXPECT_TRUE(done.ok() || absl::IsFailedPrecondition(done)) << done;
    (done.ok() ? epochs_ : epochs_refused_)++;
  }

  // Events that must not change an answer.
  void Disturb() {
    if (GetParam().epochs && random_.Below(4) == 0) {
      ASSERT_NO_FATAL_FAILURE(ChangeSalt());
    }
    if (GetParam().regions && random_.Below(2) == 0) {
      ASSERT_NO_FATAL_FAILURE(ChangeRegions());
    }
    switch (random_.Below(8)) {
      case 0:
        Note("seal");
        ASSERT_OK(tsdb_->maintenance().Seal());
        break;
      case 1:
        // With TTLs as long as the hours of points, time goes by more slowly.
        Advance(random_.Below(3600));
        ASSERT_OK(tsdb_->maintenance().SealDue());
        break;
      case 2:
        Note("flush");
        ASSERT_OK(tsdb_->maintenance().Flush());
        break;
      case 3:
        Note("compact");
        ASSERT_OK(tsdb_->maintenance().Compact());
        break;
      case 4:
        Note("open");
        ASSERT_NO_FATAL_FAILURE(Open());
        break;
      case 5:
        Note("kill");
        ASSERT_NO_FATAL_FAILURE(Kill());
        break;
      case 6:
        tsdb_->maintenance().DropCaches();
        break;
      default:
        break;
    }
  }

  // Hides points, and drops hidden ones.
  void Expire() {
    switch (random_.Below(5)) {
      case 0:
        Advance(random_.Below(3600));
        break;
      case 1:
        Note("drop expired");
        ASSERT_OK(tsdb_->retention().DropExpired());
        break;
      case 2:
        store_ttl_s_ = RandomTtl().value_or(0);
        model_.SetStoreTtl(store_ttl_s_);
        Note(fmt::format("open with ttl {}", store_ttl_s_));
        ASSERT_NO_FATAL_FAILURE(Open());
        break;
      case 3:
        ASSERT_NO_FATAL_FAILURE(SetMetricTtl(kMetrics[random_.Below(2)], RandomTtl()));
        break;
      default:
        break;
    }
  }

  void Advance(uint64_t seconds) {
    Note(fmt::format("{} s later", seconds));
    clock_.Advance(static_cast<int64_t>(seconds) * 1000);
    model_.SetNow(clock_.NowMs());
  }

  // Mostly some of the hours that points are of, to the second.
  std::optional<int64_t> RandomTtl() {
    if (random_.Below(6) == 0) return std::nullopt;
    if (random_.Below(6) == 0) return 0;
    return 1 + static_cast<int64_t>(random_.Below(kHours * 3600));
  }

  void SetMetricTtl(const std::string& metric, std::optional<int64_t> ttl_s) {
    Note(fmt::format("ttl of {}: {}", metric, ttl_s.value_or(-1)));
    ASSERT_OK(tsdb_->retention().SetMetricTtl(metric, ttl_s));
    model_.SetMetricTtl(metric, ttl_s);
  }

  // Continues with the files as after kill -9: the dying store cannot change them any more.
  void Kill() {
    fs_->FailOn({.is_lasting = true});
    tsdb_.reset();
    fs_->Heal();
    Open();
  }

  // Every series alone, over a random range: exactly the model's points in it.
  void CheckRange() {
    const std::string& metric = kMetrics[random_.Below(4) == 0 ? 1 : 0];
    const int64_t start = FirstMs() + static_cast<int64_t>(random_.Below(kHours * 3600)) * 1000;
    const int64_t end = start + static_cast<int64_t>(random_.Below(kHours * 3600)) * 1000;
    QuerySpec spec = MakeQuery(Aggregator::kNone, metric, {}, 0, 0);
    spec.start_ms = start;
    spec.end_ms = end;
    const auto result = tsdb_->queries().Query(spec);
    ASSERT_OK(result);
    PointModel::Shown shown;
    for (const ResultSeries& series : result->series) {
      std::vector<ShownPoint>& points = shown[{metric, series.tags.at(0).second}];
      for (const ResultPoint& point : series.points)
        points.push_back({.ms = point.ms, .value = point.value, .is_ms = {}});
    }
    ASSERT_EQ(model_.Fault(metric, start, end, shown), "");
  }

  // One host by its literal name: point reads see the same as the scan of all.
  void CheckOneHost() {
    const std::string host = fmt::format("h{}", random_.Below(kHosts));
    if (!model_.Knows({"m", host})) return;
    const int64_t start = FirstMs();
    const int64_t end = start + kHours * kHourMs;
    const auto result = tsdb_->queries().Query(
        MakeQuery(Aggregator::kCount, "m", {{"host", FilterType::kLiteralOr, host, false}},
                  start / 1000, end / 1000));
    ASSERT_OK(result);
    const auto [certain, possible] = model_.CountBounds({"m", host}, start, end);
    ASSERT_LE(result->series.size(), 1u);
    const size_t points = result->series.empty() ? 0 : result->series[0].points.size();
    ASSERT_GE(points, certain);
    ASSERT_LE(points, possible);
  }

  // A scan of everything: each point with its type and precision.
  void CheckScan() {
    PointModel::Shown shown;
    ASSERT_OK(tsdb_->queries().Scan({}, [&](const ScannedRow& row) {
      std::vector<ShownPoint>& points =
          shown[{std::string(row.metric), std::string(row.tags[0].value)}];
      for (size_t i = 0; i < row.times.size(); ++i) {
        points.push_back(
            {.ms = row.times[i].ms, .value = row.point_values[i], .is_ms = row.times[i].is_ms});
      }
      return true;
    }));
    // Rows come by key: a series' hours by salt epoch, too.
    for (auto& [series, points] : shown)
      std::ranges::stable_sort(points, {}, &ShownPoint::ms);
    ASSERT_EQ(model_.Fault("", 0, kTimestampMsMax, shown), "");
  }

  void CheckTtls() {
    const auto ttls = tsdb_->retention().MetricTtls();
    ASSERT_OK(ttls);
    std::map<std::string, int64_t> by_metric;
    for (const MetricTtl& ttl : *ttls)
      by_metric[ttl.metric] = ttl.ttl_s;
    ASSERT_EQ(by_metric, model_.metric_ttls());
  }

  void RunRound() {
    ASSERT_NO_FATAL_FAILURE(PutBatch());
    ASSERT_NO_FATAL_FAILURE(Disturb());
    ASSERT_NO_FATAL_FAILURE(Expire());
    ASSERT_NO_FATAL_FAILURE(CheckTtls());
    ASSERT_NO_FATAL_FAILURE(CheckRange());
    ASSERT_NO_FATAL_FAILURE(CheckOneHost());
    ASSERT_NO_FATAL_FAILURE(CheckScan());
  }

  // Once all is expired and merged, the points have left the disk, so no TTL brings anything back.
  void ExpireAll() {
    for (const std::string& metric : kMetrics)
      ASSERT_NO_FATAL_FAILURE(SetMetricTtl(metric, 3600));
    Advance((kHours + 26) * 3600);  // a row of a day expires with the day's last point
    ASSERT_NO_FATAL_FAILURE(CheckScan());
    ASSERT_OK(tsdb_->maintenance().Compact());
    for (const std::string& metric : kMetrics)
      ASSERT_NO_FATAL_FAILURE(SetMetricTtl(metric, 0));
    ASSERT_OK(tsdb_->queries().Scan({}, [&](const ScannedRow& row) {
      ADD_FAILURE() << "a row of " << row.metric << " at " << row.base_time_s << " is left";
      return false;
    }));
  }

  void Note(const std::string& what) { history_ += fmt::format("\n  {}", what); }
  static unsigned long long Ull(uint64_t number) { return number; }

  const uint64_t seed_ = Seed();
  Random random_{seed_};
  TempDir directory_;
  std::shared_ptr<FaultFs> fs_ = std::make_shared<FaultFs>();
  std::unique_ptr<rocksdb::Env> env_ = NewRestlessEnv(fs_);
  ManualClock clock_{kFirstMs + 6 * kHourMs};
  std::unique_ptr<Tsdb> tsdb_;
  PointModel model_{clock_.NowMs()};
  int64_t store_ttl_s_ = 0;
  int64_t kept_ttl_s_ = 0;  // at the last open
  int splits_ = 0;
  int merges_ = 0;
  int epochs_ = 0;
  int epochs_refused_ = 0;
  std::string history_;
};

TEST_P(ExpiryModelTest, RandomPutsAndQueriesAgreeWithTheModel) {
  ASSERT_NO_FATAL_FAILURE(Open());
  for (int round = 0; round < kRounds; ++round) {
    Note(fmt::format("round {}", round));
    ASSERT_NO_FATAL_FAILURE(RunRound());
  }
  if (GetParam().regions) {
    EXPECT_GT(splits_, 0) << "the run tells nothing of splits";
    EXPECT_GT(merges_, 0) << "the run tells nothing of merges";
  }
  if (GetParam().epochs) {
    EXPECT_GT(epochs_, 2) << "the run tells nothing of salt epochs";
    EXPECT_GT(epochs_refused_, 0) << "the run tells nothing of epochs at a time that has rows";
  }
  EXPECT_GT(model_.expired_when_put(), 0u) << "the run tells nothing of points that come too late";
  EXPECT_GT(model_.expired_later(), 0u) << "the run tells nothing of points that expire";
  EXPECT_GT(model_.back_in_sight(), 0u) << "the run tells nothing of TTLs that are raised";
  ASSERT_NO_FATAL_FAILURE(ExpireAll());
}

INSTANTIATE_TEST_SUITE_P(
    Options,
    ExpiryModelTest,
    testing::Values(
        Variant{.name = "Plain"},
        Variant{.name = "SaltedTiny", .salt_width = 1, .salt_buckets = 20, .tiny_budgets = true},
        Variant{.name = "HoursAlone", .day_points = 0},
        Variant{.name = "FewPointsInDays", .day_points = 3},
        Variant{.name = "OpenTsdbCells", .cells = CellEncoding::kOpenTsdb},
        Variant{.name = "RegionsOpenTsdbCells", .cells = CellEncoding::kOpenTsdb, .regions = true},
        Variant{.name = "EpochsRegionsTiny",
                .salt_width = 2,
                .salt_buckets = 20,
                .tiny_budgets = true,
                .regions = true,
                .epochs = true}),
    [](const auto& param_info) { return param_info.param.name; });

}  // namespace
}  // namespace hourcell::expiry_model_test
