#include "engine/bigtable/bigtable_table_store.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/check.h"
#include "codec/base/kill_point.h"
#include "codec/base/status_macros.h"
#include "engine/bigtable/api/bigtable_client.h"
#include "engine/bigtable/bigtable_storage.h"
#include "engine/bigtable/bigtable_view.h"
#include "engine/bigtable/rows/group_stages.h"
#include "engine/bigtable/rows/row_rewrite.h"
#include "engine/bigtable/rows/row_tidy.h"
#include "engine/bigtable/rows/stored_row.h"
#include "engine/bigtable/rows/version_ledger.h"
#include "engine/bigtable/writer/bigtable_journal_tail.h"
#include "engine/bigtable/writer/give_up_watch.h"
#include "engine/bigtable/writer/id_ranges.h"
#include "engine/bigtable/writer/secret_rows.h"
#include "engine/bigtable/writer/system_rows.h"
#include "engine/bigtable/writer/writer_lease.h"
#include "engine/rows/key_range.h"
#include "engine/rows/series_key.h"

namespace hourcell {
namespace {

constexpr std::string_view kFormat = "1";
// The name of the shared data table follows.
constexpr std::string_view kSharedFormat = "2 ";

// The number of rows that one read fetches for a rewrite.
constexpr size_t kTidyKeys = 256;

// Timeout of calls that read or create a secret.
constexpr int64_t kSecretsTimeoutMs = 5000;

std::string FormatOf(const BigtableOptions& options) {
  return options.data_table.empty() ? std::string(kFormat)
                                    : std::string(kSharedFormat) + options.data_table;
}

void SetCell(std::string_view qualifier,
             uint64_t version,
             std::string value,
             RowMutations* mutations) {
  auto& cell = *mutations->add_mutations()->mutable_set_cell();
  cell.set_family_name(std::string(kBigtableFamily));
  cell.set_column_qualifier(std::string(qualifier));
  cell.set_timestamp_micros(MicrosOf(version));
  cell.set_value(std::move(value));
}

std::vector<RowMutations> RowsOf(const GroupStage& stage, uint64_t version, uint64_t writer) {
  HOURCELL_DCHECK(writer > 0 && version > 0);
  std::vector<RowMutations> rows;
  for (const RowChange& change : stage.rows) {
    RowMutations& row = rows.emplace_back();
    row.set_row_key(change.key);
    switch (change.kind) {
      case Mutation::Kind::kSet:
        SetCell(kBaseQualifier, version, EncodeSet(change.value), &row);
        break;
      case Mutation::Kind::kDelete:
        SetCell(kBaseQualifier, version, EncodeDelete(), &row);
        break;
      case Mutation::Kind::kMerge:
        SetCell(EncodeOperandName({.writer = writer, .first = version, .last = version}), version,
                change.value, &row);
        break;
    }
  }
  return rows;
}

class BigtableTableStore : public TableStore {
 public:
  BigtableTableStore(const BigtableOptions& options,
                     const BigtableChannels& channels,
                     SharedRows shared_rows)
      : client_(options, channels),
        shared_rows_(shared_rows),
        system_(ClusterTable(options.table_prefix)),
        ledger_([this](uint64_t count) { return ReserveVersions(count); }, kVersionsPerWriter - 1) {
  }

  // Opens without the writer lease: other processes are not kept out.
  absl::Status Open() {
    HOURCELL_RETURN_IF_ERROR(CheckOrMakeFormat());
    HOURCELL_ASSIGN_OR_RETURN(writer_, client_.Increment(system_, std::string(kWritersRow),
                                                         std::string(kBigtableFamily), 1));
    return Begin();
  }

  // Opens as a follower: writes nothing and sees all versions.
  absl::Status OpenToFollow() {
    HOURCELL_DCHECK(!is_open_ && lease_ == nullptr);
    HOURCELL_RETURN_IF_ERROR(CheckFormatIsThere());
    is_followed_ = true;
    HOURCELL_RETURN_IF_ERROR(ledger_.Open());
    is_open_ = true;
    return absl::OkStatus();
  }
  std::unique_ptr<JournalTail> Tail() { return std::make_unique<BigtableJournalTail>(&client_); }

