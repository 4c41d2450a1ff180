#include "server/monitor/service_manager.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/temp_dir.h"

namespace hourcell::service_manager_test {
namespace {

using testing::StartsWith;

// The socket on which systemd listens.
class Listener {
 public:
  explicit Listener(std::string name) : fd_(socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, name.data(), name.size());
    if (name[0] == '@') address.sun_path[0] = '\0';
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
    EXPECT_EQ(bind(fd_, reinterpret_cast<const sockaddr*>(&address), size), 0);
  }
  ~Listener() { close(fd_); }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  // The next message; empty if none is waiting.
  std::string Next() const {
    std::array<char, 4096> bytes{};
    const ssize_t size = recv(fd_, bytes.data(), bytes.size(), 0);
    return size < 0 ? std::string() : std::string(bytes.data(), static_cast<size_t>(size));
  }

 private:
  const int fd_;
};

// Variables of the environment for the length of a test.
class ScopedVariable {
 public:
  ScopedVariable(const char* name, const std::string& value) : name_(name) {
    setenv(name, value.c_str(), 1);
  }
  ~ScopedVariable() { unsetenv(name_); }
  ScopedVariable(const ScopedVariable&) = delete;
  ScopedVariable& operator=(const ScopedVariable&) = delete;

 private:
  const char* const name_;
};

TEST(ServiceManagerTest, TellsWhatHappensInOrder) {
  TempDir dir;
  const Listener listener(dir.file("notify"));
  const ServiceManager manager(dir.file("notify"), 0);

  EXPECT_TRUE(manager.Ready("serving"));
  EXPECT_TRUE(manager.Reloading());
  EXPECT_TRUE(manager.Stopping("draining"));
  EXPECT_TRUE(manager.Heartbeat());

  EXPECT_EQ(listener.Next(), "READY=1\nSTATUS=serving\n");
  EXPECT_THAT(listener.Next(), StartsWith("RELOADING=1\nMONOTONIC_USEC="));
  EXPECT_EQ(listener.Next(), "STOPPING=1\nSTATUS=draining\n");
  EXPECT_EQ(listener.Next(), "WATCHDOG=1\n");
}

TEST(ServiceManagerTest, ASocketMayBeInNoDirectory) {
  const std::string name = "@hourcell-test-" + std::to_string(getpid());
  const Listener listener(name);
  EXPECT_TRUE(ServiceManager(name, 0).Ready("x"));
  EXPECT_EQ(listener.Next(), "READY=1\nSTATUS=x\n");
}

TEST(ServiceManagerTest, WithoutASocketNobodyIsTold) {
  TempDir dir;
  for (const std::string& socket : {std::string(), std::string("relative"), std::string("/"),
                                    dir.file("absent"), "/" + std::string(200, 'x')}) {
    EXPECT_FALSE(ServiceManager(socket, 0).Ready("x")) << socket;
  }
}

TEST(ServiceManagerTest, TheEnvironmentNamesSocketAndWatchdog) {
  EXPECT_EQ(ServiceManager::FromEnvironment().HeartbeatMs(), 0);
  TempDir dir;
  const Listener listener(dir.file("notify"));
  const ScopedVariable socket("NOTIFY_SOCKET", dir.file("notify"));
  EXPECT_TRUE(ServiceManager::FromEnvironment().Heartbeat());
  {
    const ScopedVariable watchdog("WATCHDOG_USEC", "30000000");
    EXPECT_EQ(ServiceManager::FromEnvironment().HeartbeatMs(), 15'000);
    const ScopedVariable other("WATCHDOG_PID", std::to_string(getpid() + 1));
    EXPECT_EQ(ServiceManager::FromEnvironment().HeartbeatMs(), 0) << "it is another process's";
    const ScopedVariable own("WATCHDOG_PID", std::to_string(getpid()));
    EXPECT_EQ(ServiceManager::FromEnvironment().HeartbeatMs(), 15'000);
  }
  const ScopedVariable wrong("WATCHDOG_USEC", "-5");
  EXPECT_EQ(ServiceManager::FromEnvironment().HeartbeatMs(), 0);
}

}  // namespace
}  // namespace hourcell::service_manager_test
