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

TEST(CreationTurnTest, IsForOneAtATime) {
  CreationTurn turn;
  ASSERT_OK(turn.Take(0, Room));
  EXPECT_THAT(turn.Take(0, Room),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("others are being created")));
  turn.End();
  EXPECT_OK(turn.Take(0, Room));
}

TEST(CreationTurnTest, WaitsForRoomAsLongAsItMay) {
  CreationTurn turn;
  int looks = 0;
  const auto none = [&looks] {
    ++looks;
    return absl::UnavailableError("no room");
  };
  EXPECT_THAT(turn.Take(0, none), StatusIs(absl::StatusCode::kUnavailable, "no room"));
  EXPECT_EQ(looks, 1);
  EXPECT_OK(turn.Take(60'000, [&looks] {
    return ++looks < 4 ? absl::UnavailableError("no room") : absl::OkStatus();
  }));
  EXPECT_EQ(looks, 4);
}

TEST(CreationTurnTest, ThoseWhoWaitGetItInTheEnd) {
  CreationTurn turn;
  int inside = 0;
  int done = 0;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      ASSERT_OK(turn.Take(60'000, Room));
      EXPECT_EQ(++inside, 1);
      ++done;
      --inside;
      turn.End();
    });
  }
  threads.clear();
  EXPECT_EQ(done, 8);
}

}  // namespace
}  // namespace hourcell::creation_turn_test
