#include "engine/rows/system_table.h"

#include <charconv>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/kill_point.h"
#include "codec/base/mutex.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "codec/limits.h"
#include "engine/rows/key_range.h"
#include "engine/rows/store_format.h"
#include "engine/table/retention.h"

namespace hourcell {
namespace {

constexpr std::string_view kLayoutKey = "layout";
constexpr std::string_view kLowMarkKey = "low_mark";
constexpr std::string_view kActiveMarkKey = "active_mark";
constexpr std::string_view kRollupMarksKey = "rollup_mark";
constexpr std::string_view kTtlKey = "ttl";
constexpr std::string_view kTtlPrefix = "ttl/";
constexpr std::string_view kSaltEpochsKey = "salt_epochs";

// True for a whole number in decimal digits.
template <typename Number>
bool ParseWhole(std::string_view text, Number* number) {
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, *number);
  return error == std::errc() && stop == end;
}

bool ParseTtl(std::string_view text, int64_t* ttl_s) {
  return ParseWhole(text, ttl_s) && *ttl_s >= 0 && *ttl_s <= kTtlMaxS;
}

Mutation SetFormat(std::string_view format) {
  return {TableId::kSystem, Mutation::Kind::kSet, std::string(kStoreFormatKey),
          std::string(format)};
}

// Raises the format, synced, unless it is as high.
absl::Status RaiseFormat(std::string_view format, Tables* tables) {
  // Two threads that raise it to different formats must not lower it.
  static Mutex mutex;
  MutexLock lock(&mutex);
  HOURCELL_ASSIGN_OR_RETURN(const std::optional<std::string> stored,
                            tables->Snapshot()->Get(TableId::kSystem, kStoreFormatKey));
  if (stored.has_value() && IsFormatFrom(*stored, format)) return absl::OkStatus();
  const Mutation raise = SetFormat(format);
  return tables->Apply({&raise, 1}, /*sync=*/true);
}

// True if the table has only rows that CreateLayout writes before the format. Without atomic
// groups, a process that dies there leaves them.
absl::StatusOr<bool> IsEmpty(TableView* view, TableId table) {
  bool empty = true;
  HOURCELL_RETURN_IF_ERROR(view->Scan(table, {}, [&](std::string_view key, std::string_view) {
    empty = table == TableId::kSystem && (key == kLayoutKey || key == kActiveMarkKey);
    return empty;
  }));
  return empty;
}

absl::StatusOr<Layout> CreateLayout(const Options& options,
                                    Tables* tables,
                                    TableView* view,
                                    const std::function<absl::Status()>& make_journal) {
  for (const TableId table : kTableIds) {
    HOURCELL_ASSIGN_OR_RETURN(const bool empty, IsEmpty(view, table));
    if (empty) continue;
    return absl::DataLossError(fmt::format("open {}: the store has rows in {} but no format record",
                                           options.path, TableName(table)));
  }
  HOURCELL_KILL_POINT("create:tables");
  // Before the record: each store with a record then has had the journal's place.
  if (make_journal) HOURCELL_RETURN_IF_ERROR(make_journal());
  HOURCELL_KILL_POINT("create:journal");
  // The format comes last: if it is there, the others are, too.
  const std::vector<Mutation> group = {
      {TableId::kSystem, Mutation::Kind::kSet, std::string(kLayoutKey),
       FormatLayout(options.layout)},
      {TableId::kSystem, Mutation::Kind::kSet, std::string(kActiveMarkKey), "0"},
      SetFormat(kStoreFormat)};
  HOURCELL_RETURN_IF_ERROR(tables->Apply(group, /*sync=*/true));
  HOURCELL_KILL_POINT("create:system");
  return options.layout;
}

// options.layout may have the bucket count of the first or of the last salt epoch.
absl::Status CheckLayout(const Options& options, const Layout& layout, Tables* tables) {
  HOURCELL_ASSIGN_OR_RETURN(const SaltEpochs epochs, ReadSaltEpochs(layout, tables));
  Layout asked = options.layout;
  if (options.names_of_store) asked.names = layout.names;
  if (layout.salt_width > 0 && asked.salt_buckets == epochs.epochs().back().buckets) {
    asked.salt_buckets = layout.salt_buckets;
  }
  if (layout == asked) return absl::OkStatus();
  return absl::FailedPreconditionError(fmt::format("open {}: the store has another layout: {}",
                                                   options.path,
                                                   DescribeDifference(layout, asked)));
}

}  // namespace

