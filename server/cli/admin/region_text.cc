#include "server/cli/admin/region_text.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <iterator>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace hourcell {
namespace {

constexpr size_t kRegionFields = 11;
// Fields with numbers and sizes are right-aligned.
constexpr std::array<bool, kRegionFields> kIsRight = {true, false, false, false, false, true,
                                                      true, true,  false, false, false};
using Row = std::array<std::string, kRegionFields>;

// "2013-01-01", in UTC.
std::string DayText(uint64_t ms) {
  const std::chrono::sys_time<std::chrono::milliseconds> time{
      std::chrono::milliseconds(static_cast<int64_t>(ms))};
  const std::chrono::year_month_day date(std::chrono::floor<std::chrono::days>(time));
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
}

std::string OrDash(const std::string& text) {
  return text.empty() ? "-" : text;
}

Row RowOf(const RegionRow& region, int64_t now_ms) {
  const bool is_pinned = now_ms >= 0 && region.pinned_until_ms > static_cast<uint64_t>(now_ms) &&
                         region.pinned_until_ms <= INT64_MAX;
  return {fmt::format("{}", region.id),
          region.encoded_name,
          OrDash(region.start),
          OrDash(region.end),
          region.state,
          fmt::format("{}", region.files),
          SizeText(region.file_bytes),
          SizeText(region.memory_bytes),
          region.has_references ? "yes" : "no",
          is_pinned ? "until " + DayText(region.pinned_until_ms) : "-",
          OrDash(region.explained)};
}

// Lines of the first `fields` fields of each row.
template <size_t N>
std::string Aligned(const std::vector<std::array<std::string, N>>& rows,
                    const std::array<bool, N>& is_right,
                    size_t fields) {
  std::array<size_t, N> widths = {};
  for (const auto& row : rows) {
    for (size_t i = 0; i < fields; ++i)
      widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const auto& row : rows) {
    for (size_t i = 0; i < fields; ++i) {
      if (i > 0) text += "  ";
      if (is_right[i]) {
        fmt::format_to(std::back_inserter(text), "{:>{}}", row[i], widths[i]);
      } else if (i + 1 < fields) {
        fmt::format_to(std::back_inserter(text), "{:<{}}", row[i], widths[i]);
      } else {
        text += row[i];
      }
    }
    text += '\n';
  }
  return text;
}

}  // namespace

std::string SizeText(uint64_t bytes) {
  constexpr std::array<std::string_view, 7> kUnits = {"B",   "KiB", "MiB", "GiB",
                                                      "TiB", "PiB", "EiB"};
  double size = static_cast<double>(bytes);
  size_t unit = 0;
  // A size that would be rounded to 1024 of one unit becomes 1.0 of the next.
  for (; size >= 1023.5 && unit + 1 < kUnits.size(); ++unit)
    size /= 1024;
  return unit == 0 || size >= 99.95 ? fmt::format("{:.0f} {}", size, kUnits[unit])
                                    : fmt::format("{:.1f} {}", size, kUnits[unit]);
}

std::string RegionTable(std::span<const RegionRow> regions, int64_t now_ms, bool with_words) {
  std::vector<Row> rows = {{"id", "encoded name", "start", "end", "state", "files", "size",
                            "memory", "references", "pinned", "begins with"}};
  for (const RegionRow& region : regions)
    rows.push_back(RowOf(region, now_ms));

  const size_t fields = with_words ? kRegionFields : kRegionFields - 1;
  return Aligned(rows, kIsRight, fields);
}

std::string PlanTable(std::span<const PlanRow> rows) {
  constexpr std::array<bool, 4> kIsRightOfPlan = {true, true, false, false};
  std::vector<std::array<std::string, 4>> texts = {{"size", "writes", "start", "begins with"}};
  for (const PlanRow& row : rows) {
    const std::string share =
        row.write_share.has_value() ? fmt::format("{:.0f} %", 100 * *row.write_share) : "-";
    texts.push_back({SizeText(row.bytes), share, OrDash(row.start), OrDash(row.explained)});
  }
  return Aligned(texts, kIsRightOfPlan, kIsRightOfPlan.size());
}

}  // namespace hourcell
