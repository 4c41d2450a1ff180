#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/env.h>

#include "codec/base/clock.h"
#include "engine/backup_admin.h"
#include "engine/backup_set.h"
#include "tests/engine/backup/backup_testing.h"
#include "tests/engine/journal/journal_testing.h"
#include "tests/support/fault_fs.h"
#include "tests/support/temp_dir.h"

namespace hourcell::backup_restore_test {
namespace {

using absl::StatusCode;
using testing::AllOf;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;

// Matches a VirtualMetric.
auto IsMetric(const std::string& name, const MetricExpression& expression) {
  return AllOf(Field(&VirtualMetric::name, name), Field(&VirtualMetric::expression, expression));
}

// The values of host h3 in the hour of the points.
std::vector<double> ValuesOf(Tsdb* tsdb, const std::string& metric) {
  QuerySpec spec;
  spec.start_ms = kBackupHour * 1000;
  spec.end_ms = (kBackupHour + 3599) * 1000;
  SubQuery& query = spec.queries.emplace_back();
  query.metric = metric;
  query.filters = {{.tagk = "host", .type = FilterType::kLiteralOr, .filter = "h3"}};
  const auto answer = tsdb->queries().Query(spec);
  EXPECT_OK(answer);
  std::vector<double> values;
  if (!answer.ok()) return values;
  for (const ResultSeries& series : answer->series)
    for (const ResultPoint& point : series.points)
      values.push_back(point.value.ToDouble());
  return values;
}

class BackupRestoreTest : public testing::Test {
 protected:
  void SetUp() override {
    Options options = TinyOptions(dir_.file("store"));
    options.seal_in_background = false;
    const std::unique_ptr<Tsdb> tsdb = OpenTiny(options);
    PutPoints(tsdb.get(), 0, 100);
    ASSERT_OK(tsdb->maintenance().Flush());
    PutPoints(tsdb.get(), 100, 20);
    const auto made = tsdb->maintenance().backups()->Make(dir_.file("backups"));
    ASSERT_OK(made);
    manifest_ = *made;
    dump_ = Dump(tsdb.get());
    auto set = BackupSet::Open(dir_.file("backups"), BackupSet::Use::kRead);
    ASSERT_OK(set);
    set_ = *std::move(set);
  }

  absl::Status Restore(rocksdb::Env* env = nullptr) {
    return RestoreBackup(*set_, manifest_, target_, env);
  }
  void ExpectWhole() {
    Options options = TinyOptions(target_);
    options.create_if_missing = false;
    EXPECT_EQ(Dump(OpenTiny(options).get()), dump_);
  }

