#include "server/cli/names/uid_lines.h"

#include <charconv>
#include <memory>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "codec/rows/uid.h"
#include "server/cli/data/import/line_reader.h"

// Why a name ends at the last ": [": if the settings allow it, a name may contain colons and
// brackets.

namespace hourcell {
namespace {

constexpr size_t kMappingsAtOnce = 10'000;
constexpr std::string_view kBeforeUid = ": [";

// The bytes of a list such as "0, -30, 39"; nullopt for other text.
std::optional<std::string> BytesOf(std::string_view list) {
  std::string bytes;
  while (true) {
    int number = 0;
    const auto [end, error] = std::from_chars(list.data(), list.data() + list.size(), number);
    if (error != std::errc() || number < -128 || number > 127) return std::nullopt;
    bytes.push_back(static_cast<char>(number));
    list.remove_prefix(static_cast<size_t>(end - list.data()));
    if (list.empty()) return bytes;
    if (!list.starts_with(", ")) return std::nullopt;
    list.remove_prefix(2);
  }
}

}  // namespace

absl::StatusOr<std::optional<UidRow>> ParseUidLine(std::string_view line) {
  const size_t blank = line.find(' ');
  if (blank == std::string_view::npos) return std::nullopt;
  const absl::StatusOr<UidKind> kind = ParseKindName(line.substr(0, blank));
  if (!kind.ok()) return std::nullopt;
  const std::string_view rest = line.substr(blank + 1);
  const size_t colon = rest.rfind(kBeforeUid);
  if (colon != std::string_view::npos && colon > 0 && rest.ends_with(']')) {
    const size_t begin = colon + kBeforeUid.size();
    std::optional<std::string> bytes = BytesOf(rest.substr(begin, rest.size() - 1 - begin));
    if (bytes.has_value()) {
      return UidRow{.kind = *kind,
                    .name = std::string(rest.substr(0, colon)),
                    .uid_bytes = *std::move(bytes)};
    }
  }
  return absl::InvalidArgumentError(
      fmt::format("expected KIND NAME: [0, 0, 1], got {}", QuoteForMessage(line)));
}

absl::StatusOr<UidLinesRead> ImportUidLines(const std::string& path, LateStore* store) {
  HOURCELL_ASSIGN_OR_RETURN(const std::unique_ptr<LineReader> reader, LineReader::Open(path));
  UidLinesRead read;
  std::vector<UidRow> rows;
  const auto assign = [&]() -> absl::Status {
    HOURCELL_ASSIGN_OR_RETURN(Tsdb* const tsdb, store->Open());
    HOURCELL_RETURN_IF_ERROR(tsdb->names().AssignGivenUids(rows));
    read.mappings += rows.size();
    rows.clear();
    return absl::OkStatus();
  };
  Line line;
  while (true) {
    HOURCELL_ASSIGN_OR_RETURN(const bool more, reader->Next(&line));
    if (!more) break;
    absl::StatusOr<std::optional<UidRow>> row = ParseUidLine(line.text);
    if (!row.ok()) {
      return absl::InvalidArgumentError(fmt::format("{}:{}: {}", reader->name(), line.number,
                                                    std::string(row.status().message())));
    }
    if (!row->has_value()) {
      ++read.skipped;
      continue;
    }
    rows.push_back(**std::move(row));
    if (rows.size() == kMappingsAtOnce) HOURCELL_RETURN_IF_ERROR(assign());
  }
  if (!rows.empty()) HOURCELL_RETURN_IF_ERROR(assign());
  return read;
}

}  // namespace hourcell
