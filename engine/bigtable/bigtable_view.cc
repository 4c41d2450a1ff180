#include "engine/bigtable/bigtable_view.h"

#include <algorithm>
#include <utility>

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/check.h"
#include "codec/base/status_copy.h"
#include "codec/base/status_macros.h"
#include "engine/opentsdb/opentsdb_tables.h"

namespace hourcell {
namespace {

// Cursors often read one row only, so the first page is small; each next one is four times larger.
constexpr size_t kCursorRowsFirst = 8;
constexpr size_t kCursorRowsMax = 4096;
// Keys per call.
constexpr size_t kKeysMax = 1000;

// True for an empty range, which is never sent.
bool IsEmpty(const ScanRange& range) {
  return !range.end.empty() && range.end <= range.begin;
}

class BigtableCursor : public RowCursor {
 public:
  BigtableCursor(BigtableView* view, TableId table, const ScanRange& range)
      : view_(*view), table_(table), range_(range) {}

  void Seek(std::string_view key) override {
    if (!status_.ok()) return;
    rows_max_ = kCursorRowsFirst;
    page_ = {};
    next_.begin = std::max(range_.begin, std::string(key));
    next_.end = range_.end;
    ReadForward();
  }

  void SeekBefore(std::string_view key) override {
    if (!status_.ok()) return;
    ScanRange before = range_;
    if (before.end.empty() || key < before.end) before.end = key;
    if (before.end.empty()) {  // no key is before the least key
      page_ = {};
      at_ = 0;
      return;
    }
    ReadLast(before);
  }

  void SeekToLast() override {
    if (status_.ok()) ReadLast(range_);
  }

  void Next() override {
    if (++at_ == page_.rows.size() && !page_.is_complete) ReadForward();
  }

  bool valid() const override { return status_.ok() && at_ < page_.rows.size(); }
  std::string_view key() const override { return page_.rows[at_].key; }
  std::string_view value() const override { return page_.rows[at_].value; }
  absl::Status status() const override { return CopyStatus(status_); }

 private:
  // Reads the next page that has a row, from next_ on.
  void ReadForward() {
    do {
      at_ = 0;
      page_ = {.rows = {}, .last_key = {}, .is_complete = true};
      if (IsEmpty(next_)) return;
      Read({.range = next_, .rows_max = rows_max_});
      rows_max_ = std::min(4 * rows_max_, kCursorRowsMax);
      next_.begin = AfterKey(page_.last_key);
    } while (status_.ok() && page_.rows.empty() && !page_.is_complete);
  }

  // Reads the last row of a range. Next continues after it.
  void ReadLast(ScanRange range) {
    size_t rows_max = 1;
    do {
      at_ = 0;
      page_ = {.rows = {}, .last_key = {}, .is_complete = true};
      if (IsEmpty(range)) return;
      Read({.range = range, .reversed = true, .rows_max = rows_max});
      rows_max = std::min(4 * rows_max, kCursorRowsMax);
      range.end = page_.last_key;
    } while (status_.ok() && page_.rows.empty() && !page_.is_complete);
    if (!status_.ok() || page_.rows.empty()) return;
    page_.rows.resize(1);
    page_.is_complete = false;
    next_ = {.begin = AfterKey(page_.rows[0].key), .end = range_.end};
    rows_max_ = kCursorRowsFirst;
  }

  void Read(ReadSelection selection) {
    absl::StatusOr<VisiblePage> page = view_.ReadPage(table_, std::move(selection));
    if (page.ok()) {
      page_ = *std::move(page);
    } else {
      status_ = std::move(page).status();
    }
  }

