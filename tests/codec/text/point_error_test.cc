#include "codec/text/point_error.h"

#include <gtest/gtest.h>

namespace hourcell::point_error_test {
namespace {

TEST(PointErrorTest, EveryKindHasItsCounterTagAndItsTelnetClass) {
  EXPECT_EQ(PointErrorKindName(PointErrorKind::kInvalidValue), "invalid_value");
  EXPECT_EQ(PointErrorKindName(PointErrorKind::kIllegalArgument), "illegal_argument");
  EXPECT_EQ(PointErrorKindName(PointErrorKind::kUnknownName), "unknown_name");
  EXPECT_EQ(PointErrorKindName(PointErrorKind::kNoSuchRollup), "no_such_rollup");
  EXPECT_EQ(PointErrorKindName(PointErrorKind::kThrottled), "throttled");
  EXPECT_EQ(PointErrorKindName(PointErrorKind::kStorage), "storage");
  EXPECT_EQ(PointErrorTelnetClass(PointErrorKind::kInvalidValue), "invalid value");
  EXPECT_EQ(PointErrorTelnetClass(PointErrorKind::kIllegalArgument), "illegal argument");
  EXPECT_EQ(PointErrorTelnetClass(PointErrorKind::kUnknownName), "unknown metric");
  EXPECT_EQ(PointErrorTelnetClass(PointErrorKind::kNoSuchRollup), "No such rollup");
  EXPECT_EQ(PointErrorTelnetClass(PointErrorKind::kThrottled), "Please throttle writes");
  EXPECT_EQ(PointErrorTelnetClass(PointErrorKind::kStorage), "HBase error");
}

}  // namespace
}  // namespace hourcell::point_error_test
