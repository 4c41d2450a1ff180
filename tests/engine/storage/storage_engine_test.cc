#include "engine/storage/storage_engine.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "codec/base/status_macros.h"
#include "engine/backup_admin.h"
#include "engine/fsck_admin.h"
#include "engine/journal/file_journal.h"
#include "engine/parallel_scan.h"
#include "engine/region_admin.h"
#include "engine/rocks/rocks_storage.h"
#include "engine/tsdb.h"
#include "tests/support/builders.h"
#include "tests/support/mem_table_store.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::storage_engine_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

constexpr int64_t kHour = 1356998400;

// An engine of another program, whose store no other process shares.
class OwnStorage : public StorageEngine {
 public:
  explicit OwnStorage(const Options& options) : rocks_(options) {}

  std::string_view name() const override { return "own"; }
  absl::StatusOr<OpenedStorage> Open(
      const std::function<void(std::string_view message)>& warn) override {
    return rocks_.Open(warn);
  }

 private:
  RocksStorage rocks_;
};

Options OwnOptions(const TempDir& directory) {
  Options options = TinyOptions(directory.path());
  options.storage = std::make_shared<OwnStorage>(options);
  return options;
}

TEST(StorageEngineTest, AnEngineThatIsNotSharedIsOpenedAlone) {
  const TempDir directory;
  const Options options = OwnOptions(directory);
  {
    const auto tsdb = Tsdb::Open(options);
    ASSERT_OK(tsdb);
    OwnedPoint point("m", "h=a", kHour, 42);
    ASSERT_OK((*tsdb)->points().Put(point.view()));
    const ClusterView cluster = (*tsdb)->maintenance().Cluster();
    EXPECT_EQ(cluster.engine, "own");
    EXPECT_THAT(cluster.nodes, ElementsAre(ClusterNode{.address = {}, .is_writer = true}));
  }

  const auto tsdb = Tsdb::Open(options);
  ASSERT_OK(tsdb);
  const auto result =
      (*tsdb)->queries().Query(MakeQuery(Aggregator::kSum, "m", {}, kHour, kHour + 60));
  ASSERT_OK(result);
  ASSERT_EQ(result->series.size(), 1u);
  EXPECT_EQ(result->series[0].points[0].value.ToDouble(), 42);
}

TEST(StorageEngineTest, AnEngineThatIsNotSharedCannotBeFollowed) {
  const TempDir directory;
  Options options = OwnOptions(directory);
  options.follow = true;

  EXPECT_THAT(Tsdb::Open(options),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("storage \"own\"")));
}

// An engine that divides its tables by itself. They are in memory; no test opens it again.
class UndividedTables : public MemTableStore {
 public:
  TableCapabilities capabilities() const override {
    TableCapabilities promised = MemTableStore::capabilities();
    promised.Add(TableCapability::kDurable);
    return promised;
  }
  RegionStore* regions() override { return nullptr; }
};

class UndividedStorage : public StorageEngine {
 public:
  explicit UndividedStorage(std::string directory) : directory_(std::move(directory)) {}

  std::string_view name() const override { return "undivided"; }
  absl::StatusOr<OpenedStorage> Open(
      const std::function<void(std::string_view message)>& /*warn*/) override {
    OpenedStorage opened;
    opened.tables = std::make_unique<UndividedTables>();
    HOURCELL_ASSIGN_OR_RETURN(opened.journal,
                              FileJournal::Open({.directory = directory_, .low_mark = 1}));
    return opened;
  }

 private:
  const std::string directory_;
};

TEST(StorageEngineTest, AnEngineWithoutRegionsRefusesTheirChangesInWords) {
  const TempDir directory;
  Options options = TinyOptions(directory.file("store"));
  options.storage = std::make_shared<UndividedStorage>(directory.file("journal"));
  const auto tsdb = Tsdb::Open(options);
  ASSERT_OK(tsdb);
  OwnedPoint point("m", "h=a", kHour, 42);
  ASSERT_OK((*tsdb)->points().Put(point.view()));
  ASSERT_OK((*tsdb)->maintenance().Seal());
  const auto refused =
      StatusIs(absl::StatusCode::kUnimplemented, "undivided: the service divides tables by itself");

  RegionAdmin& regions = *(*tsdb)->maintenance().regions();
  EXPECT_THAT(regions.Split({.region = "1"}), refused);
  EXPECT_THAT(regions.Merge("data", {"1", "2"}), refused);
  EXPECT_THAT(regions.RollingSplit("data", "keys:a"), refused);
  EXPECT_THAT(regions.AbandonRollingSplit("data"), StatusIs(absl::StatusCode::kNotFound));
  EXPECT_THAT(regions.UnfinishedRollingSplit("data"), IsOkAndHolds(std::nullopt));
  EXPECT_THAT(regions.List("data", ListDetail::kExplained), IsOkAndHolds(SizeIs(1)));
  EXPECT_THAT(regions.Check("data"), IsOkAndHolds(SizeIs(0)));
  EXPECT_OK(regions.Loads("data", 0, ListDetail::kPlain));
  EXPECT_OK((*tsdb)->maintenance().fsck()->Check({}));
  EXPECT_OK((*tsdb)->queries().PlanScan({}, {.workers = 2}));
  EXPECT_THAT((*tsdb)->maintenance().backups()->Make(directory.file("backup"), {}),
              StatusIs(absl::StatusCode::kUnimplemented));
  ASSERT_OK((*tsdb)->Close());
}

TEST(StorageEngineTest, AnEngineWithoutRegionsRefusesAPresplit) {
  const TempDir directory;
  Options options = TinyOptions(directory.file("store"));
  options.presplit = "hex:4";
  options.storage = std::make_shared<UndividedStorage>(directory.file("journal"));

  EXPECT_THAT(Tsdb::Open(options), StatusIs(absl::StatusCode::kUnimplemented,
                                            "undivided: the service divides tables by itself"));
}

}  // namespace
}  // namespace hourcell::storage_engine_test
