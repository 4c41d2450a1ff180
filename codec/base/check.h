// Assertions about programming errors, on in every build.
//
//   HOURCELL_CHECK(cond)         aborts with file, line and the condition when it is false.
//   HOURCELL_DCHECK(cond)        the same in builds without NDEBUG; costs nothing in release.
//
// For faults of a caller, a file or a client, use absl::Status instead.

#pragma once

#include <cstdio>
#include <cstdlib>

namespace hourcell::base_internal {

[[noreturn]] inline void CheckFailed(const char* file, int line, const char* condition) {
  std::fprintf(stderr, "BUG: %s:%d: check failed: %s\n", file, line, condition);
  std::abort();
}

}  // namespace hourcell::base_internal

#define HOURCELL_CHECK(condition)                                             \
  do {                                                                        \
    if (!(condition)) [[unlikely]]                                            \
      ::hourcell::base_internal::CheckFailed(__FILE__, __LINE__, #condition); \
  } while (false)

#ifdef NDEBUG
#define HOURCELL_DCHECK(condition) \
  do {                             \
  } while (false && (condition))
#else
#define HOURCELL_DCHECK(condition) HOURCELL_CHECK(condition)
#endif
