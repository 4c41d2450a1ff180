// ConnectionQuota: how many connections a server has open, in all and from each address, and
// whether one more may come in. All listeners of a server share one.
//
// Thread-safe.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "codec/base/mutex.h"
#include "codec/base/strings.h"

namespace hourcell {

class ConnectionQuota {
 public:
  // Open at once; 0 = no limit.
  struct Limits {
    size_t total = 0;
    size_t per_address = 0;
  };
  enum class Verdict : uint8_t { kWelcome, kTooMany, kTooManyOfAddress };

  explicit ConnectionQuota(Limits limits) : limits_(limits) {}

  // Counts a connection from `address`, as PeerAddress has it, if it is welcome. Leave undoes that.
  Verdict Enter(std::string_view address);
  void Leave(std::string_view address);

  size_t total() const;
  const Limits& limits() const { return limits_; }

 private:
  const Limits limits_;
  mutable Mutex mutex_;
  size_t total_ ABSL_GUARDED_BY(mutex_) = 0;
  StringMap<size_t> by_address_ ABSL_GUARDED_BY(mutex_);  // only where there is a limit
};

// What counts as one address: an IPv4 address, also one mapped into IPv6; of IPv6 the first 64
// bits, since a host has all that follow. Anything else is itself.
std::string QuotaAddress(std::string_view address);

}  // namespace hourcell
