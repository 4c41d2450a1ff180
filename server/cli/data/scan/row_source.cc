#include "server/cli/data/scan/row_source.h"

#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "server/cli/data/scan/row_line.h"
#include "server/histograms/histogram_line.h"

namespace hourcell {
namespace {

// Visits the lines of a server's answer until `visit` returns false.
absl::Status VisitLinesOfServer(
    const HttpUrl& url,
    const std::string& target,
    const std::function<bool(RowLine::Kind kind, const RowLine& line)>& visit) {
  HttpClient client(url);
  RowLine row;
  absl::StatusOr<RowLine::Kind> last = RowLine::Kind::kRow;
  bool had_enough = false;
  const auto take = [&](std::string_view line) {
    last = row.Read(line);
    had_enough = last.ok() && *last != RowLine::Kind::kEnd && !visit(*last, row);
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

RowSource SourceOfServer(const HttpUrl& url, const std::string& target) {
  return {.rows =
              [url, target](const auto& visit) {
                return VisitLinesOfServer(url, target, [&](RowLine::Kind, const RowLine& line) {
                  return visit(line.row());
                });
              },
          .histograms =
              [url, target](const auto& visit) {
                // A server of an earlier version sends rows instead, and stores only numbers.
                return VisitLinesOfServer(
                    url, target + "&histograms", [&](RowLine::Kind kind, const RowLine& line) {
                      return kind == RowLine::Kind::kHistogram && visit(line.histogram());
                    });
              }};
}

absl::Status VisitHistogramsOfStore(const ScanSpec& spec,
                                    Tsdb* tsdb,
                                    const std::function<bool(std::string_view line)>& visit) {
  bool had_enough = false;
  std::string line;
  const absl::Status visited =
      tsdb->queries().VisitHistograms(spec, [&](std::span<const HistogramPoint> some) {
        for (const HistogramPoint& histogram : some) {
          line.clear();
          AppendHistogramLine(histogram, &line);
          had_enough = !visit(line);
          if (had_enough) return absl::CancelledError("enough");
        }
        return absl::OkStatus();
      });
  return had_enough ? absl::OkStatus() : visited;
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

absl::StatusOr<RowSource> OpenRowSource(const ScanSpec& spec, const RowSourceOptions& options) {
  if (!options.url.empty()) {
    HOURCELL_ASSIGN_OR_RETURN(const HttpUrl url, ParseHttpUrl(options.url, options.trust));
    return SourceOfServer(url, ScanTarget(spec));
  }
  HOURCELL_ASSIGN_OR_RETURN(std::unique_ptr<Tsdb> opened,
                            OpenStore(options.store, StoreUse::kRead));
  const std::shared_ptr<Tsdb> tsdb = std::move(opened);
  return RowSource{
      .rows = [spec, tsdb](const auto& visit) { return tsdb->queries().Scan(spec, visit); },
      .histograms =
          [spec, tsdb](const auto& visit) {
            return VisitHistogramsOfStore(spec, tsdb.get(), visit);
          }};
}

absl::StatusOr<VisitRows> OpenRows(const ScanSpec& spec, const RowSourceOptions& options) {
  HOURCELL_ASSIGN_OR_RETURN(RowSource source, OpenRowSource(spec, options));
  return std::move(source.rows);
}

}  // namespace hourcell
