#include "engine/bigtable/rows/version_ledger.h"

#include <atomic>
#include <set>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"

namespace hourcell::version_ledger_test {
namespace {

using testing::ElementsAre;

class VersionLedgerTest : public testing::Test {
 protected:
  VersionLedgerTest() { EXPECT_OK(ledger_.Open()); }

  uint64_t Begin(uint64_t count = 1) { return ledger_.Begin(count).value_or(0); }
  VersionView View() {
    VersionView view = ledger_.Acquire();
    ledger_.Release(view);
    return view;
  }

  std::atomic<uint64_t> counter_{100};  // versions that other processes took
  VersionLedger ledger_{
      [this](uint64_t count) -> absl::StatusOr<uint64_t> { return counter_.fetch_add(count) + 1; },
      /*block=*/10};
};

TEST_F(VersionLedgerTest, TheFirstViewSeesWhatWasWrittenBefore) {
  const VersionView view = View();

  EXPECT_TRUE(view.Sees(100));
  EXPECT_FALSE(view.Sees(101));
}

TEST_F(VersionLedgerTest, AViewSeesWhatHadEnded) {
  const uint64_t ended = Begin();
  const uint64_t under_way = Begin(2);
  const uint64_t later_ended = Begin();
  ledger_.End(ended, /*is_known=*/true);
  ledger_.End(later_ended, /*is_known=*/true);

  const VersionView view = View();
  ledger_.End(under_way, /*is_known=*/true);

  EXPECT_TRUE(view.Sees(ended));
  EXPECT_TRUE(view.Sees(later_ended));
  EXPECT_FALSE(view.Sees(under_way));
  EXPECT_FALSE(view.Sees(under_way + 1));
  EXPECT_TRUE(View().Sees(under_way));
}

TEST_F(VersionLedgerTest, AWriteOfUnknownEndIsHiddenForGood) {
  const uint64_t unknown = Begin();
  ledger_.End(unknown, /*is_known=*/false);
  const uint64_t known = Begin();
  ledger_.End(known, /*is_known=*/true);

  EXPECT_FALSE(View().Sees(unknown));
  EXPECT_TRUE(View().Sees(known));
}

TEST_F(VersionLedgerTest, NeighboursOfUnknownEndAreOneRange) {
  const uint64_t a = Begin();
  const uint64_t b = Begin();
  const uint64_t c = Begin(3);
  Begin();
  const uint64_t e = Begin();
  ledger_.End(c, false);
  ledger_.End(a, false);
  ledger_.End(e, false);
  ledger_.End(b, false);

  EXPECT_THAT(ledger_.Settled().hidden, ElementsAre(VersionRange{a, c + 2}, VersionRange{e, e}));
}

TEST_F(VersionLedgerTest, WhatIsSettledIsBelowWritesAndViews) {
  const uint64_t first = Begin();
  const uint64_t second = Begin();
  EXPECT_EQ(ledger_.Settled().max, first - 1);
  ledger_.End(first, true);
  EXPECT_EQ(ledger_.Settled().max, first);
  const VersionView view = ledger_.Acquire();
  ledger_.End(second, true);
  EXPECT_EQ(ledger_.Settled().max, first);  // the view does not see the second

  ledger_.Release(view);

  EXPECT_EQ(ledger_.Settled().max, second);
}

TEST_F(VersionLedgerTest, ALongGroupGetsABlockOfItsOwn) {
  EXPECT_EQ(Begin(), 101u);
  counter_ += 1000;  // another process
  const uint64_t first = Begin(25);
  EXPECT_EQ(first, 1111u);
  ledger_.End(first, true);

  EXPECT_TRUE(View().Sees(first + 24));
}

TEST_F(VersionLedgerTest, ACounterThatGoesBackIsRefused) {
  counter_ = 0;

  EXPECT_THAT(ledger_.Begin(11), StatusIs(absl::StatusCode::kDataLoss));
}

TEST_F(VersionLedgerTest, ThreadsGetVersionsOfTheirOwn) {
  std::vector<std::thread> threads;
  std::vector<std::vector<uint64_t>> taken(4);
  for (std::vector<uint64_t>& mine : taken) {
    threads.emplace_back([this, &mine] {
      for (int i = 0; i < 200; ++i) {
        mine.push_back(Begin(3));
        ledger_.End(mine.back(), i % 7 != 0);
      }
    });
  }
  for (std::thread& thread : threads)
    thread.join();

  std::set<uint64_t> all;
  for (const std::vector<uint64_t>& mine : taken) {
    for (const uint64_t first : mine) {
      for (uint64_t version = first; version < first + 3; ++version)
        EXPECT_TRUE(all.insert(version).second);
    }
  }
}

}  // namespace
}  // namespace hourcell::version_ledger_test
