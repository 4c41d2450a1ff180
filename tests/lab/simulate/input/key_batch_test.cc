#include "bench/lab/simulate/input/key_batch.h"

#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/lab/simulate/input/fleet.h"
#include "tests/support/status_matchers.h"

namespace hourcell::key_batch_test {
namespace {

using absl::StatusCode;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

std::string TextOf(const SourcePut& put) {
  return fmt::format("{} {} {} {} {} {} {}", put.parts.tsuid, put.parts.number, put.parts.time_ms,
                     put.key, put.now_ms, put.puts, put.begins_row);
}

// Some keys, then an error or the end; each put's views are gone with the next.
class FewKeys final : public PutSource {
 public:
  FewKeys(int keys, absl::Status end) : keys_(keys), end_(std::move(end)) {}
  absl::StatusOr<bool> Next(SourcePut* put) override {
    if (given_ == keys_) {
      if (end_.ok()) return false;
      return end_;
    }
    key_ = fmt::format("key{}", given_++);
    *put = {.key = key_, .row_key = key_};
    return true;
  }
  uint64_t start_ms() const override { return 0; }
  uint64_t duration_ms() const override { return 0; }

 private:
  const int keys_;
  const absl::Status end_;
  int given_ = 0;
  std::string key_;
};

TEST(KeyBatchTest, HasThePutsOfTheSourceInTheirOrder) {
  const FleetSpec spec = *ParseFleet("metrics=3,tags=host:50/cpu:7,duration=3h,late=0.1:1h");
  const auto one_by_one = MakeFleet(spec, FleetSteps::kRows, 1);
  const auto source = MakeFleet(spec, FleetSteps::kRows, 1);
  KeyBatch batch;
  SourcePut put;
  size_t puts = 0;
  while (true) {
    ASSERT_OK(batch.Fill(source.get()));
    if (batch.puts().empty()) break;
    for (const SourcePut& batched : batch.puts()) {
      ASSERT_THAT(one_by_one->Next(&put), IsOkAndHolds(true));
      ASSERT_EQ(TextOf(batched), TextOf(put)) << puts;
      ++puts;
    }
  }
  EXPECT_THAT(one_by_one->Next(&put), IsOkAndHolds(false));
  EXPECT_EQ(puts, 3U * 3 * 50 * 7);
}

TEST(KeyBatchTest, ErrorsComeAfterThePutsBeforeThem) {
  FewKeys source(3, absl::InvalidArgumentError("line 4"));
  KeyBatch batch;

  EXPECT_THAT(batch.Fill(&source), StatusIs(StatusCode::kInvalidArgument, HasSubstr("line 4")));
  ASSERT_THAT(batch.puts(), SizeIs(3));
  EXPECT_EQ(batch.puts()[0].key, "key0");
  EXPECT_EQ(batch.puts()[2].row_key, "key2");
}

TEST(KeyBatchTest, IsFilledAgainUntilTheEnd) {
  FewKeys source(KeyBatch::kPutsMax + 1, absl::OkStatus());
  KeyBatch batch;

  EXPECT_OK(batch.Fill(&source));
  EXPECT_THAT(batch.puts(), SizeIs(KeyBatch::kPutsMax));
  EXPECT_OK(batch.Fill(&source));
  ASSERT_THAT(batch.puts(), SizeIs(1));
  EXPECT_EQ(batch.puts()[0].key, fmt::format("key{}", KeyBatch::kPutsMax));
  EXPECT_OK(batch.Fill(&source));
  EXPECT_THAT(batch.puts(), IsEmpty());
}

}  // namespace
}  // namespace hourcell::key_batch_test
