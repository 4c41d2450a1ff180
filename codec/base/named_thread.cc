#include "codec/base/named_thread.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <utility>

#include "codec/base/check.h"

namespace hourcell {
namespace {

// Linux rejects a longer name, and the thread would keep the name of its parent.
constexpr size_t kThreadNameBytesMax = 15;

}  // namespace

NamedThread::NamedThread(std::string name, std::function<void()> run) {
  HOURCELL_CHECK(!name.empty() && name.size() <= kThreadNameBytesMax);
  // The thread names itself, so that it has its name before it runs anything.
  thread_ = std::thread([name = std::move(name), run = std::move(run)] {
    pthread_setname_np(pthread_self(), name.c_str());
    run();
  });
}

NamedThread& NamedThread::operator=(NamedThread&& other) noexcept {
  Join();
  thread_ = std::move(other.thread_);
  return *this;
}

void NamedThread::Join() {
  if (thread_.joinable()) thread_.join();
}

size_t ProcessorCount() {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof(allowed), &allowed) == 0) {
    return static_cast<size_t>(std::max(1, CPU_COUNT(&allowed)));
  }
  return std::max(1U, std::thread::hardware_concurrency());  // more processors than a set has
}

}  // namespace hourcell
