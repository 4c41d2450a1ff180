#include "engine/write/observed_puts.h"

#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/builders.h"
#include "tests/support/status_matchers.h"

namespace hourcell::observed_puts_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

class BatchObserver : public StoreObserver {
 public:
  absl::Status BeforePut(const PutBatch& batch) override {
    asked.push_back(batch.number);
    is_asking = ObservedPuts::IsAsking();
    return answer;
  }
  void AfterPut(uint64_t batch, size_t points) override {
    told.emplace_back(batch, points);
    if (observed_puts != nullptr) {
      // As a put from inside, waited for.
      observed_puts->Add(batch + 100, 1, /*block=*/7, /*wants_sync=*/false);
      std::exchange(observed_puts, nullptr)->Acknowledge(7, false);
    }
  }

  absl::Status answer;
  bool is_asking = false;
  ObservedPuts* observed_puts = nullptr;
  std::vector<uint64_t> asked;
  std::vector<std::pair<uint64_t, size_t>> told;
};

TEST(ObservedPutsTest, NumbersBatchesAndAsksAllUntilOneRefuses) {
  BatchObserver first;
  BatchObserver second;
  ObservedPuts observed_puts({&first, &second});
  EXPECT_THAT(observed_puts.Ask({}), IsOkAndHolds(1u));
  EXPECT_TRUE(first.is_asking);
  EXPECT_FALSE(ObservedPuts::IsAsking());

  first.answer = absl::PermissionDeniedError("not this");
  EXPECT_THAT(observed_puts.Ask({}), StatusIs(absl::StatusCode::kPermissionDenied, "not this"));
  EXPECT_FALSE(ObservedPuts::IsAsking());

  EXPECT_THAT(first.asked, ElementsAre(1, 2));
  EXPECT_THAT(second.asked, ElementsAre(1));
}

TEST(ObservedPutsTest, TellsOfABatchOnceItsBlockIsWritten) {
  BatchObserver observer;
  ObservedPuts observed_puts({&observer});
  observed_puts.Add(1, 10, /*block=*/5, /*wants_sync=*/false);
  observed_puts.Add(2, 20, /*block=*/7, /*wants_sync=*/false);
  observed_puts.Add(3, 30, /*block=*/5, /*wants_sync=*/false);

  observed_puts.Acknowledge(4, true);
  EXPECT_THAT(observer.told, IsEmpty());
  observed_puts.Acknowledge(6, false);
  EXPECT_THAT(observer.told, ElementsAre(Pair(1, 10), Pair(3, 30)));
  observed_puts.Acknowledge(7, false);
  observed_puts.Acknowledge(8, true);
  EXPECT_THAT(observer.told, ElementsAre(Pair(1, 10), Pair(3, 30), Pair(2, 20)));
}

TEST(ObservedPutsTest, ABatchThatWantsASyncWaitsForOne) {
  BatchObserver observer;
  ObservedPuts observed_puts({&observer});
  observed_puts.Add(1, 10, /*block=*/5, /*wants_sync=*/true);

  observed_puts.Acknowledge(6, false);
  EXPECT_THAT(observer.told, IsEmpty());
  observed_puts.Acknowledge(6, true);
  EXPECT_THAT(observer.told, ElementsAre(Pair(1, 10)));
}

TEST(ObservedPutsTest, AnObserverMayAcknowledgeFromInside) {
  BatchObserver observer;
  ObservedPuts observed_puts({&observer});
  observer.observed_puts = &observed_puts;
  observed_puts.Add(1, 10, /*block=*/5, /*wants_sync=*/false);

  observed_puts.Acknowledge(5, false);
  EXPECT_THAT(observer.told, ElementsAre(Pair(1, 10), Pair(101, 1)));
}

}  // namespace
}  // namespace hourcell::observed_puts_test
