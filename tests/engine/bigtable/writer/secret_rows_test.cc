#include "engine/bigtable/writer/secret_rows.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/clock.h"
#include "codec/base/random.h"
#include "engine/bigtable/api/bigtable_channels.h"
#include "engine/bigtable/writer/system_rows.h"
#include "tests/engine/bigtable/bigtable_engine.h"
#include "tests/support/status_matchers.h"

namespace hourcell::secret_rows_test {
namespace {

using absl::StatusCode;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

class SecretRowsTest : public testing::Test {
 protected:
  SecretRowsTest() {
    const BigtableOptions options = QuickBigtableOptions(fake_);
    client_ = std::make_unique<BigtableClient>(options, *OpenBigtableChannels(options));
    EXPECT_OK(client_->CreateTable("hourcell-system", "h"));
  }

  std::vector<std::string> Rows() {
    std::vector<std::string> rows;
    for (const auto& [row, cells] : fake_.TableOf("hourcell-system"))
      rows.push_back(row);
    return rows;
  }

  FakeBigtable fake_;
  std::unique_ptr<BigtableClient> client_;
};

TEST_F(SecretRowsTest, TheNewestIsNotUsedAndTheOldestStillAccepted) {
  ManualClock clock(0);
  SecretRows rows(client_.get(), &clock);
  const auto first = rows.Read();
  ASSERT_OK(first);
  EXPECT_THAT(first->accepted, ElementsAre(first->current));

  clock.Advance(SecretRows::kPeriodMs - 1);
  EXPECT_THAT(rows.Refresh(), IsOkAndHolds(*first));
  clock.Advance(1);
  const auto second = rows.Refresh();
  ASSERT_OK(second);
  EXPECT_EQ(second->current, first->current);  // others do not know the new one yet
  ASSERT_THAT(second->accepted, SizeIs(2));
  EXPECT_EQ(second->accepted[0], first->current);

  clock.Advance(SecretRows::kPeriodMs);
  const auto third = rows.Refresh();
  ASSERT_OK(third);
  EXPECT_EQ(third->current, second->accepted[1]);
  EXPECT_THAT(third->accepted, SizeIs(3));
  EXPECT_THAT(third->accepted, Contains(first->current));

  clock.Advance(SecretRows::kPeriodMs);
  const auto fourth = rows.Refresh();
  ASSERT_OK(fourth);
  EXPECT_THAT(fourth->accepted, SizeIs(3));
  EXPECT_THAT(fourth->accepted, Not(Contains(first->current)));
  EXPECT_THAT(Rows(), ElementsAre("secret/0000000000000001", "secret/0000000000000002",
                                  "secret/0000000000000003"));
}

// Clocks of processes began at other times.
TEST_F(SecretRowsTest, ProcessesThatReadOftenEnoughAlwaysHaveASecretInCommon) {
  constexpr size_t kProcesses = 4;
  constexpr int kSteps = 2000;
  const uint64_t seed = RandomSeed();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  Random random(seed);
  std::vector<std::unique_ptr<ManualClock>> clocks;
  std::vector<std::unique_ptr<SecretRows>> rows;
  std::vector<SharedSecrets> known;
  for (size_t i = 0; i < kProcesses; ++i) {
    clocks.push_back(std::make_unique<ManualClock>(static_cast<int64_t>(random.Next() >> 32)));
    rows.push_back(std::make_unique<SecretRows>(client_.get(), clocks.back().get()));
    known.push_back(*rows.back()->Read());
  }
  std::vector<int64_t> unread_ms(kProcesses, 0);
  for (int step = 0; step < kSteps; ++step) {
    const auto passed = static_cast<int64_t>(random.Below(SecretRows::kPeriodMs / 8));
    for (size_t i = 0; i < kProcesses; ++i) {
      clocks[i]->Advance(passed);
      unread_ms[i] += passed;
      const bool reads = random.Below(4) == 0 || unread_ms[i] > SecretRows::kPeriodMs / 2;
      if (!reads) continue;
      known[i] = *rows[i]->Refresh();
      unread_ms[i] = 0;
    }
    for (const SharedSecrets& sender : known) {
      for (const SharedSecrets& acceptor : known)
        ASSERT_THAT(acceptor.accepted, Contains(sender.current)) << "step " << step;
    }
  }
  EXPECT_THAT(Rows(), SizeIs(3));
  EXPECT_GT(Rows().back(), "secret/0000000000000040");
}

TEST_F(SecretRowsTest, AnAnswerThatIsLostMakesNoOtherSecret) {
  ManualClock clock(0);
  SecretRows a(client_.get(), &clock);
  fake_.SetFaults({.unanswered = 0.5});
  absl::StatusOr<SharedSecrets> first = a.Read();
  while (!first.ok())
    first = a.Read();
  fake_.SetFaults({});
  SecretRows b(client_.get(), &clock);
  EXPECT_THAT(b.Read(), IsOkAndHolds(*first));
}

TEST_F(SecretRowsTest, ARowOfAnotherKindIsRefused) {
  ManualClock clock(0);
  ASSERT_OK(client_->Mutate("hourcell-system", {SystemCell("secret/1", "a", 1, "x", false)}));
  EXPECT_THAT(SecretRows(client_.get(), &clock).Read(),
              StatusIs(StatusCode::kDataLoss, HasSubstr("secret/1")));
}

}  // namespace
}  // namespace hourcell::secret_rows_test
