#include "engine/undo/rename_log.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "codec/base/clock.h"
#include "engine/fsck.h"
#include "engine/tsdb.h"
#include "tests/support/builders.h"
#include "tests/support/status_matchers.h"
#include "tests/support/store_copy.h"
#include "tests/support/temp_dir.h"

namespace hourcell::rename_log_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr int64_t kStart = 1'356'998'400;
constexpr int64_t kUndoS = 7 * 86'400;

class RenameUndoTest : public testing::Test {
 protected:
  void SetUp() override {
    options_.clock = &clock_;
    options_.seal_in_background = false;
    options_.undo_s = kUndoS;
    Open();
    Put("m", "h=a");
    Put("n", "h=b");
  }

  void Open() {
    tsdb_.reset();
    auto opened = Tsdb::Open(options_);
    ASSERT_OK(opened);
    tsdb_ = *std::move(opened);
  }

  void Crash() {
    auto copy = std::make_unique<TempDir>();
    options_.path = CopyStore(options_.path, *copy);
    Open();
    directories_.push_back(std::move(copy));
  }

  void Put(const std::string& metric, const std::string& tags) {
    ASSERT_OK(tsdb_->points().Put(OwnedPoint(metric, tags, kStart, 1).view()));
  }

  absl::Status Rename(UidKind kind, const std::string& name, const std::string& new_name) {
    return tsdb_->names().RenameUid(kind, name, new_name);
  }

  std::vector<std::string> Metrics() { return *tsdb_->names().Suggest(UidKind::kMetric, "", 100); }

  std::vector<UidRename> List() {
    const auto list = tsdb_->names().Renames();
    EXPECT_OK(list);
    return list.value_or(std::vector<UidRename>());
  }

  TempDir directory_;
  ManualClock clock_{(kStart + 3600) * 1000};
  Options options_ = TinyOptions(directory_.path() + "/store");
  std::vector<std::unique_ptr<TempDir>> directories_;
  std::unique_ptr<Tsdb> tsdb_;
};

TEST_F(RenameUndoTest, AnUndoRenamesBack) {
  ASSERT_OK(Rename(UidKind::kMetric, "m", "wrong"));
  ASSERT_OK(Rename(UidKind::kTagk, "h", "host"));
  ASSERT_THAT(List(), SizeIs(2));
  const UidRename first = List().front();
  EXPECT_EQ(first.id, 1u);
  EXPECT_EQ(first.renamed_ms, clock_.NowMs());
  EXPECT_EQ(first.undo_until_ms, clock_.NowMs() + kUndoS * 1000);
  EXPECT_EQ(first.row.kind, UidKind::kMetric);
  EXPECT_EQ(first.row.name, "wrong");
  EXPECT_EQ(first.row.uid_bytes, tsdb_->names().FindUid(UidKind::kMetric, "wrong")->uid_bytes);
  EXPECT_EQ(first.old_name, "m");

  Crash();
  ASSERT_OK(tsdb_->names().UndoRename(1));
  EXPECT_THAT(Metrics(), ElementsAre("m", "n"));
  ASSERT_OK(tsdb_->names().UndoRename(2));
  EXPECT_OK(tsdb_->names().FindUid(UidKind::kTagk, "h"));
  Crash();
  EXPECT_THAT(Metrics(), ElementsAre("m", "n"));
  EXPECT_THAT(List(), IsEmpty()) << "an undo has no record";
  EXPECT_THAT(tsdb_->names().UndoRename(1),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("change 1: not found")));
}

