// ConnectionCounters: what is counted of the connections of a server.
//
// Immutable; the counters are thread-safe.

#pragma once

#include "engine/stats.h"

namespace hourcell {

// Borrowed from the registry.
struct ConnectionCounters {
  explicit ConnectionCounters(Stats* stats);

  Counter* total;  // connectionmgr.connections type=...
  Counter* rejected;
  Counter* timed_out;
  Counter* accept_errors;   // connectionmgr.exceptions type=accept
  Counter* http_requests;   // rpc.received type=http
  Counter* http_malformed;  // rpc.errors type=http_malformed
  Counter* tls_failed;      // rpc.errors type=tls_failed
  Counter* tls_required;    // rpc.errors type=tls_required
  Counter* bytes_in;        // connectionmgr.bytes type=in
  Counter* bytes_out;       // connectionmgr.bytes type=out
};

}  // namespace hourcell
