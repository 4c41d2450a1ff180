#include "tests/support/mem_table_store.h"

#include <algorithm>

#include "codec/base/bytes.h"
#include "codec/base/status_macros.h"
#include "engine/rows/merge_operands.h"
#include "engine/table/retention.h"

namespace hourcell {
namespace {

class MemRowCursor : public RowCursor {
 public:
  using Rows = std::map<std::string, std::string>;
  MemRowCursor(const Rows& rows, const ScanRange& range)
      : end_(range.end.empty() ? rows.end() : rows.lower_bound(range.end)),
        // A range that ends at or before its begin is empty.
        begin_(!range.end.empty() && range.end <= range.begin ? end_
                                                              : rows.lower_bound(range.begin)),
        rows_(rows),
        row_(end_) {}

  void Seek(std::string_view key) override { row_ = Clamp(rows_.lower_bound(std::string(key))); }
  void SeekBefore(std::string_view key) override {
    Seek(key);
    row_ = row_ == begin_ ? end_ : std::prev(row_);
  }
  void SeekToLast() override { row_ = begin_ == end_ ? end_ : std::prev(end_); }
  void Next() override { ++row_; }
  bool valid() const override { return row_ != end_; }
  std::string_view key() const override { return row_->first; }
  std::string_view value() const override { return row_->second; }
  absl::Status status() const override { return absl::OkStatus(); }

 private:
  Rows::const_iterator Clamp(Rows::const_iterator row) const {
    if (begin_ == end_) return end_;
    if (row == rows_.end() || (end_ != rows_.end() && row->first >= end_->first)) return end_;
    return row->first < begin_->first ? begin_ : row;
  }

  const Rows::const_iterator end_;
  const Rows::const_iterator begin_;
  const Rows& rows_;
  Rows::const_iterator row_;
};

class MemTableView : public TableView {
 public:
  MemTableView(MemTableStore::Rows tables,
               std::shared_ptr<std::atomic<uint64_t>> rows_read,
               bool gets_one_by_one)
      : tables_(std::move(tables)),
        rows_read_(std::move(rows_read)),
        gets_one_by_one_(gets_one_by_one) {}

  absl::StatusOr<std::optional<std::string>> Get(TableId table, std::string_view key) override {
    const auto& rows = tables_[static_cast<size_t>(table)];
    const auto found = rows.find(std::string(key));
    if (found == rows.end()) return std::optional<std::string>();
    ++*rows_read_;
    return std::optional<std::string>(found->second);
  }

  absl::Status GetMany(TableId table,
                       std::span<const std::string> keys,
                       std::vector<std::optional<std::string>>* values) override {
    values->clear();
    for (const std::string& key : keys) {
      HOURCELL_ASSIGN_OR_RETURN(values->emplace_back(), Get(table, key));
    }
    return absl::OkStatus();
  }

  absl::Status Scan(TableId table,
                    const ScanRange& range,
                    const std::function<bool(std::string_view, std::string_view)>& visit) override {
    const auto& rows = tables_[static_cast<size_t>(table)];
    for (auto row = rows.lower_bound(range.begin); row != rows.end(); ++row) {
      if (!range.end.empty() && row->first >= range.end) break;
      ++*rows_read_;
      if (!visit(row->first, row->second)) break;
    }
    return absl::OkStatus();
  }

  std::unique_ptr<RowCursor> NewCursor(TableId table, const ScanRange& range) override {
    return std::make_unique<MemRowCursor>(tables_[static_cast<size_t>(table)], range);
  }

  bool gets_one_by_one() const override { return gets_one_by_one_; }

