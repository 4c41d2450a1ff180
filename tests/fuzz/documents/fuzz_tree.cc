#include <absl/status/status.h>

#include "codec/base/check.h"
#include "engine/trees/branch_id.h"
#include "engine/trees/tree_mapper.h"
#include "server/trees/tree_json.h"
#include "tests/fuzz/fuzz_input.h"

// The parser refuses the text of a tree as damage, or reads a tree. The tree is printed and read
// back without a change, and its rules give a series a bounded path.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hourcell;
  const absl::StatusOr<Tree> tree = ParseTree(1, InputText(data, size));
  if (!tree.ok()) {
    HOURCELL_CHECK(absl::IsDataLoss(tree.status()));
    return 0;
  }
  const absl::StatusOr<Tree> again = ParseTree(1, PrintTree(*tree));
  HOURCELL_CHECK(again.ok() && *again == *tree);
  const absl::StatusOr<TreeMapper> mapper = TreeMapper::Compile(*tree);
  HOURCELL_CHECK(mapper.ok());
  const CustomFields fields = {{"owner", "ann"}};
  const TreeTag tags[] = {
      {.key = "host", .value = "web01", .key_fields = &fields, .value_fields = &fields}};
  const TreePath path = mapper->PathOf(
      {.tsuid = "0102", .metric = "sys.cpu.0", .metric_fields = &fields, .tags = tags});
  HOURCELL_CHECK(path.branches.size() < kTreeDepthMax);
  HOURCELL_CHECK(path.is_placed != path.leaf.empty());
  return 0;
}
