#include "engine/rocks/rocks_merge.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "codec/base/check.h"
#include "engine/rocks/rocks_slice.h"
#include "engine/rows/merge_operands.h"

// Why row compaction is a merge operator: OpenTSDB writes each point as a cell, and reads, rewrites
// and deletes an hour later, which causes a storm of reads at the top of the hour. RocksDB rewrites
// its files anyway, so the work costs no extra read. A merge that fails stops the whole store in
// RocksDB 7.8.3, and damage in one row must not. Rejected: read, modify, write, which reads for
// every point; one key for each point, which repeats the row key (docs/decisions/0002).

namespace hourcell {
namespace {

// A merge operator whose full and partial merges are the same function of a list of values.
class ListMergeOperator : public rocksdb::MergeOperator {
 public:
  ListMergeOperator(const char* name, TableMerge merge)
      : name_(name), merge_(OperandMergeOf(merge)) {}

  const char* Name() const override { return name_; }

  bool FullMergeV2(const MergeOperationInput& in, MergeOperationOutput* out) const override {
    std::vector<std::string_view> list;
    list.reserve(in.operand_list.size() + 1);
    if (in.existing_value != nullptr) list.push_back(ToView(*in.existing_value));
    for (const rocksdb::Slice& operand : in.operand_list)
      list.push_back(ToView(operand));
    out->new_value.clear();
    merge_(list, &out->new_value);
    return true;
  }

  bool PartialMergeMulti(const rocksdb::Slice& /*key*/,
                         const std::deque<rocksdb::Slice>& operands,
                         std::string* new_value,
                         rocksdb::Logger* /*logger*/) const override {
    std::vector<std::string_view> list;
    list.reserve(operands.size());
    for (const rocksdb::Slice& operand : operands)
      list.push_back(ToView(operand));
    new_value->clear();
    merge_(list, new_value);
    return true;
  }

 private:
  const char* const name_;
  const OperandMerge merge_;
};

}  // namespace

// The names are frozen: files of tables have them.
std::shared_ptr<rocksdb::MergeOperator> NewMergeOperator(TableMerge merge) {
  switch (merge) {
    case TableMerge::kNone:
      return nullptr;
    case TableMerge::kPostings:
      return std::make_shared<ListMergeOperator>("hourcell.posting", merge);
    case TableMerge::kCells:
      return std::make_shared<ListMergeOperator>("hourcell.row", merge);
  }
  HOURCELL_CHECK(false);
}

}  // namespace hourcell
