#include "engine/series/series_table.h"

#include <algorithm>
#include <iterator>

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/kill_point.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "codec/rollups/rollup_config.h"
#include "codec/rows/tsuid.h"
#include "engine/hours/tsuid_list.h"
#include "engine/rows/key_range.h"
#include "engine/series/series_reads.h"
#include "engine/series/series_rows.h"

namespace hourcell {
namespace {

// Series wait for their index rows until there are this many. Then a widely shared posting set is
// merged once for thousands of series, and rows in key order cost a memtable a fraction of the cost
// one by one. The more wait, the longer their tags are searched one by one.
constexpr size_t kNotIndexedMax = 65536;

// While another thread writes those index rows, this many more series may come.
constexpr size_t kNotIndexedMost = kNotIndexedMax + 65536;

// A journal whose checksums are right does not skip numbers; this many stay within memory.
constexpr SeriesNumber kSkippedNumbersMax = SeriesNumber{1} << 28;

// Series of the journal that are restored in one group.
constexpr size_t kRestoredAtOnce = 4096;

// Rows that are looked up together.
constexpr size_t kSeriesRowsAtOnce = 1024;

}  // namespace

absl::StatusOr<std::unique_ptr<SeriesTable>> SeriesTable::Open(const Layout& layout,
                                                               const Parts& parts,
                                                               bool sync) {
  HOURCELL_ASSIGN_OR_RETURN(const SeriesNumber last, ReadLastNumber(parts.tables));
  auto table = std::make_unique<SeriesTable>(layout, parts, sync, last);
  HOURCELL_RETURN_IF_ERROR(parts.is_followed ? table->FindAll() : table->LoadNotIndexed());
  return table;
}

SeriesTable::SeriesTable(const Layout& layout,
                         const Parts& parts,
                         bool sync,
                         SeriesNumber last_number)
    : layout_(layout),
      parts_(parts),
      sync_(sync),
      last_number_(last_number),
      synced_number_(last_number),
      number_at_open_(last_number),
      new_(std::make_shared<NewSeries>(layout, last_number + 1)) {}

// Finds the series that were in memory when the store was closed or died. The indexer writes their
// rows once the store is open, as it would have done: an open does not wait for it.
absl::Status SeriesTable::LoadNotIndexed() {
  const std::unique_ptr<TableView> view = parts_.tables->Snapshot();
  HOURCELL_ASSIGN_OR_RETURN(const SeriesNumber indexed, ReadIndexedNumber(view.get()));
  if (indexed > last_number()) {
    return absl::DataLossError(fmt::format(
        "series are indexed up to {}; expected a number up to {}", indexed, last_number()));
  }
  {
    WriterLock lock(&new_mutex_);
    new_ = std::make_shared<NewSeries>(layout_, indexed + 1);
  }
  absl::Status fault;
  const auto add = [&](std::string_view key, std::string_view list) {
    fault = LoadLogRow(key, list);
    if (fault.ok() && not_indexed() >= kNotIndexedMost) fault = WriteIndex();
    return fault.ok();
  };
  const absl::Status scanned = view->Scan(TableId::kSeries, PrefixRange(LogRowPrefix()), add);
  return fault.ok() ? scanned : fault;
}

absl::Status SeriesTable::LoadLogRow(std::string_view key, std::string_view list) {
  HOURCELL_ASSIGN_OR_RETURN(const SeriesNumber first, DecodeU64(key.substr(1)));
  HOURCELL_ASSIGN_OR_RETURN(const std::vector<std::string> made,
                            ParseLogRow(layout_, key, first, list));
  // They were given in one batch with the counter.
  const SeriesNumber last = last_number();
  if (first == 0 || first > last || made.size() > last - first + 1) {
    return absl::DataLossError(
        fmt::format("series {}, log row {}: expected numbers from 1 to {}, got {} numbers", first,
                    ToHex(key), last, made.size()));
  }
  WriterLock lock(&new_mutex_);
  for (size_t i = 0; i < made.size(); ++i) {
    const SeriesNumber of = first + i;
    if (of < new_->first_number()) continue;
    const std::string_view other = new_->TsuidOf(of);
    if (!other.empty() && other != made[i]) {
      return absl::DataLossError(
          fmt::format("series {}, log row {}: got tsuid {}; series {} is "
                      "another one, {}, in a log row before",
                      of, ToHex(key), ToHex(made[i]), of, ToHex(other)));
    }
    new_->Add(of, made[i]);
  }
  new_->AddLogRow({first, first + made.size() - 1});
  return absl::OkStatus();
}

// Some may be of groups that failed: CatchUp finds out when their numbers are given again.
absl::Status SeriesTable::FindAll() {
  HOURCELL_ASSIGN_OR_RETURN(const SeriesLog log, ReadSeriesLog(layout_, parts_.tables, 0));
  WriterLock lock(&new_mutex_);
  new_ = std::make_shared<NewSeries>(layout_, log.indexed + 1);
  versions_.clear();
  for (const auto& [first, tsuids] : log.rows)
    for (size_t i = 0; i < tsuids.size(); ++i)
      if (first + i > log.indexed) AddNewLocked(first + i, tsuids[i]);
  version_floor_ = std::max({version_floor_, found_number_.load(), log.indexed});
  return absl::OkStatus();
}

absl::Status SeriesTable::CatchUp(SeriesNumber number) {
  SeriesNumber found = 0;
  {
    ReaderLock lock(&new_mutex_);
    found = found_number_;
  }
  if (number <= found) return absl::OkStatus();
  HOURCELL_ASSIGN_OR_RETURN(const SeriesLog log, ReadSeriesLog(layout_, parts_.tables, found + 1));
  if (!AddFound(log, number)) {
    HOURCELL_RETURN_IF_ERROR(FindAll());
    return absl::AbortedError("series: a number was given again");
  }
  if (number > log.indexed) {
    ReaderLock lock(&new_mutex_);
    if (new_->TsuidOf(number).empty()) {
      return absl::DataLossError(fmt::format(
          "series {}: the journal has points of it, and the tables have no such series", number));
    }
  }
  return absl::OkStatus();
}

// A row with a number that an acknowledged point names is written for good, as a whole: it is of
// one group. A later row may be of a group that failed, whose numbers are given again.
bool SeriesTable::AddFound(const SeriesLog& log, SeriesNumber number) {
  const SeriesNumber end = std::max(number, log.indexed);
  SeriesNumber found = end;
  WriterLock lock(&new_mutex_);
  if (log.indexed >= new_->last_number()) {
    new_ = std::make_shared<NewSeries>(layout_, log.indexed + 1);
  } else if (log.indexed >= new_->first_number()) {
    new_ = new_->SplitAfter(log.indexed);
  }
  // Which metrics those are of that left the log meanwhile is not known.
  version_floor_ = std::max(version_floor_, log.indexed);
  for (const auto& [first, tsuids] : log.rows) {
    if (first > end) break;
    found = std::max(found, first + tsuids.size() - 1);
    for (size_t i = 0; i < tsuids.size(); ++i) {
      if (first + i <= log.indexed) continue;
      const std::string_view other = new_->TsuidOf(first + i);
      if (!other.empty() && other != tsuids[i]) return false;
      AddNewLocked(first + i, tsuids[i]);
    }
  }
  found_number_ = found;
  last_number_.store(std::max(last_number(), found));
  return true;
}

SeriesNumber SeriesTable::NumberInMemory(std::string_view tsuid) const {
  ReaderLock lock(&new_mutex_);
  const SeriesNumber number = new_->NumberOf(tsuid);
  return number == 0 && indexing_ != nullptr ? indexing_->NumberOf(tsuid) : number;
}

// 0 if the series does not exist. Memory first: series that have left memory are in the table.
absl::StatusOr<SeriesNumber> SeriesTable::NumberOf(const std::string& tsuid) const {
  if (const SeriesNumber number = NumberInMemory(tsuid); number != 0) return number;
  HOURCELL_ASSIGN_OR_RETURN(
      const std::optional<std::string> value,
      parts_.tables->Snapshot()->Get(TableId::kSeries, SeriesTsuidKey(tsuid)));
  if (!value.has_value()) return SeriesNumber{0};
  return DecodeU64(*value);
}

// The same for many, into their refs. A point without a tsuid is skipped.
absl::Status SeriesTable::FindNumbers(std::vector<Wanted*> wanted) {
  std::erase_if(wanted, [this](Wanted* one) {
    if (one->ref.tsuid.empty()) return true;
    one->ref.number = dropping_.Use(NumberInMemory(one->ref.tsuid));
    return one->ref.number != 0;
  });
  if (wanted.empty()) return absl::OkStatus();
  const std::unique_ptr<TableView> view = parts_.tables->Snapshot();
  std::vector<std::string> keys;
  std::vector<std::optional<std::string>> values;
  for (size_t begin = 0; begin < wanted.size(); begin += kSeriesRowsAtOnce) {
    keys.clear();
    for (size_t i = begin; i < std::min(wanted.size(), begin + kSeriesRowsAtOnce); ++i)
      keys.push_back(SeriesTsuidKey(wanted[i]->ref.tsuid));
    HOURCELL_RETURN_IF_ERROR(view->GetMany(TableId::kSeries, keys, &values));
    for (size_t i = 0; i < values.size(); ++i) {
      if (!values[i].has_value()) continue;
      HOURCELL_ASSIGN_OR_RETURN(const SeriesNumber number, DecodeU64(*values[i]));
      wanted[begin + i]->ref.number = dropping_.Use(number);
    }
  }
  return absl::OkStatus();
}

// The points whose names are not wrong, with the UIDs there are.
std::vector<SeriesTable::Wanted> SeriesTable::FindNames(std::span<const PointView* const> points,
                                                        NameBatch* names,
                                                        std::vector<Parsed<SeriesRef>>* results) {
  const auto find = [names](UidKind kind, std::string_view name) -> absl::StatusOr<Uid> {
    return names->Find(kind, name);
  };
  const auto get = [names](UidKind kind, std::string_view name) { return names->Get(kind, name); };
  std::vector<Wanted> wanted;
  wanted.reserve(points.size());
  for (size_t i = 0; i < points.size(); ++i) {
    SeriesRef ref;
    if (!wanted.empty() && HaveSameTags(*points[i], *wanted.back().point)) {
      ref.tags = wanted.back().ref.tags;
    }
    FillRef(layout_, *points[i], find, &ref);  // from the cache, which reports no faults
    wanted.push_back({.point = points[i], .ref = std::move(ref), .result = &(*results)[i]});
  }
  const absl::Status read = names->Read();
  std::erase_if(wanted, [&](Wanted& one) {
    if (!one.ref.tsuid.empty()) return false;
    std::optional<PointError> fault =
        read.ok() ? FillRef(layout_, *one.point, get, &one.ref) : NameError(read, "series");
    if (!fault.has_value()) return false;
    *one.result = *std::move(fault);
    return true;
  });
  return wanted;
}

// New series of one group, from the first name to the commit. Holds the assignment lock. `seen` is
// of before the series to be added were looked for and not found.
class SeriesTable::Creation {
 public:
  // `last_seen`: the last number before the series to be added were looked for and not found.
  Creation(SeriesTable* table, const Seen& seen)
      : table_(*table),
        assignment_(table->parts_.uids),
        last_number_(table->last_number()),
        may_exist_(last_number_ != seen.last_number || table->dropping_.changes() != seen.drops) {}

