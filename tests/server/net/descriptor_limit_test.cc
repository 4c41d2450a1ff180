#include "server/net/descriptor_limit.h"

#include <sys/resource.h>

#include <gtest/gtest.h>

namespace hourcell::descriptor_limit_test {
namespace {

TEST(DescriptorLimitTest, IsRaisedAsFarAsTheSystemAllows) {
  rlimit before = {};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit lower = before;
  lower.rlim_cur = 256;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &lower), 0);
  EXPECT_EQ(DescriptorLimit(), 256);

  const int64_t raised = RaiseDescriptorLimit();

  EXPECT_GT(raised, 256);
  EXPECT_EQ(raised, DescriptorLimit());
  setrlimit(RLIMIT_NOFILE, &before);
}

}  // namespace
}  // namespace hourcell::descriptor_limit_test
