#include "engine/bigtable/rows/group_stages.h"

#include <string_view>

#include <absl/container/flat_hash_map.h>

#include "codec/base/check.h"
#include "engine/bigtable/rows/stored_row.h"
#include "engine/rows/merge_operands.h"

namespace hourcell {
namespace {

bool IsUnordered(const Mutation& mutation) {
  return SpecOf(mutation.table).group_order == GroupOrder::kAny ||
         mutation.kind == Mutation::Kind::kMerge;
}

// True if the order of two adjacent mutations of one table does not matter (engine/table/tables.h).
bool MayGoTogether(const Mutation& before, const Mutation& mutation) {
  if (IsUnordered(before) && IsUnordered(mutation)) return true;
  if (SpecOf(mutation.table).group_order != GroupOrder::kByKind) return false;
  return before.kind == mutation.kind && before.key.substr(0, 1) == mutation.key.substr(0, 1);
}

// Applies a later mutation of the same row to `*row`.
void Fold(const Mutation& mutation, RowChange* row) {
  HOURCELL_DCHECK(row->key == mutation.key);
  if (mutation.kind != Mutation::Kind::kMerge) {
    row->kind = mutation.kind;
    row->value = mutation.value;
    return;
  }
  if (row->kind == Mutation::Kind::kDelete) {
    row->kind = Mutation::Kind::kSet;
    row->value = mutation.value;
    return;
  }
  const std::string_view both[] = {row->value, mutation.value};
  row->value = MergedOperands(mutation.table, both);
}

}  // namespace

std::vector<GroupStage> StagesOf(std::span<const Mutation> group) {
  std::vector<GroupStage> stages;
  absl::flat_hash_map<std::string_view, size_t> places;  // keys of the last stage
  const Mutation* before = nullptr;
  for (const Mutation& mutation : group) {
    const bool same_table = before != nullptr && before->table == mutation.table;
    const bool same_row =
        same_table && before->key == mutation.key && stages.back().rows.size() == 1;
    if (!same_row && !(same_table && MayGoTogether(*before, mutation))) {
      stages.push_back({.table = mutation.table});
      places.clear();
    }
    before = &mutation;
    std::vector<RowChange>& rows = stages.back().rows;
    const auto [place, is_new] = places.try_emplace(mutation.key, rows.size());
    if (is_new) {
      rows.push_back({.key = mutation.key, .kind = mutation.kind, .value = mutation.value});
    } else {
      Fold(mutation, &rows[place->second]);
    }
  }
  return stages;
}

}  // namespace hourcell
