#include "server/connection_context.h"

#include "server/connection_quota.h"
#include "server/forwarding.h"

namespace hourcell {

bool EnterLogins(const ConnectionContext& context, std::string_view remote) {
  return context.logins == nullptr ||
         context.logins->Enter(AddressWithoutPort(remote)) == ConnectionQuota::Verdict::kWelcome;
}

void LeaveLogins(const ConnectionContext& context, std::string_view remote) {
  if (context.logins != nullptr) context.logins->Leave(AddressWithoutPort(remote));
}

}  // namespace hourcell
