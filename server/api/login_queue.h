// LoginQueue: where a login waits until it is checked. A hash takes tens of milliseconds, so logins
// have threads of their own, and only so many wait.

#pragma once

#include <cstddef>
#include <string_view>

#include "server/access/authenticator.h"

namespace hourcell {

class ConnectionQuota;
struct WorkerPool;

// Logins that wait for their check at once, in all and from one address; more are asked to come
// again. What waits longer than a minute has mostly given up.
inline constexpr size_t kLoginsWaitingMax = 1024;
inline constexpr size_t kLoginsOfAddressMax = 64;

// Pointers are borrowed.
struct LoginQueue {
  Authenticator* authenticator = nullptr;  // null = the server has no users
  WorkerPool* pool = nullptr;              // where logins are checked; needed where there are users
  ConnectionQuota* waiting = nullptr;      // those that wait; null = no limit
};

// Whether a login of the client at `remote`, an address with or without a port, may wait for its
// check; LeaveLogins undoes that.
bool EnterLogins(const LoginQueue& logins, std::string_view remote);
void LeaveLogins(const LoginQueue& logins, std::string_view remote);

}  // namespace hourcell
