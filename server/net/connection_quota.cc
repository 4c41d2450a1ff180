#include "server/net/connection_quota.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <string>
#include <string_view>

#include "codec/base/check.h"

namespace hourcell {
namespace {

constexpr size_t kSubnetBytes = 8;

}  // namespace

std::string QuotaAddress(std::string_view address) {
  const std::string text(address);
  in6_addr parsed = {};
  if (inet_pton(AF_INET6, text.c_str(), &parsed) != 1) return text;
  const std::string_view bytes(reinterpret_cast<const char*>(parsed.s6_addr),
                               sizeof parsed.s6_addr);
  if (!IN6_IS_ADDR_V4MAPPED(&parsed)) return std::string(bytes.substr(0, kSubnetBytes));
  char dotted[INET_ADDRSTRLEN] = "";
  inet_ntop(AF_INET, parsed.s6_addr + 12, dotted, sizeof dotted);
  return dotted;
}

ConnectionQuota::Verdict ConnectionQuota::Enter(std::string_view address) {
  MutexLock lock(&mutex_);
  if (limits_.total > 0 && total_ >= limits_.total) return Verdict::kTooMany;
  if (limits_.per_address > 0) {
    size_t& open = by_address_[QuotaAddress(address)];
    if (open >= limits_.per_address) return Verdict::kTooManyOfAddress;
    ++open;
  }
  ++total_;
  return Verdict::kWelcome;
}

void ConnectionQuota::Leave(std::string_view address) {
  MutexLock lock(&mutex_);
  HOURCELL_CHECK(total_ > 0);
  --total_;
  if (limits_.per_address == 0) return;
  const auto open = by_address_.find(QuotaAddress(address));
  HOURCELL_CHECK(open != by_address_.end());
  if (--open->second == 0) by_address_.erase(open);
}

size_t ConnectionQuota::total() const {
  MutexLock lock(&mutex_);
  return total_;
}

}  // namespace hourcell
