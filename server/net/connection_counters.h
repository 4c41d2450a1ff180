// ConnectionCounters: the counters of a server's connections.
//
// Immutable; the counters are thread-safe.

#pragma once

#include "engine/stats.h"

namespace hourcell {

// Borrowed from the registry.
struct ConnectionCounters {
  explicit ConnectionCounters(Stats* stats);

  // The counter of requests that were refused with this status before they were complete.
  Counter* OfHttpError(int status) const;

  Counter* total;           // connectionmgr.connections type=...
  Counter* rejected;        // for any reason
  Counter* rejected_total;  // connectionmgr.rejected reason=...
  Counter* rejected_listener;
  Counter* rejected_address;
  Counter* rejected_descriptors;
  Counter* timed_out;
  Counter* accept_errors;     // connectionmgr.exceptions type=accept
  Counter* http_requests;     // rpc.received type=http
  Counter* http_timed_out;    // rpc.errors type=http_timed_out
  Counter* bodies_no_memory;  // rpc.errors type=http_no_memory
  Counter* bodies_refused;    // rpc.errors type=http_body_refused: by the header alone
  Counter* queries_refused;   // query.refused reason=too_many
  Counter* queries_late;      // query.refused reason=timed_out: expired before they began
  Counter* http_malformed;    // rpc.errors type=http_malformed
  Counter* tls_failed;        // rpc.errors type=tls_failed
  Counter* tls_timed_out;     // rpc.errors type=tls_timed_out: handshakes
  Counter* tls_required;      // rpc.errors type=tls_required
  Counter* bytes_in;          // connectionmgr.bytes type=in
  Counter* bytes_out;         // connectionmgr.bytes type=out
};

}  // namespace hourcell
