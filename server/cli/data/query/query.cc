#include "server/cli/data/query/query.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <fmt/format.h>

#include "codec/base/status_macros.h"
#include "engine/query.h"
#include "engine/tsdb.h"
#include "server/access/access_rights.h"
#include "server/api/routes.h"
#include "server/cli/command_line.h"
#include "server/cli/data/query/explain_text.h"
#include "server/cli/data/query/query_text.h"
#include "server/cli/data/query_exchange.h"
#include "server/cli/data/query_words.h"
#include "server/cli/local_store.h"
#include "server/cli/store_flags.h"
#include "server/cli/terminal.h"
#include "server/http/body/body_writer.h"
#include "server/http/http_client.h"
#include "server/http/http_message.h"
#include "server/http/http_target.h"

namespace hourcell {
namespace {

constexpr std::string_view kQueryCommand = "query";

// Prints series as lines as they arrive.
class LinePrinter : public QuerySink {
 public:
  explicit LinePrinter(Terminal& terminal) : output_(terminal.out) {}

  absl::Status OnSeries(const SeriesView& series) override {
    ResultSeries owned;
    owned.metric = series.metric;
    owned.tags.assign(series.tags.begin(), series.tags.end());
    owned.points.reserve(series.points.size());
    for (size_t i = 0; i < series.points.size(); ++i)
      owned.points.push_back({.ms = series.points.t[i], .value = series.points.value(i)});
    Print(owned);
    // Ends the query if the output failed. Finish decides whether that is an error.
    return is_open_ ? absl::OkStatus() : absl::CancelledError("the reader is gone");
  }
  void Print(const ResultSeries& series) {
    AppendSeriesLines(series, output_.buffer());
    is_open_ = output_.WriteIfLarge();
  }

  // Returns the result of the query and the output; `status` is the query's.
  absl::Status Finish(const absl::Status& status) {
    return is_open_ && !status.ok() ? status : output_.Finish();
  }

 private:
  TextOutput output_;
  bool is_open_ = true;
};

// Prints a body as it is written.
class TerminalBody : public BodyWriter {
 public:
  explicit TerminalBody(Terminal& terminal) : output_(terminal.out) {}

  // False after a failure of the output.
  bool is_open() const { return is_open_; }

  absl::Status Finish() {
    output_.buffer()->append(buffer()).push_back('\n');
    return output_.Finish();
  }

 private:
  absl::Status Take(std::string* piece) override {
    output_.buffer()->append(*piece);
    piece->clear();
    is_open_ = output_.WriteIfLarge();
    return is_open_ ? absl::OkStatus() : absl::CancelledError("the reader is gone");
  }

