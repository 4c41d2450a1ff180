#include "server/config/build_info.h"

namespace hourcell {

const BuildInfo& ThisBuild() {
  static constexpr BuildInfo kInfo = {
      .commit = HOURCELL_COMMIT,
      .build_type = HOURCELL_BUILD_TYPE,
#ifdef __clang__
      .compiler = "clang " __clang_version__,
#else
      .compiler = "gcc " __VERSION__,
#endif
#ifndef NDEBUG
      .has_debug_checks = true,
#endif
      .libraries = HOURCELL_LIBRARIES,
  };
  return kInfo;
}

}  // namespace hourcell
