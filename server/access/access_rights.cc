#include "server/access/access_rights.h"

#include <utility>

#include <absl/status/status.h>
#include <fmt/format.h>

#include "codec/base/strings.h"

namespace hourcell {
namespace {

constexpr std::pair<std::string_view, AccessRights> kRoles[] = {
    {"none", AccessRights()},
    {"read", AccessRights::Read()},
    {"write", AccessRights::Write()},
    {"read+write", AccessRights::Read() | AccessRights::Write()},
    {"admin", AccessRights::Admin()}};

}  // namespace

absl::StatusOr<AccessRights> AccessRights::Parse(std::string_view role) {
  for (const auto& [name, rights] : kRoles) {
    if (name == role) return rights;
  }
  return absl::InvalidArgumentError(fmt::format(
      "role: expected none, read, write, read+write or admin, got {}", QuoteForMessage(role)));
}

std::string_view AccessRights::role() const {
  for (const auto& [name, rights] : kRoles) {
    if (rights == *this) return name;
  }
  return "admin";  // other sets cannot be made
}

}  // namespace hourcell