  // Until the first NoteChange, calls end soon after `gives_up` returns true.
  void EndCallsIf(const std::function<bool()>& gives_up, int64_t grace_ms = GiveUpWatch::kGraceMs) {
    give_up_watch_ = std::make_unique<GiveUpWatch>(&client_, gives_up, grace_ms);
  }

  // Opens as the writer, once it holds the lease. Returns its journal.
  absl::StatusOr<std::unique_ptr<Journal>> OpenWithLease(const LeaseOptions& options) {
    HOURCELL_DCHECK(!is_open_ && lease_ == nullptr);
    EndCallsIf(options.events.gives_up);
    HOURCELL_RETURN_IF_ERROR(CheckOrMakeFormat());
    HOURCELL_ASSIGN_OR_RETURN(lease_, WriterLease::Acquire(&client_, options));
    writer_ = lease_->writer();
    HOURCELL_KILL_POINT("takeover:lease_acquired");
    HOURCELL_RETURN_IF_ERROR(Begin());
    id_ranges_.emplace(&client_, writer_);
    HOURCELL_ASSIGN_OR_RETURN(const std::vector<Mutation> moved,
                              id_ranges_->Open(lease_->has_clean_past(), Snapshot().get()));
    HOURCELL_KILL_POINT("takeover:ids_reserved");
    HOURCELL_RETURN_IF_ERROR(Apply(moved, /*sync=*/true));
    HOURCELL_KILL_POINT("takeover:counters_moved");
    return lease_->TakeJournal();
  }

  // For a node that joins the store before it opens it. Creates the tables if they do not exist.
  absl::Status Join() { return CheckOrMakeFormat(); }

  absl::Status CheckLease() { return lease_->CheckHeld(); }
  absl::Status KnownLoss() const { return lease_->KnownLoss(); }
  // The first call is the last step of opening a store.
  absl::Status NoteChange() {
    HOURCELL_DCHECK(!is_followed_);
    std::call_once(is_opened_, [this] { give_up_watch_.reset(); });
    return client_
        .Increment(system_, std::string(kChangesRow), std::string(kBigtableFamily), /*amount=*/1)
        .status();
  }
  std::vector<ClusterNode> Nodes() const { return lease_->Nodes(); }
  TableCapabilities capabilities() const override {
    return {TableCapability::kOrderedScans, TableCapability::kMergeOperands,
            TableCapability::kSnapshots, TableCapability::kDurable};
  }

  // The service answers once the rows are in its log, so `sync` adds nothing.
  absl::Status Apply(std::span<const Mutation> group, bool /*sync*/) override {
    HOURCELL_RETURN_IF_ERROR(CheckWrites());
    const std::vector<GroupStage> stages = StagesOf(group);
    if (stages.empty()) return absl::OkStatus();
    if (id_ranges_.has_value()) HOURCELL_RETURN_IF_ERROR(id_ranges_->ReserveFor(group));
    HOURCELL_ASSIGN_OR_RETURN(const uint64_t first, ledger_.Begin(stages.size()));
    HOURCELL_DCHECK(first > FirstVersionOf(writer_));
    HOURCELL_DCHECK(first + stages.size() <= FirstVersionOf(writer_ + 1));
    absl::Status written;
    for (size_t i = 0; i < stages.size() && written.ok(); ++i) {
      written = client_.Mutate(BigtableNameOf(client_.options(), stages[i].table),
                               RowsOf(stages[i], first + i, writer_));
      HOURCELL_KILL_POINT("group:stage");
    }
    ledger_.End(first, /*is_known=*/written.ok());
    if (written.ok()) Tidy(tidy_.Written(stages));
    return written;
  }
  absl::Status ApplyUnlogged(std::span<const Mutation> group) override {
    return Apply(group, /*sync=*/false);
  }
  bool IsLagging(TableId /*table*/, std::string_view /*key*/) override { return false; }
  absl::Status Sync() override { return CheckOpen(); }
  std::unique_ptr<TableView> Snapshot() override {
    return std::make_unique<BigtableView>(&client_, &ledger_, reads_opentsdb_);
  }

