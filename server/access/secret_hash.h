// SecretHash: a secret as the user file stores it: salted, by scrypt (RFC 7914), so that a reader
// of the file has to guess, at 32 MiB and tens of milliseconds a guess.
//
//   scrypt:15:8:1:<salt, 32 hex digits>:<hash, 64 hex digits>
//          |  | parallelism
//          |  block size
//          log2 of the cost
//
// A value; thread-safe.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <absl/status/statusor.h>

namespace hourcell {

// Maximum bytes of a secret; longer ones are refused without a check.
inline constexpr size_t kSecretBytesMax = 1024;

class SecretHash {
 public:
  struct Cost {
    uint32_t log2_n = 15;
    uint32_t block = 8;
    uint32_t parallel = 1;
  };

  // With a new salt from the operating system.
  static SecretHash Make(std::string_view secret, const Cost& cost);
  static SecretHash Make(std::string_view secret) { return Make(secret, Cost()); }

  // kInvalidArgument: not of the form above, or a cost that is too small (log2 below 10) or needs
  // more than 128 MiB or the time of 16 threads.
  static absl::StatusOr<SecretHash> Parse(std::string_view text);
  std::string text() const;

  // Computes the hash of `secret`, which is slow, and compares in constant time.
  bool Matches(std::string_view secret) const;

 private:
  SecretHash() = default;

  Cost cost_;
  std::string salt_;  // 16 bytes
  std::string hash_;  // 32 bytes
};

// `bytes` random bytes from OpenSSL's generator, as hex digits.
std::string RandomSecret(size_t bytes = 24);

}  // namespace hourcell
