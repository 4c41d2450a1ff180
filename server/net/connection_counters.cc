#include "server/net/connection_counters.h"

namespace hourcell {

ConnectionCounters::ConnectionCounters(Stats* stats)
    : total(stats->counter("connectionmgr.connections", {{"type", "total"}})),
      rejected(stats->counter("connectionmgr.connections", {{"type", "rejected"}})),
      rejected_total(stats->counter("connectionmgr.rejected", {{"reason", "total"}})),
      rejected_listener(stats->counter("connectionmgr.rejected", {{"reason", "listener"}})),
      rejected_address(stats->counter("connectionmgr.rejected", {{"reason", "address"}})),
      rejected_descriptors(stats->counter("connectionmgr.rejected", {{"reason", "descriptors"}})),
      timed_out(stats->counter("connectionmgr.connections", {{"type", "timed_out"}})),
      accept_errors(stats->counter("connectionmgr.exceptions", {{"type", "accept"}})),
      http_requests(stats->counter("rpc.received", {{"type", "http"}})),
      http_timed_out(stats->counter("rpc.errors", {{"type", "http_timed_out"}})),
      bodies_no_memory(stats->counter("rpc.errors", {{"type", "http_no_memory"}})),
      bodies_refused(stats->counter("rpc.errors", {{"type", "http_body_refused"}})),
      queries_refused(stats->counter("query.refused", {{"reason", "too_many"}})),
      queries_late(stats->counter("query.refused", {{"reason", "timed_out"}})),
      http_malformed(stats->counter("rpc.errors", {{"type", "http_malformed"}})),
      tls_failed(stats->counter("rpc.errors", {{"type", "tls_failed"}})),
      tls_timed_out(stats->counter("rpc.errors", {{"type", "tls_timed_out"}})),
      tls_required(stats->counter("rpc.errors", {{"type", "tls_required"}})),
      bytes_in(stats->counter("connectionmgr.bytes", {{"type", "in"}})),
      bytes_out(stats->counter("connectionmgr.bytes", {{"type", "out"}})) {}

Counter* ConnectionCounters::OfHttpError(int status) const {
  if (status == 408) return http_timed_out;
  return status == 503 ? bodies_no_memory : http_malformed;
}

}  // namespace hourcell
