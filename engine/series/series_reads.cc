#include "engine/series/series_reads.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "codec/base/status_macros.h"
#include "engine/rows/key_range.h"
#include "engine/series/series_rows.h"

namespace hourcell {

absl::Status AppendPostings(Tables* tables,
                            const std::string& prefix,
                            SeriesNumber from,
                            std::vector<SeriesNumber>* numbers,
                            MemoryHold* hold) {
  ScanRange range = PrefixRange(prefix);
  if (from > 0) AppendPostingChunk(from, &range.begin);
  const size_t held = hold == nullptr ? 0 : hold->bytes();
  const auto count = [&] {
    return hold == nullptr ? absl::OkStatus()
                           : hold->Set(held + numbers->capacity() * sizeof(SeriesNumber));
  };
  HOURCELL_RETURN_IF_ERROR(count());  // those that are there already
  absl::Status failure;
  const absl::Status scanned = tables->Snapshot()->Scan(
      TableId::kSeries, range, [&](std::string_view key, std::string_view set) {
        const absl::StatusOr<uint64_t> chunk = PostingChunk(key, prefix.size());
        failure = chunk.ok() ? DecodePosting(set, *chunk, numbers) : chunk.status();
        if (failure.ok()) failure = count();
        return failure.ok();
      });
  return failure.ok() ? scanned : failure;
}

absl::Status ReadBlocks(Tables* tables,
                        std::span<const SeriesNumber> numbers,
                        std::span<const size_t> places,
                        std::vector<std::string>* tsuids) {
  std::vector<size_t> by_number(places.begin(), places.end());
  std::ranges::sort(by_number, {}, [numbers](size_t place) { return numbers[place]; });
  const std::unique_ptr<TableView> view = tables->Snapshot();
  std::vector<std::string> keys;
  std::vector<std::optional<std::string>> values;
  std::vector<std::string_view> block;
  for (auto next = by_number.begin(); next != by_number.end();) {
    keys.clear();
    auto after = next;
    for (; after != by_number.end(); ++after) {
      std::string key = BlockKey(numbers[*after]);
      if (!keys.empty() && keys.back() == key) continue;
      if (keys.size() == kBlocksAtOnce) break;
      keys.push_back(std::move(key));
    }
    HOURCELL_RETURN_IF_ERROR(view->GetMany(TableId::kSeries, keys, &values));
    for (size_t i = 0; i < keys.size(); ++i) {
      HOURCELL_RETURN_IF_ERROR(ParseBlock(keys[i], values[i], &block));
      for (; next != after && BlockKey(numbers[*next]) == keys[i]; ++next)
        (*tsuids)[*next] = block[numbers[*next] % kBlockSeries];
    }
  }
  return absl::OkStatus();
}

}  // namespace hourcell
