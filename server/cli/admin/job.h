// `hourcell job`: lists the jobs of a running server, or waits for one.
//
//   job --url URL       a line a job: its number, kind, state and progress
//   job ID --url URL    waits for the job and prints its answer, a line for each member

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "server/cli/server_job.h"
#include "server/cli/terminal.h"
#include "server/http/http_client.h"

namespace hourcell {

struct JobOptions {
  std::string url = {};
  TlsTrust trust = {};
  bool json = false;  // prints the server's JSON: the list, or the answer of the job
  std::vector<std::string> words = {};  // empty, or a job's number
  JobPatience patience = {};
};

// kExitFailure: the job failed, was ended or does not exist, or the server does not answer;
// kExitUsage: invalid words.
int RunJob(const JobOptions& options, Terminal& terminal);

// `hourcell job` with these flags and words.
int JobMain(const std::vector<std::string>& args, Terminal& terminal);

}  // namespace hourcell
