// Rollups by rules (docs/decisions/0039): at any moment, a query that reads levels gets the answer
// of the points. The store takes late points, overwrites, deletes, undos, renames, other rules and
// restarts in any order, and loses its power at any write.
//
// HOURCELL_TEST_SEED is the seed of the first store, and HOURCELL_ROLLUP_STEPS the number of steps;
// the everyday suite has 8,000. A million steps lose the power about 5,000 times.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rocksdb/env.h>

#include "codec/base/clock.h"
#include "codec/base/random.h"
#include "engine/query/result_collector.h"
#include "engine/salt_admin.h"
#include "engine/tsdb.h"
#include "tests/support/builders.h"
#include "tests/support/fault_fs.h"
#include "tests/support/restless_env.h"
#include "tests/support/sanitizers.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::rollup_model_test {
namespace {

constexpr int64_t kStart = 1356998400;  // a midnight
constexpr int64_t kHour = 3600;
constexpr int64_t kDay = 86'400;
constexpr int kStepsOfAStore = 1000;
// Steps after which the power is gone, if no write failed before.
constexpr int kStepsToDie = 30;
// How long a put waits for room in the smallest stores.
constexpr int64_t kRoomWaitMs = 5;

constexpr std::string_view kMetrics[] = {"m", "n", "o"};
// Without a TTL of the points; empty: a program without rules.
constexpr std::string_view kRules[] = {
    "m 10m, 1h (sum count), 6h (max min); n 1h",
    "m{host=0|1} 10m, 6h (max count sum); o 30m",
    "* 30m (sum count max), 1d (sum count min)",
    "",
};
constexpr std::string_view kRulesThatExpire[] = {
    "o raw for 3d, 10m for 10d, 1h; * raw for 3d, 1h (sum count)",
    "m 10m for 5d, 1h; n raw for 2d, 6h",
    "",
};
// The last begins up to a month before the range.
constexpr std::string_view kDownsamples[] = {
    "10m-sum", "30m-avg", "1h-count",       "1h-avg",       "6h-max", "12h-min",
    "1d-avg",  "1dc-sum", "1h-mimmax-zero", "2h-count-nan", "1nc-sum"};

uint64_t StepsWanted() {
  const char* const text = std::getenv("HOURCELL_ROLLUP_STEPS");
  if (text != nullptr) return std::strtoull(text, nullptr, 10);
  return kIsSanitized ? kStepsOfAStore : 8 * kStepsOfAStore;
}

uint64_t FirstSeed() {
  const char* const text = std::getenv("HOURCELL_TEST_SEED");
  return text != nullptr ? std::strtoull(text, nullptr, 10) : 20261127;
}

// One store, and what happens to it.
class RollupScript {
 public:
  explicit RollupScript(uint64_t seed)
      : random_(seed), changes_rules_(random_.Below(2) == 0), expires_(random_.Below(4) == 0) {
    options_.clock = &clock_;
    options_.env = env_.get();
    options_.seal_in_background = false;
    options_.sync = random_.Below(2) == 0 ? Durability::kAlways : Durability::kInterval;
    options_.undo_s = random_.Below(2) == 0 ? 0 : kDay;
    options_.day_row_points = random_.Below(2) == 0 ? 0 : 250;
    options_.layout.salt_width = random_.Below(2);
    options_.layout.salt_buckets = options_.layout.salt_width == 0 ? 1 : 4;
    if (random_.Below(2) == 0) {
      options_.open_hours_bytes = 64 << 10;
      options_.journal_segment_bytes = 4 << 10;
      options_.journal_bytes = 32 << 10;
    }
    Open(/*may_fail=*/false);
  }

  void Step() {
    if (steps_to_die_ > 0 && --steps_to_die_ == 0) return LosePower();
    if (tsdb_ == nullptr) return;
    switch (random_.Below(24)) {
      case 0:
        return PassTime();
      case 1:
        return Note(tsdb_->maintenance().ComputeRollups());
      case 2:
        return random_.Below(2) == 0 ? Note(tsdb_->maintenance().Seal())
                                     : Note(tsdb_->maintenance().Flush());
      case 3:
        return Delete();
      case 4:
        return EndDelete();
      case 5:
        return random_.Below(4) == 0 ? ChangeNames() : Tend();
      case 6:
        return random_.Below(4) == 0 ? Reopen() : PassTime();
      case 7:
        return random_.Below(8) == 0 ? BeginToDie() : PassTime();
      case 8:
      case 9:
      case 10:
      case 11:
        return Check();
      default:
        return Put();
    }
  }

  // At last nothing waits, and the levels alone answer.
  void End() {
    if (steps_to_die_ > 0) LosePower();
    for (int hour = 0; hour < 8; ++hour)
      PassTime();
    for (int i = 0; i < 40; ++i)
      Check();
    Note(tsdb_->Close());
    tsdb_.reset();
  }

  uint64_t losses() const { return losses_; }
  uint64_t by_levels() const { return by_levels_; }