absl::StatusOr<Layout> ReadOrCreateLayout(const Options& options,
                                          Tables* tables,
                                          const std::function<absl::Status()>& make_journal) {
  const std::unique_ptr<TableView> view = tables->Snapshot();
  HOURCELL_ASSIGN_OR_RETURN(const std::optional<std::string> format,
                            view->Get(TableId::kSystem, kStoreFormatKey));
  if (!format.has_value() && options.follow) {
    return absl::NotFoundError(fmt::format("open {}: there is no store yet", options.path));
  }
  if (!format.has_value()) return CreateLayout(options, tables, view.get(), make_journal);
  HOURCELL_RETURN_IF_ERROR(CheckStoreFormat(options.path, *format));
  HOURCELL_ASSIGN_OR_RETURN(const std::optional<std::string> text,
                            view->Get(TableId::kSystem, kLayoutKey));
  if (!text.has_value()) {
    return absl::DataLossError(fmt::format("open {}: no layout record", options.path));
  }
  HOURCELL_ASSIGN_OR_RETURN(Layout layout, ParseLayout(*text));
  if (options.check_layout) HOURCELL_RETURN_IF_ERROR(CheckLayout(options, layout, tables));
  if (!IsFormatFrom(*format, kStoreFormat) && !options.follow) {
    const Mutation raise = SetFormat(kStoreFormat);
    HOURCELL_RETURN_IF_ERROR(tables->Apply({&raise, 1}, /*sync=*/true));
  }
  return layout;
}

absl::StatusOr<bool> ReadHasDayRows(Tables* tables) {
  HOURCELL_ASSIGN_OR_RETURN(const std::optional<std::string> format,
                            tables->Snapshot()->Get(TableId::kSystem, kStoreFormatKey));
  return format.has_value() && IsFormatFrom(*format, kStoreFormatOfDays);
}

absl::Status WriteHasDayRows(Tables* tables) {
  HOURCELL_KILL_POINT("days:before_format");
  HOURCELL_RETURN_IF_ERROR(RaiseFormat(kStoreFormatOfDays, tables));
  HOURCELL_KILL_POINT("days:format");
  return absl::OkStatus();
}

absl::Status RaiseFormatForHistograms(Tables* tables) {
  return RaiseFormat(kStoreFormatOfHistograms, tables);
}

absl::Status RaiseFormatForDeletions(Tables* tables) {
  return RaiseFormat(kStoreFormatOfDeletions, tables);
}

absl::StatusOr<SaltEpochs> ReadSaltEpochs(const Layout& layout, Tables* tables) {
  HOURCELL_ASSIGN_OR_RETURN(const std::optional<std::string> text,
                            tables->Snapshot()->Get(TableId::kSystem, kSaltEpochsKey));
  if (!text.has_value()) {
    const uint32_t buckets = layout.salt_width == 0 ? 1 : layout.salt_buckets;
    return SaltEpochs::Make({{.from_s = 0, .buckets = buckets}}, layout.salt_width);
  }
  absl::StatusOr<SaltEpochs> epochs = SaltEpochs::Parse(*text, layout.salt_width);
  if (epochs.ok()) return epochs;
  return absl::DataLossError(
      fmt::format("meta salt_epochs: {}", std::string(epochs.status().message())));
}

absl::Status WriteSaltEpochs(const SaltEpochs& epochs, Tables* tables) {
  const Mutation row = {TableId::kSystem, Mutation::Kind::kSet, std::string(kSaltEpochsKey),
                        epochs.ToText()};
  return tables->Apply({&row, 1}, /*sync=*/true);
}

namespace {

absl::StatusOr<std::optional<uint64_t>> ReadMark(std::string_view key, Tables* tables) {
  HOURCELL_ASSIGN_OR_RETURN(const std::optional<std::string> text,
                            tables->Snapshot()->Get(TableId::kSystem, key));
  if (!text.has_value()) return std::optional<uint64_t>();
  uint64_t block = 0;
  if (!ParseWhole(*text, &block)) {
    return absl::DataLossError(
        fmt::format("meta {}: expected a number, got {}", key, QuoteForMessage(*text)));
  }
  return std::optional<uint64_t>(block);
}

}  // namespace

