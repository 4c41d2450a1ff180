// HTTP requests and responses as values: what the parser gives and the handlers take, without a
// type of Beast or Asio.

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
  std::string remote;  // the client, "127.0.0.1:50000"; empty if there is no socket

  // Set by the connection.
  AccessRights rights;         // what the client may do, by its address and its credentials
  bool login_refused = false;  // it sent credentials, and they are wrong
  std::string user;            // whose credentials they are; empty if it sent none
  // When all of it was here, and how long that took since its first byte; of the time of traces.
  std::chrono::steady_clock::time_point received_at = {};
  std::chrono::steady_clock::duration received_in = {};
  int64_t deadline_ms = 0;     // by Clock::MonotonicMs, when it is given up; 0 = never
  bool may_wait = false;       // its thread serves no sockets
  bool only_if_quick = false;  // its thread does, and asks whether the query is quick
  // What it has of the memory of all bodies, for what is made of the body; borrowed, null = nothing
  // is counted.
  RequestBodyBudget::Hold* memory = nullptr;

  // Set by ParseTarget (http_target.h).
  std::string path;                                         // decoded, without the query
  std::vector<std::pair<std::string, std::string>> params;  // decoded, in order, repeats kept

  // The value of a header by its lower-case name; empty if absent.
  std::string_view header(std::string_view name) const;
  // The last value of a parameter; null if absent. "flag" and "flag=" are present and empty.
  const std::string* param(std::string_view name) const;
  bool has_param(std::string_view name) const { return param(name) != nullptr; }
};

struct HttpResponse {
  // Prints a body in pieces (body_writer.h). False: that failed, and `*failure` is the response
  // instead, as far as nothing was sent.
  using Producer = std::function<bool(BodyWriter* body, HttpResponse* failure)>;

  int status = 200;
  std::string content_type = "application/json; charset=UTF-8";
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;  // besides those the writer adds
  bool close = false;          // end the connection after this response
  Producer produce = nullptr;  // if set, it makes the body, and `body` is empty
  // Nothing was done, as it takes long: to be asked again where the request may wait.
  bool must_wait = false;
};

}  // namespace hourcell
