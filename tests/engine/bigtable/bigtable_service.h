// BigtableService: the services that tests of the engine run on: our fake, and Google's emulator.

#pragma once

#include <functional>
#include <memory>
#include <ostream>
#include <string>

#include <gtest/gtest.h>

#include "tests/support/bigtable/fake_bigtable.h"
#include "tests/support/bigtable/google_emulator.h"

namespace hourcell {

// One for all tests of a program; each store has a different table prefix.
inline const GoogleEmulator& SharedGoogleEmulator() {
  static const GoogleEmulator emulator;
  return emulator;
}

// A name of this process that no test had before.
inline std::string FreshTablePrefix() {
  static int last = 0;
  return "t" + std::to_string(++last);
}

enum class BigtableService : uint8_t { kFake, kGooglesEmulator };

inline void PrintTo(BigtableService service, std::ostream* out) {
  *out << (service == BigtableService::kFake ? "Fake" : "GooglesEmulator");
}
inline std::string NameOfService(const testing::TestParamInfo<BigtableService>& tested) {
  return testing::PrintToString(tested.param);
}

}  // namespace hourcell
