#include "server/cli/admin/store/rollup.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include <absl/status/statusor.h>
#include <absl/time/civil_time.h>
#include <absl/time/time.h>
#include <fmt/format.h>
#include <simdjson.h>

#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "codec/rollups/metric_rules.h"
#include "engine/query/query_time.h"
#include "engine/tsdb.h"
#include "server/cli/command_line.h"
#include "server/cli/store_flags.h"
#include "server/config/rollup_settings.h"
#include "server/http/http_client.h"
#include "server/rollups/rollup_status.h"
#include "server/text/ttl_text.h"

namespace hourcell {
namespace {

constexpr std::string_view kRollupCommandName = "rollup";
constexpr int64_t kMsOfDay = 86'400'000;
// Days before now that are looked at for points, until one has some.
constexpr int kDaysLookedAt = 7;

std::string HourText(int64_t time_s) {
  const absl::CivilHour hour =
      absl::ToCivilHour(absl::FromUnixSeconds(time_s), absl::UTCTimeZone());
  return fmt::format("{:04}/{:02}/{:02}-{:02}:00", hour.year(), hour.month(), hour.day(),
                     hour.hour());
}

// The bytes that are kept at last.
std::string KeptText(const RollupEstimate& one) {
  if (one.ttl_s == 0) return "without a limit";
  const double days = static_cast<double>(one.ttl_s) * 1000 / static_cast<double>(kMsOfDay);
  return fmt::format("{:.0f} bytes in {}", static_cast<double>(one.bytes) * days,
                     TtlText(one.ttl_s));
}

// Of the last day with points.
absl::StatusOr<std::vector<RollupEstimate>> EstimateLately(Tsdb* tsdb,
                                                           const MetricRules& rules,
                                                           int64_t now_ms) {
  std::vector<RollupEstimate> estimates;
  for (int days = 1; days <= kDaysLookedAt && estimates.empty(); ++days) {
    const int64_t time_s = std::max<int64_t>(0, now_ms - days * kMsOfDay) / 1000;
    HOURCELL_ASSIGN_OR_RETURN(estimates, tsdb->retention().EstimateRollups(rules, time_s));
  }
  return estimates;
}

void PrintEstimate(const RollupEstimate& one, Terminal& terminal) {
  PrintTo(terminal.out, "{} series={} points={} bytes={} a day, kept {}\n", one.metric, one.series,
          one.points, one.bytes, KeptText(one));
}

// The estimates of a level's aggregates, and whether they take as much as the points.
void PrintLevel(const RuleLevel& level,
                const RollupEstimate& points,
                std::span<const RollupEstimate> aggregates,
                Terminal& terminal) {
  uint64_t bytes = 0;
  for (const RollupEstimate& one : aggregates) {
    PrintEstimate(one, terminal);
    bytes += one.bytes;
  }
  if (bytes < points.bytes) return;
  PrintTo(terminal.out, "{}: level {} saves no space: {} bytes a day; the points take {}\n",
          points.metric, level.interval, bytes, points.bytes);
}

int PrintPlan(Tsdb* tsdb, const MetricRules& rules, Terminal& terminal) {
  const auto estimates = EstimateLately(tsdb, rules, terminal.clock->NowMs());
  if (!estimates.ok()) return Fail(terminal, kRollupCommandName, estimates.status());
  if (estimates->empty()) {
    PrintTo(terminal.out, "no metric with a rule has points of the last {} days\n", kDaysLookedAt);
  }
  for (std::span<const RollupEstimate> rest = *estimates; !rest.empty();) {
    const RollupEstimate& points = rest.front();
    PrintEstimate(points, terminal);
    rest = rest.subspan(1);
    for (const RuleLevel& level : rules.RuleOf(points.metric)->levels) {
      PrintLevel(level, points, rest.first(level.aggregates.size()), terminal);
      rest = rest.subspan(level.aggregates.size());
    }
  }
  return kExitOk;
}

absl::StatusOr<std::vector<RollupProgress>> ParseStatusReply(const std::string& body) {
  simdjson::dom::parser parser;
  simdjson::dom::element document;
  simdjson::dom::array metrics;
  std::vector<RollupProgress> all;
  bool is_good = parser.parse(body).get(document) == simdjson::SUCCESS &&
                 document["metrics"].get(metrics) == simdjson::SUCCESS;
  if (is_good) {
    for (const simdjson::dom::element one : metrics) {
      std::string_view metric;
      std::string_view levels;
      RollupProgress& progress = all.emplace_back();
      is_good = is_good && one["metric"].get(metric) == simdjson::SUCCESS &&
                one["levels"].get(levels) == simdjson::SUCCESS &&
                one["until"].get(progress.until_s) == simdjson::SUCCESS &&
                one["changed"].get(progress.changed) == simdjson::SUCCESS;
      progress.metric = metric;
      progress.levels = levels;
    }
  }
  if (is_good) return all;
  return absl::UnavailableError(
      fmt::format("unexpected answer from the server: {}; expected an object with metrics",
                  QuoteForMessage(body)));
}

absl::StatusOr<std::vector<RollupProgress>> AskServer(const HttpUrl& url) {
  HttpClient client(url);
  HOURCELL_ASSIGN_OR_RETURN(const HttpReply reply, client.Get("/api/admin/rollups"));
  if (reply.status == kHttpOk) return ParseStatusReply(reply.body);
  return absl::UnavailableError(fmt::format("{}: {}", client.address(), HttpErrorText(reply)));
}

int PrintStatus(const absl::StatusOr<std::vector<RollupProgress>>& all,
                bool as_json,
                Terminal& terminal) {
  if (!all.ok()) return Fail(terminal, kRollupCommandName, all.status());
  if (as_json) {
    PrintTo(terminal.out, "{}\n", RollupStatusJson(*all));
    return kExitOk;
  }
  for (const RollupProgress& one : *all) {
    PrintTo(terminal.out, "{} until={} changed={} {}\n", one.metric, HourText(one.until_s),
            one.changed, one.levels);
  }
  return kExitOk;
}

int Rebuild(Tsdb* tsdb, const std::string& metric, int64_t start_ms, Terminal& terminal) {
  absl::Status done = tsdb->retention().RebuildRollups(metric, start_ms / 1000);
  done.Update(tsdb->Close());
  if (!done.ok()) return Fail(terminal, kRollupCommandName, done);
  PrintTo(terminal.out, "{}: its levels are computed again when a server runs\n", metric);
  return kExitOk;
}

// The rules of the words, or else of the settings.
absl::StatusOr<MetricRules> RulesToPlan(const StoreOptions& store,
                                        const std::vector<std::string>& words) {
  if (words.size() == 2) return MetricRules::Parse(words[1]);
  HOURCELL_ASSIGN_OR_RETURN(const Config config, LoadConfig(store));
  HOURCELL_ASSIGN_OR_RETURN(const std::optional<MetricRules> rules,
                            ReadMetricRules(config.text("tsd.rollups.rules")));
  if (rules.has_value()) return *rules;
  return absl::InvalidArgumentError("plan: no rules; expected RULES, or tsd.rollups.rules");
}

int RunStatus(const StoreCommandOptions& options, Terminal& terminal) {
  return RunOnEither(
      options,
      {.on_server =
           [&](const HttpUrl& url) { return PrintStatus(AskServer(url), options.json, terminal); },
       .on_store =
           [&](Tsdb* tsdb) {
             return PrintStatus(tsdb->retention().Rollups(), options.json, terminal);
           }},
      terminal);
}

int RunPlan(const StoreOptions& store, const std::vector<std::string>& words, Terminal& terminal) {
  const absl::StatusOr<MetricRules> rules = RulesToPlan(store, words);
  if (!rules.ok()) return FailUsage(terminal, kRollupCommandName, StatusText(rules.status()));
  const absl::StatusOr<std::unique_ptr<Tsdb>> tsdb = OpenStore(store, StoreUse::kRead);
  if (!tsdb.ok()) return FailStore(terminal, kRollupCommandName, tsdb.status());
  return PrintPlan(tsdb->get(), *rules, terminal);
}

int RunRebuild(const StoreOptions& store,
               const std::vector<std::string>& words,
               Terminal& terminal) {
  int64_t start_ms = 0;
  if (words.size() == 3) {
    const auto time = ParseQueryTime(words[2], /*timezone=*/{}, terminal.clock->NowMs());
    if (!time.ok()) return FailUsage(terminal, kRollupCommandName, StatusText(time.status()));
    start_ms = *time;
  }
  const absl::StatusOr<std::unique_ptr<Tsdb>> tsdb = OpenStore(store, StoreUse::kExisting);
  if (!tsdb.ok()) return FailStore(terminal, kRollupCommandName, tsdb.status());
  return Rebuild(tsdb->get(), words[1], start_ms, terminal);
}

}  // namespace

int RunRollup(const StoreCommandOptions& options, Terminal& terminal) {
  const std::vector<std::string>& words = options.words;
  const std::string_view action = words.empty() ? std::string_view() : words[0];
  const bool plans = action == "plan" && words.size() <= 2;
  const bool rebuilds = action == "rebuild" && (words.size() == 2 || words.size() == 3);
  if (action == "status" && words.size() == 1) return RunStatus(options, terminal);
  if (!plans && !rebuilds) {
    return FailWords(terminal, kRollupCommandName, words,
                     "plan [RULES], status or rebuild METRIC [START]");
  }
  if (!options.url.empty() || options.json) {
    return FailUsage(terminal, kRollupCommandName,
                     fmt::format("{}: only status takes it", options.json ? "--json" : "--url"));
  }
  return plans ? RunPlan(options.store, words, terminal)
               : RunRebuild(options.store, words, terminal);
}

int RollupMain(const std::vector<std::string>& args, Terminal& terminal) {
  CommandLine line("rollup",
                   "Plans, shows and rebuilds the rollups that a store computes by rules.");
  StoreCommandOptions options{.command = kRollupCommandName};
  AddStoreOptions(&line, &options.store);
  AddUrl(&line, &options.url, &options.trust);
  line.AddFlag("--json", &options.json, "status: print the JSON of /api/admin/rollups");
  line.AddWords("ACTION", &options.words, "plan, status or rebuild; see below");
  line.set_footer(
      "Actions:\n"
      "  plan      print the space of the points and of each level that RULES would compute\n"
      "            (default: tsd.rollups.rules), measured on the last day with points. Names\n"
      "            each level that takes as much space a day as the points\n"
      "  status    print until when the levels of each metric are computed, and how many hours\n"
      "            changed since and wait to be computed again; also with --url\n"
      "  rebuild   compute the levels of METRIC again, from START on (default: from the first\n"
      "            point on), while a server runs. Hours whose points expired stay as they are\n"
      "\nExamples:\n"
      "  hourcell rollup plan '* raw for 30d, 1m for 1y, 1h' --data /var/lib/hourcell\n"
      "  hourcell rollup status --url http://localhost:4242\n"
      "  hourcell rollup rebuild cpu.user 2027/01/01 --config /etc/hourcell/hourcell.conf\n");
  if (const std::optional<int> code = line.Parse(args, terminal)) return *code;
  return RunRollup(options, terminal);
}

}  // namespace hourcell
