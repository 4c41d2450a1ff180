// Checks of `hourcell doctor --url`: reads /readyz and /metrics of a running server.
//
// First it gathers facts; then a pure function judges them. Thread-compatible.

#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/statusor.h>

#include "server/cli/admin/doctor.h"
#include "server/http/http_client.h"

namespace hourcell {

struct ReadyCheck {
  std::string name = {};
  bool is_ok = true;
  bool is_warning = false;  // it is ok, but an operator should look
  std::string message = {};

  friend bool operator==(const ReadyCheck&, const ReadyCheck&) = default;
};

struct ServerFacts {
  std::string address = {};
  std::string fault = {};  // why the server's state is unknown; empty = it answers /readyz
  std::vector<ReadyCheck> checks = {};
  std::string metrics_fault = {};              // why /metrics fails; empty = it answers
  std::map<std::string, double> metrics = {};  // by name and labels, as in /metrics
};

// Parses the answer of /readyz?json. kDataLoss: the text is not such an answer.
absl::StatusOr<std::vector<ReadyCheck>> ParseReadiness(std::string_view body);

// Queries the server. The facts include failed requests.
ServerFacts GatherServerFacts(HttpClient* client);

// One finding for each subject. Pure.
std::vector<DoctorFinding> JudgeServer(const ServerFacts& facts);

}  // namespace hourcell
