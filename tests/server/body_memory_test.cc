#include "server/body_memory.h"

#include <utility>

#include <gtest/gtest.h>

namespace hourcell::body_memory_test {
namespace {

TEST(BodyMemoryTest, TakesNoMoreThanItsLimitAndGivesBack) {
  BodyMemory memory(100);
  BodyMemory::Hold first(&memory);
  BodyMemory::Hold second(&memory);
  EXPECT_TRUE(first.Grow(60));
  EXPECT_FALSE(second.Grow(41));
  EXPECT_EQ(second.bytes(), 0U);
  EXPECT_TRUE(second.Grow(40));

  first.Release();

  EXPECT_EQ(memory.bytes(), 40U);
  EXPECT_TRUE(second.Grow(100));
}

TEST(BodyMemoryTest, GrowingCountsOnlyWhatIsMore) {
  BodyMemory memory(100);
  BodyMemory::Hold hold(&memory);

  EXPECT_TRUE(hold.Grow(60));
  EXPECT_TRUE(hold.Grow(90));
  EXPECT_TRUE(hold.Grow(10));

  EXPECT_EQ(memory.bytes(), 90U);
}

TEST(BodyMemoryTest, ABodyThatIsAloneFits) {
  BodyMemory memory(100);
  BodyMemory::Hold large(&memory);
  BodyMemory::Hold small(&memory);

  EXPECT_TRUE(large.Grow(1000));

  EXPECT_FALSE(small.Grow(1));
}

TEST(BodyMemoryTest, ABodyThatIsAloneFitsAlsoIfItGrows) {
  BodyMemory memory(100);
  BodyMemory::Hold large(&memory);
  BodyMemory::Hold small(&memory);

  EXPECT_TRUE(large.Grow(70));
  EXPECT_TRUE(large.Grow(1000));
  EXPECT_EQ(memory.bytes(), 1000U);

  large.Release();
  EXPECT_TRUE(small.Grow(1));
  EXPECT_TRUE(large.Grow(70));
  EXPECT_FALSE(large.Grow(1000));
}

TEST(BodyMemoryTest, ShrinkingGivesBackWhatIsMore) {
  BodyMemory memory(100);
  BodyMemory::Hold hold(&memory);
  BodyMemory::Hold other(&memory);
  EXPECT_TRUE(hold.Grow(90));

  hold.Shrink(95);
  EXPECT_EQ(memory.bytes(), 90U);
  hold.Shrink(40);

  EXPECT_EQ(hold.bytes(), 40U);
  EXPECT_FALSE(other.Grow(61));
  EXPECT_TRUE(other.was_refused());
  EXPECT_TRUE(other.Grow(60));
  EXPECT_FALSE(hold.was_refused());
}

TEST(BodyMemoryTest, EndsAndMovesKeepTheCount) {
  BodyMemory memory(0);
  {
    BodyMemory::Hold first(&memory);
    EXPECT_TRUE(first.Grow(60));
    BodyMemory::Hold second = std::move(first);
    EXPECT_EQ(memory.bytes(), 60U);
    second = BodyMemory::Hold(&memory);
    EXPECT_EQ(memory.bytes(), 0U);
    EXPECT_TRUE(second.Grow(7));
  }
  EXPECT_EQ(memory.bytes(), 0U);
  EXPECT_TRUE(BodyMemory::Hold().Grow(1));
}

}  // namespace
}  // namespace hourcell::body_memory_test
