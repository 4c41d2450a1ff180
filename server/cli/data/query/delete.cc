#include "server/cli/data/query/delete.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <fmt/format.h>
#include <simdjson.h>

#include "codec/base/json_writer.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "engine/query.h"
#include "engine/tsdb.h"
#include "server/cli/command_line.h"
#include "server/cli/data/query_words.h"
#include "server/cli/local_store.h"
#include "server/cli/store_flags.h"
#include "server/http/http_client.h"

namespace hourcell {
namespace {

constexpr std::string_view kDeleteCommand = "delete";

// The answer: the selection, and the id of a delete that can be undone, or 0.
struct DeleteCounts {
  CountedPoints counted;
  uint64_t undo_id = 0;
};

absl::StatusOr<DeleteCounts> DeleteOfServer(const HttpUrl& url,
                                            const QuerySpec& spec,
                                            const DeleteOptions& options) {
  std::string target =
      fmt::format("/api/query?start={}ms&end={}ms&counts", spec.start_ms, spec.end_ms);
  if (options.dry_run) target += "&dry_run";
  for (const std::string& m : options.m_texts)
    target += "&m=" + EscapeParam(m);
  HttpClient client(url);
  HOURCELL_ASSIGN_OR_RETURN(const HttpReply reply, client.Delete(target));
  if (reply.status != kHttpOk) {
    return absl::UnavailableError(fmt::format("{}: {}", client.address(), HttpErrorText(reply)));
  }
  simdjson::dom::parser parser;
  simdjson::dom::element document;
  DeleteCounts counts;
  CountedPoints& counted = counts.counted;
  if (parser.parse(reply.body).get(document) || document["metrics"].get(counted.metrics) ||
      document["series"].get(counted.series) || document["points"].get(counted.points)) {
    return absl::UnavailableError(
        fmt::format("unexpected answer from the server: {}; expected an object with counts",
                    QuoteForMessage(reply.body)));
  }
  // Absent if there were zero.
  if (document["histograms"].get(counted.histograms)) counted.histograms = 0;
  if (document["undoId"].get(counts.undo_id)) counts.undo_id = 0;
  return counts;
}

absl::StatusOr<DeleteCounts> DeleteOfStore(Tsdb* tsdb, const QuerySpec& spec, bool dry_run) {
  DeleteCounts counts;
  HOURCELL_ASSIGN_OR_RETURN(counts.counted, tsdb->points().CountPoints(spec));
  if (dry_run) return counts;
  HOURCELL_ASSIGN_OR_RETURN(const DeletedPoints deleted, tsdb->points().DeletePoints(spec));
  counts.undo_id = deleted.undo_id;
  // Points of a delete that can be undone are not counted.
  if (deleted.undo_id == 0) counts.counted.points = deleted.points;
  counts.counted.histograms = deleted.histograms;
  return counts;
}

int PrintCounts(const absl::StatusOr<DeleteCounts>& counts,
                const DeleteOptions& options,
                Terminal& terminal) {
  if (!counts.ok()) return Fail(terminal, kDeleteCommand, counts.status());
  const CountedPoints* const counted = &counts->counted;
  if (options.json) {
    std::string text;
    JsonWriter json(&text);
    json.OpenObject();
    json.Field("metrics", counted->metrics);
    json.Field("series", counted->series);
    json.Field("points", counted->points);
    if (counted->histograms > 0) json.Field("histograms", counted->histograms);
    if (counts->undo_id != 0) json.Field("undoId", counts->undo_id);
    json.Field("dryRun", options.dry_run);
    json.CloseObject();
    PrintTo(terminal.out, "{}\n", text);
  } else {
    PrintTo(
        terminal.out, "{} series and {} points of {} metrics{} {}.\n", counted->series,
        counted->points, counted->metrics,
        counted->histograms == 0 ? "" : fmt::format(", and {} histograms,", counted->histograms),
        options.dry_run ? "found" : "deleted");
    if (counts->undo_id != 0) PrintTo(terminal.out, "To undo: hourcell undo {}\n", counts->undo_id);
  }
  return kExitOk;
}

}  // namespace

int RunDelete(const DeleteOptions& options, Terminal& terminal) {
  const absl::StatusOr<QuerySpec> spec =
      ParseDeletionWords(options.words, options.m_texts, terminal.clock->NowMs());
  if (!spec.ok()) return FailUsage(terminal, kDeleteCommand, StatusText(spec.status()));
  if (!options.url.empty()) {
    const absl::StatusOr<HttpUrl> url = ParseHttpUrl(options.url, options.trust);
    if (!url.ok()) return FailUsage(terminal, kDeleteCommand, StatusText(url.status()));
    return PrintCounts(DeleteOfServer(*url, *spec, options), options, terminal);
  }
  const absl::StatusOr<std::unique_ptr<Tsdb>> tsdb =
      OpenStore(options.store, options.dry_run ? StoreUse::kRead : StoreUse::kExisting);
  if (!tsdb.ok()) return FailStore(terminal, kDeleteCommand, tsdb.status());
  return PrintCounts(DeleteOfStore(tsdb->get(), *spec, options.dry_run), options, terminal);
}

int DeleteMain(const std::vector<std::string>& args, Terminal& terminal) {
  CommandLine line("delete",
                   "Deletes the points from START to END of a selection, and prints how many.");
  DeleteOptions options;
  AddStoreOptions(&line, &options.store);
  AddUrl(&line, &options.url, &options.trust);
  line.AddFlag("--dry-run", &options.dry_run, "print how many, and delete nothing");
  line.AddFlag("--json", &options.json, "print an object with metrics, series, points and dryRun");
  line.AddRepeated("-m", &options.m_texts, "M",
                   "selection as in /api/query?m=, or tags alone for all metrics; may be repeated");
  line.AddWords("TIME", &options.words, "START [END]");
  line.set_footer(
      "Times: 1h-ago, 2013/01/01-00:00:00 (UTC), seconds or milliseconds since 1970, now.\n"
      "A delete can be undone for tsd.storage.undo, by default 7 days, and its points take space\n"
      "on disk until then, or until hourcell undo --forget. Histograms, and points of a store on\n"
      "Bigtable, are gone for good. How a selection aggregates does not matter. Series without\n"
      "points leave the index later; names stay. A server must allow deletes\n"
      "(tsd.http.query.allow_delete), unless --dry-run, and needs the role admin.\n"
      "\nExamples:\n"
      "  hourcell delete --dry-run 2013/01/01 -m '{}{host=web01}'\n"
      "  hourcell delete 2013/01/01 2013/02/01 -m 'none:cpu.user{host=web01|web02}'\n"
      "  hourcell delete --url http://localhost:4242 1d-ago -m '{}{host=wildcard(test-*)}'\n");
  if (const std::optional<int> code = line.Parse(args, terminal)) return *code;
  return RunDelete(options, terminal);
}

}  // namespace hourcell
