#include "tests/support/restless_env.h"

#include <algorithm>

#include <rocksdb/system_clock.h>

#include "tests/support/sanitizers.h"

namespace hourcell {
namespace {

class RestlessClock : public rocksdb::SystemClockWrapper {
 public:
  using SystemClockWrapper::SystemClockWrapper;
  const char* Name() const override { return "RestlessClock"; }
  void SleepForMicroseconds(int micros) override {
    SystemClockWrapper::SleepForMicroseconds(std::min(micros, 1000));
  }
};

class RestlessEnv : public rocksdb::EnvWrapper {
 public:
  explicit RestlessEnv(const std::shared_ptr<rocksdb::FileSystem>& fs)
      : EnvWrapper(rocksdb::NewCompositeEnv(fs)) {
    system_clock_ = std::make_shared<RestlessClock>(rocksdb::SystemClock::Default());
  }
  // The sleeps of an Env around this one.
  void SleepForMicroseconds(int micros) override {
    EnvWrapper::SleepForMicroseconds(std::min(micros, 1000));
  }
};

}  // namespace

std::unique_ptr<rocksdb::Env> NewRestlessEnv(const std::shared_ptr<rocksdb::FileSystem>& fs) {
  if (kIsThreadSanitized) return rocksdb::NewCompositeEnv(fs);
  return std::make_unique<RestlessEnv>(fs);
}

}  // namespace hourcell
