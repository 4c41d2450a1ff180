#include "server/cli/admin/job.h"

#include <cstdint>
#include <string>
#include <string_view>

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <fmt/format.h>
#include <simdjson.h>

#include "codec/base/strings.h"
#include "server/cli/command_line.h"
#include "server/cli/store_flags.h"
#include "server/http/http_client.h"

namespace hourcell {
namespace {

constexpr std::string_view kJobCommand = "job";
constexpr std::string_view kJobTarget = "/api/admin/jobs";

int Strange(const HttpReply& reply, Terminal& terminal) {
  return Fail(terminal, kJobCommand,
              absl::UnavailableError(
                  fmt::format("unexpected answer from the server: {}; expected a list of jobs",
                              QuoteForMessage(reply.body))));
}

int List(const HttpUrl& url, const JobOptions& options, Terminal& terminal) {
  HttpClient client(url, options.patience.reply_timeout_ms);
  const absl::StatusOr<HttpReply> reply = client.Get(kJobTarget);
  if (!reply.ok()) return Fail(terminal, kJobCommand, reply.status());
  if (reply->status != kHttpOk) {
    return Fail(terminal, kJobCommand, absl::UnavailableError(HttpErrorText(*reply)));
  }
  simdjson::dom::parser parser;
  simdjson::dom::element document;
  simdjson::dom::array jobs;
  if (parser.parse(reply->body).get(document) != simdjson::SUCCESS ||
      document["jobs"].get(jobs) != simdjson::SUCCESS) {
    return Strange(*reply, terminal);
  }
  if (options.json) {
    PrintTo(terminal.out, "{}\n", reply->body);
    return kExitOk;
  }
  if (jobs.size() == 0) PrintTo(terminal.err, "the server has no jobs\n");
  for (const simdjson::dom::element job : jobs) {
    uint64_t id = 0;
    uint64_t done = 0;
    uint64_t total = 0;
    int64_t ms = 0;
    std::string_view kind;
    std::string_view state;
    std::string_view unit;
    if (job["id"].get(id) != simdjson::SUCCESS || job["kind"].get(kind) != simdjson::SUCCESS ||
        job["state"].get(state) != simdjson::SUCCESS ||
        job["done"].get(done) != simdjson::SUCCESS ||
        job["total"].get(total) != simdjson::SUCCESS ||
        job["unit"].get(unit) != simdjson::SUCCESS || job["ms"].get(ms) != simdjson::SUCCESS) {
      return Strange(*reply, terminal);
    }
    PrintTo(terminal.out, "{} {} {} in {} ms", id, kind, state, ms);
    if (done > 0) PrintTo(terminal.out, ", {} {}", done, unit);
    if (total > 0) PrintTo(terminal.out, " of {}", total);
    PrintTo(terminal.out, "\n");
  }
  return kExitOk;
}

// Prints the answer of a finished job: a line for each member of its object, with lists and objects
// as JSON.
void PrintAnswer(uint64_t id, const std::string& body, Terminal& terminal) {
  simdjson::dom::parser parser;
  simdjson::dom::object members;
  if (parser.parse(body).get(members) != simdjson::SUCCESS) {
    PrintTo(terminal.out, "{}\n", body);
    return;
  }
  PrintTo(terminal.out, "job {} is done\n", id);
  for (const auto& [name, value] : members) {
    std::string_view text;
    if (value.get(text) == simdjson::SUCCESS) {
      PrintTo(terminal.out, "  {}: {}\n", name, text);
    } else {
      PrintTo(terminal.out, "  {}: {}\n", name, simdjson::to_string(value));
    }
  }
}

}  // namespace

int RunJob(const JobOptions& options, Terminal& terminal) {
  if (options.url.empty())
    return FailUsage(terminal, kJobCommand,
                     "expected --url with the address of a running server, got no --url");
  const absl::StatusOr<HttpUrl> url = ParseHttpUrl(options.url, options.trust);
  if (!url.ok()) return FailUsage(terminal, kJobCommand, StatusText(url.status()));
  if (options.words.empty()) return List(*url, options, terminal);
  const std::optional<uint64_t> id = ParseUnsigned(options.words[0]);
  if (options.words.size() > 1 || !id.has_value()) {
    return FailWords(terminal, kJobCommand, options.words,
                     "the number of one job, or nothing to list all");
  }
  const absl::StatusOr<HttpReply> answer = WaitForServerJob(*url, *id, terminal, options.patience);
  if (!answer.ok()) return Fail(terminal, kJobCommand, answer.status());
  if (answer->status != kHttpOk) {
    return Fail(terminal, kJobCommand, absl::UnavailableError(HttpErrorText(*answer)));
  }
  if (options.json) {
    PrintTo(terminal.out, "{}\n", answer->body);
  } else {
    PrintAnswer(*id, answer->body, terminal);
  }
  return kExitOk;
}

int JobMain(const std::vector<std::string>& args, Terminal& terminal) {
  CommandLine line("job", "Lists the jobs of a running server, or waits for one.");
  JobOptions options;
  AddUrl(&line, &options.url, &options.trust);
  line.AddFlag("--json", &options.json,
               "print the JSON of the server: the list, or the answer of the job");
  line.AddWords("ID", &options.words,
                "number of the job to wait for; without it, all jobs are listed");
  line.set_footer(
      "Backups, checks, compactions and region changes are jobs of the server. A job continues\n"
      "when the tool that started it is stopped or loses its connection. The server keeps the\n"
      "answer of a job until two later jobs of its kind have ended, or until the server stops.\n"
      "\nExamples:\n"
      "  hourcell job --url http://localhost:4242\n"
      "  hourcell job 3 --url http://localhost:4242\n");
  if (const std::optional<int> code = line.Parse(args, terminal)) return *code;
  return RunJob(options, terminal);
}

}  // namespace hourcell