  absl::Status Use(NameBatch* names) { return assignment_.Use(names); }

  void Add(Wanted* one) {
    const size_t mark = assignment_.Mark();
    if (previous_ != nullptr && HaveSameTags(*one->point, *previous_->point)) {
      one->ref.tags = previous_->ref.tags;
    }
    previous_ = nullptr;
    const auto assign = [this](UidKind kind, std::string_view name) {
      return kind == UidKind::kMetric ? AssignMetric(name) : assignment_.GetOrAssign(kind, name);
    };
    if (auto fault = FillRef(table_.layout_, *one->point, assign, &one->ref)) {
      assignment_.RollBackTo(mark);
      *one->result = *std::move(fault);
      return;
    }
    if (IsVirtual(*one)) {
      assignment_.RollBackTo(mark);
      const std::string_view summarized = SummarizedMetric(one->point->metric);
      *one->result = PointError{
          PointErrorKind::kIllegalArgument,
          fmt::format("metric {}: virtual; expected a metric that stores points",
                      QuoteForMessage(summarized.empty() ? one->point->metric : summarized))};
      return;
    }
    previous_ = one;
    waiting_.push_back(one);
  }

  // Gives the points added so far their series or the error, which it also returns.
  absl::Status CommitAdded() {
    if (waiting_.empty()) return absl::OkStatus();
    absl::Status committed = may_exist_ ? table_.FindNumbers(waiting_) : absl::OkStatus();
    if (committed.ok()) {
      for (Wanted* const one : waiting_)
        Number(&one->ref);
      committed = Commit(/*may_wait=*/false);
    }
    const absl::Status told =
        absl::IsAborted(committed) ? absl::UnavailableError(committed.message()) : committed;
    for (Wanted* const one : waiting_) {
      if (committed.ok()) {
        *one->result = std::move(one->ref);
      } else {
        *one->result = NameError(told, "series");
      }
    }
    return committed;
  }

