#include "engine/scan/row_groups.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/status_macros.h"

namespace hourcell {
namespace {

constexpr size_t kHourBytes = 4;
// A node of the map without its key and totals: links, color, allocator's header.
constexpr size_t kNodeBytes = 64;

}  // namespace

absl::Status RowGroups::Add(const ScannedRow& row) {
  RowTotals* totals = nullptr;
  for (size_t i = 0; i < row.times.size(); ++i) {
    if (!Counts(row.times[i].ms, row.point_values[i])) continue;
    if (totals == nullptr) {
      SetKey(row);
      HOURCELL_RETURN_IF_ERROR(FindGroup(key_, &totals));
      totals->AddRow(row.key.size(), row.cell_bytes);
    }
    totals->AddPoint(row.times[i].ms, row.point_values[i]);
  }
  return absl::OkStatus();
}

absl::Status RowGroups::Merge(const RowGroups& from) {
  for (const auto& [key, totals] : from.groups_) {
    RowTotals* own = nullptr;
    HOURCELL_RETURN_IF_ERROR(FindGroup(key, &own));
    own->Merge(totals);
  }
  return absl::OkStatus();
}

RowTotals RowGroups::Total() const {
  RowTotals total;
  for (const auto& [key, totals] : groups_)
    total.Merge(totals);
  return total;
}

std::vector<RowGroup> RowGroups::Groups() const {
  std::vector<RowGroup> groups;
  if (spec_->group_by.empty()) return groups;
  groups.reserve(groups_.size());
  for (const auto& [key, totals] : groups_)
    groups.push_back(GroupOf(key, totals));
  return groups;
}

bool RowGroups::Counts(int64_t ms, Value value) const {
  return ms >= start_ms_ && ms <= end_ms_ &&
         std::ranges::all_of(spec_->values,
                             [value](const ValueTest& test) { return test.Accepts(value); });
}

void RowGroups::SetKey(const ScannedRow& row) {
  key_.clear();
  for (const RowGrouping& grouping : spec_->group_by) {
    switch (grouping.by) {
      case RowGroupBy::kMetric:
        key_.append(row.metric).push_back('\0');
        break;
      case RowGroupBy::kTag: {
        const auto tag = std::ranges::find(row.tags, grouping.tagk, &TagView::key);
        if (tag != row.tags.end()) key_.append(tag->value);
        key_.push_back('\0');
        break;
      }
      case RowGroupBy::kHour:
        AppendBigEndian(row.base_time_s, kHourBytes, &key_);
        break;
    }
  }
}

absl::Status RowGroups::FindGroup(std::string_view key, RowTotals** totals) {
  auto found = groups_.find(key);
  if (found == groups_.end()) {
    if (groups_.size() >= spec_->groups_max) {
      return absl::ResourceExhaustedError(
          fmt::format("groups: expected at most {}, got more; select fewer rows, or allow more "
                      "groups",
                      spec_->groups_max));
    }
    if (memory_ != nullptr) {
      HOURCELL_RETURN_IF_ERROR(memory_->Take(kNodeBytes + key.size() + sizeof(RowTotals)));
    }
    found = groups_.emplace(std::string(key), RowTotals()).first;
  }
  *totals = &found->second;
  return absl::OkStatus();
}

RowGroup RowGroups::GroupOf(std::string_view key, const RowTotals& totals) const {
  RowGroup group{.by = {}, .totals = totals};
  for (const RowGrouping& grouping : spec_->group_by) {
    if (grouping.by == RowGroupBy::kHour) {
      group.by.emplace_back(fmt::format("{}", LoadBigEndian(key.data(), kHourBytes)));
      key.remove_prefix(kHourBytes);
      continue;
    }
    const std::string_view name = key.substr(0, key.find('\0'));
    key.remove_prefix(name.size() + 1);
    group.by.push_back(name.empty() ? std::nullopt : std::optional<std::string>(name));
  }
  return group;
}

}  // namespace hourcell
