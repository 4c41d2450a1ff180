#include "engine/series/creation_turn.h"

#include <atomic>
#include <thread>
#include <vector>

#include "tests/support/status_matchers.h"

namespace hourcell::creation_turn_test {
namespace {

using testing::HasSubstr;

absl::Status Room() {
  return absl::OkStatus();
}

bool Done() {
  return true;
}

TEST(CreationTurnTest, IsForOneAtATime) {
  CreationTurn turn;
  int done = 0;
  const auto count = [&done] { return ++done > 0; };
  EXPECT_OK(turn.Run(0, Room, [&] {
    EXPECT_THAT(turn.Run(0, Room, count),
                StatusIs(absl::StatusCode::kUnavailable, HasSubstr("others are being created")));
    return true;
  }));
  EXPECT_EQ(done, 0);
  EXPECT_OK(turn.Run(0, Room, count));
  EXPECT_EQ(done, 1);
}

TEST(CreationTurnTest, UnfinishedWorkIsRetriedUntilTheDeadline) {
  CreationTurn turn;
  int tries = 0;
  EXPECT_OK(turn.Run(60'000, Room, [&tries] { return ++tries == 3; }));
  EXPECT_EQ(tries, 3);
  EXPECT_OK(turn.Run(0, Room, [&tries] { return ++tries < 0; }));
  EXPECT_EQ(tries, 4);
}

TEST(CreationTurnTest, WaitsForRoomAsLongAsItMay) {
  CreationTurn turn;
  int looks = 0;
  const auto none = [&looks] {
    ++looks;
    return absl::UnavailableError("no room");
  };
  EXPECT_THAT(turn.Run(0, none, Done), StatusIs(absl::StatusCode::kUnavailable, "no room"));
  EXPECT_EQ(looks, 1);
  const auto room_at_last = [&looks] {
    return ++looks < 4 ? absl::UnavailableError("no room") : absl::OkStatus();
  };
  EXPECT_OK(turn.Run(60'000, room_at_last, Done));
  EXPECT_EQ(looks, 4);
}

TEST(CreationTurnTest, ThoseWhoWaitGetItInTheEnd) {
  CreationTurn turn;
  int inside = 0;
  int done = 0;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      EXPECT_OK(turn.Run(60'000, Room, [&] {
        EXPECT_EQ(++inside, 1);
        ++done;
        --inside;
        return true;
      }));
    });
  }
  threads.clear();
  EXPECT_EQ(done, 8);
}

}  // namespace
}  // namespace hourcell::creation_turn_test