  absl::Status Restore(const SeriesDefinition& definition) {
    HOURCELL_RETURN_IF_ERROR(
        assignment_.Restore(UidKind::kMetric, definition.metric, definition.metric_uid));
    for (size_t i = 0; i < definition.tags.size(); ++i) {
      const TagUids& uids = definition.tag_uids[i];
      const TagView& tag = definition.tags[i];
      HOURCELL_RETURN_IF_ERROR(assignment_.Restore(UidKind::kTagk, tag.key, uids.tagk));
      HOURCELL_RETURN_IF_ERROR(assignment_.Restore(UidKind::kTagv, tag.value, uids.tagv));
    }
    std::string tsuid = EncodeTsuid(table_.layout_, definition.metric_uid, definition.tag_uids);
    const auto found = in_group_.find(tsuid);
    SeriesNumber number = found == in_group_.end() ? 0 : found->second;
    if (number == 0) {
      HOURCELL_ASSIGN_OR_RETURN(number, table_.NumberOf(tsuid));
    }
    if (number != 0 && number != definition.number) {
      return absl::DataLossError(fmt::format("series {}: has number {}; the journal says {}",
                                             ToUpperHex(tsuid), number, definition.number));
    }
    if (definition.number > table_.number_at_open_ + kSkippedNumbersMax) {
      return absl::DataLossError(fmt::format("series {}: got number {}; the last one is {}",
                                             ToUpperHex(tsuid), definition.number, last_number_));
    }
    last_number_ = std::max(last_number_, definition.number);
    if (number != 0) return absl::OkStatus();
    in_group_.emplace(tsuid, definition.number);
    made_.emplace_back(definition.number, std::move(tsuid));
    return absl::OkStatus();
  }

