#include "tests/support/mem_table_store.h"

#include <algorithm>

#include "codec/base/bytes.h"
#include "codec/base/status_macros.h"
#include "codec/cell.h"
#include "engine/retention.h"
#include "engine/series_key.h"

namespace hourcell {
namespace {

class MemRowCursor : public RowCursor {
 public:
  using Rows = std::map<std::string, std::string>;
  MemRowCursor(const Rows& rows, const ScanRange& range)
      : begin_(rows.lower_bound(range.begin)),
        end_(range.end.empty() ? rows.end() : rows.lower_bound(range.end)),
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
    if (row == rows_.end() || (end_ != rows_.end() && row->first >= end_->first)) return end_;
    if (begin_ != rows_.end() && row->first < begin_->first) return begin_;
    return row;
  }

  const Rows::const_iterator begin_;
  const Rows::const_iterator end_;
  const Rows& rows_;
  Rows::const_iterator row_;
};

class MemTableView : public TableView {
 public:
  explicit MemTableView(MemTableStore::Tables tables) : tables_(std::move(tables)) {}

  absl::StatusOr<std::optional<std::string>> Get(TableId table, std::string_view key) override {
    const auto& rows = tables_[static_cast<size_t>(table)];
    const auto found = rows.find(std::string(key));
    return found == rows.end() ? std::nullopt : std::optional<std::string>(found->second);
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

  absl::Status Scan(
      TableId table,
      const ScanRange& range,
      const RowFilter& /*filter: pushing it down is optional, and this engine does not*/,
      const std::function<bool(std::string_view, std::string_view)>& visit) override {
    const auto& rows = tables_[static_cast<size_t>(table)];
    for (auto row = rows.lower_bound(range.begin); row != rows.end(); ++row) {
      if (!range.end.empty() && row->first >= range.end) break;
      if (!visit(row->first, row->second)) break;
    }
    return absl::OkStatus();
  }

  std::unique_ptr<RowCursor> NewCursor(TableId table, const ScanRange& range) override {
    return std::make_unique<MemRowCursor>(tables_[static_cast<size_t>(table)], range);
  }

 private:
  const MemTableStore::Tables tables_;
};

std::string Merge(TableId table, std::string_view old, std::string_view operand) {
  std::string merged;
  const std::string_view both[] = {old, operand};
  const std::span<const std::string_view> list(old.empty() ? both + 1 : both, std::end(both));
  if (table == TableId::kSeries) {
    MergePostings(list, &merged);
  } else {
    MergeCells({}, list, &merged);
  }
  return merged;
}

}  // namespace

absl::Status MemTableStore::Apply(std::span<const Mutation> group, bool /*sync*/) {
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
  return std::make_unique<MemTableView>(tables_);
}

absl::Status MemTableStore::Presplit(TableId table, std::span<const std::string> keys) {
  MutexLock lock(&mutex_);
  for (size_t i = 0; i < keys.size(); ++i) {
    if (keys[i].empty() || (i > 0 && keys[i] <= keys[i - 1])) {
      return absl::InvalidArgumentError("presplit: keys do not ascend");
    }
  }
  std::vector<std::string>& before = split_keys_[static_cast<size_t>(table)];
  const bool can_have_some = table == TableId::kData || table == TableId::kAnnotation;
  if (!can_have_some || !before.empty() || !tables_[static_cast<size_t>(table)].empty()) {
    return absl::FailedPreconditionError("presplit: not an empty table of one region");
  }
  before.assign(keys.begin(), keys.end());
  return absl::OkStatus();
}

absl::Status MemTableStore::Split(TableId table, std::string_view key) {
  MutexLock lock(&mutex_);
  std::vector<std::string>& keys = split_keys_[static_cast<size_t>(table)];
  const auto at = std::ranges::lower_bound(keys, key);
  const bool can_have_some = table == TableId::kData || table == TableId::kAnnotation;
  if (!can_have_some || key.empty() || (at != keys.end() && *at == key)) {
    return absl::InvalidArgumentError("split: not inside of a region");
  }
  keys.insert(at, std::string(key));
  return absl::OkStatus();
}

std::vector<RegionInfo> MemTableStore::Regions(TableId table) {
  MutexLock lock(&mutex_);
  std::vector<RegionInfo> regions(1);
  for (const std::string& key : split_keys_[static_cast<size_t>(table)]) {
    regions.back().range.end = key;
    regions.emplace_back().range.start = key;
  }
  for (size_t i = 0; i < regions.size(); ++i) {
    regions[i].table = TableName(table);
    regions[i].id.value = i + 1;
    regions[i].state = RegionState::kOpen;
  }
  return regions;
}

absl::StatusOr<uint64_t> MemTableStore::Increment(TableId table,
                                                  std::string_view key,
                                                  uint64_t delta) {
  MutexLock lock(&mutex_);
  std::string& value = tables_[static_cast<size_t>(table)][std::string(key)];
  const uint64_t sum = (value.empty() ? 0 : LoadBigEndian(value.data(), 8)) + delta;
  value = EncodeU64(sum);
  return sum;
}

absl::StatusOr<bool> MemTableStore::CompareAndSet(TableId table,
                                                  std::string_view key,
                                                  std::optional<std::string_view> expected,
                                                  std::string_view value) {
  MutexLock lock(&mutex_);
  auto& rows = tables_[static_cast<size_t>(table)];
  const auto found = rows.find(std::string(key));
  const bool matches = expected.has_value() ? found != rows.end() && found->second == *expected
                                            : found == rows.end();
  if (matches) rows[std::string(key)] = value;
  return matches;
}

absl::StatusOr<std::vector<std::string>> MemTableStore::SplitPoints(TableId /*table*/) {
  return std::vector<std::string>();
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
  std::erase_if(tables_[static_cast<size_t>(TableId::kData)], [&](const auto& row) {
    if (!pass.IsExpired(row.first)) return false;
    bytes += row.first.size() + row.second.size();
    return true;
  });
  return bytes;
}

absl::Status MemTableStore::Close() {
  MutexLock lock(&mutex_);
  is_open_ = false;
  return absl::OkStatus();
}

}  // namespace hourcell
