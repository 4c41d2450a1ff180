#include "engine/bigtable/rows/row_rewrite.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "codec/base/check.h"
#include "engine/rows/merge_operands.h"
#include "engine/rows/series_key.h"

namespace hourcell {
namespace {

using Operands = std::vector<const StoredOperand*>;

void DeleteQualifier(const std::string& qualifier, RowMutations* mutations) {
  auto& removal = *mutations->add_mutations()->mutable_delete_from_column();
  removal.set_family_name(std::string(kBigtableFamily));
  removal.set_column_qualifier(qualifier);
}

// Deletes only the old sets and deletes: concurrent writes stay.
void DeleteBasesBelow(uint64_t version, RowMutations* mutations) {
  auto& removal = *mutations->add_mutations()->mutable_delete_from_column();
  removal.set_family_name(std::string(kBigtableFamily));
  removal.set_column_qualifier(std::string(kBaseQualifier));
  removal.mutable_time_range()->set_start_timestamp_micros(MicrosOf(1));
  removal.mutable_time_range()->set_end_timestamp_micros(MicrosOf(version));
}

// True if the operand can be joined with those of the run.
bool Continues(const StoredRow& row,
               const VersionView& settled,
               const Operands& run,
               const StoredOperand& operand) {
  HOURCELL_DCHECK(run.front()->name.writer == operand.name.writer);
  HOURCELL_DCHECK(run.back()->name.last <= operand.name.last);
  const uint64_t first = run.front()->name.first;
  if (run.front()->name.cut != operand.name.cut) return false;
  if (settled.Hides(first, operand.name.last)) return false;
  return std::ranges::none_of(row.operands, [&](const StoredOperand& other) {
    return other.name.writer != operand.name.writer && other.name.last > first &&
           other.name.first < operand.name.last;
  });
}

void Join(TableId table, const Operands& run, RowMutations* mutations) {
  HOURCELL_DCHECK(run.size() > 1 && run.front()->name.first < run.back()->name.last);
  std::vector<std::string_view> values;
  for (const StoredOperand* const operand : run)
    values.push_back(operand->value);
  OperandName name = run.front()->name;
  name.last = run.back()->name.last;
  auto& cell = *mutations->add_mutations()->mutable_set_cell();
  cell.set_family_name(std::string(kBigtableFamily));
  cell.set_column_qualifier(EncodeOperandName(name));
  cell.set_timestamp_micros(MicrosOf(name.last));
  cell.set_value(MergedOperands(table, values));
  for (const StoredOperand* const operand : run)
    DeleteQualifier(EncodeOperandName(operand->name), mutations);
}

}  // namespace

bool LeavesNoMark(TableId table, std::string_view key) {
  return table == TableId::kSeries &&
         (key.starts_with(LogRowPrefix()) || key.starts_with(ActiveSetsPrefix()));
}

std::optional<RowMutations> RewriteOf(TableId table,
                                      const StoredRow& row,
                                      const VersionView& settled,
                                      uint64_t writer) {
  RowMutations mutations;
  mutations.set_row_key(row.key);
  const StoredBase* const base = BaseOf(row, settled);
  const bool is_mark = base != nullptr && !base->value.has_value();
  if (is_mark && LeavesNoMark(table, row.key)) {
    DeleteBasesBelow(base->version + 1, &mutations);
  } else if (base != nullptr && row.bases.back().version < base->version) {
    DeleteBasesBelow(base->version, &mutations);
  }
  const Operands above = OperandsAbove(row, settled, base);
  for (const StoredOperand& operand : row.operands) {
    const bool is_below = base != nullptr && operand.name.last <= base->version;
    const bool is_inside = std::ranges::any_of(above, [&](const StoredOperand* other) {
      return other != &operand && other->name.Covers(operand.name);
    });
    if (is_below || is_inside) DeleteQualifier(EncodeOperandName(operand.name), &mutations);
  }
  Operands run;
  const auto end_run = [&] {
    if (run.size() > 1) Join(table, run, &mutations);
    run.clear();
  };
  for (const StoredOperand* const operand : above) {
    if (operand->name.writer != writer) continue;
    if (!run.empty() && !Continues(row, settled, run, *operand)) end_run();
    run.push_back(operand);
  }
  end_run();
  if (mutations.mutations_size() == 0) return std::nullopt;
  return mutations;
}

}  // namespace hourcell