  BigtableView& view_;
  const TableId table_;
  const ScanRange range_;
  ScanRange next_;  // after page_
  size_t rows_max_ = kCursorRowsFirst;
  VisiblePage page_;
  size_t at_ = 0;
  absl::Status status_;
};

}  // namespace

std::string BigtableNameOf(const BigtableOptions& options, TableId table) {
  if (SpecOf(table).may_be_shared && !options.data_table.empty()) return options.data_table;
  return fmt::format("{}-{}", options.table_prefix, TableName(table));
}

google::bigtable::v2::RowFilter OwnCells(const BigtableOptions& options, TableId table) {
  google::bigtable::v2::RowFilter filter;
  if (SpecOf(table).may_be_shared && !options.data_table.empty()) {
    filter.set_family_name_regex_filter(std::string(kBigtableFamily));
  }
  return filter;
}

BigtableView::BigtableView(BigtableClient* client, VersionLedger* ledger, bool reads_opentsdb)
    : client_(*client),
      ledger_(*ledger),
      reads_opentsdb_(reads_opentsdb),
      view_(ledger_.Acquire()) {}

// Excludes versions above the view's; ReadPage drops the hidden ones. The timestamps of OpenTSDB's
// cells are clock times, not versions.
google::bigtable::v2::RowFilter BigtableView::FilterFor(TableId table) const {
  using google::bigtable::v2::RowFilter;
  RowFilter versions;
  versions.mutable_timestamp_range_filter()->set_end_timestamp_micros(MicrosOf(view_.max + 1));
  RowFilter own = OwnCells(client_.options(), table);
  if (own.filter_case() == RowFilter::FILTER_NOT_SET) return versions;
  RowFilter ours;
  *ours.mutable_chain()->add_filters() = std::move(own);
  *ours.mutable_chain()->add_filters() = std::move(versions);
  if (!reads_opentsdb_) return ours;
  RowFilter both;
  *both.mutable_interleave()->add_filters() = std::move(ours);
  auto& theirs = *both.mutable_interleave()->add_filters()->mutable_chain();
  theirs.add_filters()->set_family_name_regex_filter(std::string(kOpenTsdbDataFamily));
  theirs.add_filters()->set_cells_per_column_limit_filter(1);
  return both;
}

absl::StatusOr<VisiblePage> BigtableView::ReadPage(TableId table, ReadSelection selection) {
  selection.filter = FilterFor(table);
  HOURCELL_ASSIGN_OR_RETURN(BigtablePage read,
                            client_.Read(BigtableNameOf(client_.options(), table), selection));
  VisiblePage page;
  page.is_complete = read.is_complete;
  for (BigtableRow& row : read.rows) {
    absl::StatusOr<StoredRow> stored = DecodeStoredRow(std::move(row));
    if (!stored.ok()) {
      return absl::DataLossError(
          fmt::format("read {}: {}", TableName(table), std::string(stored.status().message())));
    }
    page.last_key = stored->key;
    std::optional<std::string> value = ValueOf(table, *stored, view_);
    if (value.has_value()) {
      page.rows.push_back({.key = std::move(stored->key), .value = *std::move(value)});
    }
  }
  return page;
}

absl::StatusOr<std::optional<std::string>> BigtableView::Get(TableId table, std::string_view key) {
  HOURCELL_ASSIGN_OR_RETURN(VisiblePage page, ReadPage(table, {.keys = {std::string(key)}}));
  if (page.rows.empty()) return std::optional<std::string>();
  return std::optional<std::string>(std::move(page.rows[0].value));
}

absl::Status BigtableView::GetMany(TableId table,
                                   std::span<const std::string> keys,
                                   std::vector<std::optional<std::string>>* values) {
  HOURCELL_DCHECK(values != nullptr);
  std::vector<std::string> ascending(keys.begin(), keys.end());
  std::ranges::sort(ascending);
  ascending.erase(std::ranges::unique(ascending).begin(), ascending.end());
  absl::flat_hash_map<std::string, std::string> found;
  for (auto from = ascending.begin(); from != ascending.end();) {
    const auto left = static_cast<size_t>(ascending.end() - from);
    const auto to = from + static_cast<ptrdiff_t>(std::min(left, kKeysMax));
    HOURCELL_ASSIGN_OR_RETURN(VisiblePage page, ReadPage(table, {.keys = {from, to}}));
    for (VisibleRow& row : page.rows)
      found.emplace(std::move(row.key), std::move(row.value));
    // A page that reached its byte limit ends before its last key.
    from = page.is_complete ? to : std::upper_bound(from, to, page.last_key);
  }
  values->assign(keys.size(), std::nullopt);
  for (size_t i = 0; i < keys.size(); ++i) {
    const auto row = found.find(keys[i]);
    if (row != found.end()) (*values)[i] = row->second;
  }
  return absl::OkStatus();
}

absl::Status BigtableView::Scan(
    TableId table,
    const ScanRange& range,
    const std::function<bool(std::string_view key, std::string_view value)>& visit) {
  for (ScanRange left = range; !IsEmpty(left);) {
    HOURCELL_ASSIGN_OR_RETURN(const VisiblePage page, ReadPage(table, {.range = left}));
    for (const VisibleRow& row : page.rows) {
      if (!visit(row.key, row.value)) return absl::OkStatus();
    }
    if (page.is_complete) break;
    left.begin = AfterKey(page.last_key);
  }
  return absl::OkStatus();
}

std::unique_ptr<RowCursor> BigtableView::NewCursor(TableId table, const ScanRange& range) {
  return std::make_unique<BigtableCursor>(this, table, range);
}

}  // namespace hourcell
