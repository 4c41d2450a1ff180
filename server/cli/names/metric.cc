#include "server/cli/names/metric.h"

#include <cmath>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <simdjson.h>

#include "codec/base/json_writer.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "codec/text/number.h"
#include "engine/tsdb.h"
#include "server/cli/command_line.h"
#include "server/cli/store_flags.h"
#include "server/expressions/expression_text.h"
#include "server/expressions/virtual_metrics_handler.h"

namespace hourcell {
namespace {

constexpr std::string_view kMetricCommand = "metric";
constexpr std::string_view kMetricTarget = "/api/admin/metrics";

enum class MetricAction : uint8_t { kList, kDefine, kDrop };

struct MetricChange {
  MetricAction action = MetricAction::kList;
  std::string name;
  std::string text;  // of the expression
  MetricExpression expression;
};

absl::StatusOr<MetricChange> ReadMetricChange(const MetricCommandOptions& options) {
  const std::vector<std::string>& words = options.words;
  const std::string_view action = words.empty() ? std::string_view() : words[0];
  MetricChange change;
  if (action == "define" && words.size() == 3) {
    change.action = MetricAction::kDefine;
    change.name = words[1];
    change.text = words[2];
    HOURCELL_ASSIGN_OR_RETURN(change.expression,
                              ParseMetricExpression(change.text, options.missing));
    return change;
  }
  if (options.missing.has_value()) {
    return absl::InvalidArgumentError("--missing: only define takes it");
  }
  if (action == "list" && words.size() == 1) return change;
  if (action == "drop" && words.size() == 2) {
    change.action = MetricAction::kDrop;
    change.name = words[1];
    return change;
  }
  if (action == "define") {
    return absl::InvalidArgumentError(
        fmt::format("define: expected NAME EXPRESSION, the expression in quotes, got {} arguments",
                    words.size() - 1));
  }
  return absl::InvalidArgumentError(fmt::format(
      "expected list, define NAME EXPRESSION or drop NAME, got {}",
      words.empty() ? "no arguments" : QuoteForMessage(fmt::format("{}", fmt::join(words, " ")))));
}

absl::StatusOr<std::string> AskServer(const HttpUrl& url,
                                      const MetricChange& change,
                                      const MetricCommandOptions& options) {
  HttpClient client(url);
  absl::StatusOr<HttpReply> reply = absl::UnknownError("not sent");
  if (change.action == MetricAction::kDefine) {
    std::string body;
    JsonWriter json(&body);
    json.OpenObject();
    json.Field("metric", change.name);
    json.Field("expression", change.text);
    if (options.missing.has_value()) {
      json.Key("missing");
      AppendJavaDouble(*options.missing, json.RawValue());
    }
    json.CloseObject();
    reply = client.Post(kMetricTarget, body);
  } else if (change.action == MetricAction::kDrop) {
    reply = client.Delete(fmt::format("{}?metric={}", kMetricTarget, EscapeParam(change.name)));
  } else {
    reply = client.Get(kMetricTarget);
  }
  HOURCELL_RETURN_IF_ERROR(reply.status());
  if (reply->status == kHttpOk) return std::move(reply->body);
  return absl::UnavailableError(fmt::format("{}: {}", client.address(), HttpErrorText(*reply)));
}

absl::StatusOr<std::string> AskStore(Tsdb* tsdb, const MetricChange& change) {
  if (change.action == MetricAction::kDefine) {
    HOURCELL_RETURN_IF_ERROR(tsdb->names().DefineMetric(change.name, change.expression));
  } else if (change.action == MetricAction::kDrop) {
    HOURCELL_RETURN_IF_ERROR(tsdb->names().DropMetric(change.name));
  }
  HOURCELL_ASSIGN_OR_RETURN(const std::vector<VirtualMetric> metrics,
                            tsdb->names().ListVirtualMetrics());
  HOURCELL_RETURN_IF_ERROR(tsdb->Close());
  return VirtualMetricsJson(metrics);
}

// Lines of the answer of /api/admin/metrics.
absl::StatusOr<std::string> LinesOf(const std::string& body) {
  simdjson::dom::parser parser;
  simdjson::dom::element document;
  simdjson::dom::array metrics;
  std::string lines;
  bool is_good = parser.parse(body).get(document) == simdjson::SUCCESS &&
                 document["metrics"].get(metrics) == simdjson::SUCCESS;
  if (is_good) {
    for (const simdjson::dom::element metric : metrics) {
      std::string_view name;
      std::string_view expression;
      double missing = 0;
      is_good = is_good && metric["metric"].get(name) == simdjson::SUCCESS &&
                metric["expression"].get(expression) == simdjson::SUCCESS;
      lines += fmt::format("{} = {}", name, expression);
      if (metric["missing"].get(missing) == simdjson::SUCCESS) {
        lines += "  (missing: ";
        AppendJavaDouble(missing, &lines);
        lines += ')';
      }
      lines += '\n';
    }
  }
  if (is_good) return lines;
  return absl::UnavailableError(
      fmt::format("unexpected answer from the server: {}; expected an object with metrics",
                  QuoteForMessage(body)));
}

int PrintMetrics(const absl::StatusOr<std::string>& body, bool as_json, Terminal& terminal) {
  if (!body.ok()) return Fail(terminal, kMetricCommand, body.status());
  if (as_json) {
    PrintTo(terminal.out, "{}\n", *body);
    return kExitOk;
  }
  const absl::StatusOr<std::string> lines = LinesOf(*body);
  if (!lines.ok()) return Fail(terminal, kMetricCommand, lines.status());
  PrintText(terminal.out, *lines);
  return kExitOk;
}

absl::Status TakeMissing(const std::string& text, std::optional<double>* missing) {
  const Parsed<double> number = ParseDouble(text);
  if (!number.ok() || !std::isfinite(*number)) {
    return absl::InvalidArgumentError(
        fmt::format("--missing: expected a number, got {}", QuoteForMessage(text)));
  }
  *missing = *number;
  return absl::OkStatus();
}

}  // namespace

int RunMetricCommand(const MetricCommandOptions& options, Terminal& terminal) {
  const absl::StatusOr<MetricChange> change = ReadMetricChange(options);
  if (!change.ok()) return FailUsage(terminal, kMetricCommand, StatusText(change.status()));
  if (!options.url.empty()) {
    const absl::StatusOr<HttpUrl> url = ParseHttpUrl(options.url, options.trust);
    if (!url.ok()) return FailUsage(terminal, kMetricCommand, StatusText(url.status()));
    return PrintMetrics(AskServer(*url, *change, options), options.json, terminal);
  }
  const bool shows = change->action == MetricAction::kList;
  const absl::StatusOr<std::unique_ptr<Tsdb>> tsdb =
      OpenStore(options.store, shows ? StoreUse::kRead : StoreUse::kExisting);
  if (!tsdb.ok()) return FailStore(terminal, kMetricCommand, tsdb.status());
  return PrintMetrics(AskStore(tsdb->get(), *change), options.json, terminal);
}

int MetricMain(const std::vector<std::string>& args, Terminal& terminal) {
  CommandLine line("metric", "Lists, defines and drops virtual metrics.");
  MetricCommandOptions options;
  AddStoreOptions(&line, &options.store);
  AddUrl(&line, &options.url, &options.trust);
  line.AddFlag("--json", &options.json, "print the JSON of /api/admin/metrics");
  line.AddTaken(
      "--missing",
      [&options](const std::string& text) { return TakeMissing(text, &options.missing); }, "NUMBER",
      "define: the value of a missing series or point (default: a point needs all sub queries)");
  line.AddWords("ACTION", &options.words, "list, define NAME EXPRESSION or drop NAME");
  line.set_footer(
      "A virtual metric is a name for an expression. Queries, /api/suggest and\n"
      "/api/search/lookup treat it as a metric; points cannot be put to it. The expression is\n"
      "arithmetic over sub queries, which all group by the same tag keys. Filters of a query\n"
      "apply to each sub query; its downsampling, rate and aggregation apply to the results.\n"
      "Renames of metrics and tag keys change the expression, too.\n"
      "\nExamples:\n"
      "  hourcell metric define cpu.busy 'sum:cpu.user{host=*} + sum:cpu.system{host=*}'\n"
      "  hourcell metric define errors.percent --missing 0 --url http://localhost:4242 \\\n"
      "      '100 * sum:rate:1m-avg:errors{host=*} / sum:rate:1m-avg:requests{host=*}'\n"
      "  hourcell metric list --data /var/lib/hourcell\n");
  if (const std::optional<int> code = line.Parse(args, terminal)) return *code;
  return RunMetricCommand(options, terminal);
}

}  // namespace hourcell
