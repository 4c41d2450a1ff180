#include "engine/bigtable/writer/writer_lease.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/clock.h"
#include "engine/bigtable/api/bigtable_channels.h"
#include "tests/engine/bigtable/bigtable_engine.h"
#include "tests/support/status_matchers.h"

namespace hourcell::writer_lease_test {
namespace {

using absl::StatusCode;
using testing::AllOf;
using testing::HasSubstr;

constexpr int64_t kLeaseMs = 50;
constexpr int64_t kNeverMs = 3'600'000;

class WriterLeaseTest : public testing::Test {
 protected:
  WriterLeaseTest() {
    const BigtableOptions options = QuickBigtableOptions(fake_);
    client_ = std::make_unique<BigtableClient>(options, *OpenBigtableChannels(options));
    EXPECT_OK(client_->CreateTable("hourcell-system", "h"));
    EXPECT_OK(client_->CreateTable("hourcell-journal", "h"));
  }

  // A process with this interval of heartbeats.
  absl::StatusOr<std::unique_ptr<WriterLease>> Acquire(int64_t heartbeat_ms,
                                                       int64_t lease_ms = kLeaseMs,
                                                       int64_t wait_ms = -1) {
    return WriterLease::Acquire(
        client_.get(),
        {.address = "a:1", .lease_ms = lease_ms, .heartbeat_ms = heartbeat_ms, .wait_ms = wait_ms});
  }

