#include "engine/storage/storage_engine.h"

#include <functional>
#include <memory>
#include <string_view>

#include "engine/rocks/rocks_storage.h"
#include "engine/tsdb.h"
#include "tests/support/builders.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::storage_engine_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

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

}  // namespace
}  // namespace hourcell::storage_engine_test