  absl::StatusOr<std::vector<RegionUse>> RegionUses(TableId table) override;
  absl::StatusOr<uint64_t> ApproximateBytes(TableId table, const ScanRange& range) override;

  absl::Status Flush(TableId /*table*/) override { return CheckOpen(); }
  absl::Status Compact(TableId table, std::atomic<bool>* cancelled) override;
  // Nothing deletes expired rows yet; readers skip them.
  void SetExpiry(const RowExpiry* /*expiry*/) override {}
  absl::StatusOr<uint64_t> DropExpired() override { return 0; }
  absl::Status Close() override {
    if (!is_open_.exchange(false) || lease_ == nullptr) return absl::OkStatus();
    // Writes with an unknown outcome may still take effect. Without a clean past, the next writer
    // waits and uses other IDs.
    if (ledger_.HasUnknown()) return absl::OkStatus();
    return lease_->Release();
  }

 private:
  absl::Status CheckOpen() const {
    return is_open_ ? absl::OkStatus() : absl::FailedPreconditionError("store is closed");
  }
  absl::Status CheckWrites() const {
    HOURCELL_RETURN_IF_ERROR(CheckOpen());
    return is_followed_ ? absl::FailedPreconditionError(
                              "bigtable: this process only reads the store: another one writes")
                        : absl::OkStatus();
  }
  // A writer uses its own version range; later writers have greater ones, whenever they use them. A
  // follower writes no versions and sees all.
  absl::StatusOr<uint64_t> ReserveVersions(uint64_t /*count*/) {
    if (is_followed_) return kVersionMax;
    if (is_open_) {
      return absl::FailedPreconditionError("bigtable: no version is left; open the store again");
    }
    return FirstVersionOf(writer_) + 1;
  }

  absl::Status Begin() {
    HOURCELL_DCHECK(writer_ > 0 && !is_open_);
    if (FirstVersionOf(writer_) + kVersionsPerWriter > kVersionMax) {
      return absl::FailedPreconditionError(
          fmt::format("bigtable: tables {}-* were opened {} times, and cannot be opened again",
                      client_.options().table_prefix, writer_));
    }
    HOURCELL_RETURN_IF_ERROR(ledger_.Open());
    is_open_ = true;
    return absl::OkStatus();
  }

  void Tidy(RowTidy::Due due);
  absl::Status TidyTable(TableId table, std::vector<std::string> keys);
  absl::Status SweepLogRows();
  // Rewrites the rows of a page. Appends to `waiting` the keys of deleted rows that views still
  // need.
  absl::Status Rewrite(TableId table,
                       BigtablePage* page,
                       const VersionView& settled,
                       std::vector<std::string>* waiting);

  bool is_shared() const { return !client_.options().data_table.empty(); }
  absl::Status CheckAdopted();
  absl::Status CheckOrMakeFormat();
  absl::Status CheckFormatIsThere();
  absl::Status CheckFormat(const BigtableRow& row) const;
  absl::Status MakeTables();

  BigtableClient client_;
  const SharedRows shared_rows_;
  const std::string system_;
  VersionLedger ledger_;
  RowTidy tidy_;
  std::atomic<bool> is_swept_{false};  // log rows that an earlier process deleted
  uint64_t writer_ = 0;
  bool is_followed_ = false;            // another process may write
  bool reads_opentsdb_ = false;         // the store has adopted the shared data table
  std::unique_ptr<WriterLease> lease_;  // null: opened without a lease
  std::optional<IdRanges> id_ranges_;   // only with a lease
  std::atomic<bool> is_open_{false};
  std::once_flag is_opened_;
  std::unique_ptr<GiveUpWatch> give_up_watch_;  // null: calls are not cut short
};

class LeaseRole : public WriterRole {
 public:
  // Borrows a store that was opened with a lease.
  explicit LeaseRole(BigtableTableStore* store) : store_(*store) {}
  ~LeaseRole() override = default;