 private:
  const MemTableStore::Rows tables_;
  const std::shared_ptr<std::atomic<uint64_t>> rows_read_;
  const bool gets_one_by_one_;
};

std::string Merge(TableId table, std::string_view old, std::string_view operand) {
  const std::string_view both[] = {old, operand};
  return MergedOperands(table, {old.empty() ? both + 1 : both, std::end(both)});
}

}  // namespace

absl::Status MemTableStore::ApplyAtOnce(std::span<const Mutation> group, bool sync) {
  if (lags_at_once_ > 0) {
    --lags_at_once_;
    return absl::AbortedError("the table lags on request");
  }
  return Apply(group, sync);
}

absl::Status MemTableStore::Apply(std::span<const Mutation> group, bool /*sync*/) {
  if (on_apply_) on_apply_();
  MutexLock lock(&mutex_);
  if (!is_open_) return absl::FailedPreconditionError("store is closed");
  if (failing_applies_ > 0) {
    --failing_applies_;
    return absl::UnavailableError("apply: failed on request");
  }
  for (const Mutation& mutation : group) {
    auto& rows = tables_[static_cast<size_t>(mutation.table)];
    switch (mutation.kind) {
      case Mutation::Kind::kSet:
        rows[mutation.key] = mutation.value;
        break;
      case Mutation::Kind::kMerge:
        rows[mutation.key] = Merge(mutation.table, rows[mutation.key], mutation.value);
        break;
      case Mutation::Kind::kDelete:
        rows.erase(mutation.key);
        break;
    }
  }
  return absl::OkStatus();
}

absl::Status MemTableStore::Sync() {
  return absl::OkStatus();
}

std::unique_ptr<TableView> MemTableStore::Snapshot() {
  MutexLock lock(&mutex_);
  return std::make_unique<MemTableView>(tables_, rows_read_, /*gets_one_by_one=*/false);
}

std::unique_ptr<TableView> MemTableStore::SnapshotInMemory() {
  MutexLock lock(&mutex_);
  return std::make_unique<MemTableView>(tables_, rows_read_, /*gets_one_by_one=*/true);
}

MemTableStore::MemTableStore() {
  for (const TableId table : kTableIds) {
    RegionInfo all;
    all.table = TableName(table);
    all.id.value = 1;
    all.state = RegionState::kOpen;
    regions_[static_cast<size_t>(table)] = {all};
  }
}

absl::Status MemTableStore::Presplit(TableId table, const RegionCut& cut) {
  MutexLock lock(&mutex_);
  std::vector<RegionInfo>& regions = regions_[static_cast<size_t>(table)];
  for (size_t i = 0; i < cut.keys.size(); ++i) {
    if (cut.keys[i].empty() || (i > 0 && cut.keys[i] <= cut.keys[i - 1])) {
      return absl::InvalidArgumentError("presplit: keys do not ascend");
    }
  }
  if (!SpecOf(table).has_regions() || regions.size() != 1 ||
      !tables_[static_cast<size_t>(table)].empty()) {
    return absl::FailedPreconditionError("presplit: not an empty table of one region");
  }
  CutRegion(0, cut, &regions);
  return absl::OkStatus();
}

absl::Status MemTableStore::Split(TableId table, const RegionCut& cut) {
  MutexLock lock(&mutex_);
  if (!SpecOf(table).has_regions())
    return absl::FailedPreconditionError("split: one region, always");
  if (cut.keys.empty()) return absl::InvalidArgumentError("split: no key");
  std::vector<RegionInfo>& regions = regions_[static_cast<size_t>(table)];
  const auto found = std::ranges::find_if(
      regions, [&](const RegionInfo& region) { return region.range.Contains(cut.keys[0]); });
  for (size_t i = 0; i < cut.keys.size(); ++i) {
    if (cut.keys[i].empty() || (i > 0 && cut.keys[i] <= cut.keys[i - 1]) ||
        cut.keys[i] == found->range.start || !found->range.Contains(cut.keys[i])) {
      return absl::InvalidArgumentError("split: not inside of a region");
    }
  }
  CutRegion(static_cast<size_t>(found - regions.begin()), cut, &regions);
  return absl::OkStatus();
}

void MemTableStore::CutRegion(size_t index,
                              const RegionCut& cut,
                              std::vector<RegionInfo>* regions) {
  const RegionInfo parent = (*regions)[index];
  std::vector<RegionInfo> daughters(cut.keys.size() + 1, parent);
  for (size_t i = 0; i < daughters.size(); ++i) {
    daughters[i].id.value = ++last_region_id_;
    daughters[i].parents = {parent.id};
    daughters[i].pinned_until_ms = cut.pinned_until_ms;
    if (i > 0) daughters[i].range.start = cut.keys[i - 1];
    if (i < cut.keys.size()) daughters[i].range.end = cut.keys[i];
  }
  const auto at = regions->erase(regions->begin() + static_cast<ptrdiff_t>(index));
  regions->insert(at, daughters.begin(), daughters.end());
}

absl::Status MemTableStore::MergeRegions(TableId table, std::span<const RegionId> ids) {
  MutexLock lock(&mutex_);
  std::vector<RegionInfo>& regions = regions_[static_cast<size_t>(table)];
  std::vector<size_t> indexes;
  for (const RegionId id : ids) {
    const auto found = std::ranges::find(regions, id, &RegionInfo::id);
    if (found == regions.end()) return absl::NotFoundError("merge: no such region");
    indexes.push_back(static_cast<size_t>(found - regions.begin()));
  }
  std::ranges::sort(indexes);
  for (size_t i = 1; i < indexes.size(); ++i) {
    if (indexes[i] != indexes[i - 1] + 1) return absl::InvalidArgumentError("merge: a gap");
  }
  if (indexes.size() < 2) return absl::InvalidArgumentError("merge: fewer than two");
  RegionInfo merged = regions[indexes.front()];
  merged.range.end = regions[indexes.back()].range.end;
  merged.id.value = ++last_region_id_;
  merged.parents.assign(ids.begin(), ids.end());
  const auto first = regions.begin() + static_cast<ptrdiff_t>(indexes.front());
  regions.insert(regions.erase(first, first + static_cast<ptrdiff_t>(indexes.size())), merged);
  return absl::OkStatus();
}

std::vector<RegionInfo> MemTableStore::Regions(TableId table) {
  MutexLock lock(&mutex_);
  return regions_[static_cast<size_t>(table)];
}

absl::StatusOr<std::vector<RegionUse>> MemTableStore::RegionUses(TableId table) {
  MutexLock lock(&mutex_);
  std::vector<RegionUse> uses;
  for (const RegionInfo& region : regions_[static_cast<size_t>(table)]) {
    const RegionRange& range = region.range;
    uses.push_back({.region = region});
    uses.back().memory_bytes = BytesBetween(table, range.start, range.end);
  }
  return uses;
}

absl::StatusOr<uint64_t> MemTableStore::ApproximateBytes(TableId table, const ScanRange& range) {
  MutexLock lock(&mutex_);
  return BytesBetween(table, range.begin, range.end);
}

absl::StatusOr<RegionProbe> MemTableStore::ProbeRegion(TableId table, RegionId id) {
  MutexLock lock(&mutex_);
  const std::vector<RegionInfo>& regions = regions_[static_cast<size_t>(table)];
  if (std::ranges::find(regions, id, &RegionInfo::id) == regions.end()) {
    return absl::NotFoundError("no such region");
  }
  RegionProbe probe;
  probe.probe.bytes_between = [this, table](std::string_view start, std::string_view end) {
    MutexLock probe_lock(&mutex_);
    return BytesBetween(table, start, end);
  };
  return probe;
}

uint64_t MemTableStore::BytesBetween(TableId table, std::string_view start, std::string_view end) {
  uint64_t bytes = 0;
  for (const auto& [key, value] : tables_[static_cast<size_t>(table)]) {
    if (key >= start && (end.empty() || key < end)) bytes += key.size() + value.size();
  }
  return bytes;
}

absl::Status MemTableStore::Flush(TableId /*table*/) {
  return absl::OkStatus();
}

absl::StatusOr<uint64_t> MemTableStore::DropExpired() {
  const RowExpiry* const expiry = expiry_;
  if (expiry == nullptr) return 0;
  RowExpiry::Pass pass(*expiry);
  uint64_t bytes = 0;
  MutexLock lock(&mutex_);
  for (const TableSpec& table : kTableSpecs) {
    if (table.expiry != TableExpiry::kOfMetric) continue;
    std::erase_if(tables_[static_cast<size_t>(table.id)], [&](const auto& row) {
      if (!pass.IsExpired(row.first)) return false;
      bytes += row.first.size() + row.second.size();
      return true;
    });
  }
  return bytes;
}

absl::Status MemTableStore::Close() {
  MutexLock lock(&mutex_);
  is_open_ = false;
  return absl::OkStatus();
}

}  // namespace hourcell
