// Distributors by name, as settings and `simulate` give them:
//
//   none                       keys as they are
//   series-salt                OpenTSDB's salt, width and buckets from the layout
//   simple-hash:15             HBaseWD's one-byte hash of the key
//   xxh3:64                    XXH3 of the key
//   md5-4hex, md5-8hex         hex digits of the key's MD5
//   time-hash:4                hash of the time the key begins with
//   round-robin:4              one bucket after the other
//   partition:20               id modulo 20
//   reversed                   the key's bytes in reverse
//   reversed-time:3            newest first; the time is after byte 3
//   cyclic:period=44d,slot=1d,ttl=30d,major=7d
//                              lengths in s, m, h or d; major: between major compactions
//
// Pure; thread-safe.

#pragma once

#include <memory>
#include <string_view>

#include <absl/status/statusor.h>

#include "codec/rows/layout.h"
#include "engine/regions/keys/key_distributor.h"

namespace hourcell {

// The distributor of a text as above; its Spec() makes the same one. kInvalidArgument: an unknown
// name, an operand that is missing, malformed or too much, or an error of its maker
// (prefix_distributor.h, time_distributor.h).
absl::StatusOr<std::unique_ptr<KeyDistributor>> MakeKeyDistributor(std::string_view spec,
                                                                   const Layout& layout);

}  // namespace hourcell