 private:
  int64_t Below(int64_t bound) {
    return static_cast<int64_t>(random_.Below(static_cast<uint64_t>(bound)));
  }
  std::string AnyMetric() { return std::string(kMetrics[random_.Below(std::size(kMetrics))]); }

  // A call may meet a name that is absent or taken, but fails otherwise only without power. The
  // store is soon gone then: calls that need room would wait for the disk, ten seconds each.
  void Note(const absl::Status& status) {
    if (steps_to_die_ > 0 && !status.ok() && random_.Below(2) == 0) steps_to_die_ = 1;
    if (steps_to_die_ > 0 || status.ok() || absl::IsNotFound(status) ||
        absl::IsAlreadyExists(status) || absl::IsFailedPrecondition(status) ||
        absl::IsInvalidArgument(status)) {
      return;
    }
    ADD_FAILURE() << status.ToString();
  }

  void Open(bool may_fail) {
    if (is_first_ || (changes_rules_ && random_.Below(3) == 0)) {
      const std::string_view rules =
          expires_ ? kRulesThatExpire[random_.Below(std::size(kRulesThatExpire))]
                   : kRules[random_.Below(std::size(kRules))];
      is_first_ = false;
      rules_ = rules;
      options_.rollup_rules.reset();
      if (!rules.empty()) options_.rollup_rules = *MetricRules::Parse(rules);
    }
    absl::StatusOr<std::unique_ptr<Tsdb>> opened = Tsdb::Open(options_);
    if (opened.ok()) {
      tsdb_ = *std::move(opened);
      return;
    }
    if (!may_fail) ADD_FAILURE() << opened.status().ToString();
  }

  void Reopen() {
    Note(tsdb_->Close());
    tsdb_.reset();
    Open(/*may_fail=*/steps_to_die_ > 0);
  }

  void BeginToDie() {
    if (steps_to_die_ > 0) return;
    fs_->FailOn({.nth = 1 + random_.Below(400), .is_lasting = true});
    steps_to_die_ = kStepsToDie;
  }

  void LosePower() {
    steps_to_die_ = 0;
    ++losses_;
    tsdb_.reset();
    fs_->LoseUnsynced(random_.Next(), FaultFs::Loss::kEnds);
    fs_->Heal();
    Open(/*may_fail=*/false);
    if (tsdb_ != nullptr) Check();
  }

  void PassTime() {
    now_ += Below(2 * kHour);
    clock_.Set((kStart + now_) * 1000);
    Note(tsdb_->maintenance().SealDue());
    Note(tsdb_->maintenance().ComputeRollups());
  }

  // Late points, those of now, and some of the next hour.
  void Put() {
    const std::string metric = AnyMetric();
    const int64_t first = std::max<int64_t>(0, now_ - 3 * kDay);
    const bool is_late = random_.Below(3) == 0;
    for (int64_t i = Below(8); i >= 0; --i) {
      const int64_t from = is_late ? first : std::max(first, now_ - kHour);
      OwnedPoint point(metric, fmt::format("host={}", random_.Below(3)),
                       kStart + from + Below(now_ + kHour - from), Below(1000) - 500);
      const PointView view = point.view();
      const CommitTicket ticket = tsdb_->points().Append(
          std::span<const PointView>(&view, 1), /*refused=*/nullptr, {.wait_ms = kRoomWaitMs});
      const absl::Status put = ticket.Wait();
      if (!absl::IsUnavailable(put)) Note(put);  // no room
    }
  }

  void Delete() {
    if (changes_rules_) return;
    if (random_.Below(2) == 0) return;
    const int64_t from = Below(now_);
    QuerySpec spec = MakeQuery(Aggregator::kNone, AnyMetric(), {}, kStart + from,
                               kStart + from + Below(12 * kHour));
    const std::string host = fmt::format("{}", random_.Below(3));
    if (random_.Below(3) != 0) {
      spec.queries[0].filters = {*ParseTagValueFilter("host", host, /*group_by=*/false)};
    }
    // Of all metrics.
    if (!spec.queries[0].filters.empty() && random_.Below(8) == 0) spec.queries[0].metric.clear();
    const absl::StatusOr<DeletedPoints> deleted = tsdb_->points().DeletePoints(spec);
    Note(deleted.status());
    if (deleted.ok() && deleted->undo_id != 0) deletes_.push_back(deleted->undo_id);
  }

  void EndDelete() {
    if (deletes_.empty()) return;
    const auto one = deletes_.begin() + Below(static_cast<int64_t>(deletes_.size()));
    Note(random_.Below(4) == 0 ? tsdb_->points().Forget(*one) : tsdb_->points().Undo(*one));
    deletes_.erase(one);
  }

  void ChangeNames() {
    switch (random_.Below(4)) {
      case 0:
      case 1:
        return Note(tsdb_->names().RenameUid(UidKind::kMetric, AnyMetric(), AnyMetric()));
      case 2:
        return Note(tsdb_->names().RenameUid(UidKind::kTagv, fmt::format("{}", random_.Below(3)),
                                             fmt::format("{}", random_.Below(4))));
      default: {
        SubQuery input;
        input.aggregator = Aggregator::kNone;
        input.metric = AnyMetric();
        return Note(tsdb_->names().DefineMetric("v", {.formula = "a * 2", .inputs = {input}}));
      }
    }
  }

