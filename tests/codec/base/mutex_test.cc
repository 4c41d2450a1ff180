#include "codec/base/mutex.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace hourcell::mutex_test {
namespace {

// A thread of which a test can tell whether it waits.
class Worker {
 public:
  template <typename Work>
  explicit Worker(Work work)
      : thread_([this, work] {
          id_ = static_cast<int>(syscall(SYS_gettid));
          work();
          is_done_ = true;
        }) {}

  // Until the thread is done, or sleeps: it takes nothing but the lock of the test.
  void AwaitRest() const {
    while (!is_done_ && !(id_ != 0 && IsAsleep()))
      std::this_thread::yield();
  }
  bool is_done() const { return is_done_; }

 private:
  bool IsAsleep() const {
    std::string line;
    std::getline(std::ifstream(fmt::format("/proc/self/task/{}/stat", id_.load())), line);
    const size_t name_end = line.rfind(')');
    return name_end != std::string::npos && line.substr(name_end, 3) == ") S";
  }

  std::atomic<int> id_{0};
  std::atomic<bool> is_done_{false};
  std::jthread thread_;
};

// What the threads of a test did, in order.
class Order {
 public:
  void Add(char step) {
    const MutexLock lock(&mutex_);
    steps_.push_back(step);
  }
  std::string steps() {
    const MutexLock lock(&mutex_);
    return steps_;
  }

 private:
  Mutex mutex_;
  std::string steps_;
};

class SharedMutexTest : public testing::Test {
 protected:
  void Read(char step) {
    const ReaderLock lock(&shared_);
    order_.Add(step);
  }
  void Write(char step) {
    const WriterLock lock(&shared_);
    order_.Add(step);
  }

  SharedMutex shared_;
  Order order_;
};

TEST_F(SharedMutexTest, ReadersAreInsideTogether) {
  const ReaderLock lock(&shared_);
  Worker other([this] { Read('r'); });
  other.AwaitRest();
  EXPECT_TRUE(other.is_done());
}

TEST_F(SharedMutexTest, AWriterIsInsideAlone) {
  shared_.Lock();
  Worker reader([this] { Read('r'); });
  Worker writer([this] { Write('w'); });
  reader.AwaitRest();
  writer.AwaitRest();
  EXPECT_EQ(order_.steps(), "");
  shared_.Unlock();
}

// Else readers that come often enough keep writers out for ever.
TEST_F(SharedMutexTest, AReaderThatComesWhileAWriterWaitsGoesAfterIt) {
  shared_.ReaderLock();
  {
    Worker writer([this] { Write('w'); });
    writer.AwaitRest();
    Worker reader([this] { Read('r'); });
    reader.AwaitRest();
    EXPECT_EQ(order_.steps(), "");
    shared_.ReaderUnlock();
  }
  EXPECT_EQ(order_.steps(), "wr");
}

// Else writers that come often enough keep readers out for ever.
TEST_F(SharedMutexTest, ReadersThatWaitGoBeforeTheNextWriter) {
  shared_.Lock();
  {
    Worker first([this] { Write('w'); });
    first.AwaitRest();
    Worker reader([this] { Read('r'); });
    Worker another([this] { Read('r'); });
    reader.AwaitRest();
    another.AwaitRest();
    shared_.Unlock();
  }
  EXPECT_EQ(order_.steps(), "rrw");
}

TEST_F(SharedMutexTest, CountsOfManyThreadsAgree) {
  constexpr int kThreads = 8;
  constexpr int kRounds = 2000;
  int a = 0;
  int b = 0;
  std::atomic<int> torn = 0;
  {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < kThreads; ++thread) {
      threads.emplace_back([&, thread] {
        for (int i = 0; i < kRounds; ++i) {
          if ((i + thread) % 4 == 0) {
            const WriterLock lock(&shared_);
            ++a;
            ++b;
          } else {
            const ReaderLock lock(&shared_);
            if (a != b) ++torn;
          }
        }
      });
    }
  }
  EXPECT_EQ(torn, 0);
  EXPECT_EQ(a, kThreads * kRounds / 4);
}

}  // namespace
}  // namespace hourcell::mutex_test
