#include "engine/bigtable/writer/lease_row.h"

#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/bytes.h"
#include "engine/bigtable/api/bigtable_channels.h"
#include "engine/bigtable/rows/stored_row.h"
#include "tests/engine/bigtable/bigtable_engine.h"
#include "tests/support/status_matchers.h"

namespace hourcell::lease_row_test {
namespace {

using absl::StatusCode;
using testing::HasSubstr;
using testing::Optional;

class LeaseRowTest : public testing::Test {
 protected:
  LeaseRowTest() {
    const BigtableOptions options = QuickBigtableOptions(fake_);
    client_ = std::make_unique<BigtableClient>(options, *OpenBigtableChannels(options));
    EXPECT_OK(client_->CreateTable("hourcell-system", "h"));
  }

  std::unique_ptr<LeaseRow> Make(uint64_t writer) {
    return std::make_unique<LeaseRow>(client_.get(), writer, "a:1", &losses_[writer]);
  }
  LeaseState Now() {
    absl::StatusOr<LeaseState> state = ReadLease(client_.get());
    EXPECT_OK(state);
    return state.value_or(LeaseState());
  }

  FakeBigtable fake_;
  LeaseLoss losses_[4];
  std::unique_ptr<BigtableClient> client_;
};

// The bytes of the row: the column `a` is that of SystemRowsTest.TheActiveNodeAsBytes.
TEST_F(LeaseRowTest, TheRowAsBytes) {
  const auto lease = Make(1);
  ASSERT_OK(lease->Acquire(Now()));
  ASSERT_OK(lease->StoreLogStart(258));

  FakeRow row = fake_.TableOf("hourcell-system")["active"];
  EXPECT_EQ(ToHex(row["a"][MicrosOf(FirstVersionOf(1) + 1)]),
            "0000000000000001000000000000000100613a31");
  EXPECT_EQ(ToHex(row["s"][MicrosOf(FirstVersionOf(1) + 2)]), "0000000000000102");
  EXPECT_THAT(Now().log_start, Optional(258U));
  EXPECT_EQ(Now().version, FirstVersionOf(1) + 2);
}

TEST_F(LeaseRowTest, OfTwoThatSawTheSameOneTakesIt) {
  const LeaseState seen = Now();
  const auto first = Make(1);
  const auto second = Make(2);

  ASSERT_OK(second->Acquire(seen));
  EXPECT_THAT(first->Acquire(seen), StatusIs(StatusCode::kAborted, HasSubstr("process 2 at a:1")));
  EXPECT_OK(second->CheckHeld());
}

TEST_F(LeaseRowTest, AHeartbeatKeepsIt) {
  const auto first = Make(1);
  ASSERT_OK(first->Acquire(Now()));
  const LeaseState seen = Now();
  ASSERT_OK(first->Heartbeat());

  EXPECT_THAT(Make(2)->Acquire(seen), StatusIs(StatusCode::kAborted));
  EXPECT_OK(first->CheckHeld());
}

TEST_F(LeaseRowTest, AReplacedProcessMovesNoLogStart) {
  const auto first = Make(1);
  ASSERT_OK(first->Acquire(Now()));
  ASSERT_OK(first->StoreLogStart(3));
  const auto second = Make(2);
  ASSERT_OK(second->Acquire(Now()));

  EXPECT_THAT(first->StoreLogStart(7), StatusIs(StatusCode::kFailedPrecondition));
  ASSERT_OK(first->Heartbeat());  // which arrives late

  EXPECT_FALSE(losses_[1].status().ok());
  EXPECT_EQ(Now().active.writer, 2U);
  EXPECT_THAT(second->ReadLogStart(), IsOkAndHolds(3U));
}

TEST_F(LeaseRowTest, LostAnswersDoNoHarm) {
  fake_.SetFaults({.seed = 3, .refused = 0.1, .unanswered = 0.3, .late = 0.1, .doubled = 0.3});
  const auto lease = Make(1);
  absl::Status taken = lease->Acquire(Now());
  ASSERT_OK(taken);
  uint64_t stored = 0;
  for (uint64_t log_start = 2; log_start < 20; ++log_start) {
    if (lease->StoreLogStart(log_start).ok()) stored = log_start;
  }
  fake_.SetFaults({});
  fake_.SettleLateWrites();

  EXPECT_GT(stored, 0U);
  EXPECT_GE(Now().log_start.value_or(0), stored);
  EXPECT_OK(losses_[1].status());
}

TEST_F(LeaseRowTest, BytesOfAnotherFormAreDamage) {
  fake_.PutCell("hourcell-system", "active", "a", 1000, "short");
  EXPECT_THAT(ReadLease(client_.get()), StatusIs(StatusCode::kDataLoss));
  fake_.PutCell("hourcell-system", "active", "a", 1000, std::string(17, '\0'));
  fake_.PutCell("hourcell-system", "active", "s", 1000, "short");
  EXPECT_THAT(ReadLease(client_.get()), StatusIs(StatusCode::kDataLoss, HasSubstr("log start")));
}

}  // namespace
}  // namespace hourcell::lease_row_test
