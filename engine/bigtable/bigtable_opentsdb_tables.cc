#include "engine/bigtable/bigtable_opentsdb_tables.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/check.h"
#include "codec/base/clock.h"
#include "codec/base/mutex.h"
#include "codec/base/status_macros.h"
#include "engine/bigtable/api/bigtable_client.h"
#include "engine/bigtable/rows/stored_row.h"
#include "engine/bigtable/writer/system_rows.h"

namespace hourcell {
namespace {

class BigtableOpenTsdbTables : public OpenTsdbTables {
 public:
  BigtableOpenTsdbTables(const BigtableOptions& options,
                         std::string uid_table,
                         const BigtableChannels& channels)
      : client_(options, channels),
        uid_table_(std::move(uid_table)),
        system_(ClusterTable(options.table_prefix)) {}

  std::string name() const override {
    const BigtableOptions& options = client_.options();
    return fmt::format("{}/{}/{}", options.project, options.instance, options.data_table);
  }

  absl::StatusOr<OpenTsdbPage> Read(OpenTsdbTable table, const std::string& begin) override {
    HOURCELL_ASSIGN_OR_RETURN(BigtablePage read,
                              client_.Read(NameOf(table), {.range = {.begin = begin, .end = {}},
                                                           .filter = NewestOf(table)}));
    OpenTsdbPage page;
    page.is_complete = read.is_complete;
    if (!read.rows.empty()) page.next = AfterKey(read.rows.back().key);
    page.rows = RowsFrom(std::move(read.rows));
    return page;
  }

  absl::StatusOr<std::vector<OpenTsdbRow>> ReadKeys(OpenTsdbTable table,
                                                    std::vector<std::string> keys) override {
    std::vector<OpenTsdbRow> rows;
    while (!keys.empty()) {
      HOURCELL_ASSIGN_OR_RETURN(
          BigtablePage read,
          client_.Read(NameOf(table), {.keys = keys, .filter = NewestOf(table)}));
      std::vector<OpenTsdbRow> some = RowsFrom(std::move(read.rows));
      const bool is_complete = read.is_complete || some.empty();
      if (!is_complete) {
        keys.erase(keys.begin(), std::ranges::upper_bound(keys, some.back().key));
      }
      std::ranges::move(some, std::back_inserter(rows));
      if (is_complete) break;
    }
    return rows;
  }

  absl::Status Write(OpenTsdbTable table, const std::vector<OpenTsdbRowWrite>& rows) override {
    // OpenTSDB uses its machine's time as timestamps. All retries of a write use one timestamp.
    const int64_t micros = Clock::System()->NowMs() * 1000;
    std::vector<RowMutations> mutations;
    for (const OpenTsdbRowWrite& row : rows) {
      RowMutations& of_row = mutations.emplace_back();
      of_row.set_row_key(row.key);
      for (const OpenTsdbColumn& column : row.removed) {
        auto& removal = *of_row.add_mutations()->mutable_delete_from_column();
        removal.set_family_name(column.family);
        removal.set_column_qualifier(column.qualifier);
      }
      for (const OpenTsdbColumn& column : row.set) {
        auto& cell = *of_row.add_mutations()->mutable_set_cell();
        cell.set_family_name(column.family);
        cell.set_column_qualifier(column.qualifier);
        cell.set_timestamp_micros(micros);
        cell.set_value(column.value);
      }
    }
    return client_.Mutate(NameOf(table), std::move(mutations));
  }

  absl::Status CreateMissing() override {
    HOURCELL_RETURN_IF_ERROR(CreateWith(NameOf(OpenTsdbTable::kData), {kOpenTsdbDataFamily}));
    return CreateWith(uid_table_, {kOpenTsdbIdFamily, kOpenTsdbNameFamily});
  }

  absl::StatusOr<AdoptionMark> ReadMark() override {
    HOURCELL_ASSIGN_OR_RETURN(const BigtablePage page,
                              client_.Read(system_, {.keys = {std::string(kAdoptionRow)}}));
    if (page.rows.empty() || page.rows[0].cells.empty()) return AdoptionMark();
    const BigtableCell& newest = page.rows[0].cells[0];
    const MutexLock lock(&mutex_);
    mark_version_ = std::max(mark_version_, static_cast<uint64_t>(newest.timestamp_micros) / 1000);
    return DecodeAdoptionMark(newest.value);
  }

  absl::Status WriteMark(const AdoptionMark& mark) override {
    uint64_t version = 0;
    {
      const MutexLock lock(&mutex_);
      version = ++mark_version_;
    }
    return client_.Mutate(system_, {SystemCell(kAdoptionRow, kSystemQualifier, version,
                                               EncodeAdoptionMark(mark), /*replace=*/true)});
  }

 private:
  const std::string& NameOf(OpenTsdbTable table) const {
    return table == OpenTsdbTable::kData ? client_.options().data_table : uid_table_;
  }

  // Excludes the store's own family in a shared table. A chain needs at least two filters.
  static google::bigtable::v2::RowFilter NewestOf(OpenTsdbTable table) {
    google::bigtable::v2::RowFilter newest;
    newest.set_cells_per_column_limit_filter(1);
    if (table != OpenTsdbTable::kData) return newest;
    google::bigtable::v2::RowFilter filter;
    auto& chain = *filter.mutable_chain();
    chain.add_filters()->set_family_name_regex_filter(std::string(kOpenTsdbDataFamily));
    *chain.add_filters() = std::move(newest);
    return filter;
  }

  static std::vector<OpenTsdbRow> RowsFrom(std::vector<BigtableRow> read) {
    std::vector<OpenTsdbRow> rows;
    rows.reserve(read.size());
    for (BigtableRow& row : read) {
      OpenTsdbRow& made = rows.emplace_back();
      made.key = std::move(row.key);
      for (BigtableCell& cell : row.cells) {
        made.columns.push_back({.family = std::move(cell.family),
                                .qualifier = std::move(cell.qualifier),
                                .value = std::move(cell.value),
                                .write_time_ms = cell.timestamp_micros / 1000});
      }
    }
    return rows;
  }

  absl::Status CreateWith(const std::string& table, std::vector<std::string_view> families) {
    HOURCELL_DCHECK(!families.empty());
    HOURCELL_RETURN_IF_ERROR(client_.CreateTable(table, std::string(families[0])));
    for (const std::string_view family : families)
      HOURCELL_RETURN_IF_ERROR(client_.AddFamily(table, std::string(family)));
    return absl::OkStatus();
  }

  BigtableClient client_;
  const std::string uid_table_;
  const std::string system_;
  Mutex mutex_;
  uint64_t mark_version_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace

absl::StatusOr<std::unique_ptr<OpenTsdbTables>> OpenBigtableOpenTsdbTables(
    const BigtableOptions& options, const std::string& uid_table) {
  HOURCELL_ASSIGN_OR_RETURN(const BigtableChannels channels, OpenBigtableChannels(options));
  return std::make_unique<BigtableOpenTsdbTables>(options, uid_table, channels);
}

}  // namespace hourcell
