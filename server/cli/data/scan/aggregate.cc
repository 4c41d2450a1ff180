#include "server/cli/data/scan/aggregate.h"

#include <memory>
#include <string_view>

#include <absl/status/status.h>
#include <fmt/format.h>

#include "codec/base/status_macros.h"
#include "server/cli/local_store.h"
#include "server/http/http_client.h"

namespace hourcell {
namespace {

std::string AggregateTarget(const ScanSpec& rows, const RowAggregateTexts& texts) {
  std::string target = ScanTarget(rows) + "&aggregate=" + EscapeParam(texts.aggregate);
  for (const std::string& by : texts.by)
    target += "&by=" + EscapeParam(by);
  for (const std::string& value : texts.values)
    target += "&value=" + EscapeParam(value);
  if (!texts.groups.empty()) target += "&groups=" + EscapeParam(texts.groups);
  return target;
}

absl::StatusOr<std::string> AggregateOfServer(const HttpUrl& url, const std::string& target) {
  HttpClient client(url);
  HOURCELL_ASSIGN_OR_RETURN(HttpReply reply, client.Get(target));
  if (reply.status == kHttpOk) return std::move(reply.body);
  return absl::UnavailableError(fmt::format("{}: {}", client.address(), HttpErrorText(reply)));
}

}  // namespace

absl::StatusOr<std::string> AggregateOf(const ScanSpec& rows,
                                        const RowAggregateTexts& texts,
                                        const RowSourceOptions& options) {
  HOURCELL_ASSIGN_OR_RETURN(const RowAggregateRequest request, ParseRowAggregates(texts));
  if (!options.url.empty()) {
    HOURCELL_ASSIGN_OR_RETURN(const HttpUrl url, ParseHttpUrl(options.url, options.trust));
    return AggregateOfServer(url, AggregateTarget(rows, texts));
  }
  HOURCELL_ASSIGN_OR_RETURN(const std::unique_ptr<Tsdb> tsdb,
                            OpenStore(options.store, StoreUse::kRead));
  HOURCELL_ASSIGN_OR_RETURN(const RowAggregates result,
                            tsdb->queries().AggregateRows(rows, request.spec));
  std::string json;
  AppendRowAggregates(result, request, &json);
  return json;
}

}  // namespace hourcell
