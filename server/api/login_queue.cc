#include "server/api/login_queue.h"

#include "server/access/cidr.h"
#include "server/net/connection_quota.h"

namespace hourcell {

bool EnterLogins(const LoginQueue& logins, std::string_view remote) {
  return logins.waiting == nullptr ||
         logins.waiting->Enter(AddressWithoutPort(remote)) == ConnectionQuota::Verdict::kWelcome;
}

void LeaveLogins(const LoginQueue& logins, std::string_view remote) {
  if (logins.waiting != nullptr) logins.waiting->Leave(AddressWithoutPort(remote));
}

}  // namespace hourcell
