#include "server/access/secret_hash.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>

#include <array>
#include <charconv>
#include <cstddef>
#include <optional>
#include <system_error>

#include <absl/status/status.h>
#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/check.h"

namespace hourcell {
namespace {

constexpr size_t kSaltBytes = 16;
constexpr size_t kHashBytes = 32;
constexpr uint64_t kMemoryBytesMax = uint64_t{128} << 20;
constexpr uint32_t kLog2Min = 10;
constexpr uint32_t kLog2Max = 20;
constexpr uint32_t kBlockMax = 32;
constexpr uint32_t kParallelMax = 16;

// The memory that one scrypt computation needs.
uint64_t MemoryBytes(const SecretHash::Cost& cost) {
  return uint64_t{128} * cost.block * ((uint64_t{1} << cost.log2_n) + cost.parallel + 2);
}

bool IsSensible(const SecretHash::Cost& cost) {
  return cost.log2_n >= kLog2Min && cost.log2_n <= kLog2Max && cost.block >= 1 &&
         cost.block <= kBlockMax && cost.parallel >= 1 && cost.parallel <= kParallelMax &&
         MemoryBytes(cost) <= kMemoryBytesMax;
}

unsigned char* Bytes(std::string* text) {
  return reinterpret_cast<unsigned char*>(text->data());
}
const unsigned char* Bytes(const std::string& text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

// Empty if memory runs out.
std::string Scrypt(std::string_view secret, const std::string& salt, const SecretHash::Cost& cost) {
  std::string hash(kHashBytes, '\0');
  const int ok = EVP_PBE_scrypt(secret.data(), secret.size(), Bytes(salt), salt.size(),
                                uint64_t{1} << cost.log2_n, cost.block, cost.parallel,
                                2 * kMemoryBytesMax, Bytes(&hash), hash.size());
  if (ok != 1) hash.clear();
  return hash;
}

std::string RandomBytes(size_t size) {
  std::string bytes(size, '\0');
  HOURCELL_CHECK(RAND_bytes(Bytes(&bytes), static_cast<int>(size)) == 1);
  return bytes;
}

// The bytes of hex digits; nothing if their number is not `bytes`.
std::optional<std::string> HexBytes(std::string_view hex, size_t bytes) {
  absl::StatusOr<std::string> out = FromHex(hex);
  if (!out.ok() || out->size() != bytes) return std::nullopt;
  return *std::move(out);
}

bool ParseNumber(std::string_view text, uint32_t* number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *number);
  return error == std::errc() && end == text.data() + text.size();
}

// Messages do not quote the text of a hash, because it is almost a secret.
absl::Status BadHash(std::string_view why) {
  return absl::InvalidArgumentError(fmt::format(
      "hash: {}; expected one as 'hourcell user' prints it: scrypt:15:8:1:SALT:HASH", why));
}

}  // namespace

SecretHash SecretHash::Make(std::string_view secret, const Cost& cost) {
  HOURCELL_CHECK(IsSensible(cost));
  SecretHash made;
  made.cost_ = cost;
  made.salt_ = RandomBytes(kSaltBytes);
  made.hash_ = Scrypt(secret, made.salt_, cost);
  HOURCELL_CHECK(!made.hash_.empty());
  return made;
}

absl::StatusOr<SecretHash> SecretHash::Parse(std::string_view text) {
  constexpr size_t kParts = 6;
  std::array<std::string_view, kParts> parts;
  for (size_t i = 0; i < kParts; ++i) {
    const size_t colon = text.find(':');
    const bool is_last = i + 1 == kParts;
    if ((colon == std::string_view::npos) != is_last) return BadHash("wrong number of parts");
    parts[i] = text.substr(0, colon);
    if (!is_last) text.remove_prefix(colon + 1);
  }
  if (parts[0] != "scrypt") return BadHash("unknown kind");
  SecretHash parsed;
  if (!ParseNumber(parts[1], &parsed.cost_.log2_n) || !ParseNumber(parts[2], &parsed.cost_.block) ||
      !ParseNumber(parts[3], &parsed.cost_.parallel) || !IsSensible(parsed.cost_)) {
    return BadHash("cost out of range");
  }
  const std::optional<std::string> salt = HexBytes(parts[4], kSaltBytes);
  const std::optional<std::string> hash = HexBytes(parts[5], kHashBytes);
  if (!salt.has_value() || !hash.has_value()) return BadHash("bad hex digits");
  parsed.salt_ = *salt;
  parsed.hash_ = *hash;
  return parsed;
}

std::string SecretHash::text() const {
  return fmt::format("scrypt:{}:{}:{}:{}:{}", cost_.log2_n, cost_.block, cost_.parallel,
                     ToHex(salt_), ToHex(hash_));
}

bool SecretHash::Matches(std::string_view secret) const {
  if (secret.size() > kSecretBytesMax) return false;
  const std::string hash = Scrypt(secret, salt_, cost_);
  return hash.size() == hash_.size() && CRYPTO_memcmp(hash.data(), hash_.data(), hash.size()) == 0;
}

std::string RandomSecret(size_t bytes) {
  return ToHex(RandomBytes(bytes));
}

}  // namespace hourcell
