// EngineProgram: the engine of a store as a program, for tests of commands: our fake or Google's
// emulator. The commands find it by BIGTABLE_EMULATOR_HOST.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/cluster/child_process.h"
#include "tests/engine/bigtable/bigtable_service.h"
#include "tests/support/temp_dir.h"

namespace hourcell {

// The program and its first argument.
inline std::vector<std::string> EngineWords(BigtableService service, uint16_t port) {
  return {service == BigtableService::kFake ? HOURCELL_FAKE_BIGTABLE : HOURCELL_GOOGLE_EMULATOR,
          std::to_string(port)};
}

// A test on each engine; one on Google's emulator is skipped where that is missing.
class EngineProgramTest : public testing::TestWithParam<BigtableService> {
 protected:
  void SetUp() override {
    if (GetParam() == BigtableService::kGooglesEmulator) HOURCELL_WANT_EMULATOR();
    program_ = std::make_unique<ChildProcess>(
        EngineWords(GetParam(), port_), std::vector<std::string>{}, directory_.file("engine"));
    ASSERT_TRUE(ListensWithin(port_, 20'000));
    setenv("BIGTABLE_EMULATOR_HOST", ("127.0.0.1:" + std::to_string(port_)).c_str(), 1);
  }
  ~EngineProgramTest() override { unsetenv("BIGTABLE_EMULATOR_HOST"); }

  const TempDir directory_;

 private:
  const uint16_t port_ = FreePort();
  std::unique_ptr<ChildProcess> program_;
};

}  // namespace hourcell
