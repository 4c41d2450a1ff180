#include "server/api/login_queue.h"

#include <gtest/gtest.h>

#include "server/net/connection_quota.h"

namespace hourcell::login_queue_test {
namespace {

TEST(LoginQueueTest, LoginsAreCountedByAddressWithoutPort) {
  ConnectionQuota waiting({.total = 3, .per_address = 2});
  const LoginQueue logins{.waiting = &waiting};

  EXPECT_TRUE(EnterLogins(logins, "10.0.0.1:5000"));
  EXPECT_TRUE(EnterLogins(logins, "10.0.0.1"));
  EXPECT_FALSE(EnterLogins(logins, "10.0.0.1:5001"));
  EXPECT_TRUE(EnterLogins(logins, "[2001:db8::1]:5000"));
  EXPECT_FALSE(EnterLogins(logins, "10.0.0.2:5000")) << "too many in all";

  LeaveLogins(logins, "10.0.0.1:5000");
  EXPECT_TRUE(EnterLogins(logins, "10.0.0.1:5001"));
}

TEST(LoginQueueTest, WithoutAQuotaAllMayWait) {
  const LoginQueue logins;
  EXPECT_TRUE(EnterLogins(logins, "10.0.0.1"));
  LeaveLogins(logins, "10.0.0.1");
}

}  // namespace
}  // namespace hourcell::login_queue_test
