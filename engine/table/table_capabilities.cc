#include "engine/table/table_capabilities.h"

#include "codec/base/check.h"

namespace hourcell {

std::string_view TableCapabilityName(TableCapability capability) {
  switch (capability) {
    case TableCapability::kOrderedScans:
      return "ordered scans";
    case TableCapability::kMergeOperands:
      return "merge operands";
    case TableCapability::kSnapshots:
      return "snapshots";
    case TableCapability::kAtomicGroups:
      return "atomic groups";
    case TableCapability::kDurable:
      return "durable rows";
    case TableCapability::kByteCounts:
      return "byte counts";
    case TableCapability::kPinnedFiles:
      return "pinned files";
  }
  HOURCELL_CHECK(false);
}

}  // namespace hourcell