  absl::Status CheckIsWriter() override { return store_.CheckLease(); }
  absl::Status KnownLoss() const override { return store_.KnownLoss(); }
  std::vector<ClusterNode> Nodes() const override { return store_.Nodes(); }
  absl::Status NoteChange() override { return store_.NoteChange(); }

 private:
  BigtableTableStore& store_;
};

absl::Status BigtableTableStore::CheckFormat(const BigtableRow& row) const {
  const std::string found = row.cells.size() == 1 ? row.cells[0].value : std::string();
  if (found == FormatOf(client_.options())) return absl::OkStatus();
  const std::string& prefix = client_.options().table_prefix;
  if (found == kFormat) {
    return absl::FailedPreconditionError(
        fmt::format("bigtable: tables {}-* have a data table of their own; expected none, got {} "
                    "as that of OpenTSDB",
                    prefix, client_.options().data_table));
  }
  if (found.starts_with(kSharedFormat)) {
    return absl::FailedPreconditionError(
        fmt::format("bigtable: tables {}-* share OpenTSDB's data table {}; the settings must name "
                    "it",
                    prefix, found.substr(kSharedFormat.size())));
  }
  return absl::FailedPreconditionError(
      fmt::format("bigtable: tables {}-* have a format that this version does not know", prefix));
}

// Queries find adopted rows only after these are in the series index.
absl::Status BigtableTableStore::CheckAdopted() {
  if (!is_shared()) return absl::OkStatus();
  const absl::StatusOr<BigtablePage> page =
      client_.Read(system_, {.keys = {std::string(kAdoptionRow)}});
  if (!page.ok() && !absl::IsNotFound(page.status())) return page.status();
  if (page.ok() && !page->rows.empty() && !page->rows[0].cells.empty()) {
    HOURCELL_ASSIGN_OR_RETURN(const AdoptionMark mark,
                              DecodeAdoptionMark(page->rows[0].cells[0].value));
    reads_opentsdb_ = mark.is_done;
  }
  if (reads_opentsdb_ || shared_rows_ == SharedRows::kToAdopt) return absl::OkStatus();
  return absl::FailedPreconditionError(
      fmt::format("bigtable: the rows of OpenTSDB's table {} are not taken over yet; run 'hourcell "
                  "opentsdb adopt' with the same settings first",
                  client_.options().data_table));
}

// Creates the counter table last: if it exists, all exist.
absl::Status BigtableTableStore::MakeTables() {
  for (const TableId table : kTableIds) {
    const std::string name = BigtableNameOf(client_.options(), table);
    const std::string family(kBigtableFamily);
    HOURCELL_RETURN_IF_ERROR(SpecOf(table).may_be_shared && is_shared()
                                 ? client_.AddFamily(name, family)
                                 : client_.CreateTable(name, family));
  }
  HOURCELL_RETURN_IF_ERROR(client_.CreateTable(JournalTable(client_.options().table_prefix),
                                               std::string(kBigtableFamily)));
  return client_.CreateTable(system_, std::string(kBigtableFamily));
}

absl::Status BigtableTableStore::CheckOrMakeFormat() {
  constexpr int kTriesMax = 10;
  RowMutations format;
  format.set_row_key(std::string(kFormatRow));
  SetCell("f", 1, FormatOf(client_.options()), &format);
  absl::Status last;
  // A set without an answer may have taken effect; the next read shows it.
  for (int i = 0; i < kTriesMax; ++i) {
    const absl::StatusOr<BigtablePage> page =
        client_.Read(system_, {.keys = {std::string(kFormatRow)}});
    if (!page.ok() && !absl::IsNotFound(page.status())) return page.status();
    if (page.ok() && !page->rows.empty()) {
      HOURCELL_RETURN_IF_ERROR(CheckFormat(page->rows[0]));
      return CheckAdopted();
    }
    HOURCELL_RETURN_IF_ERROR(CheckAdopted());
    if (!page.ok()) {
      HOURCELL_RETURN_IF_ERROR(MakeTables());
      continue;
    }
    HOURCELL_RETURN_IF_ERROR(page.status());
    if (!page->rows.empty()) return CheckFormat(page->rows[0]);
    HOURCELL_KILL_POINT("create:bigtable_tables");
    last = client_.SetIfAbsent(system_, format).status();
    HOURCELL_KILL_POINT("create:bigtable_format");
    if (!last.ok() && !absl::IsUnavailable(last)) return last;
  }
  return last.ok() ? absl::UnavailableError("bigtable: the format is not there") : last;
}

// Creates nothing.
absl::Status BigtableTableStore::CheckFormatIsThere() {
  const absl::StatusOr<BigtablePage> page =
      client_.Read(system_, {.keys = {std::string(kFormatRow)}});
  if (absl::IsNotFound(page.status()) || (page.ok() && page->rows.empty())) {
    return absl::NotFoundError(
        fmt::format("bigtable: no store in the tables {}-*", client_.options().table_prefix));
  }
  HOURCELL_RETURN_IF_ERROR(page.status());
  HOURCELL_RETURN_IF_ERROR(CheckFormat(page->rows[0]));
  return CheckAdopted();
}

absl::StatusOr<std::vector<RegionUse>> BigtableTableStore::RegionUses(TableId table) {
  HOURCELL_RETURN_IF_ERROR(CheckOpen());
  HOURCELL_ASSIGN_OR_RETURN(const std::vector<TabletEnd> samples,
                            client_.SampleKeys(BigtableNameOf(client_.options(), table)));
  HOURCELL_DCHECK(samples.back().key.empty());  // the last one ends the table
  std::vector<RegionUse> uses;
  std::string start;
  int64_t start_bytes = 0;
  for (const TabletEnd& sample : samples) {
    RegionUse use;
    use.region.table = TableName(table);
    use.region.id.value = uses.size() + 1;
    use.region.state = RegionState::kOpen;
    use.region.range = {.start = start, .end = sample.key};
    use.file_bytes = static_cast<uint64_t>(std::max<int64_t>(sample.offset_bytes - start_bytes, 0));
    uses.push_back(std::move(use));
    start = sample.key;
    start_bytes = sample.offset_bytes;
  }
  return uses;
}

absl::StatusOr<uint64_t> BigtableTableStore::ApproximateBytes(TableId table,
                                                              const ScanRange& range) {
  HOURCELL_ASSIGN_OR_RETURN(const std::vector<RegionUse> uses, RegionUses(table));
  uint64_t bytes = 0;
  for (const RegionUse& use : uses) {
    if (use.region.range.Overlaps(range.begin, range.end)) bytes += use.file_bytes;
  }
  return bytes;
}

absl::Status BigtableTableStore::Rewrite(TableId table,
                                         BigtablePage* page,
                                         const VersionView& settled,
                                         std::vector<std::string>* waiting) {
  HOURCELL_DCHECK(!is_followed_);
  std::vector<RowMutations> rewrites;
  for (BigtableRow& row : page->rows) {
    HOURCELL_ASSIGN_OR_RETURN(const StoredRow stored, DecodeStoredRow(std::move(row)));
    std::optional<RowMutations> rewrite = RewriteOf(table, stored, settled, writer_);
    if (rewrite.has_value()) {
      rewrites.push_back(*std::move(rewrite));
    } else if (waiting != nullptr && LeavesNoMark(table, stored.key) && !stored.bases.empty() &&
               !stored.bases.front().value.has_value()) {
      waiting->push_back(stored.key);
    }
  }
  return client_.Mutate(BigtableNameOf(client_.options(), table), std::move(rewrites));
}

// The write itself is done: a failed rewrite only leaves the row longer for a while.
void BigtableTableStore::Tidy(RowTidy::Due due) {
  for (auto& [table, keys] : due) {
    if (TidyTable(table, keys).ok()) continue;
    std::erase_if(keys, [table](const std::string& key) { return !LeavesNoMark(table, key); });
    tidy_.Again(std::move(keys));
  }
  const bool had_marks = due.contains(TableId::kSeries);
  if (had_marks && !is_swept_.exchange(true) && !SweepLogRows().ok()) is_swept_ = false;
}

absl::Status BigtableTableStore::TidyTable(TableId table, std::vector<std::string> keys) {
  HOURCELL_DCHECK(std::ranges::is_sorted(keys));
  const VersionView settled = ledger_.Settled();  // taken before the rows are read, as in Compact
  std::vector<std::string> waiting;
  while (!keys.empty()) {
    const auto count = static_cast<ptrdiff_t>(std::min(keys.size(), kTidyKeys));
    const std::vector<std::string> some(keys.begin(), keys.begin() + count);
    ReadSelection selection{.keys = some, .filter = OwnCells(client_.options(), table)};
    HOURCELL_ASSIGN_OR_RETURN(BigtablePage page,
                              client_.Read(BigtableNameOf(client_.options(), table), selection));
    // A page that reached its byte limit ends before its last key.
    const std::string last =
        page.is_complete || page.rows.empty() ? some.back() : page.rows.back().key;
    HOURCELL_RETURN_IF_ERROR(Rewrite(table, &page, settled, &waiting));
    keys.erase(keys.begin(), std::ranges::upper_bound(keys, last));
  }
  tidy_.Again(std::move(waiting));
  return absl::OkStatus();
}

// A killed process may have left marks that are no longer counted.
absl::Status BigtableTableStore::SweepLogRows() {
  const std::string name = BigtableNameOf(client_.options(), TableId::kSeries);
  for (ScanRange left = PrefixRange(LogRowPrefix());;) {
    const VersionView settled = ledger_.Settled();
    HOURCELL_ASSIGN_OR_RETURN(BigtablePage page, client_.Read(name, {.range = left}));
    if (!page.rows.empty()) left.begin = AfterKey(page.rows.back().key);
    HOURCELL_RETURN_IF_ERROR(Rewrite(TableId::kSeries, &page, settled, /*waiting=*/nullptr));
    if (page.is_complete) return absl::OkStatus();
  }
}

absl::Status BigtableTableStore::Compact(TableId table, std::atomic<bool>* cancelled) {
  const std::string name = BigtableNameOf(client_.options(), table);
  for (ScanRange left;;) {
    HOURCELL_RETURN_IF_ERROR(CheckWrites());
    if (cancelled != nullptr && cancelled->load()) {
      return absl::CancelledError(fmt::format("compact {}: ended; what was merged stays", name));
    }
    // Taken before the rows are read, so that they contain all settled writes.
    const VersionView settled = ledger_.Settled();
    HOURCELL_ASSIGN_OR_RETURN(
        BigtablePage page,
        client_.Read(name, {.range = left, .filter = OwnCells(client_.options(), table)}));
    if (!page.rows.empty()) left.begin = AfterKey(page.rows.back().key);
    HOURCELL_RETURN_IF_ERROR(Rewrite(table, &page, settled, /*waiting=*/nullptr));
    if (page.is_complete) return absl::OkStatus();
  }
}

}  // namespace

absl::StatusOr<std::unique_ptr<TableStore>> OpenBigtableTableStore(const BigtableOptions& options) {
  HOURCELL_ASSIGN_OR_RETURN(const BigtableChannels channels, OpenBigtableChannels(options));
  auto store = std::make_unique<BigtableTableStore>(options, channels, SharedRows::kAdopted);
  HOURCELL_RETURN_IF_ERROR(store->Open());
  return store;
}

absl::StatusOr<SharedSecrets> BigtableStorage::Join(const std::string& address,
                                                    StorageEvents events) {
  HOURCELL_ASSIGN_OR_RETURN(const BigtableChannels channels, OpenBigtableChannels(options_));
  lease_.address = address;
  lease_.events = std::move(events);
  BigtableTableStore store(options_, channels, shared_rows_);
  store.EndCallsIf(lease_.events.gives_up);
  HOURCELL_RETURN_IF_ERROR(store.Join());
  if (secrets_ == nullptr) {
    BigtableOptions options = options_;  // an outage does not delay the stop
    options.call_timeout_ms = std::min(options.call_timeout_ms, kSecretsTimeoutMs);
    options.attempt_timeout_ms = std::min(options.attempt_timeout_ms, kSecretsTimeoutMs);
    secret_client_ = std::make_unique<BigtableClient>(options, channels);
    secrets_ = std::make_unique<SecretRows>(
        secret_client_.get(), lease_.clock == nullptr ? Clock::System() : lease_.clock);
  }
  return secrets_->Read();
}

absl::StatusOr<SharedSecrets> BigtableStorage::RefreshSecrets() {
  if (secrets_ == nullptr) return absl::FailedPreconditionError("bigtable: not joined yet");
  return secrets_->Refresh();
}

absl::StatusOr<OpenedStorage> BigtableStorage::Open(
    const std::function<void(std::string_view message)>& warn) {
  HOURCELL_ASSIGN_OR_RETURN(const BigtableChannels channels, OpenBigtableChannels(options_));
  auto store = std::make_unique<BigtableTableStore>(options_, channels, shared_rows_);
  LeaseOptions lease = lease_;
  if (!lease.warn) lease.warn = warn;
  OpenedStorage opened;
  HOURCELL_ASSIGN_OR_RETURN(opened.journal, store->OpenWithLease(lease));
  opened.role = std::make_unique<LeaseRole>(store.get());
  opened.tables = std::move(store);
  return opened;
}

absl::StatusOr<FollowedStorage> BigtableStorage::Follow(
    const std::function<void(std::string_view message)>& /*warn*/) {
  HOURCELL_ASSIGN_OR_RETURN(const BigtableChannels channels, OpenBigtableChannels(options_));
  auto store = std::make_unique<BigtableTableStore>(options_, channels, shared_rows_);
  // Requests received before the stop are still answered: tsd.network.drain_timeout, if not set.
  constexpr int64_t kFollowGraceMs = 30'000;
  store->EndCallsIf(lease_.events.gives_up, kFollowGraceMs);
  HOURCELL_RETURN_IF_ERROR(store->OpenToFollow());
  FollowedStorage followed;
  followed.journal = store->Tail();
  followed.tables = std::move(store);
  return followed;
}

absl::StatusOr<std::string> SharedDataTableOf(const BigtableOptions& options) {
  HOURCELL_ASSIGN_OR_RETURN(const BigtableChannels channels, OpenBigtableChannels(options));
  BigtableClient client(options, channels);
  const absl::StatusOr<BigtablePage> page =
      client.Read(ClusterTable(options.table_prefix), {.keys = {std::string(kFormatRow)}});
  if (absl::IsNotFound(page.status()) || (page.ok() && page->rows.empty())) {
    return absl::NotFoundError(
        fmt::format("bigtable: no store in the tables {}-*", options.table_prefix));
  }
  HOURCELL_RETURN_IF_ERROR(page.status());
  const std::vector<BigtableCell>& cells = page->rows[0].cells;
  // An unknown format is refused later, when the store is opened.
  const bool is_shared = cells.size() == 1 && cells[0].value.starts_with(kSharedFormat);
  return is_shared ? cells[0].value.substr(kSharedFormat.size()) : std::string();
}

bool IsTableOfStore(const BigtableOptions& options, std::string_view name) {
  BigtableOptions own = options;
  own.data_table.clear();
  return name == ClusterTable(own.table_prefix) || name == JournalTable(own.table_prefix) ||
         std::ranges::any_of(kTableIds,
                             [&](TableId table) { return name == BigtableNameOf(own, table); });
}

}  // namespace hourcell
