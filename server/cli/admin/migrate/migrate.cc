#include "server/cli/admin/migrate/migrate.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/kill_point.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "codec/rows/tsuid.h"
#include "engine/tsdb.h"
#include "server/cli/admin/migrate/point_digest.h"
#include "server/cli/command_line.h"
#include "server/cli/data/import_state.h"
#include "server/cli/data/point_sink.h"
#include "server/cli/long_work.h"
#include "server/cli/progress.h"
#include "server/cli/store_flags.h"
#include "server/cluster/storage_choice.h"

namespace hourcell {
namespace {

constexpr std::string_view kMigrateCommand = "migrate";
constexpr size_t kBatchPoints = 20'000;
constexpr size_t kBatchMetadata = 1000;

// A batch of points that owns their names.
class Batch {
 public:
  void Add(const ScannedRow& row) {
    std::string& tags = tags_.emplace_back();
    for (const TagView& tag : row.tags)
      tags += fmt::format("{0}{1}{0}{2}", kTagSeparator, tag.key, tag.value);
    rows_.push_back({.metric = std::string(row.metric), .first = points_.size()});
    for (size_t i = 0; i < row.times.size(); ++i)
      points_.push_back({.timestamp = row.times[i], .value = row.point_values[i]});
  }

  size_t size() const { return points_.size(); }

  // The result borrows from this object until the next change.
  std::vector<LinePoint> Lines() const {
    std::vector<LinePoint> lines;
    lines.reserve(points_.size());
    for (size_t i = 0, row = 0; i < points_.size(); ++i) {
      while (row + 1 < rows_.size() && rows_[row + 1].first <= i)
        ++row;
      lines.push_back({.metric = rows_[row].metric,
                       .tags = tags_[row],
                       .timestamp = points_[i].timestamp,
                       .value = points_[i].value,
                       .has_any_names = true,
                       .may_be_special = true});
    }
    return lines;
  }

  void Clear() {
    rows_.clear();
    tags_.clear();
    points_.clear();
  }

 private:
  struct Row {
    std::string metric;
    size_t first = 0;  // index of its first point
  };
  struct Point {
    Timestamp timestamp;
    Value value;
  };
  std::vector<Row> rows_;
  std::vector<std::string> tags_;  // of each row, as in a line
  std::vector<Point> points_;
};

// Counts of a migration.
struct Migrated {
  uint64_t names = 0;
  uint64_t rows = 0;
  uint64_t annotations = 0;
  uint64_t histograms = 0;
  uint64_t ttls = 0;
  uint64_t documents = 0;  // texts of UIDs and series
  uint64_t views = 0;      // that users saved
  uint64_t virtual_metrics = 0;
  uint64_t metrics_before = 0;  // copied by an earlier migration
  PointDigest points;           // without those of metrics_before
};

class Migrator {
 public:
  // `state` may be null: then it copies everything.
  Migrator(Tsdb* from, Tsdb* to, ImportState* state, ProgressMeter* meter, LongWork* work)
      : from_(*from),
        to_(*to),
        state_(state),
        sink_(MakeStoreSink(to)),
        meter_(*meter),
        work_(*work) {}

  absl::Status Run() {
    for (const UidKind kind : kUidKinds)
      HOURCELL_RETURN_IF_ERROR(CopyNames(kind));
    HOURCELL_RETURN_IF_ERROR(CopyVirtualMetrics());
    HOURCELL_KILL_POINT("migrate:names");
    HOURCELL_RETURN_IF_ERROR(CopyPoints());
    HOURCELL_KILL_POINT("migrate:points");
    HOURCELL_RETURN_IF_ERROR(
        from_.annotations().Visit([this](const Annotation& note) { return CopyAnnotation(note); }));
    HOURCELL_RETURN_IF_ERROR(from_.queries().VisitHistograms(
        {}, [this](std::span<const HistogramPoint> some) { return CopyHistograms(some); }));
    HOURCELL_RETURN_IF_ERROR(CopyTtls());
    HOURCELL_RETURN_IF_ERROR(CopyDocuments());
    HOURCELL_RETURN_IF_ERROR(CopyViews());
    HOURCELL_RETURN_IF_ERROR(CopyTrees());
    HOURCELL_RETURN_IF_ERROR(CopyMetadata());
    meter_.Clear();
    HOURCELL_RETURN_IF_ERROR(to_.maintenance().Flush(
        {.cancelled = LongWork::cancelled(),
         .progress = [this](uint64_t d, uint64_t t) { work_.Update("flush", d, t, "hours"); }}));
    HOURCELL_KILL_POINT("migrate:flushed");
    return absl::OkStatus();
  }