  absl::Status Reserve(SeriesNumber number) {
    if (number > table_.number_at_open_ + kSkippedNumbersMax) {
      return absl::DataLossError(fmt::format(
          "the journal has a point of series {}; the last one is {}", number, last_number_));
    }
    last_number_ = std::max(last_number_, number);
    return Commit(/*may_wait=*/true);
  }

  // `may_wait`: for tables that lag; not while others wait for the turn.
  absl::Status Commit(bool may_wait) {
    std::ranges::sort(made_, {}, &Made::value_type::first);
    std::vector<NewSeries::LogRow> log_rows;
    const std::vector<Mutation> group = Group(&log_rows);
    if (group.empty()) return absl::OkStatus();
    HOURCELL_KILL_POINT("series:before_commit");
    Tables* const tables = table_.parts_.tables;
    HOURCELL_RETURN_IF_ERROR(may_wait ? tables->Apply(group, table_.sync_)
                                      : tables->ApplyAtOnce(group, table_.sync_));
    HOURCELL_KILL_POINT("series:after_commit");
    table_.AddNew(made_, log_rows);
    assignment_.Publish();
    table_.created_.fetch_add(made_.size(), std::memory_order_relaxed);
    table_.last_number_.store(last_number_);
    return absl::OkStatus();
  }

 private:
  // Whether the metric, or the one that it is a level of, is virtual. Asked under the assignment
  // lock, as a metric becomes virtual under it.
  bool IsVirtual(const Wanted& one) const {
    const VirtualMetrics* const metrics = table_.parts_.virtual_metrics;
    if (metrics == nullptr || metrics->is_empty()) return false;
    const std::string_view summarized = SummarizedMetric(one.point->metric);
    if (summarized.empty()) return metrics->Has(one.ref.metric);
    const absl::StatusOr<Uid> metric = table_.parts_.uids->Get(UidKind::kMetric, summarized);
    return metric.ok() && metrics->Has(*metric);
  }

