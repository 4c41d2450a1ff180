// HTTP requests and responses as plain values, passed between parser and handlers, without types of
// Beast or Asio.

#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server/access/access_rights.h"
#include "server/http/request_body_budget.h"

namespace hourcell {

class BodyWriter;

struct HttpRequest {
  std::string method;  // as sent: "GET", "POST", ...
  std::string target;  // path and query as sent, not decoded
  bool http10 = false;
  bool keep_alive = true;
  std::vector<std::pair<std::string, std::string>> headers;  // names in lower case
  std::string body;    // inflated if it came with Content-Encoding
  std::string remote;  // the client, "127.0.0.1:50000"; empty without a socket

  // Set by the connection.
  AccessRights rights;         // what the client may do, by its address and its credentials
  bool login_refused = false;  // it sent wrong credentials
  // Limit for the series that its points create, as AppendOptions::new_series; null = none. Of
  // clients without a login.
  std::function<size_t(size_t)> new_series = {};
  std::string user;  // user name of its credentials; empty if it sent none
  // When it was complete, and the time since its first byte; on the clock of traces.
  std::chrono::steady_clock::time_point received_at = {};
  std::chrono::steady_clock::duration received_in = {};
  int64_t deadline_ms = 0;     // by MonotonicClock, when it times out; 0 = never
  bool may_wait = false;       // its thread serves no sockets
  bool only_if_quick = false;  // its thread serves sockets, and runs only quick queries
  // Its share of the body budget, for memory derived from the body; borrowed, null = not counted.
  RequestBodyBudget::Hold* memory = nullptr;

  // Set by ParseTarget (http_target.h).
  std::string path;                                         // decoded, without the query
  std::vector<std::pair<std::string, std::string>> params;  // decoded, in order, repeats kept

  // The value of a header by its lower-case name; empty if absent.
  std::string_view header(std::string_view name) const;
  // The last value of a parameter; null if absent. "flag" and "flag=" are present and empty.
  const std::string* param(std::string_view name) const;
  bool has_param(std::string_view name) const { return param(name) != nullptr; }
  // `new_series`, or null.
  const std::function<size_t(size_t)>* new_series_limit() const {
    return new_series ? &new_series : nullptr;
  }
};

struct HttpResponse {
  // Writes a body in pieces (body_writer.h). False: it failed, and `*failure` replaces the response
  // unless bytes were already sent.
  using Producer = std::function<bool(BodyWriter* body, HttpResponse* failure)>;

  int status = 200;
  std::string_view content_type = "application/json; charset=UTF-8";  // a constant of the program
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;  // in addition to those the writer adds
  bool close = false;          // close the connection after this response
  Producer produce = nullptr;  // if set, it makes the body, and `body` is empty
  // Not processed because it may take long: process it again on a thread that may wait.
  bool must_wait = false;
};

}  // namespace hourcell
