#include "server/api/connection_context.h"

#include <gtest/gtest.h>

#include "server/net/connection_quota.h"

namespace hourcell::connection_context_test {
namespace {

TEST(ConnectionContextTest, LoginsAreCountedByAddressWithoutPort) {
  ConnectionQuota logins({.total = 3, .per_address = 2});
  ConnectionContext context;
  context.logins = &logins;

  EXPECT_TRUE(EnterLogins(context, "10.0.0.1:5000"));
  EXPECT_TRUE(EnterLogins(context, "10.0.0.1"));
  EXPECT_FALSE(EnterLogins(context, "10.0.0.1:5001"));
  EXPECT_TRUE(EnterLogins(context, "[2001:db8::1]:5000"));
  EXPECT_FALSE(EnterLogins(context, "10.0.0.2:5000")) << "too many in all";

  LeaveLogins(context, "10.0.0.1:5000");
  EXPECT_TRUE(EnterLogins(context, "10.0.0.1:5001"));
}

TEST(ConnectionContextTest, WithoutAQuotaAllMayWait) {
  const ConnectionContext context;
  EXPECT_TRUE(EnterLogins(context, "10.0.0.1"));
  LeaveLogins(context, "10.0.0.1");
}

}  // namespace
}  // namespace hourcell::connection_context_test