  // Gives a series a number, unless it has one: of the store, where another creation made it while
  // this one waited for the lock, or of this group.
  void Number(SeriesRef* ref) {
    const auto [place, is_new] = in_group_.try_emplace(ref->tsuid, ref->number);
    if (is_new && ref->number == 0) {
      place->second = ++last_number_;
      ref->is_new = true;
      made_.emplace_back(place->second, ref->tsuid);
    }
    ref->number = place->second;
  }

  // In the order that is safe to be cut anywhere: counters, names, series.
  std::vector<Mutation> Group(std::vector<NewSeries::LogRow>* log_rows) {
    std::vector<Mutation> group;
    if (last_number_ != table_.last_number()) {
      group.push_back(SetSeries(SeriesCounterKey(), EncodeU64(last_number_)));
    }
    table_.parts_.uid_store->AppendMutations(assignment_.changes(), &group);
    for (const auto& [number, tsuid] : made_) {
      if (log_rows->empty() || log_rows->back().second + 1 != number) {
        log_rows->emplace_back(number, number);
        group.push_back(SetSeries(LogRowKey(number), {}));
      }
      log_rows->back().second = number;
      AppendToTsuidList(tsuid, &group.back().value);
    }
    return group;
  }

  // Queries of a level name the metric of the points, so it needs a UID, too. Where metrics are not
  // created, that metric must exist, and the level is created.
  absl::StatusOr<Uid> AssignMetric(std::string_view name) {
    const std::string_view summarized = SummarizedMetric(name);
    if (summarized.empty()) return assignment_.GetOrAssign(UidKind::kMetric, name);
    HOURCELL_RETURN_IF_ERROR(assignment_.GetOrAssign(UidKind::kMetric, summarized).status());
    return assignment_.GetOrAssign(UidKind::kMetric, name, /*force=*/true);
  }

