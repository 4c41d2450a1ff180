#include "engine/regions/live/initial_regions.h"

#include <fstream>
#include <iterator>
#include <utility>
#include <vector>

#include <absl/status/statusor.h>
#include <fmt/format.h>

#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "engine/regions/presplit/presplit.h"
#include "engine/regions/region_info.h"

// Why a new store may be pre-split: all writes go to one region until it is large enough to be cut,
// and a user who knows the keys knows the cuts. It is done before the first row, since a store that
// has rows needs a rolling split.

namespace hourcell {
namespace {

absl::StatusOr<std::string> ReadSplitsFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  const std::streamoff size = file ? static_cast<std::streamoff>(file.tellg()) : -1;
  if (size < 0 || static_cast<uint64_t>(size) > kSplitTextBytesMax) {
    return absl::InvalidArgumentError(
        fmt::format("tsd.region.presplit: {}: expected a file of at most {} bytes that can be read",
                    QuoteForMessage(path), kSplitTextBytesMax));
  }
  file.seekg(0);
  return std::string(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
}

}  // namespace

absl::Status PresplitIfNew(const std::string& specification,
                           const Layout& layout,
                           uint64_t now_ms,
                           std::string_view engine,
                           TableStore* store) {
  if (specification.empty()) return absl::OkStatus();
  HOURCELL_ASSIGN_OR_RETURN(const std::vector<RegionUse> uses, store->RegionUses(TableId::kData));
  if (uses.size() > 1) return absl::OkStatus();
  HOURCELL_ASSIGN_OR_RETURN(const PresplitSpec spec, ParsePresplit(specification));
  std::string text;
  if (spec.kind == PresplitSpec::Kind::kFile) {
    HOURCELL_ASSIGN_OR_RETURN(text, ReadSplitsFile(spec.path));
  }
  HOURCELL_ASSIGN_OR_RETURN(std::vector<std::string> keys, PresplitKeys(spec, layout, text));
  RegionStore* const regions = store->regions();
  if (regions == nullptr) return NoRegionStore(engine);
  // They may fill at any time later; until then they are not merged for being small.
  const absl::Status cut = regions->Presplit(
      TableId::kData, {.keys = std::move(keys), .pinned_until_ms = now_ms + kPinnedMs});
  // It has rows: not a new one.
  return absl::IsFailedPrecondition(cut) ? absl::OkStatus() : cut;
}

}  // namespace hourcell
