#include "server/access/access_policy.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <system_error>

#include <absl/status/status.h>
#include <fmt/format.h>

#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "server/config/setting_list.h"

namespace hourcell {
namespace {

absl::Status BadSetting(std::string_view key, const absl::Status& why) {
  return absl::InvalidArgumentError(
      fmt::format("{}: {}", key, std::string_view(why.message().data(), why.message().size())));
}

bool IsLoopback(std::string_view bind) {
  if (bind == "localhost") return true;
  const std::optional<IpAddress> address = IpAddress::Parse(bind);
  return address.has_value() && address->is_loopback();
}

absl::Status OpenError(std::string_view what) {
  return absl::InvalidArgumentError(fmt::format(
      "{}: anybody who reaches it could read, change and delete everything; expected "
      "tsd.auth.file=FILE (see 'hourcell help user'), or a role for clients without credentials "
      "(tsd.network.role=read+write), or, if that is what you want, tsd.network.allow_open=true",
      what));
}

absl::StatusOr<std::pair<CidrBlock, AccessRights>> ParseAllowed(std::string_view text) {
  const size_t equals = text.find('=');
  if (equals == std::string_view::npos) {
    return absl::InvalidArgumentError(fmt::format(
        "expected BLOCK=ROLE, such as 10.0.0.0/8=write, got {}", QuoteForMessage(text)));
  }
  HOURCELL_ASSIGN_OR_RETURN(const CidrBlock block,
                            CidrBlock::Parse(StripBlanks(text.substr(0, equals))));
  HOURCELL_ASSIGN_OR_RETURN(const AccessRights rights,
                            AccessRights::Parse(StripBlanks(text.substr(equals + 1))));
  return std::pair(block, rights);
}

absl::StatusOr<AccessRights> FirstListenersRights(const Config& config) {
  const std::string role = config.text("tsd.network.role");
  if (!role.empty()) return AccessRights::Parse(role);
  return config.text("tsd.auth.file").empty() ? AccessRights::Admin() : AccessRights();
}

}  // namespace

absl::StatusOr<ListenAddress> ParseListenAddress(std::string_view text) {
  const auto bad = [text] {
    return absl::InvalidArgumentError(fmt::format(
        "expected ADDRESS:PORT=ROLE, such as 10.0.0.1:4243=write, got {}", QuoteForMessage(text)));
  };
  const size_t equals = text.find('=');
  if (equals == std::string_view::npos) return bad();
  std::string_view address = StripBlanks(text.substr(0, equals));
  const size_t colon = address.rfind(':');
  if (colon == std::string_view::npos) return bad();
  const std::string_view digits = address.substr(colon + 1);
  address = address.substr(0, colon);
  const bool in_brackets = address.starts_with('[') && address.ends_with(']');
  if (in_brackets) address = address.substr(1, address.size() - 2);
  if (address.empty() || in_brackets != (address.find(':') != std::string_view::npos)) return bad();

  ListenAddress parsed{.bind = std::string(address)};
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), parsed.port);
  if (error != std::errc() || end != digits.data() + digits.size()) return bad();
  HOURCELL_ASSIGN_OR_RETURN(parsed.rights,
                            AccessRights::Parse(StripBlanks(text.substr(equals + 1))));
  return parsed;
}

absl::StatusOr<AccessPolicy> AccessPolicy::Create(const Config& config) {
  AccessPolicy policy;
  HOURCELL_ASSIGN_OR_RETURN(const AccessRights first, FirstListenersRights(config));
  policy.listeners_.push_back({.bind = config.text("tsd.network.bind"),
                               .port = static_cast<uint16_t>(config.integer("tsd.network.port")),
                               .rights = first});
  const std::string listeners = config.text("tsd.network.listeners");
  for (const std::string_view item : ListItems(listeners)) {
    absl::StatusOr<ListenAddress> address = ParseListenAddress(item);
    if (!address.ok()) return BadSetting("tsd.network.listeners", address.status());
    policy.listeners_.push_back(*std::move(address));
  }
  const std::string allow = config.text("tsd.auth.allow");
  for (const std::string_view item : ListItems(allow)) {
    const absl::StatusOr<std::pair<CidrBlock, AccessRights>> allowed = ParseAllowed(item);
    if (!allowed.ok()) return BadSetting("tsd.auth.allow", allowed.status());
    policy.allowed_.push_back(*allowed);
  }
  const std::string proxies = config.text("tsd.http.trusted_proxies");
  for (const std::string_view item : ListItems(proxies)) {
    const absl::StatusOr<CidrBlock> block = CidrBlock::Parse(item);
    if (!block.ok()) return BadSetting("tsd.http.trusted_proxies", block.status());
    policy.proxies_.push_back(*block);
  }
  if (config.boolean("tsd.network.allow_open")) return policy;

  bool is_reachable = false;
  for (const ListenAddress& listener : policy.listeners_) {
    if (IsLoopback(listener.bind)) continue;
    is_reachable = true;
    if (listener.rights == AccessRights::Admin()) {
      return OpenError(fmt::format("listen on {}, which is not loopback, without authentication",
                                   QuoteForMessage(listener.bind)));
    }
  }
  for (const auto& [block, rights] : policy.allowed_) {
    if (is_reachable && block.is_everything() && rights == AccessRights::Admin()) {
      return OpenError("tsd.auth.allow: every address as admin");
    }
  }
  return policy;
}

bool AccessPolicy::IsTrustedProxy(std::string_view address) const {
  const std::optional<IpAddress> parsed = IpAddress::Parse(address);
  return parsed.has_value() && std::ranges::any_of(proxies_, [&parsed](const CidrBlock& block) {
           return block.Contains(*parsed);
         });
}

AccessRights AccessPolicy::RightsAt(std::string_view address) const {
  AccessRights rights;
  const std::optional<IpAddress> parsed = IpAddress::Parse(address);
  if (!parsed.has_value()) return rights;
  for (const auto& [block, granted] : allowed_) {
    if (block.Contains(*parsed)) rights = rights | granted;
  }
  return rights;
}

}  // namespace hourcell