  // kDataLoss: the target's points differ from the points read.
  absl::Status Compare() const {
    PointDigest here = done_.points;
    if (done_.metrics_before > 0) {
      HOURCELL_ASSIGN_OR_RETURN(here, DigestOf(&from_, "read the source again"));
    }
    HOURCELL_ASSIGN_OR_RETURN(const PointDigest there, DigestOf(&to_, "compare"));
    if (there == here) return absl::OkStatus();
    return absl::DataLossError(fmt::format(
        "the points of the target differ from the source: {} points in the target, {} read",
        there.points(), here.points()));
  }

  const Migrated& done() const { return done_; }

 private:
  // Copies names in the order of their UIDs.
  absl::Status CopyNames(UidKind kind) {
    std::vector<UidRow> rows;
    HOURCELL_RETURN_IF_ERROR(from_.names().GrepUids(kind, "", false, [&rows](UidRow row) {
      rows.push_back(std::move(row));
      return true;
    }));
    std::ranges::sort(rows, {}, &UidRow::uid_bytes);
    uint64_t copied = 0;
    for (const UidRow& row : rows) {
      HOURCELL_RETURN_IF_ERROR(GoOn(KindName(kind), copied++, rows.size(), "names"));
      if (to_.names().FindUid(kind, row.name).ok()) continue;
      const absl::Status assigned = to_.names().AssignUid(kind, row.name).status();
      if (assigned.ok()) continue;
      return absl::FailedPreconditionError(fmt::format("the target refused the {} name {}: {}",
                                                       KindName(kind), QuoteForMessage(row.name),
                                                       StatusText(assigned)));
    }
    done_.names += rows.size();
    return absl::OkStatus();
  }

  absl::StatusOr<PointDigest> DigestOf(Tsdb* tsdb, std::string_view phase) const {
    PointDigest digest;
    absl::Status ended;
    HOURCELL_RETURN_IF_ERROR(tsdb->queries().Scan({}, [&](const ScannedRow& row) {
      digest.Add(row);
      ended = GoOn(phase, digest.points(), done_.points.points(), "points");
      return ended.ok();
    }));
    HOURCELL_RETURN_IF_ERROR(ended);
    return digest;
  }

  absl::Status CopyPoints() {
    if (state_ == nullptr) return CopyRows({});
    std::vector<UidRow> metrics;
    HOURCELL_RETURN_IF_ERROR(
        from_.names().GrepUids(UidKind::kMetric, "", false, [&metrics](UidRow row) {
          metrics.push_back(std::move(row));
          return true;
        }));
    for (const UidRow& metric : metrics) {
      if (!state_->SlicesOf(metric.name).empty()) {
        ++done_.metrics_before;
        continue;
      }
      const uint64_t before = done_.points.points();
      HOURCELL_RETURN_IF_ERROR(CopyRows({.metric = metric.name}));
      HOURCELL_RETURN_IF_ERROR(state_->Add({.metric = metric.name,
                                            .time = {.start_s = 0, .end_s = kTimestampMsMax / 1000},
                                            .points = done_.points.points() - before}));
    }
    return absl::OkStatus();
  }

  absl::Status CopyRows(const ScanSpec& rows) {
    absl::Status status;
    const auto visit = [&](const ScannedRow& row) {
      ++done_.rows;
      done_.points.Add(row);
      batch_.Add(row);
      if (batch_.size() >= kBatchPoints) status = WriteBatch();
      return status.ok();
    };
    HOURCELL_RETURN_IF_ERROR(from_.queries().Scan(rows, visit));
    HOURCELL_RETURN_IF_ERROR(status);
    return WriteBatch();
  }