  TempDir dir_;
  const std::string target_ = dir_.file("target");
  BackupManifest manifest_;
  std::unique_ptr<BackupSet> set_;
  std::string dump_;
};

TEST_F(BackupRestoreTest, AnEmptyDirectoryIsTakenAnotherIsNot) {
  std::filesystem::create_directory(target_);
  ASSERT_OK(Restore());
  EXPECT_THAT(Restore(), StatusIs(StatusCode::kFailedPrecondition, HasSubstr("expected an empty")));
  ExpectWhole();
}

// The one that was restored is opened without the settings of the one that was backed up.
TEST_F(BackupRestoreTest, TheStoresTtlIsRestored) {
  ManualClock clock((kBackupHour + 86400) * 1000);
  Options options = TinyOptions(dir_.file("short"));
  options.ttl_s = 90'000;
  options.clock = &clock;
  {
    const std::unique_ptr<Tsdb> tsdb = OpenTiny(options);
    PutPoints(tsdb.get(), 0, 100);
    manifest_ = *tsdb->maintenance().backups()->Make(dir_.file("of_short"));
  }
  set_ = *BackupSet::Open(dir_.file("of_short"), BackupSet::Use::kRead);
  ASSERT_OK(Restore());

  clock.Advance(90'000 * 1000);
  Options restored = TinyOptions(target_);
  restored.clock = &clock;
  const std::unique_ptr<Tsdb> tsdb = OpenTiny(restored);
  EXPECT_EQ(tsdb->retention().store_ttl_s(), 90'000);
  EXPECT_EQ(Dump(tsdb.get()), "") << "all have expired";
}

// Each backup has the definitions of its time.
TEST_F(BackupRestoreTest, VirtualMetricsAreRestored) {
  SubQuery input;
  input.metric = "m";
  input.filters = {
      {.tagk = "host", .type = FilterType::kWildcard, .filter = "*", .group_by = true}};
  const MetricExpression sum{.formula = "a + b", .inputs = {input, input}, .missing = 0.5};
  const MetricExpression half{.formula = "a / 2", .inputs = {input}};
  uint64_t ids[2] = {};
  {
    Options options = TinyOptions(dir_.file("virtual"));
    options.seal_in_background = false;
    const std::unique_ptr<Tsdb> tsdb = OpenTiny(options);
    PutPoints(tsdb.get(), 0, 20);
    ASSERT_OK(tsdb->names().DefineMetric("first", sum));
    ids[0] = tsdb->maintenance().backups()->Make(dir_.file("of_virtual"))->id;
    ASSERT_OK(tsdb->names().DefineMetric("first", half));
    ASSERT_OK(tsdb->names().DefineMetric("second", sum));
    ids[1] = tsdb->maintenance().backups()->Make(dir_.file("of_virtual"))->id;
    ASSERT_OK(tsdb->names().DropMetric("second"));
  }
  const auto before = OpenRestored(dir_.file("of_virtual"), ids[0], dir_.file("target0"));
  const auto after = OpenRestored(dir_.file("of_virtual"), ids[1], dir_.file("target1"));

  EXPECT_THAT(*before->names().ListVirtualMetrics(), ElementsAre(IsMetric("first", sum)));
  EXPECT_THAT(*after->names().ListVirtualMetrics(),
              ElementsAre(IsMetric("first", half), IsMetric("second", sum)));
  EXPECT_THAT(ValuesOf(before.get(), "first"), ElementsAre(6, 26));
  EXPECT_THAT(ValuesOf(after.get(), "first"), ElementsAre(1.5, 6.5));
  OwnedPoint point("first", "host=h3", kBackupHour, 1);
  EXPECT_THAT(before->points().Put(point.view()), StatusIs(StatusCode::kInvalidArgument));
}

TEST_F(BackupRestoreTest, AFileInTheWayIsRefused) {
  WriteFile(target_, "x");
  EXPECT_FALSE(Restore().ok());
  EXPECT_EQ(ReadFile(target_), "x");
}

TEST_F(BackupRestoreTest, WhatAnEarlierOneLeftIsRemovedAndNothingElse) {
  std::filesystem::create_directories(target_ + ".restoring/db");
  WriteFile(target_ + ".restoring/db/CURRENT", "old");
  ASSERT_OK(Restore());
  ExpectWhole();
  EXPECT_FALSE(std::filesystem::exists(target_ + ".restoring"));

  std::filesystem::remove_all(target_);
  std::filesystem::create_directories(target_ + ".restoring/mine");
  EXPECT_THAT(Restore(), StatusIs(StatusCode::kFailedPrecondition, HasSubstr("got mine in it")));
}

// Damages each file in turn: one byte, the end, the whole.
TEST_F(BackupRestoreTest, DamageIsRefusedAndLeavesNoStore) {
  for (const BackupFile& file : manifest_.files) {
    SCOPED_TRACE(file.path);
    const std::string path = set_->PathOf(file);
    const std::string content = ReadFile(path);
    if (content.empty()) continue;
    Damage(path, content.size() / 2);
    EXPECT_THAT(Restore(), StatusIs(StatusCode::kDataLoss, HasSubstr("expected the CRC")));
    WriteFile(path, content.substr(0, content.size() - 1));
    EXPECT_THAT(Restore(), StatusIs(StatusCode::kDataLoss, HasSubstr("bytes, got")));
    std::filesystem::remove(path);
    EXPECT_THAT(Restore(), StatusIs(StatusCode::kDataLoss, HasSubstr("missing")));
    EXPECT_FALSE(std::filesystem::exists(target_));
    WriteFile(path, content);
  }
  ASSERT_OK(Restore());
  ExpectWhole();
}

// A power loss after a fault at every write: no store is there, or the whole one.
TEST_F(BackupRestoreTest, AFaultAtAnyWriteLeavesNoStoreOrAWholeOne) {
  const auto fs = std::make_shared<FaultFs>();
  const std::unique_ptr<rocksdb::Env> env = rocksdb::NewCompositeEnv(fs);
  uint64_t faults = 0;
  for (; faults < 1000; ++faults) {
    SCOPED_TRACE(testing::Message() << "fault " << faults);
    fs->FailOn({.nth = faults + 1, .is_lasting = true});
    const absl::Status restored = Restore(env.get());
    fs->Heal();
    fs->LoseUnsynced(faults);
    if (restored.ok()) break;
    if (!std::filesystem::exists(target_)) continue;
    ExpectWhole();
    std::filesystem::remove_all(target_);
  }
  EXPECT_GE(faults, 3 * manifest_.files.size());
  EXPECT_LT(faults, 1000u) << "never through";
  ExpectWhole();
}

}  // namespace
}  // namespace hourcell::backup_restore_test
