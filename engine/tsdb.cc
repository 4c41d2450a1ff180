#include "engine/tsdb.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/check.h"
#include "codec/base/clock.h"
#include "codec/base/kill_point.h"
#include "codec/base/status_macros.h"
#include "codec/point_text.h"
#include "codec/row_key.h"
#include "engine/background.h"
#include "engine/point_writer.h"
#include "engine/query_executor.h"
#include "engine/query_planner.h"
#include "engine/rocks_table_store.h"
#include "engine/row_scanner.h"
#include "engine/series_cache.h"
#include "engine/series_table.h"
#include "engine/store_lock.h"
#include "engine/store_meta.h"
#include "engine/table_uid_store.h"
#include "uid/uid_check.h"
#include "uid/uid_directory.h"

namespace hourcell {
namespace {

UidOptions ToUidOptions(const Options& options, const Layout& layout) {
  return {.layout = layout,
          .extra_chars = options.extra_name_chars,
          .auto_create_metrics = options.auto_create_metrics,
          .auto_create_tagks = options.auto_create_tagks,
          .auto_create_tagvs = options.auto_create_tagvs,
          .random_metrics = options.random_metric_uids,
          .cache_names_max = options.uid_cache_names_max};
}

absl::Status MakeDirectory(const Options& options) {
  std::error_code error;
  if (std::filesystem::is_directory(options.path, error)) return absl::OkStatus();
  if (!options.create_if_missing) {
    return absl::NotFoundError(
        fmt::format("open {}: no such directory; want a store", options.path));
  }
  std::filesystem::create_directories(options.path, error);
  if (!error) return absl::OkStatus();
  return absl::FailedPreconditionError(fmt::format("create {}: {}", options.path, error.message()));
}

absl::Status Closed() {
  return absl::FailedPreconditionError("store is closed");
}

}  // namespace

// The parts of an open store, in the order in which they depend on each other.
class Tsdb::Impl {
 public:
  explicit Impl(Options opened) : options(std::move(opened)) {}

  absl::Status Open();
  absl::Status Close();
  void RegisterGauges();