  absl::Status WriteBatch() {
    const std::vector<LinePoint> lines = batch_.Lines();
    std::vector<RefusedPoint> refused;
    HOURCELL_RETURN_IF_ERROR(sink_->Write(lines, &refused));
    if (!refused.empty()) {
      const LinePoint& point = lines[refused.front().index];
      return absl::FailedPreconditionError(fmt::format("the target refused a point of {} {}: {}",
                                                       point.metric, point.tags,
                                                       refused.front().error.text));
    }
    batch_.Clear();
    work_.Clear();
    meter_.Update(done_.points.points(), 0);
    HOURCELL_KILL_POINT("migrate:batch");
    return CheckSignal();
  }

  // kCancelled: a signal came.
  absl::Status CheckSignal() const {
    return LongWork::signal() == 0 ? absl::OkStatus() : absl::CancelledError("a signal came");
  }
  absl::Status GoOn(std::string_view phase,
                    uint64_t done,
                    uint64_t total,
                    std::string_view unit) const {
    work_.Update(phase, done, total, unit);
    return CheckSignal();
  }

  absl::Status CopyAnnotation(const Annotation& note) {
    HOURCELL_RETURN_IF_ERROR(CheckSignal());
    AnnotationEdit edit{.tsuid = "", .start_time = note.start_time};
    HOURCELL_ASSIGN_OR_RETURN(edit.tsuid, TsuidThere(note.tsuid));
    edit.end_time = note.end_time;
    edit.description = note.description;
    edit.notes = note.notes;
    edit.custom = note.custom;
    ++done_.annotations;
    return to_.annotations().Put({&edit, 1}, AnnotationWrite::kReplace).status();
  }

  // A repetition replaces a histogram that an earlier migration copied.
  absl::Status CopyHistograms(std::span<const HistogramPoint> some) {
    HOURCELL_RETURN_IF_ERROR(CheckSignal());
    std::vector<RefusedPoint> refused;
    HOURCELL_RETURN_IF_ERROR(to_.points().AppendHistograms(some, &refused));
    done_.histograms += some.size();
    if (refused.empty()) return absl::OkStatus();
    return absl::FailedPreconditionError(fmt::format("the target refused a histogram of {}: {}",
                                                     some[refused.front().index].point.metric,
                                                     refused.front().error.text));
  }

  absl::Status CopyDocuments() {
    absl::Status copied;
    HOURCELL_RETURN_IF_ERROR(
        from_.names().VisitDocuments([&](const DocumentKey& key, std::string_view text) {
          copied = CheckSignal();
          if (copied.ok()) copied = CopyDocument(key, text);
          return copied.ok();
        }));
    return copied;
  }

  absl::Status CopyViews() {
    absl::Status copied;
    HOURCELL_RETURN_IF_ERROR(
        from_.saved_views().Visit([&](std::string_view name, std::string_view text) {
          copied = to_.saved_views().Change(name, [text](const std::optional<std::string>&) {
            return std::optional<std::string>(text);
          });
          ++done_.views;
          return copied.ok();
        }));
    return copied;
  }

  absl::Status CopyTrees() {
    absl::Status copied;
    HOURCELL_RETURN_IF_ERROR(from_.names().VisitTrees([&](uint16_t id, std::string_view text) {
      copied = to_.names().ChangeTree(id, [text](const std::optional<std::string>&) {
        return std::optional<std::string>(text);
      });
      return copied.ok();
    }));
    return copied;
  }

  absl::Status CopyMetadata() {
    std::vector<MetadataRow> rows;
    absl::Status copied;
    const auto copy = [&] {
      copied = CheckSignal();
      if (copied.ok()) copied = to_.names().WriteMetadata(rows);
      rows.clear();
      return copied.ok();
    };
    HOURCELL_RETURN_IF_ERROR(
        from_.names().VisitMetadata([&](std::string_view metric, std::string_view text) {
          rows.push_back({.metric = std::string(metric), .text = std::string(text)});
          return rows.size() < kBatchMetadata || copy();
        }));
    if (copied.ok()) copy();
    return copied;
  }

  // Leaves out the text of a UID or a series whose name was removed.
  absl::Status CopyDocument(const DocumentKey& key, std::string_view text) {
    const absl::StatusOr<std::string> id = IdThere(key);
    if (absl::IsNotFound(id.status())) return absl::OkStatus();
    HOURCELL_RETURN_IF_ERROR(id.status());
    ++done_.documents;
    return to_.names().ChangeDocument(
        {.kind = key.kind, .id = *id},
        [&](const std::optional<std::string>&) { return std::optional<std::string>(text); });
  }

