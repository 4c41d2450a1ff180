#include "engine/bigtable/writer/id_ranges.h"

#include <optional>
#include <utility>

#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/check.h"
#include "codec/base/kill_point.h"
#include "codec/base/status_macros.h"
#include "engine/bigtable/writer/system_rows.h"
#include "engine/rows/key_range.h"
#include "engine/rows/series_key.h"
#include "engine/rows/uid_key.h"

// Chunk sizes: a crash wastes one chunk of each counter, and the 16 million UIDs of three bytes
// must suffice for all crashes in a store's life; reserving a range costs a call. Metrics and tag
// keys are few.

namespace hourcell {
namespace {

// Decodes the ID range in a page with one row.
absl::StatusOr<IdRange> IdRangeOf(const BigtablePage& page) {
  if (page.rows[0].cells.empty()) return absl::DataLossError("bigtable: a range without a cell");
  return DecodeIdRange(page.rows[0].cells[0].value);
}

}  // namespace

IdRanges::IdRanges(BigtableClient* client, uint64_t writer)
    : client_(*client),
      writer_(writer),
      system_(ClusterTable(client->options().table_prefix)),
      counters_{
          {TableId::kUid, UidCounterKey(UidKind::kMetric), "metric", 16},
          {TableId::kUid, UidCounterKey(UidKind::kTagk), "tagk", 16},
          {TableId::kUid, UidCounterKey(UidKind::kTagv), "tagv", 256},
          {TableId::kSeries, SeriesCounterKey(), "series", 4096},
      } {}

absl::StatusOr<std::vector<Mutation>> IdRanges::Open(bool has_clean_past, TableView* view) {
  MutexLock lock(&mutex_);
  HOURCELL_DCHECK(std::ranges::all_of(counters_, [](const Counter& c) { return c.reserved == 0; }));
  std::vector<Mutation> moved;
  for (Counter& counter : counters_)
    HOURCELL_RETURN_IF_ERROR(OpenOne(has_clean_past, view, &counter, &moved));
  return moved;
}

absl::Status IdRanges::OpenOne(bool has_clean_past,
                               TableView* view,
                               Counter* counter,
                               std::vector<Mutation>* moved) {
  const std::string prefix = IdRangePrefix(counter->name);
  HOURCELL_ASSIGN_OR_RETURN(
      const BigtablePage page,
      client_.Read(system_, {.range = PrefixRange(prefix), .reversed = true, .rows_max = 1}));
  if (page.rows.empty()) return absl::OkStatus();
  HOURCELL_ASSIGN_OR_RETURN(
      uint64_t chunk,
      DecodeNumber(std::string_view(page.rows[0].key).substr(prefix.size()), "an ID range"));
  HOURCELL_ASSIGN_OR_RETURN(IdRange range, IdRangeOf(page));
  chunk += range.chunks;
  if (has_clean_past) {
    counter->reserved = chunk * counter->chunk;
    return absl::OkStatus();
  }
  // A range that an earlier writer reserved may still appear at any time.
  for (range.owner = 0; range.owner != writer_;) {
    HOURCELL_ASSIGN_OR_RETURN(range, Reserve(*counter, chunk, 1));
    chunk += range.chunks;
  }
  counter->reserved = chunk * counter->chunk;
  const uint64_t past = counter->reserved - counter->chunk;
  HOURCELL_ASSIGN_OR_RETURN(const std::optional<std::string> value,
                            view->Get(counter->table, counter->key));
  uint64_t number = 0;
  if (value.has_value()) {
    HOURCELL_ASSIGN_OR_RETURN(number, DecodeNumber(*value, counter->name + " counter"));
  }
  if (number < past) {
    moved->push_back({counter->table, Mutation::Kind::kSet, counter->key, EncodeNumber(past)});
  }
  return absl::OkStatus();
}

absl::StatusOr<IdRange> IdRanges::Reserve(const Counter& counter, uint64_t chunk, uint64_t count) {
  HOURCELL_DCHECK(count > 0);
  constexpr int kTriesMax = 5;
  const std::string row = IdRangeRow(counter.name, chunk);
  const IdRange wanted = {.owner = writer_, .chunks = count};
  const RowMutations range =
      SystemCell(row, kSystemQualifier, writer_, EncodeIdRange(wanted), /*replace=*/false);
  for (int i = 0; i < kTriesMax; ++i) {
    HOURCELL_KILL_POINT("id_range:before_write");
    const absl::StatusOr<bool> is_set = client_.SetIfAbsent(system_, range);
    HOURCELL_KILL_POINT("id_range:written");
    if (is_set.ok() && *is_set) return wanted;
    if (!is_set.ok() && !absl::IsUnavailable(is_set.status())) return is_set.status();
    HOURCELL_ASSIGN_OR_RETURN(const BigtablePage page, client_.Read(system_, {.keys = {row}}));
    if (page.rows.empty() || page.rows[0].cells.empty()) continue;  // the range was not written
    return IdRangeOf(page);
  }
  return absl::UnavailableError(
      fmt::format("bigtable: numbers of the {} counter could not be "
                  "reserved",
                  counter.name));
}

absl::Status IdRanges::ReserveFor(std::span<const Mutation> group) {
  for (const Mutation& mutation : group) {
    if (mutation.kind != Mutation::Kind::kSet || mutation.value.size() != 8 ||
        !SpecOf(mutation.table).has_counters) {
      continue;
    }
    MutexLock lock(&mutex_);
    for (Counter& counter : counters_) {
      if (counter.table != mutation.table || counter.key != mutation.key) continue;
      const uint64_t number = LoadBigEndian(mutation.value.data(), 8);
      // One iteration, unless an earlier attempt without an answer reserved a smaller range.
      while (counter.reserved < number) {
        const uint64_t count = (number - counter.reserved - 1) / counter.chunk + 1;
        HOURCELL_DCHECK(counter.reserved % counter.chunk == 0);
        HOURCELL_ASSIGN_OR_RETURN(const IdRange range,
                                  Reserve(counter, counter.reserved / counter.chunk, count));
        if (range.owner != writer_) {
          return absl::FailedPreconditionError(fmt::format(
              "another process gives out numbers of the {} counter; this one must be started again",
              counter.name));
        }
        counter.reserved += range.chunks * counter.chunk;
      }
      HOURCELL_DCHECK(counter.reserved % counter.chunk == 0);
    }
  }
  return absl::OkStatus();
}

}  // namespace hourcell
