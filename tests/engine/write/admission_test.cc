#include "engine/write/admission.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <rocksdb/env.h>

#include "engine/tsdb.h"
#include "tests/support/builders.h"
#include "tests/support/fault_fs.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::admission_test {
namespace {

using testing::HasSubstr;

constexpr int64_t kHour = 1356998400;

// A store whose files cannot be created, so that nothing sealed can be flushed.
class AdmissionTest : public testing::Test {
 protected:
  void SetUp() override {
    options_.env = env_.get();
    options_.open_hours_bytes = 64 << 10;
    auto opened = Tsdb::Open(options_);
    ASSERT_OK(opened);
    tsdb_ = *std::move(opened);
  }

  absl::Status PutSome(int64_t second) {
    std::vector<OwnedPoint> points;
    for (int host = 0; host < 200; ++host)
      points.emplace_back("m", fmt::format("host=h{}", host), kHour + second, second);
    std::vector<PointView> views;
    for (OwnedPoint& point : points)
      views.push_back(point.view());
    return tsdb_->points().Append(views, nullptr, {.wait_ms = 0}).Wait();
  }

  int64_t Stat(std::string_view name) {
    for (const StatSample& sample : tsdb_->stats().Snapshot()) {
      if (sample.name == name) return sample.value;
    }
    return -1;
  }

  TempDir directory_;
  std::shared_ptr<FaultFs> fs_ = std::make_shared<FaultFs>();
  std::unique_ptr<rocksdb::Env> env_ = rocksdb::NewCompositeEnv(fs_);
  Options options_ = TinyOptions(directory_.path() + "/store");
  std::unique_ptr<Tsdb> tsdb_;
};

TEST_F(AdmissionTest, AFullStoreRefusesAndTakesPointsAgainWhenThereIsRoom) {
  ASSERT_OK(PutSome(0));
  fs_->FailOn({.operations = FaultFs::kCreate | FaultFs::kAllocate,
               .is_lasting = true,
               .with = FaultFs::Failure::kNoSpace});
  absl::Status refused;
  int64_t second = 1;
  while (refused.ok() && second < 100'000)
    refused = PutSome(second++);
  EXPECT_THAT(refused, StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_LE(Stat("hours.bytes"), 2 * (64 << 10));

  fs_->Heal();
  absl::Status taken = PutSome(second);
  for (int i = 0; i < 300 && !taken.ok(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    taken = PutSome(second);
  }
  EXPECT_OK(taken);
  const auto result = tsdb_->queries().Query(MakeQuery(
      Aggregator::kSum, "m", {{"host", FilterType::kLiteralOr, "h7", false}}, kHour, kHour + 3599));
  ASSERT_OK(result);
  ASSERT_EQ(result->series.size(), 1u);
  EXPECT_GE(result->series[0].points.size(),
            std::min<size_t>(static_cast<size_t>(second) - 1, 3599));
}

}  // namespace
}  // namespace hourcell::admission_test
