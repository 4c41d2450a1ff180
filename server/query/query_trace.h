// QueryTrace: the time of each step of a query with show_trace. AppendTrace (query_writer.h) prints
// it:
//
//   {"trace":{"answeredBy":"socket thread","totalUs":210,"steps":[
//     {"step":"receive","us":0}, {"step":"dispatch","us":9}, {"step":"parse","us":11},
//     {"step":"check","us":6},
//     {"step":"plan","query":0,"us":5}, {"step":"read","query":0,"us":40},
//     {"step":"finish","query":0,"us":4}, {"step":"print","query":0,"us":12},
//     {"step":"send","us":0}]}}
//
// docs/opentsdb-compatibility.md describes the steps. Thread-compatible.

#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "server/http/http_message.h"

namespace hourcell {

struct QueryTrace {
  using TimePoint = std::chrono::steady_clock::time_point;

  // Call it before the request is parsed. Without a socket, the request is received now.
  explicit QueryTrace(const HttpRequest& request)
      : by_socket_thread(request.only_if_quick), received_at(request.received_at) {
    const TimePoint now = std::chrono::steady_clock::now();
    if (received_at == TimePoint()) received_at = now;
    receive_us = Us(request.received_in);
    dispatch_us = Us(now - received_at);
  }

  static int64_t Us(std::chrono::steady_clock::duration duration) {
    return std::chrono::duration_cast<std::chrono::microseconds>(duration).count();
  }

  bool by_socket_thread = false;
  TimePoint received_at;
  int64_t receive_us = 0;
  int64_t dispatch_us = 0;
  int64_t parse_us = 0;
  int64_t send_us = 0;                 // waits for the client while the answer is printed
  std::vector<int64_t> print_us = {};  // of each sub query, `send_us` not included
};

}  // namespace hourcell
