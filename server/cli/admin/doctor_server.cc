#include "server/cli/admin/doctor_server.h"

#include <utility>

#include <absl/status/status.h>
#include <fmt/format.h>
#include <simdjson.h>

#include "server/cli/cluster/top_sample.h"
#include "server/cli/terminal.h"

// Why these metrics: each is in docs/monitoring/prometheus-alerts.yml and calls for action by its
// value alone. Rates need two samples; Prometheus watches those.

namespace hourcell {
namespace {

// A value above `most` is a finding: the value, then `text`.
struct WatchedMetric {
  std::string_view name;
  double most = 0;
  std::string_view text;
};
constexpr WatchedMetric kWatched[] = {
    {"hourcell_storage_data_loss_total", 0,
     "reads found damage; run hourcell fsck, and see docs/damage.md"},
    {"hourcell_journal_cut_files", 0,
     "files of the journal were cut because of damage; hourcell fsck lists the losses"},
    {"hourcell_storage_sync_errors_total", 0,
     "times the journal could not be synced; check the disk, and start the server again"},
    {"hourcell_seal_errors_total", 0,
     "times hours could not be written as cells; see the server's log"},
    {"hourcell_forward_lag_seconds", 600,
     "s ago the oldest point was put that tsd.forward has not sent; see the server's log"}};

constexpr std::string_view kUidsLeft = "hourcell_uid_ids_available{";
constexpr double kUidsWanted = 100'000;

ReadyCheck CheckOf(simdjson::dom::element element) {
  ReadyCheck check;
  std::string_view text;
  if (element["name"].get(text) == simdjson::SUCCESS) check.name = text;
  if (element["message"].get(text) == simdjson::SUCCESS) check.message = text;
  if (element["detail"].get(text) == simdjson::SUCCESS) check.message += fmt::format(": {}", text);
  if (element["ok"].get(check.is_ok) != simdjson::SUCCESS) check.is_ok = false;
  if (element["warning"].get(check.is_warning) != simdjson::SUCCESS) check.is_warning = false;
  return check;
}

DoctorFinding Found(bool is_change, std::string text) {
  return {.is_change = is_change, .text = std::move(text)};
}

void JudgeMetrics(const std::map<std::string, double>& metrics,
                  std::vector<DoctorFinding>* findings) {
  const size_t before = findings->size();
  for (const WatchedMetric& watched : kWatched) {
    const auto found = metrics.find(std::string(watched.name));
    if (found == metrics.end() || found->second <= watched.most) continue;
    findings->push_back(Found(true, fmt::format("{:.0f} {}", found->second, watched.text)));
  }
  for (auto at = metrics.lower_bound(std::string(kUidsLeft));
       at != metrics.end() && at->first.starts_with(kUidsLeft); ++at) {
    if (at->second >= kUidsWanted) continue;
    findings->push_back(
        Found(true, fmt::format("{:.0f} UIDs are left ({}); hourcell migrate makes a store with "
                                "wider ones",
                                at->second, at->first)));
  }
  if (findings->size() == before) {
    findings->push_back(
        Found(false, "/metrics counts no damage, no failed writes and enough free UIDs"));
  }
}

}  // namespace

absl::StatusOr<std::vector<ReadyCheck>> ParseReadiness(std::string_view body) {
  simdjson::dom::parser parser;
  simdjson::dom::element document;
  simdjson::dom::array checks;
  if (parser.parse(simdjson::padded_string(body)).get(document) != simdjson::SUCCESS ||
      document["checks"].get(checks) != simdjson::SUCCESS) {
    return absl::DataLossError("/readyz: the response is not from Hourcell");
  }
  std::vector<ReadyCheck> result;
  for (const simdjson::dom::element check : checks)
    result.push_back(CheckOf(check));
  return result;
}

ServerFacts GatherServerFacts(HttpClient* client) {
  ServerFacts facts{.address = client->address()};
  const absl::StatusOr<HttpReply> ready = client->Get("/readyz?json");
  if (!ready.ok()) {
    facts.fault = StatusText(ready.status());
    return facts;
  }
  auto checks = ParseReadiness(ready->body);
  if (!checks.ok()) {
    facts.fault = StatusText(checks.status());
    return facts;
  }
  facts.checks = *std::move(checks);
  const absl::StatusOr<HttpReply> metrics = client->Get("/metrics");
  if (!metrics.ok()) {
    facts.metrics_fault = StatusText(metrics.status());
  } else if (metrics->status != kHttpOk) {
    facts.metrics_fault = HttpErrorText(*metrics);
  } else {
    facts.metrics = ParseTopMetrics(metrics->body);
  }
  return facts;
}

std::vector<DoctorFinding> JudgeServer(const ServerFacts& facts) {
  if (!facts.fault.empty()) {
    return {Found(true, fmt::format("the server at {} does not report its state: {}", facts.address,
                                    facts.fault))};
  }
  std::vector<DoctorFinding> findings;
  for (const ReadyCheck& check : facts.checks) {
    findings.push_back(
        Found(!check.is_ok || check.is_warning, fmt::format("{}: {}", check.name, check.message)));
  }
  if (facts.metrics_fault.empty()) {
    JudgeMetrics(facts.metrics, &findings);
  } else {
    findings.push_back(
        Found(true, fmt::format("the server refuses /metrics: {}; set HOURCELL_TOKEN to the token "
                                "of a user with the right read",
                                facts.metrics_fault)));
  }
  return findings;
}

}  // namespace hourcell
