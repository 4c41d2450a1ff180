// LoginQueue: the queue of logins to check. A hash takes tens of milliseconds, so logins have their
// own threads, and the queue is limited.

#pragma once

#include <cstddef>
#include <string_view>

#include "server/access/authenticator.h"

namespace hourcell {

class ConnectionQuota;
struct WorkerPool;

// The most logins in the queue, in all and from one address; others have to retry. A client
// that has waited longer than a minute has usually given up.
inline constexpr size_t kLoginsWaitingMax = 1024;
inline constexpr size_t kLoginsOfAddressMax = 64;

// Pointers are borrowed.
struct LoginQueue {
  Authenticator* authenticator = nullptr;  // null = without users
  WorkerPool* pool = nullptr;              // checks logins; required with users
  ConnectionQuota* waiting = nullptr;      // counts queued logins; null = no limit
};

// Whether a login of the client at `remote`, an address with or without a port, may join the queue;
// LeaveLogins undoes that.
bool EnterLogins(const LoginQueue& logins, std::string_view remote);
void LeaveLogins(const LoginQueue& logins, std::string_view remote);

}  // namespace hourcell
