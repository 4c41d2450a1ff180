#include "server/cli/server_job.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include <absl/status/status.h>
#include <fmt/format.h>
#include <simdjson.h>

#include "codec/base/random.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"

namespace hourcell {
namespace {

constexpr int kOk = 200;
constexpr int kAccepted = 202;
constexpr int kNotFound = 404;
constexpr int kExitInterrupted = 130;
// Interval of progress lines without a terminal.
constexpr int64_t kSayMs = 10'000;

// A job in the server's answer.
struct Job {
  uint64_t id = 0;
  int64_t started_ms = 0;
  std::string kind;
  std::string state;
  std::string phase;
  uint64_t done = 0;
  uint64_t total = 0;
  std::string unit;
  HttpReply answer;  // set once the job has ended

  bool is_running() const { return state == "running"; }
};

bool TakeText(const simdjson::dom::element& object, std::string_view name, std::string* text) {
  std::string_view view;
  if (object[name].get(view) != simdjson::SUCCESS) return false;
  *text = view;
  return true;
}

std::optional<Job> ParseJob(const std::string& body) {
  simdjson::dom::parser parser;
  simdjson::dom::element object;
  Job job;
  const bool is_job =
      parser.parse(body).get(object) == simdjson::SUCCESS &&
      object["id"].get(job.id) == simdjson::SUCCESS &&
      object["started_ms"].get(job.started_ms) == simdjson::SUCCESS &&
      TakeText(object, "kind", &job.kind) && TakeText(object, "state", &job.state) &&
      TakeText(object, "phase", &job.phase) && object["done"].get(job.done) == simdjson::SUCCESS &&
      object["total"].get(job.total) == simdjson::SUCCESS && TakeText(object, "unit", &job.unit);
  if (!is_job) return std::nullopt;
  if (job.is_running()) return job;
  int64_t status = 0;
  simdjson::dom::element answer;
  if (object["status"].get(status) != simdjson::SUCCESS ||
      object["answer"].get(answer) != simdjson::SUCCESS) {
    return std::nullopt;
  }
  job.answer.status = static_cast<int>(status);
  job.answer.body = simdjson::to_string(answer);
  return job;
}

absl::Status StrangeJob(const HttpReply& reply) {
  return absl::UnavailableError(fmt::format("unexpected answer from the server: {}; expected a job",
                                            QuoteForMessage(reply.body)));
}

// "compact: 12 of 99 bytes (12 %), 40 s".
std::string ProgressText(const Job& job, int64_t elapsed_ms) {
  std::string text = job.kind + ":";
  if (!job.phase.empty()) text += " " + job.phase;
  if (job.total > 0) {
    const double share = static_cast<double>(job.done) / static_cast<double>(job.total);
    text += fmt::format(" {} of {} {} ({:.0f} %),", job.done, job.total, job.unit, 100 * share);
  } else if (job.done > 0) {
    text += fmt::format(" {} {},", job.done, job.unit);
  }
  return text + fmt::format(" {} s", elapsed_ms / 1000);
}

// Shows the progress of a job while it runs.
class JobMeter {
 public:
  explicit JobMeter(Terminal& terminal)
      : terminal_(terminal), start_ms_(terminal.clock->MonotonicMs()), said_ms_(start_ms_) {}
  ~JobMeter() { Clear(); }
  JobMeter(const JobMeter&) = delete;
  JobMeter& operator=(const JobMeter&) = delete;

  void Update(const Job& job) {
    const int64_t now_ms = terminal_.clock->MonotonicMs();
    const std::string text = ProgressText(job, now_ms - start_ms_);
    if (terminal_.is_tty) {
      PrintTo(terminal_.err, "\r{}\x1b[K", text);
      std::fflush(terminal_.err);
      is_shown_ = true;
    } else if (now_ms - said_ms_ >= kSayMs) {
      said_ms_ = now_ms;
      PrintTo(terminal_.err, "{}\n", text);
    }
  }

  void Say(std::string_view text) {
    Clear();
    PrintTo(terminal_.err, "{}\n", text);
  }

 private:
  void Clear() {
    if (std::exchange(is_shown_, false)) PrintTo(terminal_.err, "\r\x1b[K");
  }

  Terminal& terminal_;
  const int64_t start_ms_;
  int64_t said_ms_;
  bool is_shown_ = false;
};

// The signal handler writes this. It changes only while no handler is set.
std::string interrupt_text;  // NOLINT: global, so that the signal handler can reach it

extern "C" void SayAndExit(int /*signal*/) {
  [[maybe_unused]] const ssize_t written =
      ::write(STDERR_FILENO, interrupt_text.data(), interrupt_text.size());
  _exit(kExitInterrupted);
}

// While it lives, an interrupt of the tool prints how to wait for the job again.
class InterruptNote {
 public:
  explicit InterruptNote(std::string text) {
    interrupt_text = std::move(text);
    struct sigaction action = {};
    action.sa_handler = &SayAndExit;
    sigaction(SIGINT, &action, &interrupt_);
    sigaction(SIGTERM, &action, &terminate_);
  }
  ~InterruptNote() {
    sigaction(SIGINT, &interrupt_, nullptr);
    sigaction(SIGTERM, &terminate_, nullptr);
  }
  InterruptNote(const InterruptNote&) = delete;
  InterruptNote& operator=(const InterruptNote&) = delete;

