#include "server/net/nodes/relay_proof.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include <utility>

#include "codec/base/check.h"

namespace hourcell {
namespace {

std::string ProofOf(std::string_view secret,
                    RelaySide side,
                    std::string_view header,
                    std::string_view nonce) {
  std::string text = side == RelaySide::kAcceptor ? "hourcell acceptor" : "hourcell sender";
  text.push_back('\0');
  text += header;
  text += nonce;
  std::string proof(kRelayProofBytes, '\0');
  unsigned size = 0;
  HOURCELL_CHECK(HMAC(EVP_sha256(), secret.data(), static_cast<int>(secret.size()),
                      reinterpret_cast<const unsigned char*>(text.data()), text.size(),
                      reinterpret_cast<unsigned char*>(proof.data()), &size) != nullptr);
  HOURCELL_CHECK(size == kRelayProofBytes);
  return proof;
}

}  // namespace

std::string NewRelayNonce() {
  std::string nonce(kRelayNonceBytes, '\0');
  HOURCELL_CHECK(RAND_bytes(reinterpret_cast<unsigned char*>(nonce.data()),
                            static_cast<int>(nonce.size())) == 1);
  return nonce;
}

RelayKeys::RelayKeys(std::string current, std::vector<std::string> accepted) {
  Set(std::move(current), std::move(accepted));
}

void RelayKeys::Set(std::string current, std::vector<std::string> accepted) {
  HOURCELL_CHECK(!current.empty());
  MutexLock lock(&mutex_);
  current_ = std::move(current);
  accepted_ = std::move(accepted);
  accepted_.push_back(current_);
}

std::string RelayKeys::Prove(RelaySide side,
                             std::string_view header,
                             std::string_view nonce) const {
  MutexLock lock(&mutex_);
  return ProofOf(current_, side, header, nonce);
}

bool RelayKeys::Proves(RelaySide side,
                       std::string_view header,
                       std::string_view nonce,
                       std::string_view proof) const {
  if (proof.size() != kRelayProofBytes) return false;
  bool is_proof = false;
  MutexLock lock(&mutex_);
  for (const std::string& secret : accepted_) {
    const std::string want = ProofOf(secret, side, header, nonce);
    if (CRYPTO_memcmp(want.data(), proof.data(), kRelayProofBytes) == 0) is_proof = true;
  }
  return is_proof;
}

}  // namespace hourcell