  Options options;
  Stats stats;
  std::unique_ptr<StoreLock> lock;
  std::unique_ptr<TableStore> tables;
  std::optional<RowKeyCodec> row_keys;
  std::unique_ptr<TableUidStore> uid_store;
  std::unique_ptr<UidDirectory> uids;
  std::unique_ptr<SeriesTable> series;
  std::unique_ptr<SeriesCache> series_cache;
  std::unique_ptr<PointWriter> writer;
  std::unique_ptr<QueryPlanner> planner;
  std::unique_ptr<QueryExecutor> executor;
  std::unique_ptr<Background> syncer;
  std::atomic<bool> is_open{false};
};

absl::Status Tsdb::Impl::Open() {
  HOURCELL_RETURN_IF_ERROR(MakeDirectory(options));
  HOURCELL_ASSIGN_OR_RETURN(lock, StoreLock::Acquire(options.path));
  HOURCELL_ASSIGN_OR_RETURN(tables, OpenRocksTableStore(options.path + "/db", options));
  HOURCELL_ASSIGN_OR_RETURN(const Layout layout, ReadOrCreateMeta(options, tables.get()));
  options.layout = layout;
  row_keys.emplace(layout);
  const bool sync = options.sync == Durability::kAlways;
  uid_store = std::make_unique<TableUidStore>(layout, tables.get());
  HOURCELL_ASSIGN_OR_RETURN(uids,
                            UidDirectory::Open(ToUidOptions(options, layout), uid_store.get()));
  HOURCELL_ASSIGN_OR_RETURN(
      series,
      SeriesTable::Open(layout,
                        {.tables = tables.get(), .uid_store = uid_store.get(), .uids = uids.get()},
                        sync));
  series_cache = std::make_unique<SeriesCache>(options.series_cache_max);
  writer = std::make_unique<PointWriter>(options, *row_keys,
                                         PointWriter::Parts{.tables = tables.get(),
                                                            .series = series.get(),
                                                            .cache = series_cache.get(),
                                                            .stats = &stats});
  planner = std::make_unique<QueryPlanner>(options, *row_keys, uids.get(), series.get());
  Clock* const clock = options.clock != nullptr ? options.clock : Clock::System();
  executor = std::make_unique<QueryExecutor>(
      options, *row_keys,
      QueryExecutor::Parts{
          .tables = tables.get(), .uids = uids.get(), .series = series.get(), .clock = clock});
  const bool at_intervals = options.sync == Durability::kInterval;
  Counter* const failures = stats.counter("storage.sync.errors");
  syncer =
      std::make_unique<Background>(at_intervals ? options.sync_interval_ms : 0, [this, failures] {
        if (!tables->Sync().ok()) failures->Add(1);
      });
  RegisterGauges();
  is_open = true;
  return absl::OkStatus();
}

void Tsdb::Impl::RegisterGauges() {
  const auto add = [this](std::string name, StatTags tags, auto read) {
    stats.AddGauge(std::move(name), std::move(tags), [this, read]() -> int64_t {
      return is_open ? static_cast<int64_t>(read()) : 0;
    });
  };
  for (const UidKind kind : kUidKinds) {
    const StatTags tags = {{"kind", std::string(KindName(kind))}};
    const auto of_kind = [&](std::string name, uint64_t UidStats::* field) {
      add(std::move(name), tags, [this, kind, field] { return uids->stats(kind).*field; });
    };
    of_kind("uid.cache-hit", &UidStats::cache_hits);
    of_kind("uid.cache-miss", &UidStats::cache_misses);
    of_kind("uid.cache-size", &UidStats::cache_names);
    of_kind("uid.ids-used", &UidStats::ids_used);
    of_kind("uid.ids-available", &UidStats::ids_available);
    of_kind("uid.rejected-assignments", &UidStats::refused);
    of_kind("uid.random-collisions", &UidStats::random_collisions);
  }
  add("series.created", {}, [this] { return series->created(); });
  add("series.cache-hit", {}, [this] { return series_cache->hits(); });
  add("series.cache-miss", {}, [this] { return series_cache->misses(); });
  add("series.cache-size", {}, [this] { return series_cache->size(); });
}

absl::Status Tsdb::Impl::Close() {
  if (!is_open.exchange(false)) return absl::OkStatus();
  syncer.reset();
  const absl::Status closed = tables->Close();
  lock.reset();
  return closed;
}

Tsdb::Tsdb(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Tsdb::~Tsdb() {
  Close().IgnoreError();
}  // a destructor cannot report

absl::StatusOr<std::unique_ptr<Tsdb>> Tsdb::Open(const Options& options) {
  HOURCELL_RETURN_IF_ERROR(options.Validate());
  auto impl = std::make_unique<Impl>(options);
  HOURCELL_RETURN_IF_ERROR(impl->Open());
  return std::make_unique<Tsdb>(std::move(impl));
}

CommitTicket Tsdb::Append(std::span<const PointView> points,
                          std::vector<RefusedPoint>* refused,
                          const AppendOptions& options) {
  if (refused != nullptr) refused->clear();
  if (!impl_->is_open) return CommitTicket(Closed());
  CommitTicket ticket = impl_->writer->Append(points, refused, options);
  HOURCELL_KILL_POINT("append:applied");
  return ticket;
}

CommitTicket Tsdb::Append(std::span<const LinePoint> points,
                          std::vector<RefusedPoint>* refused,
                          const AppendOptions& options) {
  std::vector<RefusedPoint> unparsed;
  std::vector<PointText> texts(points.size());
  std::vector<PointView> views;
  std::vector<size_t> index_of_view;
  for (size_t i = 0; i < points.size(); ++i) {
    auto fault = texts[i].ParseSeries(points[i].metric, points[i].tags,
                                      {.tags_max = impl_->options.tags_max});
    if (fault.has_value()) {
      unparsed.push_back({.index = i, .error = *std::move(fault)});
      continue;
    }
    PointView& view = views.emplace_back(texts[i].point());
    view.timestamp = points[i].timestamp;
    view.value = points[i].value;
    index_of_view.push_back(i);
  }
  std::vector<RefusedPoint> failed;
  CommitTicket ticket = Append(views, &failed, options);
  for (RefusedPoint& one : failed) {
    unparsed.push_back({.index = index_of_view[one.index], .error = std::move(one.error)});
  }
  std::ranges::sort(unparsed, {}, &RefusedPoint::index);
  if (refused != nullptr) *refused = std::move(unparsed);
  return ticket;
}

absl::Status Tsdb::Put(const PointView& point) {
  std::vector<RefusedPoint> refused;
  const CommitTicket ticket = Append({&point, 1}, &refused);
  if (refused.empty()) return ticket.Wait();
  const std::string text = fmt::format("put {}: {}", point.metric, refused.front().error.text);
  switch (refused.front().error.kind) {
    case PointErrorKind::kInvalidValue:
    case PointErrorKind::kIllegalArgument:
      return absl::InvalidArgumentError(text);
    case PointErrorKind::kUnknownName:
      return absl::NotFoundError(text);
    case PointErrorKind::kThrottled:
    case PointErrorKind::kStorage:
      return absl::UnavailableError(text);
  }
  HOURCELL_CHECK(false);
}

absl::StatusOr<QueryResult> Tsdb::Query(const QuerySpec& spec) {
  if (!impl_->is_open) return Closed();
  return impl_->executor->Run(spec);
}

absl::StatusOr<std::vector<std::string>> Tsdb::Suggest(UidKind kind,
                                                       std::string_view prefix,
                                                       size_t max) {
  if (!impl_->is_open) return Closed();
  return impl_->uids->Suggest(kind, prefix, max);
}

absl::Status Tsdb::Scan(const ScanSpec& spec, const std::function<bool(const ScannedRow&)>& visit) {
  if (!impl_->is_open) return Closed();
  const std::unique_ptr<TableView> view = impl_->tables->Snapshot();
  RowScanner scanner(*impl_->row_keys, impl_->uids.get(), impl_->planner.get());
  return scanner.Scan(view.get(), spec, visit);
}

namespace {

UidRow MakeUidRow(const Layout& layout, UidKind kind, std::string name, Uid uid) {
  UidRow row{.kind = kind, .name = std::move(name), .uid_bytes = {}};
  AppendBigEndian(uid, layout.width(kind), &row.uid_bytes);
  return row;
}

}  // namespace

absl::StatusOr<UidRow> Tsdb::AssignUid(UidKind kind, std::string_view name) {
  if (!impl_->is_open) return Closed();
  HOURCELL_ASSIGN_OR_RETURN(const Uid uid, impl_->uids->GetOrAssign(kind, name));
  return MakeUidRow(layout(), kind, std::string(name), uid);
}

absl::StatusOr<UidRow> Tsdb::FindUid(UidKind kind, std::string_view name) {
  if (!impl_->is_open) return Closed();
  HOURCELL_ASSIGN_OR_RETURN(const Uid uid, impl_->uids->Get(kind, name));
  return MakeUidRow(layout(), kind, std::string(name), uid);
}

absl::StatusOr<UidRow> Tsdb::FindName(UidKind kind, Uid uid) {
  if (!impl_->is_open) return Closed();
  HOURCELL_ASSIGN_OR_RETURN(std::string name, impl_->uids->NameOf(kind, uid));
  return MakeUidRow(layout(), kind, std::move(name), uid);
}

absl::StatusOr<std::vector<UidRow>> Tsdb::GrepUids(UidKind kind,
                                                   std::string_view expression,
                                                   bool ignore_case) {
  if (!impl_->is_open) return Closed();
  HOURCELL_ASSIGN_OR_RETURN(std::vector<UidMapping> mappings,
                            impl_->uids->Grep(kind, expression, ignore_case));
  std::vector<UidRow> rows;
  for (UidMapping& mapping : mappings) {
    rows.push_back(MakeUidRow(layout(), kind, std::move(mapping.name), mapping.uid));
  }
  return rows;
}

absl::Status Tsdb::RenameUid(UidKind kind, std::string_view name, std::string_view new_name) {
  if (!impl_->is_open) return Closed();
  const absl::Status renamed = impl_->uids->Rename(kind, name, new_name);
  impl_->series_cache->Clear();  // its keys are names
  return renamed;
}

absl::Status Tsdb::DeleteUid(UidKind kind, std::string_view name) {
  if (!impl_->is_open) return Closed();
  const absl::Status deleted = impl_->uids->Delete(kind, name);
  impl_->series_cache->Clear();
  return deleted;
}

absl::StatusOr<UidFsckResult> Tsdb::CheckUids(bool repair) {
  if (!impl_->is_open) return Closed();
  HOURCELL_ASSIGN_OR_RETURN(const UidCheckReport report,
                            hourcell::CheckUids(layout(), impl_->uid_store.get(), repair));
  if (repair) DropCaches();
  UidFsckResult result{.lines = {},
                       .mappings = report.mappings,
                       .errors = report.errors(),
                       .warnings = report.warnings()};
  for (const UidFinding& finding : report.findings) {
    result.lines.push_back(fmt::format("{}: {}{}", finding.is_error ? "error" : "warning",
                                       finding.text, finding.repaired ? " (repaired)" : ""));
  }
  return result;
}

void Tsdb::DropCaches() {
  if (!impl_->is_open) return;
  impl_->uids->DropCaches();
  impl_->series_cache->Clear();
}

absl::Status Tsdb::Flush() {
  return impl_->is_open ? impl_->tables->Flush() : Closed();
}

Stats& Tsdb::stats() {
  return impl_->stats;
}

const Layout& Tsdb::layout() const {
  return impl_->options.layout;
}

absl::Status Tsdb::Close() {
  return impl_->Close();
}

}  // namespace hourcell
