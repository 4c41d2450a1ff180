// RelayProof: two processes of one store prove to each other that they know its secret, without
// sending it. The process that forwards the connection is the sender, the other one the acceptor.
//
//   sender      header (relay_header.h) with the sender's nonce, 16 bytes
//   acceptor    challenge: 16 bytes, the acceptor's nonce; 32 bytes, its proof
//   sender      32 bytes, its proof; then the client's bytes
//
// A proof is HMAC-SHA-256(secret, label, 00, the whole header, the acceptor's nonce). The label is
// "hourcell acceptor" or "hourcell sender", so that neither side can replay the other's proof. Both
// nonces are new for each connection, so a proof is useless on another one.
//
// A process knows up to three secrets (SharedSecrets in engine/storage/shared_storage.h): it proves
// with one of these and accepts proofs made with any.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "codec/base/mutex.h"

namespace hourcell {

inline constexpr size_t kRelayNonceBytes = 16;
inline constexpr size_t kRelayProofBytes = 32;
inline constexpr size_t kRelayChallengeBytes = kRelayNonceBytes + kRelayProofBytes;

// From the operating system's secure generator.
std::string NewRelayNonce();

enum class RelaySide : uint8_t { kAcceptor, kSender };

// The secrets of this process; another thread may replace them. Thread-safe.
class RelayKeys {
 public:
  // REQUIRES: `current` is not empty. It is also accepted.
  explicit RelayKeys(std::string current, std::vector<std::string> accepted = {});
  void Set(std::string current, std::vector<std::string> accepted);

  // `header`: the bytes as sent; `nonce`: the acceptor's.
  std::string Prove(RelaySide side, std::string_view header, std::string_view nonce) const;
  // True if `side` made `proof` with one of the secrets. Runs in constant time.
  bool Proves(RelaySide side,
              std::string_view header,
              std::string_view nonce,
              std::string_view proof) const;

 private:
  mutable Mutex mutex_;
  std::string current_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::string> accepted_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace hourcell
