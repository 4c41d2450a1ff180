#include "server/api/query_gate.h"

#include <optional>
#include <utility>

#include <gtest/gtest.h>

namespace hourcell::query_gate_test {
namespace {

TEST(QueryGateTest, LetsInSoManyAndOneMoreWhenOneIsDone) {
  QueryGate gate(2);
  std::optional<QueryGate::Pass> first = gate.Enter();
  std::optional<QueryGate::Pass> second = gate.Enter();
  ASSERT_TRUE(first.has_value());
  ASSERT_TRUE(second.has_value());
  EXPECT_FALSE(gate.Enter().has_value());

  first.reset();

  EXPECT_TRUE(gate.Enter().has_value());
}

TEST(QueryGateTest, CountsWhatRunsAndWhatWaits) {
  QueryGate gate(10);
  std::optional<QueryGate::Pass> first = gate.Enter();
  std::optional<QueryGate::Pass> second = gate.Enter();
  first->Begin();
  EXPECT_EQ(gate.running(), 1);
  EXPECT_EQ(gate.waiting(), 1);

  {
    const QueryGate::Pass moved = *std::move(first);
    first.reset();
    EXPECT_EQ(gate.running(), 1);
  }

  EXPECT_EQ(gate.running(), 0);
  EXPECT_EQ(gate.waiting(), 1);
}

TEST(QueryGateTest, OneThatIsPutBackWaitsAgain) {
  QueryGate gate(10);
  std::optional<QueryGate::Pass> pass = gate.Enter();
  pass->Begin();

  pass->Requeue();
  EXPECT_EQ(gate.running(), 0);
  EXPECT_EQ(gate.waiting(), 1);

  pass->Begin();
  EXPECT_EQ(gate.running(), 1);
  pass.reset();
  EXPECT_EQ(gate.running(), 0);
  EXPECT_EQ(gate.waiting(), 0);
}

TEST(QueryGateTest, ATryEndsWithTheNextWaitOrThePass) {
  QueryGate gate(10, /*tries_max=*/1);
  std::optional<QueryGate::Pass> first = gate.Enter();
  std::optional<QueryGate::Pass> second = gate.Enter();
  ASSERT_TRUE(first->BeginTry());
  EXPECT_FALSE(second->BeginTry());

  first->Begin();
  first->Requeue();
  EXPECT_TRUE(second->BeginTry()) << "the first waits for a query thread";
  second.reset();
  EXPECT_TRUE(first->BeginTry());
}

}  // namespace
}  // namespace hourcell::query_gate_test
