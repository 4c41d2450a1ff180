// MD5 (RFC 1321), for names that must equal HBase's: encoded region names and hash prefixes of row
// keys. Not for secrets, and not for our checksums: those are XXH3 and CRC32C. Pure.
//
// Not OpenSSL's MD5: it fails on a machine in FIPS mode, so no store would open there; and the
// engine, which is installed as a library, needs nothing else from OpenSSL.

#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace hourcell {

// The 16 bytes of the digest, in the order in which they are printed.
std::array<uint8_t, 16> Md5(std::string_view bytes);

// The digest as 32 lower-case hex digits.
std::string Md5Hex(std::string_view bytes);

}  // namespace hourcell