  TextOutput output_;
  bool is_open_ = true;
};

absl::Status PrintJson(std::string_view body, Terminal& terminal) {
  TextOutput output(terminal.out);
  output.buffer()->append(body);
  output.buffer()->push_back('\n');
  return output.Finish();
}

void PrintPlans(const std::vector<PlanReport>& plans, Terminal& terminal) {
  PrintTo(terminal.err, "{}", ExplainText(plans));
}

// The target of the request: with arrays if the tool parses the points itself, complete and in
// order.
std::string_view Target(bool json) {
  return json ? "/api/query" : "/api/query?arrays=true";
}

absl::Status QueryServer(const HttpUrl& url,
                         const QuerySpec& spec,
                         const QueryOptions& options,
                         Terminal& terminal) {
  HttpClient client(url);
  HOURCELL_ASSIGN_OR_RETURN(const HttpReply reply,
                            client.Post(Target(options.json), QueryBody(spec, options.explain)));
  if (reply.status != kHttpOk) {
    return absl::UnavailableError(fmt::format("{}: {}", client.address(), HttpErrorText(reply)));
  }
  if (options.json) return PrintJson(reply.body, terminal);
  HOURCELL_ASSIGN_OR_RETURN(const QueryReply parsed, ParseQueryReply(reply.body));
  LinePrinter printer(terminal);
  for (const ResultSeries& series : parsed.series)
    printer.Print(series);
  HOURCELL_RETURN_IF_ERROR(printer.Finish(absl::OkStatus()));
  if (options.explain) PrintPlans(parsed.plans, terminal);
  return absl::OkStatus();
}

// Answers the request that QueryServer would send, in this process.
absl::Status QueryStoreAsJson(
    Tsdb* tsdb, const Config& config, const QuerySpec& spec, bool explain, Terminal& terminal) {
  HttpRequest request;
  request.method = "POST";
  request.target = Target(/*json=*/true);
  request.rights = AccessRights::Read();
  request.headers.emplace_back("content-type", "application/json");
  request.body = QueryBody(spec, explain);
  HOURCELL_RETURN_IF_ERROR(ParseTarget(&request));
  Routes api(tsdb, &config);
  HttpResponse response = api.Begin(request);
  TerminalBody body(terminal);
  if (response.produce != nullptr) {
    HttpResponse failure;
    if (response.produce(&body, &failure) || !body.is_open()) return body.Finish();
    response = std::move(failure);
  }
  return absl::InternalError(
      HttpErrorText({.status = response.status, .body = std::move(response.body)}));
}

absl::Status QueryStoreAsLines(Tsdb* tsdb,
                               const QuerySpec& spec,
                               bool explain,
                               Terminal& terminal) {
  LinePrinter printer(terminal);
  QueryControl control;
  HOURCELL_RETURN_IF_ERROR(printer.Finish(tsdb->queries().Query(spec, &printer, &control)));
  if (explain) PrintPlans(control.plans(), terminal);
  return absl::OkStatus();
}

int QueryStore(const QueryOptions& options, const QuerySpec& spec, Terminal& terminal) {
  const absl::StatusOr<Config> config = LoadConfig(options.store);
  if (!config.ok()) return FailStore(terminal, kQueryCommand, config.status());
  WarnOfIgnoredSettings(*config, kQueryCommand, terminal);
  const absl::StatusOr<std::unique_ptr<Tsdb>> tsdb = OpenStore(*config, StoreUse::kRead);
  if (!tsdb.ok()) return FailStore(terminal, kQueryCommand, tsdb.status());

  const absl::Status printed =
      options.json ? QueryStoreAsJson(tsdb->get(), *config, spec, options.explain, terminal)
                   : QueryStoreAsLines(tsdb->get(), spec, options.explain, terminal);
  return printed.ok() ? kExitOk : Fail(terminal, kQueryCommand, printed);
}

}  // namespace

int RunQuery(const QueryOptions& options, Terminal& terminal) {
  const absl::StatusOr<QuerySpec> spec =
      ParseQueryWords(options.words, options.m_texts, terminal.clock->NowMs());
  if (!spec.ok()) return FailUsage(terminal, kQueryCommand, StatusText(spec.status()));
  if (options.url.empty()) return QueryStore(options, *spec, terminal);

  const absl::StatusOr<HttpUrl> url = ParseHttpUrl(options.url, options.trust);
  if (!url.ok()) return FailUsage(terminal, kQueryCommand, StatusText(url.status()));
  const absl::Status printed = QueryServer(*url, *spec, options, terminal);
  return printed.ok() ? kExitOk : Fail(terminal, kQueryCommand, printed);
}

int QueryMain(const std::vector<std::string>& args, Terminal& terminal) {
  CommandLine line(
      "query",
      "Runs a query and prints one point per line: metric timestamp_ms value {tagk=tagv, ...}");
  QueryOptions options;
  AddStoreOptions(&line, &options.store);
  AddUrl(&line, &options.url, &options.trust);
  line.AddFlag("--json", &options.json,
               "print the JSON answer of /api/query, with times in milliseconds");
  line.AddFlag("--explain", &options.explain,
               "print how each sub query was read, and its cost, to standard error; with --json, "
               "add them to the answer");
  line.AddRepeated("-m", &options.m_texts, "M", "sub query as in /api/query?m=; may be repeated");
  line.AddWords("WORD", &options.words,
                "START [END] and, without -m, one or more of: AGG [rate [counter[,max[,reset]]]] "
                "[downsample N FUNC] metric [tagk=tagv ...]");
  line.set_footer(
      "Times: 1h-ago, 2013/01/01-00:00:00 (UTC), seconds or milliseconds since 1970, now.\n"
      "The second word is END if it is a valid time. N is in milliseconds, or a duration (1h).\n"
      "Integers are printed without a fraction. Floating-point values are printed in full, as\n"
      "Java prints them (OpenTSDB's tool rounds them to six decimals).\n"
      "\nExamples:\n"
      "  hourcell query 1h-ago sum cpu.user host=web01\n"
      "  hourcell query 2013/01/01 2013/01/02 avg rate counter downsample 60000 avg net.bytes\n"
      "  hourcell query 1d-ago -m 'sum:1h-avg:cpu.user{host=*}'\n"
      "  hourcell query --url http://localhost:4242 --json 1h-ago sum cpu.user\n");
  if (const std::optional<int> code = line.Parse(args, terminal)) return *code;
  return RunQuery(options, terminal);
}

}  // namespace hourcell
