#include "server/net/spare_descriptor.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <vector>

#include <gtest/gtest.h>

#include "tests/server/raw_client.h"

namespace hourcell::spare_descriptor_test {
namespace {

class SpareDescriptorTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_GE(listener_, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ASSERT_EQ(bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    ASSERT_EQ(listen(listener_, 16), 0);
    socklen_t size = sizeof address;
    ASSERT_EQ(getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size), 0);
    port_ = ntohs(address.sin_port);
  }
  void TearDown() override {
    for (const int fd : taken_)
      close(fd);
    close(listener_);
    if (before_.rlim_cur > 0) setrlimit(RLIMIT_NOFILE, &before_);
  }

  // Opens files until none can be opened.
  void UseUpDescriptors() {
    ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before_), 0);
    rlimit low = before_;
    low.rlim_cur = 128;
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &low), 0);
    for (int fd = 0; (fd = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0;)
      taken_.push_back(fd);
  }

  const int listener_ = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  uint16_t port_ = 0;
  std::vector<int> taken_;
  rlimit before_ = {};
};

TEST_F(SpareDescriptorTest, RefusesThoseWhoWaitThoughNoneIsLeft) {
  SpareDescriptor spare;
  RawClient first(port_);
  RawClient second(port_);
  UseUpDescriptors();
  ASSERT_EQ(accept(listener_, nullptr, nullptr), -1);

  EXPECT_EQ(spare.RefuseWaiting(listener_, 10), 2);

  EXPECT_EQ(first.ReadAll(), "");
  EXPECT_EQ(second.ReadAll(), "");
  EXPECT_EQ(open("/dev/null", O_RDONLY | O_CLOEXEC), -1) << "the spare one was not taken back";
}

TEST_F(SpareDescriptorTest, RefusesNoMoreThanTold) {
  SpareDescriptor spare;
  const RawClient first(port_);
  const RawClient second(port_);

  EXPECT_EQ(spare.RefuseWaiting(listener_, 1), 1);
  EXPECT_EQ(spare.RefuseWaiting(listener_, 10), 1);
  EXPECT_EQ(spare.RefuseWaiting(listener_, 10), 0);
}

}  // namespace
}  // namespace hourcell::spare_descriptor_test