  FakeBigtable fake_;
  std::unique_ptr<BigtableClient> client_;
};

TEST_F(WriterLeaseTest, FirstProcessAcquiresAtOnce) {
  const auto lease = Acquire(kNeverMs);
  ASSERT_OK(lease);
  EXPECT_EQ((*lease)->writer(), 1U);
  EXPECT_TRUE((*lease)->has_clean_past());
  EXPECT_OK((*lease)->CheckHeld());
}

TEST_F(WriterLeaseTest, ReleasedLeaseIsAcquiredAtOnce) {
  const auto first = Acquire(kNeverMs);
  ASSERT_OK((*first)->Release());

  const auto second = Acquire(kNeverMs);

  ASSERT_OK(second);
  EXPECT_TRUE((*second)->has_clean_past());
}

TEST_F(WriterLeaseTest, HeartbeatsKeepTheLease) {
  const auto first = Acquire(/*heartbeat_ms=*/10);
  ASSERT_OK(first);

  EXPECT_THAT(Acquire(kNeverMs, /*lease_ms=*/1000, /*wait_ms=*/0),
              StatusIs(StatusCode::kFailedPrecondition,
                       AllOf(HasSubstr("process 1 at a:1 writes to this store"))));
  EXPECT_OK((*first)->CheckHeld());
}

TEST_F(WriterLeaseTest, MissedHeartbeatsLoseTheLease) {
  const auto first = Acquire(kNeverMs);
  const std::unique_ptr<BigtableJournal> journal = (*first)->TakeJournal();

  const auto second = Acquire(kNeverMs);

  ASSERT_OK(second);
  EXPECT_FALSE((*second)->has_clean_past());
  EXPECT_THAT((*first)->CheckHeld(),
              StatusIs(StatusCode::kFailedPrecondition, HasSubstr("process 2 at a:1")));
  EXPECT_THAT(journal->failure(), StatusIs(StatusCode::kFailedPrecondition));
  EXPECT_OK((*second)->CheckHeld());
}

// A command waits for no writer that is alive, and replaces one that is not.
TEST_F(WriterLeaseTest, DeadWriterIsReplacedWithoutAWait) {
  const auto first = Acquire(kNeverMs);
  EXPECT_OK(Acquire(kNeverMs, /*lease_ms=*/100, /*wait_ms=*/0));
}

// One of several that wait gets it; the others see that, and wait until they give up.
TEST_F(WriterLeaseTest, OneOfManyStandbysAcquires) {
  constexpr int kNodes = 5;
  const auto dead = Acquire(kNeverMs);
  std::vector<std::unique_ptr<WriterLease>> leases(kNodes);
  std::vector<std::thread> threads;
  for (int i = 0; i < kNodes; ++i) {
    threads.emplace_back([this, i, &leases] {
      absl::StatusOr<std::unique_ptr<WriterLease>> lease =
          Acquire(/*heartbeat_ms=*/100, /*lease_ms=*/500, /*wait_ms=*/1000);
      if (lease.ok()) leases[static_cast<size_t>(i)] = *std::move(lease);
    });
  }
  for (std::thread& thread : threads)
    thread.join();

  int writers = 0;
  for (const auto& lease : leases) {
    if (lease != nullptr && lease->CheckHeld().ok()) ++writers;
  }
  EXPECT_EQ(writers, 1);
}

TEST_F(WriterLeaseTest, ClosedPortShortensTheLease) {
  const auto first = Acquire(kNeverMs);
  std::vector<std::string> asked;
  LeaseOptions options{.address = "b:1", .lease_ms = 1000, .heartbeat_ms = kNeverMs, .wait_ms = -1};
  ManualClock clock(0);
  options.clock = &clock;
  options.events.on_waiting = [&](const std::string& address) {
    EXPECT_EQ(address, "a:1");
    clock.Advance(200);  // a fifth; no more time passes
  };
  options.events.is_gone = [&](const std::string& address) {
    asked.push_back(address);
    return true;
  };

  ASSERT_OK(WriterLease::Acquire(client_.get(), options));

  EXPECT_THAT(asked, testing::ElementsAre("a:1"));
}

// No time passes, so nothing else ends the wait.
TEST_F(WriterLeaseTest, DeathOfTheWriterEndsTheWait) {
  const auto first = Acquire(kNeverMs);
  ManualClock clock(0);
  LeaseOptions options{.address = "b:1", .lease_ms = 1000, .heartbeat_ms = kNeverMs, .wait_ms = -1};
  options.clock = &clock;
  std::vector<std::string> seen = {"c:1", "", "a:1"};  // c:1 is not the writer
  int waits = 0;
  options.events.await_death = [&](int64_t) { return seen.at(static_cast<size_t>(waits++)); };

  const auto second = WriterLease::Acquire(client_.get(), options);

  ASSERT_OK(second);
  EXPECT_EQ(waits, 3);
  EXPECT_FALSE((*second)->has_clean_past());
}

// The death of a process does not end the one that has replaced it.
TEST_F(WriterLeaseTest, DeathOfAReplacedWriterLeavesTheLease) {
  const auto dead = Acquire(kNeverMs);
  ManualClock clock(0);
  LeaseOptions options{.address = "c:1", .lease_ms = 1000, .heartbeat_ms = kNeverMs, .wait_ms = -1};
  options.clock = &clock;
  std::vector<int64_t> waits;
  LeaseLoss loss(nullptr);
  LeaseRow other(client_.get(), 2, "b:1", &loss);
  options.events.await_death = [&](int64_t ms) {
    waits.push_back(ms);
    if (waits.size() > 1) return "";
    EXPECT_OK(other.Acquire(*ReadLease(client_.get())));  // its journal is not open yet
    return "a:1";
  };
  options.events.gives_up = [&] { return waits.size() == 2; };

  EXPECT_THAT(WriterLease::Acquire(client_.get(), options), StatusIs(StatusCode::kCancelled));
  EXPECT_THAT(waits, testing::ElementsAre(100, 50));  // it soon looks for the holder again
  EXPECT_OK(other.CheckHeld());
}

TEST_F(WriterLeaseTest, GivingUpDeletesTheNodeRow) {
  const auto first = Acquire(/*heartbeat_ms=*/10);
  LeaseOptions options{.address = "b:1", .lease_ms = 100, .heartbeat_ms = kNeverMs, .wait_ms = -1};
  int asked = 0;
  options.events.gives_up = [&] { return ++asked == 3; };

  EXPECT_THAT(WriterLease::Acquire(client_.get(), options), StatusIs(StatusCode::kCancelled));

  for (const auto& [row, cells] : fake_.TableOf("hourcell-system"))
    EXPECT_THAT(row, testing::Not(testing::StartsWith("node/")));
}

TEST_F(WriterLeaseTest, WriterListsStandbys) {
  const auto first = Acquire(/*heartbeat_ms=*/1);
  LeaseOptions options{.address = "b:1", .lease_ms = 1000, .heartbeat_ms = kNeverMs, .wait_ms = -1};
  std::atomic<bool> is_over = false;
  options.events.gives_up = [&] { return is_over.load(); };
  std::thread waits([&] { EXPECT_FALSE(WriterLease::Acquire(client_.get(), options).ok()); });

  while ((*first)->Nodes().size() < 2)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  const std::vector<ClusterNode> nodes = (*first)->Nodes();
  is_over = true;
  waits.join();

  EXPECT_EQ(nodes[0].address, "a:1");
  EXPECT_TRUE(nodes[0].is_writer);
  EXPECT_EQ(nodes[1].address, "b:1");
  EXPECT_FALSE(nodes[1].is_writer);
}

// Each look of a process after the first takes as long as the test sets, as one does that the
// client repeats while the service is away. The writer sends no heartbeats.
class WriterOutageTest : public WriterLeaseTest {
 protected:
  // How many looks it takes until the writer is replaced; 0: it is not within `looks_max`.
  int LooksUntilReplaced(const std::function<int64_t(int look)>& time_of_look, int looks_max) {
    const auto first = Acquire(kNeverMs);
    ManualClock clock(0);
    int looks = 0;
    fake_.SetGate([&](const std::string& profile) {
      if (profile == "waits" && ++looks > 1) clock.Advance(time_of_look(looks));
      return FakeBigtable::Fate::kAnswered;
    });
    BigtableOptions options = client_->options();
    options.app_profile = "waits";
    BigtableClient client(options, *OpenBigtableChannels(options));
    LeaseOptions lease{.lease_ms = 1000, .heartbeat_ms = 100, .wait_ms = -1};
    lease.clock = &clock;
    lease.events.await_death = [](int64_t) { return ""; };
    lease.events.gives_up = [&] { return looks >= looks_max; };
    const auto second = WriterLease::Acquire(&client, lease);
    fake_.SetGate(nullptr);
    EXPECT_TRUE(second.ok() || absl::IsCancelled(second.status())) << second.status();
    return second.ok() ? looks : 0;
  }
};

TEST_F(WriterOutageTest, QuickReadsReplaceAWriterWithoutHeartbeats) {
  EXPECT_GT(LooksUntilReplaced([](int) { return 100; }, 50), 0);
}

// After such a look it is not known whether heartbeats could arrive while it lasted.
TEST_F(WriterOutageTest, SlowReadDoesNotReplaceAWriter) {
  EXPECT_EQ(LooksUntilReplaced([](int) { return 15'000; }, 20), 0);
}

// It gets the whole lease again: its own call may be waiting to be repeated.
TEST_F(WriterOutageTest, SlowReadRestartsTheLease) {
  const int quick = LooksUntilReplaced([](int) { return 100; }, 50);
  EXPECT_EQ(LooksUntilReplaced([](int look) { return look == 5 ? 15'000 : 100; }, 50), quick + 4);
}

TEST_F(WriterLeaseTest, FailedReadContinuesTheWait) {
  const auto first = Acquire(kNeverMs);
  LeaseOptions options{.lease_ms = 100, .heartbeat_ms = kNeverMs, .wait_ms = -1};
  ManualClock clock(0);
  options.clock = &clock;
  int asked = 0;
  options.events.gives_up = [&] {
    fake_.SetFaults({.refused = ++asked == 1 ? 1.0 : 0.0});
    if (asked == 1) clock.Advance(1000);  // the service is away for ten leases
    return asked == 3;
  };
  BigtableOptions impatient = client_->options();
  impatient.call_timeout_ms = 5;
  BigtableClient client(impatient, *OpenBigtableChannels(impatient));

  EXPECT_THAT(WriterLease::Acquire(&client, options), StatusIs(StatusCode::kCancelled));
  EXPECT_EQ(asked, 3);
}

TEST_F(WriterLeaseTest, LossIsReportedOnce) {
  LeaseOptions options{.address = "a:1", .lease_ms = kLeaseMs, .heartbeat_ms = kNeverMs};
  std::vector<std::string> told;
  options.events.on_lost = [&](const absl::Status& why) { told.emplace_back(why.message()); };
  const auto first = WriterLease::Acquire(client_.get(), options);
  ASSERT_OK(first);
  const auto second = Acquire(kNeverMs);
  ASSERT_OK(second);

  EXPECT_THAT((*first)->CheckHeld(), StatusIs(StatusCode::kFailedPrecondition));
  EXPECT_THAT((*first)->CheckHeld(), StatusIs(StatusCode::kFailedPrecondition));

  EXPECT_THAT(told, testing::ElementsAre(HasSubstr("process 2 at a:1 is the writer now")));
}

}  // namespace
}  // namespace hourcell::writer_lease_test
