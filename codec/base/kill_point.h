// Named places at which a crash test kills the process: between the steps of every write that has
// more than one. Compiled to nothing unless HOURCELL_KILL_POINTS is on.
//
//   HOURCELL_KILL_POINT("create:families");
//
// The environment variable HOURCELL_KILL_AT=<name>[#<n>] makes the n-th passing (default first) of
// that point end the process as kill -9 would: at once, no destructor, no flush.

#pragma once

#ifdef HOURCELL_KILL_POINTS

namespace hourcell::base_internal {
void PassKillPoint(const char* name);
}

#define HOURCELL_KILL_POINT(name) ::hourcell::base_internal::PassKillPoint(name)
#else
#define HOURCELL_KILL_POINT(name) \
  do {                            \
  } while (false)
#endif