TEST_F(RenameUndoTest, AnUndoIsRefusedIfTheNamesAreOthers) {
  ASSERT_OK(Rename(UidKind::kMetric, "m", "x"));
  ASSERT_OK(Rename(UidKind::kMetric, "x", "y"));
  EXPECT_THAT(
      tsdb_->names().UndoRename(1),
      StatusIs(absl::StatusCode::kFailedPrecondition,
               HasSubstr("change 1: expected the metrics to have the name \"x\", got \"y\"")));
  Put("x", "h=a");
  EXPECT_THAT(tsdb_->names().UndoRename(2),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("change 2: another of the metrics has the name \"x\" now")));
  ASSERT_OK(tsdb_->names().DeleteUid(UidKind::kMetric, "y"));
  EXPECT_THAT(tsdb_->names().UndoRename(2),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("got none")));
  EXPECT_THAT(Metrics(), ElementsAre("n", "x"));
  EXPECT_THAT(List(), SizeIs(2)) << "a refused undo changes nothing";
}

TEST_F(RenameUndoTest, ARefusedRenameHasNoRecord) {
  EXPECT_THAT(Rename(UidKind::kMetric, "m", "n"), testing::Not(StatusIs(absl::StatusCode::kOk)));
  EXPECT_THAT(Rename(UidKind::kMetric, "none", "other"), StatusIs(absl::StatusCode::kNotFound));
  EXPECT_THAT(Rename(UidKind::kMetric, "m", ""), testing::Not(StatusIs(absl::StatusCode::kOk)));
  EXPECT_THAT(List(), IsEmpty());
}

TEST_F(RenameUndoTest, AfterItsTimeARenameStays) {
  ASSERT_OK(Rename(UidKind::kMetric, "m", "x"));
  clock_.Advance(kUndoS * 1000 - 1);
  ASSERT_OK(tsdb_->retention().DropExpired());
  EXPECT_THAT(List(), SizeIs(1));
  clock_.Advance(1);
  ASSERT_OK(tsdb_->retention().DropExpired());
  EXPECT_THAT(List(), IsEmpty());

  ASSERT_OK(Rename(UidKind::kMetric, "n", "y"));
  EXPECT_EQ(List().front().id, 2u) << "ids are not reused";
  EXPECT_THAT(tsdb_->names().ForgetRename(1), StatusIs(absl::StatusCode::kNotFound));
  ASSERT_OK(tsdb_->names().ForgetRename(2));
  EXPECT_THAT(List(), IsEmpty());
  EXPECT_THAT(Metrics(), ElementsAre("x", "y"));
}

TEST_F(RenameUndoTest, WithoutUndoThereIsNoRecord) {
  options_.undo_s = 0;
  Open();
  ASSERT_OK(Rename(UidKind::kMetric, "m", "x"));
  EXPECT_THAT(List(), IsEmpty());
}

// As with every rename, levels of rollups and expressions follow.
TEST_F(RenameUndoTest, LevelsAndExpressionsFollow) {
  Put("_rollup/1h-sum/m", "h=a");
  MetricExpression twice{.formula = "2 * a", .inputs = {}};
  twice.inputs =
      MakeQuery(Aggregator::kSum, "m", {{"h", FilterType::kWildcard, "*", true}}, 0, 0).queries;
  ASSERT_OK(tsdb_->names().DefineMetric("twice", twice));
  const auto input = [&] {
    const auto metrics = tsdb_->names().ListVirtualMetrics();
    return metrics.ok() && metrics->size() == 1 ? metrics->front().expression.inputs[0].metric : "";
  };
  ASSERT_OK(Rename(UidKind::kMetric, "m", "x"));
  EXPECT_OK(tsdb_->names().FindUid(UidKind::kMetric, "_rollup/1h-sum/x"));
  EXPECT_EQ(input(), "x");
  ASSERT_OK(tsdb_->names().UndoRename(1));
  EXPECT_EQ(input(), "m");
  EXPECT_OK(tsdb_->names().FindUid(UidKind::kMetric, "_rollup/1h-sum/m"));
}

TEST_F(RenameUndoTest, RecordsAreChecked) {
  ASSERT_OK(Rename(UidKind::kMetric, "m", "x"));
  ASSERT_OK(tsdb_->Close());
  const auto report = RunFsck(options_, {});
  ASSERT_OK(report);
  EXPECT_EQ(report->faults(), 0u);
}

}  // namespace
}  // namespace hourcell::rename_log_test