  SeriesTable& table_;
  UidAssignment assignment_;
  SeriesNumber last_number_;
  const bool may_exist_;              // another creation, or a drop, came in between
  const Wanted* previous_ = nullptr;  // the last that went well
  StringMap<SeriesNumber> in_group_;
  Made made_;
  std::vector<Wanted*> waiting_;
};

void SeriesTable::GetOrCreate(std::span<const PointView* const> points,
                              std::vector<Parsed<SeriesRef>>* results,
                              int64_t wait_ms,
                              const std::function<size_t(size_t)>* quota) {
  results->assign(points.size(), SeriesRef());
  const Seen seen{.last_number = last_number(), .drops = dropping_.changes()};
  NameBatch names(parts_.uids);
  std::vector<Wanted> wanted = FindNames(points, &names, results);
  std::vector<Wanted*> named;
  for (Wanted& one : wanted)
    named.push_back(&one);
  if (const absl::Status found = FindNumbers(std::move(named)); !found.ok())
    return RefuseAll(wanted, found);
  const auto missing =
      std::ranges::stable_partition(wanted, [](const Wanted& one) { return one.ref.number != 0; });
  for (Wanted& one : std::span(wanted.begin(), missing.begin()))
    *one.result = std::move(one.ref);
  if (missing.empty()) return;
  const std::span all(missing.begin(), missing.end());
  std::optional<size_t> allowed;  // by the quota, once, however often it is tried
  const auto create = [&] {
    if (!allowed) allowed = quota == nullptr ? all.size() : (*quota)(all.size());
    return CreateMissing(all.first(*allowed), seen, &names);
  };
  const absl::Status turn = turn_.Run(wait_ms, [this] { return CheckRoom(); }, create);
  if (!turn.ok()) return RefuseAll(all, turn);
  RefuseAll(all.subspan(allowed.value_or(all.size())),
            absl::InvalidArgumentError("more than tsd.inputs.new_series new ones in this hour"));
}

// Sets the results. False: the tables took rows when the turn came, and took none when the group
// was ready; the same may be tried again.
bool SeriesTable::CreateMissing(std::span<Wanted> wanted, const Seen& seen, NameBatch* names) {
  Creation creation(this, seen);
  if (const absl::Status renewed = creation.Use(names); !renewed.ok()) {
    RefuseAll(wanted, renewed);
    return true;
  }
  for (Wanted& one : wanted)
    creation.Add(&one);
  if (!absl::IsAborted(creation.CommitAdded())) return true;
  for (Wanted& one : wanted)
    one.ref = SeriesRef();  // without the UIDs that the creation had reserved
  return false;
}

absl::Status SeriesTable::CheckRoom() {
  if (WantsIndex()) {
    // Where the index cannot be written, memory must not grow for it.
    if (!wake_indexer_) return WriteIndex();
    wake_indexer_();
    if (not_indexed() >= kNotIndexedMost) {
      ReaderLock lock(&new_mutex_);
      return absl::UnavailableError(fmt::format(
          "new series: {} wait for their index rows; expected fewer than {}; try again{}{}",
          new_->size() + (indexing_ == nullptr ? 0 : indexing_->size()), kNotIndexedMost,
          last_index_.ok() ? "" : ": ", std::string(last_index_.message())));
    }
  }
  for (const TableId table : {TableId::kUid, TableId::kSeries}) {
    if (!parts_.tables->IsLagging(table, {})) continue;
    return absl::UnavailableError(fmt::format(
        "new series: the LSM compactions of table {} do not keep up with writes; try again later",
        TableName(table)));
  }
  return absl::OkStatus();
}

bool SeriesTable::WantsIndex() const {
  return not_indexed() >= kNotIndexedMax;
}

absl::Status SeriesTable::Restore(std::span<const SeriesDefinition> definitions) {
  while (!definitions.empty()) {
    const auto some = definitions.first(std::min(definitions.size(), kRestoredAtOnce));
    Creation creation(this, Seen{});
    for (const SeriesDefinition& one : some) {
      if (NeedsRestore(one.number)) HOURCELL_RETURN_IF_ERROR(creation.Restore(one));
    }
    HOURCELL_RETURN_IF_ERROR(creation.Commit(/*may_wait=*/true));
    for (const SeriesDefinition& one : some)
      restored_.insert(one.number);
    definitions = definitions.subspan(some.size());
  }
  return absl::OkStatus();
}

absl::Status SeriesTable::Reserve(SeriesNumber number) {
  return number <= last_number() ? absl::OkStatus() : Creation(this, Seen{}).Reserve(number);
}

void SeriesTable::AddNew(const Made& series, std::span<const NewSeries::LogRow> log_rows) {
  WriterLock lock(&new_mutex_);
  for (const auto& [number, tsuid] : series)
    AddNewLocked(number, tsuid);
  for (const NewSeries::LogRow& row : log_rows)
    new_->AddLogRow(row);
}

void SeriesTable::AddNewLocked(SeriesNumber number, std::string_view tsuid) {
  new_->Add(number, tsuid);
  SeriesNumber& version = versions_[LoadBigEndian(tsuid.data(), layout_.metric_width)];
  version = std::max(version, number);
}

SeriesNumber SeriesTable::VersionOf(Uid metric) const {
  ReaderLock lock(&new_mutex_);
  const auto found = versions_.find(metric);
  if (found == versions_.end()) return parts_.is_followed ? version_floor_ : number_at_open_;
  return std::max(found->second, version_floor_);
}

size_t SeriesTable::not_indexed() const {
  ReaderLock lock(&new_mutex_);
  return new_->size() + (indexing_ == nullptr ? 0 : indexing_->size());
}

absl::Status SeriesTable::WhileAtRest(const std::function<absl::Status()>& work) {
  MutexLock index(&index_mutex_);
  const UidAssignment no_other(parts_.uids);
  return work();
}

absl::Status SeriesTable::WriteIndex() {
  MutexLock index(&index_mutex_);
  std::shared_ptr<const NewSeries> series;
  {
    WriterLock lock(&new_mutex_);
    if (indexing_ == nullptr) {
      // Whole blocks only: their rows are written once.
      const SeriesNumber end = (new_->last_number() + 1) / kBlockSeries * kBlockSeries;
      if (end <= new_->first_number()) return absl::OkStatus();
      std::unique_ptr<NewSeries> after = new_->SplitAfter(end - 1);
      indexing_ = std::exchange(new_, std::move(after));
    }
    series = indexing_;
  }
  // Past RocksDB's log: the log rows go with the last write, so lost rows can be made again.
  absl::Status written = WriteIndexRows(
      layout_, *series, [this](auto group) { return parts_.tables->ApplyUnlogged(group); });
  WriterLock lock(&new_mutex_);
  last_index_ = written;
  if (written.ok()) indexing_ = nullptr;
  return written;
}

}  // namespace hourcell
