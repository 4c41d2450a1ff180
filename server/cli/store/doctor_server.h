// What `hourcell doctor --url` looks at: what a running server says of itself in /readyz and
// /metrics.
//
// Facts are gathered first, and then judged by a pure function. Thread-compatible.

#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/statusor.h>

#include "server/cli/http_client.h"
#include "server/cli/store/doctor.h"

namespace hourcell {

struct ReadyCheck {
  std::string name = {};
  bool is_ok = true;
  bool is_warning = false;  // it is ok, but somebody should look
  std::string message = {};

  friend bool operator==(const ReadyCheck&, const ReadyCheck&) = default;
};

struct ServerFacts {
  std::string address = {};
  std::string fault = {};  // why nothing is known of it; empty = it answers /readyz
  std::vector<ReadyCheck> checks = {};
  std::string metrics_fault = {};              // why it does not give /metrics; empty = it does
  std::map<std::string, double> metrics = {};  // by name and labels as they stand there
};

// The answer of /readyz?json. kDataLoss: the text is not such an answer.
absl::StatusOr<std::vector<ReadyCheck>> ParseReadiness(std::string_view body);

// Asks the server. What fails is among the facts.
ServerFacts GatherServerFacts(HttpClient* client);

// A finding for each thing that was looked at. Pure.
std::vector<DoctorFinding> JudgeServer(const ServerFacts& facts);

}  // namespace hourcell
