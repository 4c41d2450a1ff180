#include "server/cluster/writer_watch.h"

#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/mutex.h"
#include "server/net/nodes/relay_header.h"
#include "tests/server/cluster/relay_fixture.h"
#include "tests/support/status_matchers.h"

namespace hourcell::writer_watch_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class WriterWatchTest : public testing::Test {
 protected:
  // Those that are gone, once there is one, or after so long.
  std::vector<std::string> GoneWithin(int64_t ms) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(ms);
    MutexLock lock(&mutex_);
    while (gone_.empty() && std::chrono::steady_clock::now() < end)
      changed_.WaitFor(&mutex_, 1);
    return gone_;
  }

  // The watch's connection.
  int AcceptWatch() const {
    const int fd = writer_->Accept();
    const auto parsed = ParseRelayHeader(AcceptRelay(fd));
    EXPECT_OK(parsed);
    EXPECT_TRUE(parsed.ok() && parsed->has_value() && (*parsed)->header.is_watch);
    return fd;
  }

  void Die(int fd) {
    writer_.reset();
    close(fd);
  }

  static constexpr int64_t kSoonMs = 20'000;  // of what happens at once
  static constexpr int64_t kNotMs = 60;       // of what must not happen

  std::optional<ScriptedWriter> writer_{std::in_place};
  const std::string address_ = writer_->address();
  Mutex mutex_;
  CondVar changed_;
  std::vector<std::string> gone_ ABSL_GUARDED_BY(mutex_);
  WriterWatch watch_{std::make_shared<RelayKeys>(std::string(kTestSecret)),
                     [this](const std::string& address) {
                       MutexLock lock(&mutex_);
                       gone_.push_back(address);
                       changed_.NotifyAll();
                     }};
};

TEST_F(WriterWatchTest, ADeathIsSeen) {
  watch_.SetWriter(address_);
  const int fd = AcceptWatch();
  EXPECT_THAT(GoneWithin(0), IsEmpty());
  Die(fd);
  EXPECT_THAT(GoneWithin(kSoonMs), ElementsAre(address_));
}

TEST_F(WriterWatchTest, OneThatSaysThatItLeavesIsNotGone) {
  watch_.SetWriter(address_);
  const int fd = AcceptWatch();
  ASSERT_EQ(send(fd, kLeaves.data(), kLeaves.size(), MSG_NOSIGNAL),
            static_cast<ssize_t>(kLeaves.size()));
  Die(fd);
  EXPECT_THAT(GoneWithin(kNotMs), IsEmpty());
}

TEST_F(WriterWatchTest, OneThatEndsConnectionsIsWatchedAgain) {
  watch_.SetWriter(address_);
  close(AcceptWatch());
  const int fd = AcceptWatch();
  EXPECT_THAT(GoneWithin(0), IsEmpty());
  Die(fd);
  EXPECT_THAT(GoneWithin(kSoonMs), ElementsAre(address_));
}

TEST_F(WriterWatchTest, OneThatWasNeverReachedIsNotGone) {
  writer_.reset();
  watch_.SetWriter(address_);
  EXPECT_THAT(GoneWithin(kNotMs), IsEmpty());
}

// Another program at the address of a writer is not that writer, even if it ends.
TEST_F(WriterWatchTest, OneThatDoesNotKnowTheSecretIsNotGone) {
  watch_.SetWriter(address_);
  const int fd = writer_->Accept();
  AcceptRelay(fd, "another secret");
  Die(fd);
  EXPECT_THAT(GoneWithin(kNotMs), IsEmpty());
}

// A process that is about to write takes its connections later.
TEST_F(WriterWatchTest, OneThatDiesBeforeItsProofIsGone) {
  watch_.SetWriter(address_);
  const int fd = writer_->Accept();
  ReadFrom(fd, RelayHeaderBytes());
  Die(fd);
  EXPECT_THAT(GoneWithin(kSoonMs), ElementsAre(address_));
}

TEST_F(WriterWatchTest, OneThatWasReplacedIsNotWatched) {
  watch_.SetWriter(address_);
  const int fd = AcceptWatch();
  watch_.SetWriter("");
  EXPECT_THAT(ReadFrom(fd, 1), IsEmpty());
  Die(fd);
  EXPECT_THAT(GoneWithin(kNotMs), IsEmpty());
}

}  // namespace
}  // namespace hourcell::writer_watch_test
