#include "server/cli/opentsdb/opentsdb_command.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <fmt/format.h>

#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "engine/opentsdb/adoption.h"
#include "engine/opentsdb/give_back.h"
#include "engine/options.h"
#include "engine/tsdb.h"
#include "server/cli/command_line.h"
#include "server/cli/long_work.h"
#include "server/cli/store_flags.h"
#include "server/cluster/storage_choice.h"
#include "server/config/config.h"
#include "server/config/engine_options.h"

namespace hourcell {
namespace {

constexpr std::string_view kAdoptCommand = "opentsdb adopt";
constexpr std::string_view kGiveBackCommand = "opentsdb export";

// Unlike other tools, opens with the layout of the settings, which is the layout of the rows.
absl::StatusOr<Options> AdoptingOptionsOf(const Config& config) {
  HOURCELL_ASSIGN_OR_RETURN(StorageChoice storage, AdoptingChoiceOf(config));
  HOURCELL_ASSIGN_OR_RETURN(Options options, EngineOptionsOf(config));
  options.path = std::move(storage.name);
  options.storage = std::move(storage.engine);
  options.create_if_missing = true;
  return options;
}

absl::StatusOr<AdoptionProgress> Adopt(const Config& config,
                                       bool skip_errors,
                                       LongWork* work,
                                       Terminal& terminal) {
  HOURCELL_ASSIGN_OR_RETURN(const Options adopting, AdoptingOptionsOf(config));
  HOURCELL_ASSIGN_OR_RETURN(const std::unique_ptr<OpenTsdbTables> tables, OpenTsdbTablesOf(config));
  // Opening creates the tables of a store: not beside tables that cannot be read.
  for (const OpenTsdbTable table : {OpenTsdbTable::kUid, OpenTsdbTable::kData})
    HOURCELL_RETURN_IF_ERROR(tables->Read(table, "").status());
  HOURCELL_ASSIGN_OR_RETURN(const std::unique_ptr<Tsdb> store, Tsdb::Open(adopting));
  const AdoptionOptions options = {
      .skip_faults = skip_errors,
      .fault =
          [&](std::string_view fault) {
            work->Clear();
            PrintTo(terminal.err, "skipped: {}\n", fault);
          },
      .progress =
          [&](const AdoptionProgress& progress) {
            return progress.rows == 0 ? work->Update("names", progress.names, 0, "names")
                                      : work->Update("rows", progress.points, 0, "points");
          },
  };
  absl::StatusOr<AdoptionProgress> done = AdoptTables(tables.get(), store.get(), options);
  work->Clear();
  const absl::Status closed = store->Close();
  if (done.ok() && !closed.ok()) return closed;
  return done;
}

// Counts the points that a server would find. The number differs from the adopted points if the
// store existed before and has other points, or if points have expired.
absl::StatusOr<uint64_t> CountPoints(const Config& config, LongWork* work) {
  HOURCELL_ASSIGN_OR_RETURN(const std::unique_ptr<Tsdb> store,
                            OpenStore(config, StoreUse::kExisting));
  uint64_t points = 0;
  bool is_whole = true;
  HOURCELL_RETURN_IF_ERROR(store->queries().Scan({}, [&](const ScannedRow& row) {
    points += row.times.size();
    is_whole = work->Update("compare", points, 0, "points");
    return is_whole;
  }));
  work->Clear();
  HOURCELL_RETURN_IF_ERROR(store->Close());
  if (!is_whole) return absl::CancelledError("interrupted");
  return points;
}

}  // namespace

int RunOpenTsdbAdopt(const OpenTsdbCommand& command, Terminal& terminal) {
  const absl::StatusOr<Config> config = LoadConfig(command.store);
  if (!config.ok()) return FailStore(terminal, kAdoptCommand, config.status());
  LongWork work(terminal, kAdoptCommand);
  const absl::StatusOr<AdoptionProgress> done =
      Adopt(*config, command.skip_errors, &work, terminal);
  if (absl::IsCancelled(done.status()) && LongWork::signal() != 0) {
    return work.FailInterrupted("run the same command to continue");
  }
  if (!done.ok()) return FailStore(terminal, kAdoptCommand, done.status());
  PrintTo(terminal.out,
          "took over {} points of {} rows, {} names and {} annotations; {} duplicate points, {} "
          "other cells and {} faults were left out\n",
          done->points, done->rows, done->names, done->annotations, done->duplicates, done->skipped,
          done->faults);
  if (command.skip_compare) return kExitOk;
  const absl::StatusOr<uint64_t> found = CountPoints(*config, &work);
  if (absl::IsCancelled(found.status()) && LongWork::signal() != 0) {
    return work.FailInterrupted("the tables are taken over, and were not compared");
  }
  if (!found.ok()) return FailStore(terminal, kAdoptCommand, found.status());
  if (*found == done->points) {
    PrintTo(terminal.out, "the store has as many points\n");
    return kExitOk;
  }
  return Fail(terminal, kAdoptCommand,
              absl::DataLossError(fmt::format(
                  "the store has {} points, and {} were taken over. They differ if it had points "
                  "before, if some have expired (tsd.storage.ttl), or if an OpenTSDB writes",
                  *found, done->points)));
}

int RunOpenTsdbExport(const OpenTsdbCommand& command, Terminal& terminal) {
  const absl::StatusOr<Config> config = LoadConfig(command.store);
  if (!config.ok()) return FailStore(terminal, kGiveBackCommand, config.status());
  const absl::StatusOr<std::unique_ptr<OpenTsdbTables>> tables = OpenTsdbTablesOf(*config);
  if (!tables.ok()) return FailStore(terminal, kGiveBackCommand, tables.status());
  const absl::StatusOr<Config> exported = ExportedStoreOf(*config);
  if (!exported.ok()) return FailStore(terminal, kGiveBackCommand, exported.status());
  const absl::StatusOr<std::unique_ptr<Tsdb>> store = OpenStore(*exported, StoreUse::kRead);
  if (!store.ok()) return FailStore(terminal, kGiveBackCommand, store.status());
  LongWork work(terminal, kGiveBackCommand);
  const GiveBackOptions options = {
      .salt_width = static_cast<size_t>(config->integer("tsd.storage.salt.width")),
      .salt_buckets = static_cast<uint32_t>(config->integer("tsd.storage.salt.buckets")),
      .progress =
          [&](const GiveBackProgress& progress) {
            return work.Update("rows", progress.points, 0, "points");
          },
  };
  const absl::StatusOr<GiveBackProgress> done =
      GiveBackTables(store->get(), tables->get(), options);
  work.Clear();
  const absl::Status closed = (*store)->Close();
  if (absl::IsCancelled(done.status()) && LongWork::signal() != 0) {
    return work.FailInterrupted("run the same command to continue");
  }
  if (!done.ok()) return FailStore(terminal, kGiveBackCommand, done.status());
  if (!closed.ok()) return Fail(terminal, kGiveBackCommand, closed);
  PrintTo(terminal.out,
          "exported {} points of {} rows, {} names and {} annotations to {}; {} rows and "
          "annotations were written, the others were there\n",
          done->points, done->rows, done->names, done->annotations, (*tables)->name(),
          done->rows_written);
  return kExitOk;
}

int OpenTsdbMain(const std::vector<std::string>& args, Terminal& terminal) {
  CommandLine line("opentsdb",
                   "Takes over the tables of an OpenTSDB on Bigtable, or gives them back.");
  OpenTsdbCommand command;
  std::string verb;
  AddStoreOptions(&line, &command.store);
  RefuseUrl(&line);
  line.AddFlag("--skip-errors", &command.skip_errors,
               "adopt: report damaged cells and invalid rows and names, and skip them");
  line.AddFlag("--skip-compare", &command.skip_compare,
               "adopt: do not count the points again at the end");
  line.AddWord("VERB", &verb, "adopt or export");
  line.set_footer(
      "Subcommands:\n"
      "  adopt    take over the tables that tsd.storage.bigtable.data_table and .uid_table name.\n"
      "           Points stay in them. Names keep their UIDs. After it, hourcell serve with the\n"
      "           same settings answers and writes; it never changes OpenTSDB's cells\n"
      "  export   write the points, names and annotations of the store as OpenTSDB's rows, each\n"
      "           hour of a series as one compacted cell, so that an OpenTSDB can continue. The\n"
      "           store may be of any engine; the tables are made if they are not there\n"
      "UID widths and salt of the rows are those of tsd.storage.uid.width.* and\n"
      "tsd.storage.salt.*. No process may have the store open, and no OpenTSDB may write to the\n"
      "tables. Run an interrupted command again to continue.\n"
      "\nExample:\n"
      "  hourcell opentsdb adopt --tsd.storage.engine=bigtable \\\n"
      "      --tsd.storage.bigtable.project=p --tsd.storage.bigtable.instance=i \\\n"
      "      --tsd.storage.bigtable.data_table=tsdb\n");
  if (const std::optional<int> code = line.Parse(args, terminal)) return *code;
  if (verb == "adopt") return RunOpenTsdbAdopt(command, terminal);
  if (verb == "export") return RunOpenTsdbExport(command, terminal);
  return FailWords(terminal, "opentsdb", std::span(&verb, 1), "adopt or export");
}

}  // namespace hourcell
