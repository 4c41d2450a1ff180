// RelayProof: how two processes on one store prove to each other that they know its secret, without
// sending it. The one that passes a connection on is the sender, the other the acceptor.
//
//   sender      header (relay_header.h), with 16 bytes of its own: the sender's nonce
//   acceptor    challenge: 16 bytes, the acceptor's nonce; 32 bytes, its proof
//   sender      32 bytes, its proof; then the client's bytes
//
// A proof is HMAC-SHA-256(secret, label, 00, the whole header, the acceptor's nonce). The label is
// "hourcell acceptor" or "hourcell sender", so neither side can send the other's proof back. Both
// nonces are new for each connection, so a proof is of no use on another one.
//
// A process knows up to three secrets (SharedSecrets in engine/table/storage_engine.h): it makes
// proofs with one, and takes those that were made with any.

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

// Of the operating system's generator for secrets.
std::string NewRelayNonce();

enum class RelaySide : uint8_t { kAcceptor, kSender };

// The secrets of this process, which another thread may replace. Thread-safe.
class RelayKeys {
 public:
  // REQUIRES: `current` is not empty. It is accepted, too.
  explicit RelayKeys(std::string current, std::vector<std::string> accepted = {});
  void Set(std::string current, std::vector<std::string> accepted);

  // `header`: as it stands on the wire; `nonce`: the acceptor's.
  std::string Prove(RelaySide side, std::string_view header, std::string_view nonce) const;
  // Whether `proof` was made by `side` with one of the secrets. Takes as long whatever it is.
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
