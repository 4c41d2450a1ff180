#include "server/connection_counters.h"

namespace hourcell {

ConnectionCounters::ConnectionCounters(Stats* stats)
    : total(stats->counter("connectionmgr.connections", {{"type", "total"}})),
      rejected(stats->counter("connectionmgr.connections", {{"type", "rejected"}})),
      timed_out(stats->counter("connectionmgr.connections", {{"type", "timed_out"}})),
      accept_errors(stats->counter("connectionmgr.exceptions", {{"type", "accept"}})),
      http_requests(stats->counter("rpc.received", {{"type", "http"}})),
      http_malformed(stats->counter("rpc.errors", {{"type", "http_malformed"}})),
      tls_failed(stats->counter("rpc.errors", {{"type", "tls_failed"}})),
      tls_required(stats->counter("rpc.errors", {{"type", "tls_required"}})),
      bytes_in(stats->counter("connectionmgr.bytes", {{"type", "in"}})),
      bytes_out(stats->counter("connectionmgr.bytes", {{"type", "out"}})) {}

}  // namespace hourcell
