#include "engine/store_meta.h"

#include <charconv>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "codec/base/kill_point.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"

namespace hourcell {
namespace {

constexpr std::string_view kFormatKey = "format";
constexpr std::string_view kLayoutKey = "layout";
constexpr std::string_view kLowMarkKey = "low_mark";
constexpr std::string_view kFormatVersion = "1";

absl::StatusOr<bool> IsEmpty(TableView* view, TableId table) {
  bool empty = true;
  HOURCELL_RETURN_IF_ERROR(
      view->Scan(table, {}, {}, [&](std::string_view, std::string_view) { return empty = false; }));
  return empty;
}

absl::StatusOr<Layout> CreateMeta(const Options& options, TableStore* tables, TableView* view) {
  for (const TableId table : kTableIds) {
    HOURCELL_ASSIGN_OR_RETURN(const bool empty, IsEmpty(view, table));
    if (empty) continue;
    return absl::DataLossError(fmt::format("open {}: the store has rows in {} but no format record",
                                           options.path, TableName(table)));
  }
  HOURCELL_KILL_POINT("create:tables");
  const std::vector<Mutation> group = {
      {TableId::kMeta, Mutation::Kind::kSet, std::string(kLayoutKey), FormatLayout(options.layout)},
      {TableId::kMeta, Mutation::Kind::kSet, std::string(kFormatKey), std::string(kFormatVersion)}};
  HOURCELL_RETURN_IF_ERROR(tables->Apply(group, /*sync=*/true));
  HOURCELL_KILL_POINT("create:meta");
  return options.layout;
}

}  // namespace

absl::StatusOr<Layout> ReadOrCreateMeta(const Options& options, TableStore* tables) {
  const std::unique_ptr<TableView> view = tables->Snapshot();
  HOURCELL_ASSIGN_OR_RETURN(const std::optional<std::string> format,
                            view->Get(TableId::kMeta, kFormatKey));
  if (!format.has_value()) return CreateMeta(options, tables, view.get());
  if (*format != kFormatVersion) {
    return absl::FailedPreconditionError(fmt::format("open {}: store format {}; want {}",
                                                     options.path, QuoteForMessage(*format),
                                                     kFormatVersion));
  }
  HOURCELL_ASSIGN_OR_RETURN(const std::optional<std::string> text,
                            view->Get(TableId::kMeta, kLayoutKey));
  if (!text.has_value()) {
    return absl::DataLossError(fmt::format("open {}: no layout record", options.path));
  }
  HOURCELL_ASSIGN_OR_RETURN(Layout layout, ParseLayout(*text));
  if (options.check_layout && layout != options.layout) {
    return absl::FailedPreconditionError(fmt::format("open {}: the store has another layout: {}",
                                                     options.path,
                                                     DescribeDifference(layout, options.layout)));
  }
  return layout;
}

absl::StatusOr<uint64_t> ReadLowMark(TableStore* tables) {
  HOURCELL_ASSIGN_OR_RETURN(const std::optional<std::string> text,
                            tables->Snapshot()->Get(TableId::kMeta, kLowMarkKey));
  if (!text.has_value()) return 0;
  uint64_t block = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), block);
  if (error != std::errc() || end != text->data() + text->size()) {
    return absl::DataLossError(
        fmt::format("meta low_mark: got {}; want a number", QuoteForMessage(*text)));
  }
  return block;
}

absl::Status WriteLowMark(uint64_t block, TableStore* tables) {
  const Mutation set{TableId::kMeta, Mutation::Kind::kSet, std::string(kLowMarkKey),
                     fmt::format("{}", block)};
  return tables->Apply({&set, 1}, /*sync=*/true);
}

}  // namespace hourcell