  // The bytes of the target's UID or tsuid.
  absl::StatusOr<std::string> IdThere(const DocumentKey& key) {
    if (!key.kind.has_value()) {
      HOURCELL_ASSIGN_OR_RETURN(const std::string tsuid, TsuidThere(ToUpperHex(key.id)));
      return FromHex(tsuid);
    }
    HOURCELL_ASSIGN_OR_RETURN(const Uid uid,
                              UidThere(*key.kind, LoadBigEndian(key.id.data(), key.id.size())));
    std::string bytes;
    AppendBigEndian(uid, to_.layout().width(*key.kind), &bytes);
    return bytes;
  }

  // The tsuid, in hex, of the same series in the target; empty if `tsuid` is empty.
  absl::StatusOr<std::string> TsuidThere(const std::string& tsuid) {
    if (tsuid.empty()) return std::string();
    HOURCELL_ASSIGN_OR_RETURN(const std::string bytes, UidBytesFromHex(tsuid, 0));
    HOURCELL_ASSIGN_OR_RETURN(const SeriesUids here, ParseTsuid(from_.layout(), bytes));
    HOURCELL_ASSIGN_OR_RETURN(const Uid metric, UidThere(UidKind::kMetric, here.metric));
    std::vector<TagUids> tags;
    for (const TagUids& tag : here.tags) {
      TagUids& there = tags.emplace_back();
      HOURCELL_ASSIGN_OR_RETURN(there.tagk, UidThere(UidKind::kTagk, tag.tagk));
      HOURCELL_ASSIGN_OR_RETURN(there.tagv, UidThere(UidKind::kTagv, tag.tagv));
    }
    return ToUpperHex(EncodeTsuid(to_.layout(), metric, tags));
  }

  absl::StatusOr<Uid> UidThere(UidKind kind, Uid here) {
    const auto known = uids_.find({kind, here});
    if (known != uids_.end()) return known->second;
    HOURCELL_ASSIGN_OR_RETURN(const UidRow name, from_.names().FindName(kind, here));
    HOURCELL_ASSIGN_OR_RETURN(const UidRow there, to_.names().FindUid(kind, name.name));
    return uids_[{kind, here}] = LoadBigEndian(there.uid_bytes.data(), there.uid_bytes.size());
  }

  absl::Status CopyTtls() {
    HOURCELL_ASSIGN_OR_RETURN(const std::vector<MetricTtl> ttls, from_.retention().MetricTtls());
    for (const MetricTtl& ttl : ttls)
      HOURCELL_RETURN_IF_ERROR(to_.retention().SetMetricTtl(ttl.metric, ttl.ttl_s));
    done_.ttls = ttls.size();
    return absl::OkStatus();
  }

  // Before the points: a fault in an expression ends the migration before the work is done.
  absl::Status CopyVirtualMetrics() {
    HOURCELL_ASSIGN_OR_RETURN(const std::vector<VirtualMetric> metrics,
                              from_.names().ListVirtualMetrics());
    for (const VirtualMetric& metric : metrics) {
      HOURCELL_RETURN_IF_ERROR(CheckSignal());
      const absl::Status defined = to_.names().DefineMetric(metric.name, metric.expression);
      if (!defined.ok()) {
        return absl::FailedPreconditionError(
            fmt::format("the target refused the virtual metric {}: {}",
                        QuoteForMessage(metric.name), StatusText(defined)));
      }
      ++done_.virtual_metrics;
    }
    return absl::OkStatus();
  }