absl::StatusOr<uint64_t> ReadLowMark(Tables* tables) {
  HOURCELL_ASSIGN_OR_RETURN(const std::optional<uint64_t> mark, ReadMark(kLowMarkKey, tables));
  return mark.value_or(0);
}

namespace {

// Whether the mark of a kind is there and equals the low mark.
absl::StatusOr<bool> IsLowMark(std::string_view key, Tables* tables) {
  HOURCELL_ASSIGN_OR_RETURN(const std::optional<uint64_t> mark, ReadMark(key, tables));
  HOURCELL_ASSIGN_OR_RETURN(const uint64_t low_mark, ReadLowMark(tables));
  return mark.has_value() && *mark == low_mark;
}

}  // namespace

absl::Status WriteLowMark(uint64_t block, KeptOfHours kept, Tables* tables) {
  std::vector<Mutation> group;
  const auto set = [&](std::string_view key) {
    group.push_back(
        {TableId::kSystem, Mutation::Kind::kSet, std::string(key), fmt::format("{}", block)});
  };
  set(kLowMarkKey);
  if (kept.active_sets) set(kActiveMarkKey);
  if (kept.rollup_marks) set(kRollupMarksKey);
  return tables->Apply(group, /*sync=*/true);
}

absl::StatusOr<bool> ReadActiveSetsAreKept(Tables* tables) {
  return IsLowMark(kActiveMarkKey, tables);
}

absl::StatusOr<bool> ReadRollupMarksAreKept(Tables* tables) {
  return IsLowMark(kRollupMarksKey, tables);
}

absl::StatusOr<int64_t> ReadStoreTtl(Tables* tables) {
  HOURCELL_ASSIGN_OR_RETURN(const std::optional<std::string> text,
                            tables->Snapshot()->Get(TableId::kSystem, kTtlKey));
  int64_t ttl_s = 0;
  if (text.has_value() && !ParseTtl(*text, &ttl_s)) {
    return absl::DataLossError(fmt::format("meta {}: expected 0 to {} seconds, got {}", kTtlKey,
                                           kTtlMaxS, QuoteForMessage(*text)));
  }
  return ttl_s;
}

absl::StatusOr<absl::flat_hash_map<Uid, int64_t>> ReadMetricTtls(Tables* tables) {
  absl::flat_hash_map<Uid, int64_t> ttls;
  absl::Status damage;
  const auto visit = [&](std::string_view key, std::string_view value) {
    const absl::StatusOr<std::string> uid = FromHex(key.substr(kTtlPrefix.size()));
    int64_t ttl_s = 0;
    if (uid.ok() && !uid->empty() && uid->size() <= kUidWidthMax && ParseTtl(value, &ttl_s)) {
      ttls[LoadBigEndian(uid->data(), uid->size())] = ttl_s;
      return true;
    }
    damage =
        absl::DataLossError(fmt::format("meta {}: expected 0 to {} seconds of a metric, got {}",
                                        QuoteForMessage(key), kTtlMaxS, QuoteForMessage(value)));
    return false;
  };
  HOURCELL_RETURN_IF_ERROR(
      tables->Snapshot()->Scan(TableId::kSystem, PrefixRange(std::string(kTtlPrefix)), visit));
  HOURCELL_RETURN_IF_ERROR(damage);
  return ttls;
}

absl::StatusOr<Mutation> TtlSettingRow(const Layout& layout,
                                       Uid metric,
                                       std::optional<int64_t> ttl_s) {
  std::string key(kTtlKey);
  if (metric != kNoUid) {
    HOURCELL_ASSIGN_OR_RETURN(const std::string uid, UidToBytes(metric, layout.metric_width));
    key = fmt::format("{}{}", kTtlPrefix, ToUpperHex(uid));
  }
  Mutation row{TableId::kSystem, Mutation::Kind::kDelete, std::move(key), ""};
  if (ttl_s.has_value()) {
    row.kind = Mutation::Kind::kSet;
    row.value = fmt::format("{}", *ttl_s);
  }
  return row;
}

}  // namespace hourcell
