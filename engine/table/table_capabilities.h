// TableCapabilities: optional promises of a store of tables. The engine refuses a store without the
// promises it needs (engine/store/store_needs.h). The conformance suite
// (tests/engine/table/conformance) has a test of each promise, and runs it on each store that makes
// the promise.

#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace hourcell {

enum class TableCapability : uint8_t {
  kOrderedScans,   // scans and cursors meet rows in unsigned byte order, in both directions
  kMergeOperands,  // a merge is written without a read; reads return the merged value
  kSnapshots,      // all reads through a TableView see the moment at which it was made
  kAtomicGroups,   // a view and a restart see an applied group completely, or not at all
  kDurable,        // what Apply returned OK for is there when the store is opened again
  kByteCounts,     // ApproximateBytes and RegionUses follow writes
  kPinnedFiles,    // PinFiles: the tables are files that a backup can link
};

// "ordered scans", "snapshots": the name in errors.
std::string_view TableCapabilityName(TableCapability capability);

// A set of promises. A value.
class TableCapabilities {
 public:
  constexpr TableCapabilities(std::initializer_list<TableCapability> promised) {
    for (const TableCapability capability : promised)
      Add(capability);
  }

  constexpr void Add(TableCapability capability) { bits_ |= BitOf(capability); }
  constexpr bool Has(TableCapability capability) const { return (bits_ & BitOf(capability)) != 0; }

 private:
  static constexpr uint32_t BitOf(TableCapability capability) {
    return uint32_t{1} << static_cast<uint32_t>(capability);
  }

  uint32_t bits_ = 0;
};

}  // namespace hourcell
