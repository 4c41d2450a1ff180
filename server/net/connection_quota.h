// ConnectionQuota: counts the open connections of a server, in all and from each address, and
// decides whether to accept one more. All listeners of a server share one.
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

  // Counts a connection from `address`, in PeerAddress's form, if the limits allow it. Leave undoes
  // that.
  Verdict Enter(std::string_view address);
  void Leave(std::string_view address);

  size_t total() const;
  const Limits& limits() const { return limits_; }

 private:
  const Limits limits_;
  mutable Mutex mutex_;
  size_t total_ ABSL_GUARDED_BY(mutex_) = 0;
  StringMap<size_t> by_address_ ABSL_GUARDED_BY(mutex_);  // only with a limit
};

// The key by which addresses are counted: an IPv4 address, also if mapped into IPv6; the first 64
// bits of an IPv6 address, since one host owns all addresses under them. Other text is unchanged.
std::string QuotaAddress(std::string_view address);

}  // namespace hourcell
