#include "server/cli/query.h"

#include <memory>
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
#include "server/cli/http_client.h"
#include "server/cli/query_text.h"
#include "server/cli/query_words.h"
#include "server/cli/store.h"
#include "server/cli/terminal.h"
#include "server/http_api.h"
#include "server/http_message.h"
#include "server/http_target.h"

namespace hourcell {
namespace {

constexpr std::string_view kCommand = "query";
constexpr int kHttpOk = 200;

absl::Status PrintSeries(const std::vector<ResultSeries>& series, Terminal& terminal) {
  TextOutput output(terminal.out);
  for (const ResultSeries& one : series) {
    AppendSeriesLines(one, output.buffer());
    if (!output.WriteIfLarge()) break;
  }
  return output.Finish();
}

absl::Status PrintJson(std::string_view body, Terminal& terminal) {
  TextOutput output(terminal.out);
  output.buffer()->append(body);
  output.buffer()->push_back('\n');
  return output.Finish();
}

// The target of the request: arrays where the tool reads the points itself, in order and complete.
std::string_view Target(bool json) {
  return json ? "/api/query" : "/api/query?arrays=true";
}

absl::Status QueryServer(const HttpUrl& url, const QuerySpec& spec, bool json, Terminal& terminal) {
  HttpClient client(url);
  HOURCELL_ASSIGN_OR_RETURN(const HttpReply reply, client.Post(Target(json), QueryBody(spec)));
  if (reply.status != kHttpOk) {
    return absl::UnavailableError(fmt::format("{}: {}", client.address(), HttpErrorText(reply)));
  }
  if (json) return PrintJson(reply.body, terminal);
  HOURCELL_ASSIGN_OR_RETURN(const std::vector<ResultSeries> series, ParseQueryReply(reply.body));
  return PrintSeries(series, terminal);
}

// The same request as to a server, answered in this process.
absl::Status QueryStoreAsJson(Tsdb* tsdb,
                              const Config& config,
                              const QuerySpec& spec,
                              Terminal& terminal) {
  HttpRequest request;
  request.method = "POST";
  request.target = Target(/*json=*/true);
  request.headers.emplace_back("content-type", "application/json");
  request.body = QueryBody(spec);
  HOURCELL_RETURN_IF_ERROR(ParseTarget(&request));
  HttpApi api(tsdb, &config);
  HttpResponse response = api.Handle(request);
  if (response.status != kHttpOk) {
    return absl::InternalError(
        HttpErrorText({.status = response.status, .body = std::move(response.body)}));
  }
  return PrintJson(response.body, terminal);
}

int QueryStore(const QueryOptions& options, const QuerySpec& spec, Terminal& terminal) {
  const absl::StatusOr<Config> config = LoadConfig(options.store);
  if (!config.ok()) return FailStore(terminal, kCommand, config.status());
  WarnOfIgnoredSettings(*config, kCommand, terminal);
  const absl::StatusOr<std::unique_ptr<Tsdb>> tsdb = OpenStore(*config, StoreUse::kExisting);
  if (!tsdb.ok()) return FailStore(terminal, kCommand, tsdb.status());

  if (options.json) {
    const absl::Status printed = QueryStoreAsJson(tsdb->get(), *config, spec, terminal);
    return printed.ok() ? kExitOk : Fail(terminal, kCommand, printed);
  }
  const absl::StatusOr<QueryResult> result = (*tsdb)->Query(spec);
  if (!result.ok()) return Fail(terminal, kCommand, result.status());
  const absl::Status printed = PrintSeries(result->series, terminal);
  return printed.ok() ? kExitOk : Fail(terminal, kCommand, printed);
}

}  // namespace

int RunQuery(const QueryOptions& options, Terminal& terminal) {
  const absl::StatusOr<QuerySpec> spec =
      ParseQueryWords(options.words, options.m_texts, terminal.clock->NowMs());
  if (!spec.ok()) return FailUsage(terminal, kCommand, StatusText(spec.status()));
  if (options.url.empty()) return QueryStore(options, *spec, terminal);

  const absl::StatusOr<HttpUrl> url = ParseHttpUrl(options.url);
  if (!url.ok()) return FailUsage(terminal, kCommand, StatusText(url.status()));
  const absl::Status printed = QueryServer(*url, *spec, options.json, terminal);
  return printed.ok() ? kExitOk : Fail(terminal, kCommand, printed);
}

}  // namespace hourcell
