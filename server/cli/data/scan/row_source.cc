#include "server/cli/data/scan/row_source.h"

#include <memory>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "server/cli/data/scan/row_line.h"

namespace hourcell {
namespace {

absl::Status VisitRowsOfServer(const HttpUrl& url,
                               const std::string& target,
                               const std::function<bool(const ScannedRow&)>& visit) {
  HttpClient client(url);
  RowLine row;
  absl::StatusOr<RowLine::Kind> last = RowLine::Kind::kRow;
  bool had_enough = false;
  const auto take = [&](std::string_view line) {
    last = row.Read(line);
    had_enough = last.ok() && *last == RowLine::Kind::kRow && !visit(row.row());
    return last.ok() && !had_enough;
  };
  HOURCELL_ASSIGN_OR_RETURN(const HttpReply reply, client.GetLines(target, take));
  const auto failed = [&client](std::string_view why) {
    return absl::UnavailableError(fmt::format("{}: {}", client.address(), why));
  };
  if (reply.status != kHttpOk) return failed(HttpErrorText(reply));
  if (!last.ok()) return failed(MessageOf(last.status()));
  if (!had_enough && *last != RowLine::Kind::kEnd) return failed("the response is incomplete");
  return absl::OkStatus();
}

}  // namespace

std::string ScanTarget(const ScanSpec& spec) {
  std::string target = fmt::format("/api/admin/scan?start={}&end={}", spec.start_ms, spec.end_ms);
  if (!spec.metric.empty()) target += "&metric=" + EscapeParam(spec.metric);
  for (const TagFilterSpec& filter : spec.filters) {
    target += "&tag=" + EscapeParam(fmt::format("{}={}({})", filter.tagk,
                                                FilterTypeName(filter.type), filter.filter));
  }
  return target;
}

absl::StatusOr<VisitRows> OpenRows(const ScanSpec& spec, const RowSourceOptions& options) {
  if (!options.url.empty()) {
    HOURCELL_ASSIGN_OR_RETURN(const HttpUrl url, ParseHttpUrl(options.url, options.trust));
    return VisitRows([url, target = ScanTarget(spec)](const auto& visit) {
      return VisitRowsOfServer(url, target, visit);
    });
  }
  HOURCELL_ASSIGN_OR_RETURN(std::unique_ptr<Tsdb> opened,
                            OpenStore(options.store, StoreUse::kRead));
  return VisitRows([spec, tsdb = std::shared_ptr<Tsdb>(std::move(opened))](const auto& visit) {
    return tsdb->queries().Scan(spec, visit);
  });
}

}  // namespace hourcell
