// A disk that is full, for real: a small file system in memory, mounted for this process alone.
// Puts are answered 503 while it is full, taken again by themselves once there is room, and nothing
// that was acknowledged is lost.

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/check.h"
#include "tests/http/load_writer.h"
#include "tests/http/server_process.h"
#include "tests/support/temp_dir.h"

namespace hourcell::disk_full_test {
namespace {

using testing::AnyOf;
using testing::HasSubstr;
using Outcome = LoadWriter::Outcome;

bool WriteText(const char* path, const std::string& text) {
  std::ofstream file(path);
  file << text << std::flush;
  return file.good();
}

// Makes the mounts of this process visible only to it and its children. Without root that takes a
// user namespace, where the system allows them. Returns the failure; empty: success.
std::string LeaveMountNamespace() {
  const auto failed = [](const char* what) {
    return fmt::format("{}: {}", what, std::generic_category().message(errno));
  };
  const uid_t uid = getuid();
  const gid_t gid = getgid();
  if (unshare(CLONE_NEWNS) != 0) {
    if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return failed("unshare");
    WriteText("/proc/self/setgroups", "deny");
    if (!WriteText("/proc/self/uid_map", fmt::format("{0} {0} 1", uid))) return failed("uid_map");
    if (!WriteText("/proc/self/gid_map", fmt::format("{0} {0} 1", gid))) return failed("gid_map");
  }
  if (mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return failed("mount /");
  return {};
}

// A file system of that size on a directory.
class SmallDisk {
 public:
  explicit SmallDisk(size_t mebibytes) {
    fault_ = LeaveMountNamespace();
    if (!fault_.empty()) return;
    const std::string options = fmt::format("size={}m", mebibytes);
    if (mount("none", path().c_str(), "tmpfs", 0, options.c_str()) != 0) {
      fault_ = fmt::format("mount a tmpfs: {}", std::generic_category().message(errno));
    }
  }
  ~SmallDisk() { umount2(path().c_str(), MNT_DETACH); }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

  // Why the disk is missing; empty: it is there.
  const std::string& fault() const { return fault_; }
  const std::string& path() const { return directory_.path(); }

  uint64_t FreeBytes() const {
    struct statvfs stats{};
    HOURCELL_CHECK(statvfs(path().c_str(), &stats) == 0);
    return stats.f_bavail * stats.f_bsize;
  }
  // Takes all space but `left` bytes, even if others take some meanwhile; or gives it back.
  void Fill(uint64_t left) {
    const int file = open(ballast().c_str(), O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0600);
    HOURCELL_CHECK(file >= 0);
    const std::string piece(4096, 'x');
    while (FreeBytes() > left && write(file, piece.data(), piece.size()) > 0) {
    }
    close(file);
  }
  void Free() { std::filesystem::remove(ballast()); }

 private:
  std::string ballast() const { return path() + "/ballast"; }

  TempDir directory_;
  std::string fault_;
};

// Budgets that let one part fill the disk: the journal of a store that seals nothing, or the cells
// of one that seals all the time.
struct Budgets {
  std::string name;
  std::vector<std::string> arguments;
};
void PrintTo(const Budgets& budgets, std::ostream* out) {
  *out << budgets.name;
}

class DiskFullTest : public testing::TestWithParam<Budgets> {
 protected:
  void SetUp() override {
    if (!disk_.fault().empty()) {
      GTEST_SKIP() << "no disk can be filled here; " << disk_.fault();
    }
  }

  // Batches until one ends as expected; false if it takes too long, or the server goes away.
  static bool PutUntil(Outcome wanted, uint16_t port, LoadWriter* writer) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (std::chrono::steady_clock::now() < deadline) {
      const Outcome outcome = writer->PutBatch(port, /*series=*/20);
      if (outcome == wanted) return true;
      if (outcome == Outcome::kGone || outcome == Outcome::kWrong) return false;
      if (outcome == Outcome::kRefused) {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
      }
    }
    return false;
  }

  // True once a flush works again; false if it takes too long, or the server is gone.
  static bool FlushAgain(uint16_t port) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (std::chrono::steady_clock::now() < deadline) {
      const int status = HttpCall(port, "POST", "/api/admin/flush?wait").status;
      if (status == 200) return true;
      if (status == 0) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    return false;
  }

  // A point for each of `metrics` new metrics.
  static std::string BodyOfNewMetrics(std::string_view prefix, int metrics) {
    std::string body;
    for (int i = 0; i < metrics; ++i) {
      body += fmt::format(R"({}{{"metric":"{}{}","timestamp":1356998400,"value":1,)"
                          R"("tags":{{"host":"a"}}}})",
                          body.empty() ? "[" : ",", prefix, i);
    }
    return body + "]";
  }

  // Puts the body until it is not answered 503; the last status.
  static int PutUntilTaken(uint16_t port, const std::string& body) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    int status = 503;
    while (status == 503 && std::chrono::steady_clock::now() < deadline) {
      status = HttpCall(port, "POST", "/api/put", body).status;
      if (status == 503) std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    return status;
  }

  // RocksDB recovers without help, every five seconds, once 64 MiB are free.
  SmallDisk disk_{200};
  LoadWriter http_{LoadWriter::Protocol::kHttp, "m", 1};
  LoadWriter telnet_{LoadWriter::Protocol::kTelnet, "t", 2};
  LoadWriter newcomer_{LoadWriter::Protocol::kHttp, "n", 3};
};

TEST_P(DiskFullTest, PutsAreRefusedUntilThereIsRoomAndNothingIsLost) {
  const std::string store = disk_.path() + "/store";
  {
    ServerProcess server(store, GetParam().arguments);
    ASSERT_NE(server.port(), 0);
    ASSERT_TRUE(PutUntil(Outcome::kAcknowledged, server.port(), &http_));
    ASSERT_TRUE(PutUntil(Outcome::kAcknowledged, server.port(), &telnet_));

    disk_.Fill(/*left=*/100'000);
    ASSERT_TRUE(PutUntil(Outcome::kRefused, server.port(), &http_)) << http_.fault();
    EXPECT_THAT(http_.refusal(), HasSubstr(R"({"error":{"code":503,"message":"Please throttle")"));
    EXPECT_THAT(http_.refusal(), AnyOf(HasSubstr("No space left on device"),
                                       HasSubstr("are in use; try again later")));
    // The reservation of the failed block is free again; without it no cell can be flushed and no
    // series created either.
    disk_.Fill(/*left=*/0);
    const HttpResult flush = HttpCall(server.port(), "POST", "/api/admin/flush?wait");
    EXPECT_EQ(flush.status, 503);
    EXPECT_THAT(flush.body, HasSubstr("No space left on device"));
    EXPECT_EQ(newcomer_.PutBatch(server.port(), /*series=*/20), Outcome::kRefused);
    EXPECT_EQ(http_.Settle(server.port()), "");

    disk_.Free();
    for (LoadWriter* const writer : {&http_, &telnet_, &newcomer_})
      EXPECT_TRUE(PutUntil(Outcome::kAcknowledged, server.port(), writer)) << writer->fault();
    EXPECT_TRUE(FlushAgain(server.port()));
    EXPECT_EQ(http_.Settle(server.port()), "");
    EXPECT_EQ(telnet_.Settle(server.port()), "");
    EXPECT_EQ(newcomer_.Settle(server.port()), "");
    EXPECT_EQ(server.End(SIGKILL), -SIGKILL);
  }

  ServerProcess server(store, GetParam().arguments);
  ASSERT_NE(server.port(), 0);
  EXPECT_EQ(http_.Settle(server.port()), "");
  EXPECT_EQ(telnet_.Settle(server.port()), "");
  EXPECT_EQ(newcomer_.Settle(server.port()), "");
  EXPECT_EQ(server.End(SIGTERM), 0);
  EXPECT_EQ(RunProgram({"uid", "fsck", "--data", store}).exit_code, 0);
  EXPECT_EQ(RunProgram({"store", "compact", "--data", store}).exit_code, 0);
}

TEST_P(DiskFullTest, AServerThatIsKilledWhileItIsFullLosesNothing) {
  const std::string store = disk_.path() + "/store";
  {
    ServerProcess server(store, GetParam().arguments);
    ASSERT_TRUE(PutUntil(Outcome::kAcknowledged, server.port(), &http_));
    disk_.Fill(/*left=*/100'000);
    ASSERT_TRUE(PutUntil(Outcome::kRefused, server.port(), &http_)) << http_.fault();
    EXPECT_EQ(server.End(SIGKILL), -SIGKILL);
  }
  disk_.Free();

  ServerProcess server(store, GetParam().arguments);

  ASSERT_NE(server.port(), 0);
  EXPECT_EQ(http_.Settle(server.port()), "");
  EXPECT_TRUE(PutUntil(Outcome::kAcknowledged, server.port(), &http_)) << http_.fault();
}

// RocksDB keeps the group of these names in memory though its writer got an error. The group has
// more UIDs than a search for a free one passes over. On a larger disk RocksDB would reserve room
// for the group.
TEST_P(DiskFullTest, NewNamesSucceedAfterAFullDiskFailedManyNames) {
  SmallDisk disk(24);
  ASSERT_EQ(disk.fault(), "");
  const std::string store = disk.path() + "/store";
  ServerProcess server(store, GetParam().arguments);
  ASSERT_EQ(PutUntilTaken(server.port(), BodyOfNewMetrics("known", 1)), 204);

  disk.Fill(/*left=*/0);
  EXPECT_EQ(HttpCall(server.port(), "POST", "/api/put", BodyOfNewMetrics("m", 3000)).status, 503);

  disk.Free();
  EXPECT_EQ(PutUntilTaken(server.port(), BodyOfNewMetrics("known", 1)), 204);
  EXPECT_EQ(PutUntilTaken(server.port(), BodyOfNewMetrics("other", 1)), 204);
  EXPECT_EQ(PutUntilTaken(server.port(), BodyOfNewMetrics("m", 3000)), 204);
  EXPECT_EQ(PutUntilTaken(server.port(), BodyOfNewMetrics("more", 500)), 204);
  EXPECT_EQ(server.End(SIGTERM), 0);
  EXPECT_EQ(RunProgram({"uid", "fsck", "--data", store}).exit_code, 0);
}

TEST_P(DiskFullTest, TelnetIsToldOfLinesThatAreNotStored) {
  const std::string store = disk_.path() + "/store";
  ServerProcess server(store, GetParam().arguments);
  ASSERT_TRUE(PutUntil(Outcome::kAcknowledged, server.port(), &telnet_));

  disk_.Fill(/*left=*/100'000);
  ASSERT_TRUE(PutUntil(Outcome::kRefused, server.port(), &telnet_)) << telnet_.fault();
  EXPECT_THAT(telnet_.refusal(), HasSubstr("No space left on device"));

  disk_.Free();
  EXPECT_TRUE(PutUntil(Outcome::kAcknowledged, server.port(), &telnet_)) << telnet_.fault();
  EXPECT_EQ(telnet_.Settle(server.port()), "");
}

INSTANTIATE_TEST_SUITE_P(Stores,
                         DiskFullTest,
                         testing::Values(Budgets{"Journal",
                                                 {"--set", "tsd.storage.journal.segment=65536"}},
                                         Budgets{"Cells",
                                                 {"--set", "tsd.storage.open_hours=262144", "--set",
                                                  "tsd.storage.journal=1048576", "--set",
                                                  "tsd.storage.journal.segment=65536", "--set",
                                                  "tsd.storage.seal_grace=0"}}),
                         [](const auto& param_info) { return param_info.param.name; });

}  // namespace
}  // namespace hourcell::disk_full_test