  Tsdb& from_;
  Tsdb& to_;
  ImportState* const state_;
  const std::unique_ptr<PointSink> sink_;
  ProgressMeter& meter_;
  LongWork& work_;
  Batch batch_;
  Migrated done_;
  std::map<std::pair<UidKind, Uid>, Uid> uids_;  // the target's UID for each UID of the source
};

// kInvalidArgument: the name is unknown, or the distributor contradicts the settings.
absl::Status CheckDistributor(const MigrateOptions& options) {
  if (options.distributor.empty()) return absl::OkStatus();
  if (options.distributor != "none" && options.distributor != "series-salt") {
    return absl::InvalidArgumentError(
        fmt::format("--distributor: expected none or series-salt, got {}. The rows of a store have "
                    "OpenTSDB's keys, with or without its salt, and queries understand no others. "
                    "The other distributors are only for hourcell simulate and hourcell bench",
                    QuoteForMessage(options.distributor)));
  }
  HOURCELL_ASSIGN_OR_RETURN(const Config config, LoadConfig(options.store));
  const int64_t width = config.integer("tsd.storage.salt.width");
  const bool has_salt = options.distributor == "series-salt";
  if ((width > 0) == has_salt) return absl::OkStatus();
  return absl::InvalidArgumentError(
      fmt::format("--distributor: {} contradicts tsd.storage.salt.width={}; the width must be {}",
                  options.distributor, width, has_salt ? "1 or more" : "0"));
}

// The file that marks the target as incomplete.
std::filesystem::path MarkerOf(const std::string& directory) {
  return std::filesystem::path(directory) / "migration";
}

// Source and target of a migration.
struct MigrationEnds {
  Config from;
  Config to;
  std::string from_name;
  std::string to_name;
  std::string state_file;  // empty: none

