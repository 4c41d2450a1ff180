// `hourcell job`: the jobs of a running server, and how one of them ends.
//
//   job --url URL       a line a job: its number, kind, state and how far it is
//   job ID --url URL    waits for it and prints its answer, one line of JSON

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "server/cli/http_client.h"
#include "server/cli/server_job.h"
#include "server/cli/terminal.h"

namespace hourcell {

struct JobOptions {
  std::string url = {};
  TlsTrust trust = {};
  bool json = false;                    // the list, or the answer of the job, as the server's JSON
  std::vector<std::string> words = {};  // none, or a number
  JobPatience patience = {};
};

// kExitFailure: the job failed or was ended, there is none, or the server does not answer;
// kExitUsage: the words make no sense.
int RunJob(const JobOptions& options, Terminal& terminal);

// `hourcell job` with these flags and words.
int JobMain(const std::vector<std::string>& args, Terminal& terminal);

}  // namespace hourcell
