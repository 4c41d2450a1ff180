#include "engine/hidden/hidden_writes.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "codec/base/status_macros.h"
#include "codec/cells/cell.h"
#include "engine/hidden/hidden_cell.h"
#include "engine/rows/deletion_row.h"

namespace hourcell {
namespace {

// The row of a delete's hidden points; an empty cell: none.
Mutation SetOfHidden(std::string_view row_key, uint64_t id, std::string cell) {
  return {.table = TableId::kSystem,
          .kind = Mutation::Kind::kSet,
          .key = HiddenRowKey(row_key, id),
          .value = std::move(cell)};
}

}  // namespace

bool MayHaveHiddenPoints(const HiddenPoints& hidden, std::span<const Mutation> group) {
  std::vector<HiddenPart> parts;
  return std::ranges::any_of(group, [&](const Mutation& write) {
    if (write.table != TableId::kData) return false;
    hidden.FindParts(write.key, &parts);
    return !parts.empty();
  });
}

absl::Status HiddenWrites::Divide(std::span<const Mutation> group,
                                  std::vector<Mutation>* changed,
                                  std::vector<Mutation>* others) {
  HOURCELL_RETURN_IF_ERROR(FindRows(group));
  if (rows_.empty()) return absl::OkStatus();
  HOURCELL_RETURN_IF_ERROR(ReadRows());
  for (auto& [key, row] : rows_)
    TakeOut(key, &row, changed);
  for (const Mutation& write : group) {
    const auto row = write.table == TableId::kData ? rows_.find(write.key) : rows_.end();
    if (row == rows_.end()) {
      others->push_back(write);
    } else {
      Change(write, &row->second);
    }
  }
  for (auto& [key, row] : rows_) {
    Mutation& write = changed->emplace_back();
    write.table = TableId::kData;
    write.kind = row.cell.has_value() ? Mutation::Kind::kSet : Mutation::Kind::kDelete;
    write.key = key;
    if (row.cell.has_value()) write.value = *std::move(row.cell);
  }
  return absl::OkStatus();
}

absl::Status HiddenWrites::FindRows(std::span<const Mutation> group) {
  for (const Mutation& write : group) {
    std::vector<HiddenPart> parts;
    if (write.table != TableId::kData || rows_.contains(write.key)) continue;
    HOURCELL_RETURN_IF_ERROR(hidden_.FindParts(write.key, &parts));
    if (!parts.empty()) rows_[write.key].parts = std::move(parts);
  }
  return absl::OkStatus();
}

absl::Status HiddenWrites::ReadRows() {
  std::vector<std::string> keys;
  for (const auto& [key, row] : rows_)
    keys.push_back(key);
  std::vector<std::optional<std::string>> cells;
  HOURCELL_RETURN_IF_ERROR(stored_.GetMany(TableId::kData, keys, &cells));
  size_t i = 0;
  for (auto& [key, row] : rows_)
    row.cell = std::move(cells[i++]);
  return absl::OkStatus();
}

void HiddenWrites::TakeOut(const std::string& key, Row* row, std::vector<Mutation>* changed) {
  const std::string stored = row->cell.value_or(std::string());
  std::optional<DividedCell> divided;
  if (row->cell.has_value()) divided = DivideCell(stored, row->parts);
  if (row->cell.has_value() && !divided.has_value()) {
    // A cell that does not decode belongs to the first delete that hides the whole row; without
    // one, readers still get its fault.
    const auto whole = std::ranges::find_if(row->parts, &HiddenPart::is_whole);
    for (auto part = row->parts.begin(); part != row->parts.end(); ++part)
      changed->push_back(SetOfHidden(key, part->id, part == whole ? stored : std::string()));
    if (whole != row->parts.end()) row->cell.reset();
    return;
  }
  for (const HiddenPart& part : row->parts) {
    std::string cell;
    if (divided.has_value() && divided->hidden.contains(part.id)) {
      AppendCellLike(stored, divided->hidden[part.id], &cell);
    }
    changed->push_back(SetOfHidden(key, part.id, std::move(cell)));
  }
  if (!divided.has_value() || divided->hidden.empty()) return;
  row->cell.reset();
  if (divided->left.size() > 0) AppendCellLike(stored, divided->left, &row->cell.emplace());
}

void HiddenWrites::Change(const Mutation& write, Row* row) {
  switch (write.kind) {
    case Mutation::Kind::kSet:
      row->cell = write.value;
      break;
    case Mutation::Kind::kDelete:
      row->cell.reset();
      break;
    case Mutation::Kind::kMerge: {
      const std::string_view later[] = {write.value};
      std::string merged;
      MergeCells(row->cell.value_or(std::string()), later, &merged);
      row->cell = std::move(merged);
      break;
    }
  }
}

}  // namespace hourcell