  bool has_directory_target() const { return to.text("tsd.storage.engine") == "rocksdb"; }
};

// The state file is next to the directory; its name must not depend on a final slash.
std::string WithoutSlash(std::string directory) {
  while (directory.size() > 1 && directory.ends_with('/'))
    directory.pop_back();
  return directory;
}

absl::StatusOr<Config> ConfigOf(const MigrateOptions& options,
                                std::string_view engine,
                                const std::string& directory) {
  StoreOptions store = options.store;
  store.data = WithoutSlash(directory);
  HOURCELL_ASSIGN_OR_RETURN(Config config, LoadConfig(store));
  HOURCELL_RETURN_IF_ERROR(config.Set("tsd.storage.engine", engine));
  return config;
}

absl::StatusOr<MigrationEnds> EndsOf(const MigrateOptions& options) {
  const std::string& to_engine = options.to_engine;
  if (!to_engine.empty() && to_engine != "bigtable" && to_engine != "rocksdb") {
    return absl::InvalidArgumentError(fmt::format(
        "--to-engine: expected bigtable or rocksdb, got {}", QuoteForMessage(to_engine)));
  }
  MigrationEnds ends;
  HOURCELL_ASSIGN_OR_RETURN(
      ends.from, ConfigOf(options, to_engine == "rocksdb" ? "bigtable" : "rocksdb", options.from));
  HOURCELL_ASSIGN_OR_RETURN(
      ends.to, ConfigOf(options, to_engine == "bigtable" ? "bigtable" : "rocksdb", options.to));
  HOURCELL_ASSIGN_OR_RETURN(const Options from, OptionsOfStore(ends.from));
  HOURCELL_ASSIGN_OR_RETURN(const Options to, OptionsOfStore(ends.to));
  ends.from_name = from.path;
  ends.to_name = to.path;
  if (to_engine == "bigtable") ends.state_file = ends.from_name + ".migration";
  if (to_engine == "rocksdb") ends.state_file = ends.to_name + ".migration";
  return ends;
}

// Makes the target's directory and its marker. kInvalidArgument: the directory is not empty, and
// has no marker of an earlier migration.
absl::Status BeginTarget(const MigrationEnds& ends) {
  std::error_code error;
  const std::string& to = ends.to_name;
  const bool is_new = !std::filesystem::exists(to, error) || std::filesystem::is_empty(to, error);
  if (!is_new && !std::filesystem::exists(MarkerOf(to), error)) {
    return absl::InvalidArgumentError(
        fmt::format("{}: is not empty; give a new directory, or an empty one", to));
  }
  std::filesystem::create_directories(to, error);
  std::ofstream marker(MarkerOf(to));
  marker << ends.from_name << '\n';
  marker.close();
  if (!error && marker.good()) return absl::OkStatus();
  return absl::FailedPreconditionError(fmt::format("{}: cannot be written", to));
}

absl::Status RemoveFile(const std::filesystem::path& file) {
  std::error_code error;
  std::filesystem::remove(file, error);
  if (!error) return absl::OkStatus();
  return absl::FailedPreconditionError(fmt::format("{}: {}", file.string(), error.message()));
}

absl::StatusOr<std::unique_ptr<Tsdb>> OpenTarget(const MigrationEnds& ends, int64_t ttl_s) {
  HOURCELL_ASSIGN_OR_RETURN(Options target, OptionsOfStore(ends.to));
  // The TTL of the settings, or else the source's: the source was opened with the same settings.
  target.ttl_s = ttl_s;
  // A TTL that is copied is not a change that an operator undoes.
  target.undo_s = 0;
  target.auto_create_metrics = target.auto_create_tagks = target.auto_create_tagvs = true;
  return Tsdb::Open(target);
}

// Null: the migration does not use a state file. kInvalidArgument: the file is missing, and the
// target has metrics.
absl::StatusOr<std::unique_ptr<ImportState>> OpenState(const MigrationEnds& ends, Tsdb* to) {
  if (ends.state_file.empty()) return nullptr;
  std::error_code error;
  if (!std::filesystem::exists(ends.state_file, error)) {
    bool has_metrics = false;
    HOURCELL_RETURN_IF_ERROR(
        to->names().GrepUids(UidKind::kMetric, "", false, [&has_metrics](const UidRow& /*row*/) {
          has_metrics = true;
          return false;
        }));
    if (has_metrics) {
      return absl::InvalidArgumentError(
          fmt::format("{}: has metrics, and there is no {} of a migration that was ended; give "
                      "tables that are new (tsd.storage.bigtable.tables)",
                      ends.to_name, ends.state_file));
    }
  }
  HOURCELL_ASSIGN_OR_RETURN(std::unique_ptr<ImportState> state,
                            ImportState::Open(ends.state_file, ends.from_name, ends.to_name));
  // An interrupted migration may have written only names.
  HOURCELL_RETURN_IF_ERROR(state->Begin());
  return state;
}

absl::Status FinishTarget(const MigrationEnds& ends) {
  if (ends.has_directory_target()) HOURCELL_RETURN_IF_ERROR(RemoveFile(MarkerOf(ends.to_name)));
  return ends.state_file.empty() ? absl::OkStatus() : RemoveFile(ends.state_file);
}

absl::StatusOr<Migrated> Migrate(const MigrateOptions& options,
                                 const MigrationEnds& ends,
                                 Tsdb* from,
                                 LongWork* work,
                                 Terminal& terminal) {
  HOURCELL_ASSIGN_OR_RETURN(const std::unique_ptr<Tsdb> to,
                            OpenTarget(ends, from->retention().store_ttl_s()));
  HOURCELL_ASSIGN_OR_RETURN(const std::unique_ptr<ImportState> state, OpenState(ends, to.get()));
  ProgressMeter meter(terminal.err, terminal.is_tty, terminal.clock, 0);
  Migrator migrator(from, to.get(), state.get(), &meter, work);
  absl::Status done = migrator.Run();
  meter.Clear();
  if (done.ok() && !options.skip_compare) done = migrator.Compare();
  work->Clear();
  done.Update(to->Close());
  if (done.ok()) done = FinishTarget(ends);
  if (!done.ok()) return done;
  return migrator.done();
}

// Prints a summary; the migration took `ms` milliseconds.
void PrintMigrated(const MigrateOptions& options,
                   const Migrated& migrated,
                   int64_t ms,
                   Terminal& terminal) {
  const uint64_t points = migrated.points.points();
  PrintTo(
      terminal.out,
      "migrated {} points of {} rows, {} names, {} annotations{} and {} TTLs{}{}{} in {:.1f} s ({} "
      "points/s){}{}\n",
      points, migrated.rows, migrated.names, migrated.annotations,
      migrated.histograms == 0 ? "" : fmt::format(", {} histograms", migrated.histograms),
      migrated.ttls,
      migrated.documents == 0 ? "" : fmt::format(" and {} meta texts", migrated.documents),
      migrated.views == 0 ? "" : fmt::format(" and {} saved views", migrated.views),
      migrated.virtual_metrics == 0
          ? ""
          : fmt::format(" and {} virtual metrics", migrated.virtual_metrics),
      static_cast<double>(ms) / 1000, PointsPerSecond(points, ms),
      migrated.metrics_before == 0
          ? ""
          : fmt::format("; {} metrics had been migrated before", migrated.metrics_before),
      options.skip_compare ? "" : "; both stores have the same points");
}

}  // namespace

int RunMigrate(const MigrateOptions& options, Terminal& terminal) {
  const int64_t start_ms = terminal.clock->MonotonicMs();
  if (const absl::Status wanted = CheckDistributor(options); !wanted.ok()) {
    return FailStore(terminal, kMigrateCommand, wanted);
  }
  const absl::StatusOr<MigrationEnds> ends = EndsOf(options);
  if (!ends.ok()) return FailStore(terminal, kMigrateCommand, ends.status());
  const absl::StatusOr<std::unique_ptr<Tsdb>> from = OpenStore(ends->from, StoreUse::kRead);
  if (!from.ok()) return FailStore(terminal, kMigrateCommand, from.status());
  if (ends->has_directory_target()) {
    if (const absl::Status begun = BeginTarget(*ends); !begun.ok()) {
      return FailStore(terminal, kMigrateCommand, begun);
    }
  }
  LongWork work(terminal, kMigrateCommand);
  const absl::StatusOr<Migrated> migrated = Migrate(options, *ends, from->get(), &work, terminal);
  if (absl::IsCancelled(migrated.status()) && LongWork::signal() != 0) {
    return work.FailInterrupted(fmt::format(
        "{} is not whole. Run the migration again; it starts {}", ends->to_name,
        ends->state_file.empty() ? "from the beginning" : "after the metrics that are there"));
  }
  if (!migrated.ok()) return FailStore(terminal, kMigrateCommand, migrated.status());
  if (const absl::Status closed = (*from)->Close(); !closed.ok()) {
    return Fail(terminal, kMigrateCommand, closed);
  }
  PrintMigrated(options, *migrated, terminal.clock->MonotonicMs() - start_ms, terminal);
  return kExitOk;
}

int MigrateMain(const std::vector<std::string>& args, Terminal& terminal) {
  CommandLine line("migrate", "Copies a store to another layout, or to another storage engine.");
  MigrateOptions options;
  std::vector<std::string> words;
  AddStoreOptions(&line, &options.store);
  RefuseUrl(&line);
  line.AddFlag("--skip-compare", &options.skip_compare,
               "skip the comparison of both stores at the end");
  line.AddOption("--distributor", &options.distributor, "NAME",
                 "none or series-salt; must match the salt settings");
  line.AddOption("--to-engine", &options.to_engine, "ENGINE",
                 "bigtable: from the directory to the tables of the settings; rocksdb: back");
  line.AddWords(
      "DIR", &words,
      "source and target directory, or the one directory with --to-engine; no process may "
      "have a store open, and a target is new or empty");
  line.set_footer(
      "The settings are those of the new store: UID widths, salt, cell format. The command\n"
      "copies names, points, annotations, histograms, meta texts, saved views, trees, metadata\n"
      "of metrics and metric TTLs, then reads and compares the points of both stores. The\n"
      "source does not change. Ctrl-C or SIGTERM ends a migration, with exit code 130 or\n"
      "143. A migration that was interrupted can be run again.\n"
      "To change only the number of salt buckets, use 'hourcell store salt'; it moves no data.\n"
      "\nExample:\n"
      "  hourcell migrate /var/lib/old /var/lib/new --set tsd.storage.salt.width=1 \\\n"
      "      --set tsd.storage.salt.buckets=64\n"
      "  hourcell migrate /var/lib/hourcell --to-engine bigtable \\\n"
      "      --set tsd.storage.bigtable.project=P --set tsd.storage.bigtable.instance=I\n");
  if (const std::optional<int> code = line.Parse(args, terminal)) return *code;
  const size_t wanted = options.to_engine.empty() ? 2 : 1;
  if (words.size() != wanted) {
    return FailWords(terminal, kMigrateCommand, words,
                     wanted == 2 ? "FROM and TO" : "one directory, with --to-engine");
  }
  if (options.to_engine != "rocksdb") options.from = words.front();
  if (options.to_engine != "bigtable") options.to = words.back();
  return RunMigrate(options, terminal);
}

}  // namespace hourcell
