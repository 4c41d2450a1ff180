#include "engine/hours/read_pins.h"

#include <utility>

#include <gtest/gtest.h>

namespace hourcell::read_pins_test {
namespace {

TEST(ReadPinsTest, OldestIsTheReadThatPinnedFirst) {
  ReadPins pins;
  const uint64_t before = pins.Tick();
  EXPECT_GT(pins.Oldest(), before) << "no read is under way";
  ReadPins::Pin first = pins.Acquire();
  const uint64_t between = pins.Tick();
  {
    const ReadPins::Pin second = pins.Acquire();
    EXPECT_GT(pins.Oldest(), before);
    EXPECT_LT(pins.Oldest(), between);
  }
  first = ReadPins::Pin();
  EXPECT_GT(pins.Oldest(), between);
}

TEST(ReadPinsTest, APinKnowsItsTime) {
  ReadPins pins;
  const uint64_t before = pins.Tick();
  const ReadPins::Pin pin = pins.Acquire();
  EXPECT_GT(pin.time(), before);
  EXPECT_EQ(pin.time(), pins.Oldest());
  EXPECT_LT(pin.time(), pins.Tick());
}

TEST(ReadPinsTest, AMovedPinIsReleasedOnce) {
  ReadPins pins;
  ReadPins::Pin pin = pins.Acquire();
  const uint64_t after = pins.Tick();
  ReadPins::Pin moved = std::move(pin);
  EXPECT_LT(pins.Oldest(), after);
  {
    const ReadPins::Pin last = std::move(moved);
  }
  EXPECT_GT(pins.Oldest(), after);
}

}  // namespace
}  // namespace hourcell::read_pins_test