  void Tend() {
    switch (random_.Below(5)) {
      case 0:
        return Note(tsdb_->retention().RebuildRollups(AnyMetric(), kStart + Below(now_)));
      case 1:
        return Note(tsdb_->retention().DropExpired().status());
      case 2:
        return Note(tsdb_->maintenance().Compact());
      case 3:
        if (options_.layout.salt_width == 0) return;
        return Note(
            tsdb_->maintenance().salt()->Change(static_cast<uint32_t>(1 + Below(8)), std::nullopt));
      default:
        tsdb_->maintenance().DropCaches();
    }
  }

  // The same query by levels and by points alone.
  void Check() {
    const int64_t from = std::max<int64_t>(0, expires_ ? now_ - kDay - Below(kHour) : Below(now_));
    QuerySpec spec = MakeQuery(random_.Below(2) == 0 ? Aggregator::kSum : Aggregator::kNone,
                               random_.Below(8) == 0 ? "v" : AnyMetric(), {}, kStart + from,
                               kStart + from + 1 + Below(3 * kDay));
    spec.queries[0].downsample = *ParseDownsampleSpec(
        kDownsamples[random_.Below(std::size(kDownsamples) - (expires_ ? 1 : 0))]);
    if (random_.Below(3) == 0) {
      spec.queries[0].filters = {*ParseTagValueFilter("host", "*", /*group_by=*/true)};
    }
    std::string method;
    const std::string by_levels = AnswerOf(spec, &method);
    if (method.find("_rollup/") != std::string::npos) ++by_levels_;
    spec.may_use_rollups = false;
    std::string of_points;
    const std::string by_points = AnswerOf(spec, &of_points);
    if (steps_to_die_ > 0) return;  // each may fail alone
    EXPECT_EQ(by_levels, by_points)
        << method << " from " << from << " now " << now_ << " rules " << rules_;
  }

  std::string AnswerOf(const QuerySpec& spec, std::string* method) {
    QueryResult result;
    ResultCollector collector(&result);
    QueryControl control;
    const absl::Status ran = tsdb_->queries().Query(spec, &collector, &control);
    Note(ran);
    if (!ran.ok()) return ran.ToString();
    for (const PlanReport& plan : control.plans())
      *method += plan.method;
    std::string text;
    for (const ResultSeries& series : result.series) {
      text += series.metric;
      for (const auto& [key, value] : series.tags)
        text += fmt::format(" {}={}", key, value);
      for (const ResultPoint& point : series.points)
        text += fmt::format(" {}:{:.6f}", point.ms / 1000 - kStart, point.value.ToDouble());
      text += '\n';
    }
    return text;
  }

  Random random_;
  // Deletes while no rule computes a metric may leave levels, and its next rule keeps them.
  const bool changes_rules_;
  const bool expires_;  // points have TTLs: older ranges are answered by the levels alone
  TempDir directory_;
  const std::shared_ptr<FaultFs> fs_ = std::make_shared<FaultFs>();
  const std::unique_ptr<rocksdb::Env> env_ = NewRestlessEnv(fs_);
  ManualClock clock_{kStart * 1000};
  Options options_ = TinyOptions(directory_.file("store"));
  std::string rules_;
  bool is_first_ = true;  // the store is not opened yet
  std::unique_ptr<Tsdb> tsdb_;
  int64_t now_ = 3 * kHour;
  int steps_to_die_ = 0;  // 0: the power stays
  std::vector<uint64_t> deletes_;
  uint64_t losses_ = 0;
  uint64_t by_levels_ = 0;  // checks that read a level
};

TEST(RollupModelTest, AnswersAreThoseOfThePointsAtAnyMoment) {
  const uint64_t first_seed = FirstSeed();
  uint64_t losses = 0;
  uint64_t by_levels = 0;
  const uint64_t stores = std::max<uint64_t>(1, StepsWanted() / kStepsOfAStore);
  for (uint64_t seed = first_seed; seed < first_seed + stores && !testing::Test::HasFailure();
       ++seed) {
    SCOPED_TRACE(fmt::format("HOURCELL_TEST_SEED={}", seed));
    RollupScript script(seed);
    for (int step = 0; step < kStepsOfAStore && !testing::Test::HasFailure(); ++step)
      script.Step();
    if (!testing::Test::HasFailure()) script.End();
    losses += script.losses();
    by_levels += script.by_levels();
  }
  std::printf("%lu stores, %lu losses of power, %lu answers by levels\n", stores, losses,
              by_levels);
  // The rules of one store may fit none of its queries.
  if (stores >= 4) {
    EXPECT_GT(by_levels, 20 * stores);
  }
}

}  // namespace
}  // namespace hourcell::rollup_model_test
