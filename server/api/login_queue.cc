#include "server/api/connection_context.h"

#include "server/http/guard/forwarding.h"
#include "server/net/connection_quota.h"

namespace hourcell {

bool EnterLogins(const ConnectionContext& context, std::string_view remote) {
  return context.logins == nullptr ||
         context.logins->Enter(AddressWithoutPort(remote)) == ConnectionQuota::Verdict::kWelcome;
}

void LeaveLogins(const ConnectionContext& context, std::string_view remote) {
  if (context.logins != nullptr) context.logins->Leave(AddressWithoutPort(remote));
}

}  // namespace hourcell
