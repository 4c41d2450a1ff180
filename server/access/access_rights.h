// AccessRights: the rights of a client. A role is a set with a name:
//
//   none         log in only
//   read         queries, and descriptions of the data
//   write        puts, UIDs, annotations
//   read+write   both
//   admin        both, and changes that affect other clients: deletions, TTLs, regions, caches,
//                the settings
//
// A value; thread-safe.

#pragma once

#include <cstdint>
#include <string_view>

#include <absl/status/statusor.h>

namespace hourcell {

class AccessRights {
 public:
  constexpr AccessRights() = default;  // none
  static constexpr AccessRights Read() { return AccessRights(1); }
  static constexpr AccessRights Write() { return AccessRights(2); }
  static constexpr AccessRights Admin() { return AccessRights(7); }

  // The role of that name. kInvalidArgument: got, want.
  static absl::StatusOr<AccessRights> Parse(std::string_view role);
  std::string_view role() const;

  constexpr bool is_none() const { return bits_ == 0; }
  // True if these rights include all of `wanted`; also if `wanted` is empty.
  constexpr bool Covers(AccessRights wanted) const {
    return (bits_ & wanted.bits_) == wanted.bits_;
  }

  friend constexpr AccessRights operator|(AccessRights a, AccessRights b) {
    return AccessRights(static_cast<uint8_t>(a.bits_ | b.bits_));
  }
  friend constexpr bool operator==(AccessRights, AccessRights) = default;

 private:
  constexpr explicit AccessRights(uint8_t bits) : bits_(bits) {}

  uint8_t bits_ = 0;
};

}  // namespace hourcell