 private:
  struct sigaction interrupt_ = {};
  struct sigaction terminate_ = {};
};

std::string HowToLook(const HttpClient& client, uint64_t id) {
  return fmt::format("the server continues job {}; run 'hourcell job {} {}' to wait for it", id, id,
                     UrlFlags(client.url()));
}

// Repeats a request until the server answers, at most `patience.tries` times.
absl::StatusOr<HttpReply> AskPatiently(const std::function<absl::StatusOr<HttpReply>()>& ask,
                                       const JobPatience& patience) {
  for (int tried = 1;; ++tried) {
    absl::StatusOr<HttpReply> reply = ask();
    if (reply.ok() || tried >= patience.tries) return reply;
    std::this_thread::sleep_for(std::chrono::milliseconds(patience.retry_ms));
  }
}

std::string TargetOf(uint64_t id) {
  return fmt::format("/api/admin/jobs?id={}", id);
}

// Polls a job until it has ended. `job` is its first known state.
absl::StatusOr<HttpReply> Poll(HttpClient* client,
                               Job job,
                               Terminal& terminal,
                               const JobPatience& patience) {
  const uint64_t id = job.id;
  const int64_t started_ms = job.started_ms;
  const InterruptNote note("\n" + HowToLook(*client, id) + "\n");
  JobMeter meter(terminal);
  int64_t wait_ms = patience.poll_ms_min;
  while (job.is_running()) {
    meter.Update(job);
    std::this_thread::sleep_for(std::chrono::milliseconds(wait_ms));
    wait_ms = std::min(2 * wait_ms, patience.poll_ms_max);
    const absl::StatusOr<HttpReply> reply =
        AskPatiently([&] { return client->Get(TargetOf(id)); }, patience);
    if (!reply.ok()) {
      return absl::UnavailableError(
          fmt::format("{}; {}", StatusText(reply.status()), HowToLook(*client, id)));
    }
    if (reply->status != kOk) return *reply;
    std::optional<Job> next = ParseJob(reply->body);
    if (!next.has_value()) return StrangeJob(*reply);
    if (next->started_ms != started_ms) {
      return absl::UnavailableError(
          fmt::format("{}: the server was restarted, and its job {} is a different one",
                      client->address(), id));
    }
    job = *std::move(next);
  }
  return std::move(job.answer);
}

}  // namespace

absl::StatusOr<HttpReply> RunServerJob(const HttpUrl& url,
                                       std::string_view target,
                                       std::string_view body,
                                       Terminal& terminal,
                                       const JobPatience& patience) {
  HttpClient client(url, patience.reply_timeout_ms);
  // The server recognizes a repeated request by its key, and does not begin a second job.
  const std::string keyed =
      fmt::format("{}{}async&key={:016x}", target, target.find('?') == target.npos ? '?' : '&',
                  Random(RandomSeed()).Next());
  bool was_sent = false;
  const auto post = [&]() -> absl::StatusOr<HttpReply> {
    absl::StatusOr<HttpReply> reply = client.Post(keyed, body);
    was_sent = was_sent || client.has_connected();
    return reply;
  };
  // If no connection could be made, fails at once.
  absl::StatusOr<HttpReply> reply = post();
  if (!reply.ok() && was_sent) reply = AskPatiently(post, patience);
  HOURCELL_RETURN_IF_ERROR(reply.status());
  if (reply->status != kAccepted) return reply;
  std::optional<Job> job = ParseJob(reply->body);
  if (!job.has_value()) return StrangeJob(*reply);
  return Poll(&client, *std::move(job), terminal, patience);
}

absl::StatusOr<HttpReply> WaitForServerJob(const HttpUrl& url,
                                           uint64_t id,
                                           Terminal& terminal,
                                           const JobPatience& patience) {
  HttpClient client(url, patience.reply_timeout_ms);
  HOURCELL_ASSIGN_OR_RETURN(const HttpReply reply, client.Get(TargetOf(id)));
  if (reply.status == kNotFound) return absl::NotFoundError(HttpErrorText(reply));
  if (reply.status != kOk) return reply;
  std::optional<Job> job = ParseJob(reply.body);
  if (!job.has_value()) return StrangeJob(reply);
  return Poll(&client, *std::move(job), terminal, patience);
}

}  // namespace hourcell
