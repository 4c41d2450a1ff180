// The server under a service manager: its notifications, as systemd's units of Type=notify need
// them.

#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/http/server_process.h"
#include "tests/support/temp_dir.h"

namespace hourcell::service_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

// The socket of a service manager.
class Manager {
 public:
  explicit Manager(const std::string& path) : fd_(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
    EXPECT_EQ(bind(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  }
  ~Manager() { close(fd_); }
  Manager(const Manager&) = delete;
  Manager& operator=(const Manager&) = delete;

  // The next message; empty if none comes within a minute.
  std::string Next() const {
    pollfd watched{.fd = fd_, .events = POLLIN, .revents = 0};
    if (poll(&watched, 1, 60'000) != 1) return "";
    std::array<char, 4096> bytes{};
    const ssize_t size = recv(fd_, bytes.data(), bytes.size(), 0);
    return size < 0 ? std::string() : std::string(bytes.data(), static_cast<size_t>(size));
  }
  // The next message other than a heartbeat.
  std::string NextNews() const {
    std::string message = Next();
    while (message == "WATCHDOG=1\n")
      message = Next();
    return message;
  }

 private:
  const int fd_;
};

TEST(ServiceTest, TheManagerIsToldOfStartReloadAndStop) {
  TempDir directory;
  const Manager manager(directory.file("notify"));
  ServerProcess server(directory.file("store"), {}, "NOTIFY_SOCKET=" + directory.file("notify"));

  EXPECT_THAT(manager.Next(), StartsWith("READY=1\n"));
  EXPECT_EQ(HttpCall(server.port(), "GET", "/readyz").status, 200);
  kill(server.pid(), SIGHUP);
  EXPECT_THAT(manager.Next(), AllOf(StartsWith("RELOADING=1\n"), HasSubstr("MONOTONIC_USEC=")));
  EXPECT_THAT(manager.Next(), StartsWith("READY=1\n"));
  EXPECT_EQ(server.End(SIGTERM), 0);
  EXPECT_THAT(manager.Next(), StartsWith("STOPPING=1\n"));
}

TEST(ServiceTest, AWorkingServerSendsHeartbeats) {
  TempDir directory;
  const Manager manager(directory.file("notify"));
  ServerProcess server(directory.file("store"), {}, "WATCHDOG_USEC=20000",
                       {"env", "NOTIFY_SOCKET=" + directory.file("notify")});

  EXPECT_THAT(manager.Next(), StartsWith("READY=1\n"));
  EXPECT_EQ(manager.Next(), "WATCHDOG=1\n");
  EXPECT_EQ(manager.Next(), "WATCHDOG=1\n");
  EXPECT_EQ(server.End(SIGTERM), 0);
  EXPECT_THAT(manager.NextNews(), StartsWith("STOPPING=1\n"));
}

}  // namespace
}  // namespace hourcell::service_test
