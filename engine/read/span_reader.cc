#include "engine/read/span_reader.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/check.h"
#include "codec/base/status_macros.h"
#include "codec/cells/cell.h"
#include "codec/cells/packed_cell.h"
#include "codec/limits.h"
#include "engine/table/retention.h"

// Why the threads make spans and not partial aggregates: in a query that the summaries of cells
// answer, four fifths of the time are steps from row to row. Partial aggregates would save a
// twentieth (engine/README.md).

namespace hourcell {
namespace {

// Fewer rows than this are not worth another thread.
constexpr size_t kRowsPerPart = 64;
// From this number of rows on a thread gets several parts, so that the others do not wait for it.
constexpr size_t kManyRows = 8192;
constexpr size_t kPartsPerThread = 4;

// Memory is taken of the lease in pieces of this.
constexpr size_t kLeaseBytes = 256 << 10;

// An upper bound of a cell's points, before decoding. Points of format 1 have several bytes.
uint64_t PointsAtMost(std::string_view cell) {
  return ReadPackedCount(cell).value_or(static_cast<uint32_t>(cell.size()));
}

bool HasSummary(std::string_view cell) {
  const absl::StatusOr<std::optional<CellSummary>> summary = ReadCellSummary(cell);
  return summary.ok() && summary->has_value();
}

// Memory of a point in CellColumns.
constexpr size_t kColumnPointBytes = sizeof(uint32_t) + sizeof(uint64_t) + sizeof(uint8_t);

}  // namespace

// The work of one thread: some of the series.
class SpanReader::Part {
 private:
  // The points of an hour that are in memory: of the columns of all, up to `end` and from the end
  // of the row before.
  struct OpenRow {
    uint32_t base_time_s = 0;
    size_t end = 0;
  };

  // The open rows of a series that were not added yet.
  struct OpenOfSeries {
    size_t next = 0;
    size_t end = 0;
  };

  // The working memory of a part. A thread keeps it for its next part.
  struct PartMemory {
    std::vector<OpenRow> open_rows;            // by series, by time
    CellColumns open_columns;                  // of the open rows, one after another
    std::vector<OpenOfSeries> open_of_series;  // empty without open rows
    CellColumns columns;                       // of the row being added

    static std::unique_ptr<PartMemory> Take() {
      std::unique_ptr<PartMemory> memory = std::move(kept);
      return memory != nullptr ? std::move(memory) : std::make_unique<PartMemory>();
    }
    static void GiveBack(std::unique_ptr<PartMemory> memory) {
      const size_t most =
          std::max({memory->open_rows.capacity(), memory->open_columns.bits.capacity(),
                    memory->open_of_series.capacity(), memory->columns.bits.capacity()});
      if (most > kKeptMax) return;
      memory->open_rows.clear();
      memory->open_columns.clear();
      memory->open_of_series.clear();
      kept = std::move(memory);
    }

   private:
    static constexpr size_t kKeptMax = 4096;  // of rows, of series, and of the points of each

    inline static thread_local std::unique_ptr<PartMemory> kept;  // null: it is in use
  };

 public:
  Part(const SpanReader& reader, std::span<const uint32_t> positions, bool is_large)
      : parts_(reader.parts_),
        settings_(reader.settings_),
        positions_(positions),
        uses_summaries_(MayUseSummaries(settings_.downsample, settings_.range)),
        rows_(*parts_.row_keys, parts_.view, parts_.meter, is_large) {}
  ~Part() { PartMemory::GiveBack(std::move(memory_)); }
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;

  // `spans` is of the part's series, in their order. Their builders are this part's.
  absl::Status Read(ReadMethod method, std::span<SeriesSpan> spans) {
    spans_ = spans;
    HOURCELL_RETURN_IF_ERROR(MakeBuilders());
    HOURCELL_RETURN_IF_ERROR(ReadOpenHours());
    const RowSelection selection{
        .list = settings_.list, .metric = settings_.metric, .series = positions_};
    const BlockReads before = parts_.view->block_reads_of_thread();
    HOURCELL_RETURN_IF_ERROR(
        rows_.Read(selection, settings_.stored, method,
                   [this](const RowReader::Row& row) { return AddStored(row); }));
    rows_.CountBlocks(before);
    if (!open_rows_.empty()) {
      for (size_t i = 0; i < positions_.size(); ++i)
        HOURCELL_RETURN_IF_ERROR(AddOpenBefore(i, UINT64_MAX));
    }
    HOURCELL_RETURN_IF_ERROR(rows_.Flush());
    return TakeMemory();
  }

  // Of the lease, until now.
  size_t taken_bytes() const { return taken_bytes_; }

  std::unique_ptr<SpanBuilders> TakeBuilders() { return std::move(builders_); }

 private:
  absl::Status MakeBuilders() {
    const size_t count = positions_.size();
    const size_t builder_bytes =
        MakeSpanBuilder(settings_.downsample, settings_.range)->allocated_bytes();
    grown_bytes_ = count * (kSeriesBytes + builder_bytes);
    HOURCELL_RETURN_IF_ERROR(TakeMemory());
    builders_ = MakeSpanBuilders(settings_.downsample, settings_.range, count);
    for (size_t i = 0; i < count; ++i)
      spans_[i].builder = &(*builders_)[i];
    return absl::OkStatus();
  }

  absl::Status ReadOpenHours() {
    const uint32_t begin_s =
        std::max(settings_.bounds.begin_s, FirstRowFromS(kDataRowSpan, settings_.visible_from_ms));
    absl::Status taken;
    const std::function<void(uint32_t, const CellColumns&)> add = [&](uint32_t base_time_s,
                                                                      const CellColumns& columns) {
      if (parts_.meter->is_quick()) taken.Update(TakeQuick(columns.size()));
      taken.Update(Grow(2 * (sizeof(OpenRow) + columns.size() * kColumnPointBytes)));
      if (!taken.ok()) return;
      if (!settings_.special_values && !has_open_specials_) {
        has_open_specials_ = HasSpecialValue(columns);
      }
      Append(columns, 0, columns.size(), &open_columns_);
      open_rows_.push_back({.base_time_s = base_time_s, .end = open_columns_.size()});
    };
    for (size_t i = 0; i < positions_.size(); ++i) {
      const size_t before = open_rows_.size();
      parts_.open_hours->Read(settings_.list->number(positions_[i]), begin_s,
                              settings_.bounds.end_s, parts_.pinned_at, add);
      HOURCELL_RETURN_IF_ERROR(taken);
      if (open_rows_.size() > before) {
        if (open_of_series_.empty()) {
          grown_bytes_ += positions_.size() * sizeof(OpenOfSeries);
          open_of_series_.resize(positions_.size());
        }
        open_of_series_[i] = {.next = before, .end = open_rows_.size()};
      }
      if (i % 1024 == 1023) HOURCELL_RETURN_IF_ERROR(parts_.meter->Check());
    }
    return TakeMemory();
  }

  // Adds the open rows of series `i` with a base time before `end_s`.
  absl::Status AddOpenBefore(size_t i, uint64_t end_s) {
    OpenOfSeries& open = open_of_series_[i];
    for (; open.next < open.end; ++open.next) {
      const OpenRow& row = open_rows_[open.next];
      if (row.base_time_s >= end_s) break;
      rows_.CountOpenRow();
      if (!has_open_specials_) {
        HOURCELL_RETURN_IF_ERROR(
            AddColumns(i, row.base_time_s, open_columns_, BeginOf(open.next), row.end));
        continue;
      }
      columns_.clear();
      AppendOpen(open.next);
      DropSpecialValues(&columns_);
      HOURCELL_RETURN_IF_ERROR(AddColumns(i, row.base_time_s, columns_, 0, columns_.size()));
    }
    return absl::OkStatus();
  }

  // The first point of an open row in open_columns_.
  size_t BeginOf(size_t row) const { return row == 0 ? 0 : open_rows_[row - 1].end; }

  bool HasOpenBefore(size_t i, uint64_t end_s) const {
    const OpenOfSeries& open = open_of_series_[i];
    return open.next < open.end && open_rows_[open.next].base_time_s < end_s;
  }

  // Appends the points of an open row to columns_. `shift_ms` is its base time less that of the
  // columns.
  void AppendOpen(size_t row, uint32_t shift_ms = 0) {
    const size_t before = columns_.size();
    Append(open_columns_, BeginOf(row), open_rows_[row].end, &columns_);
    if (shift_ms != 0) {
      for (size_t i = before; i < columns_.size(); ++i)
        columns_.offset_ms[i] += shift_ms;
    }
    CountColumns();
  }

  // Keeps the points of the part.
  static void KeepPart(const RowReader::Row& row, CellColumns* columns) {
    const auto offset = [&row](uint64_t time_s) { return (time_s - row.base_time_s) * 1000; };
    const auto begin = std::ranges::lower_bound(columns->offset_ms, offset(row.begin_s)) -
                       columns->offset_ms.begin();
    const auto end = std::ranges::lower_bound(columns->offset_ms, offset(row.end_s)) -
                     columns->offset_ms.begin();
    const auto keep = [begin, end](auto* values) {
      values->erase(values->begin() + end, values->end());
      values->erase(values->begin(), values->begin() + begin);
    };
    keep(&columns->offset_ms);
    keep(&columns->bits);
    keep(&columns->flags);
  }

  // Counts the memory of columns_.
  void CountColumns() {
    if (columns_.size() <= columns_counted_) return;
    grown_bytes_ += 2 * (columns_.size() - columns_counted_) * kColumnPointBytes;
    columns_counted_ = columns_.size();
  }

  absl::Status AddStored(const RowReader::Row& row) {
    bool is_open = false;  // a part is in memory, too
    const uint64_t end_s = row.base_time_s + uint64_t{row.hours} * kHourSpan.seconds;
    if (!open_rows_.empty()) {
      const uint64_t begin_s = row.is_part ? row.begin_s : row.base_time_s;
      HOURCELL_RETURN_IF_ERROR(AddOpenBefore(row.index, begin_s));
      is_open = HasOpenBefore(row.index, row.is_part ? row.end_s : end_s);
    }
    if (!is_open && !row.is_part && uses_summaries_) {
      const absl::StatusOr<bool> added = AddSummary(row);
      if (!added.ok()) return Damaged(row, added.status());
      if (*added) return grown_bytes_ < kLeaseBytes ? absl::OkStatus() : TakeMemory();
    }
    if (parts_.meter->is_quick()) HOURCELL_RETURN_IF_ERROR(TakeQuick(PointsAtMost(row.cell)));
    rows_.CountDecoded();
    columns_.clear();
    if (const absl::Status decoded = DecodeCell(row.cell, &columns_); !decoded.ok()) {
      return Damaged(row, decoded);
    }
    if (row.is_part) KeepPart(row, &columns_);
    if (is_open) {
      // Open points were written later, and win at an equal instant.
      OpenOfSeries& open = open_of_series_[row.index];
      while (HasOpenBefore(row.index, row.is_part ? row.end_s : end_s)) {
        const uint32_t base_time_s = open_rows_[open.next].base_time_s;
        AppendOpen(open.next++, (base_time_s - row.base_time_s) * 1000);
      }
      SortLastWins(&columns_);
    }
    // A cell has a summary if all its numbers are finite. Of few points it would be decoded again.
    if (is_open || columns_.size() <= kDecodedSummaryMax || !HasSummary(row.cell)) {
      DropSpecialValues(&columns_);
    }
    CountColumns();
    return AddColumns(row.index, row.base_time_s, columns_, 0, columns_.size());
  }

  void DropSpecialValues(CellColumns* columns) const {
    if (!settings_.special_values && HasSpecialValue(*columns)) RemoveSpecialValues(columns);
  }

  absl::StatusOr<bool> AddSummary(const RowReader::Row& row) {
    const int64_t base_ms = int64_t{row.base_time_s} * 1000;
    if (base_ms < settings_.visible_from_ms) return false;
    // Not moved out of the status: it has a hundred bytes.
    const absl::StatusOr<std::optional<CellSummary>> summary = ReadCellSummary(row.cell);
    if (!summary.ok()) return summary.status();
    if (!summary->has_value()) return false;
    const CellSummary& of_row = **summary;
    SeriesSpan& span = spans_[row.index];
    const size_t before = span.builder->allocated_bytes();
    if (!span.builder->AddSummary(base_ms, of_row)) return false;
    grown_bytes_ += span.builder->allocated_bytes() - before;
    span.has_points = true;
    rows_.CountPoints(of_row.count);
    return true;
  }

  // Adds the points of the columns at [first, end) that are not expired.
  absl::Status AddColumns(
      size_t i, uint32_t base_time_s, const CellColumns& columns, size_t first, size_t end) {
    const int64_t base_ms = int64_t{base_time_s} * 1000;
    if (base_ms < settings_.visible_from_ms) {
      const std::span<const uint32_t> offsets =
          std::span(columns.offset_ms).subspan(first, end - first);
      first += static_cast<size_t>(
          std::ranges::lower_bound(offsets, settings_.visible_from_ms - base_ms) - offsets.begin());
    }
    if (first == end) return absl::OkStatus();
    SpanBuilder& builder = *spans_[i].builder;
    MemoryHold growth(parts_.memory);  // of a large span, which is moved when it grows
    if (const size_t bytes = builder.GrowthBytes(end - first); bytes > kLeaseBytes) {
      HOURCELL_RETURN_IF_ERROR(growth.Take(bytes));
    }
    const size_t before = builder.allocated_bytes();
    builder.AddRow(base_ms, columns, first, end);
    const size_t grown = builder.allocated_bytes() - before;
    growth.GiveBack(growth.bytes());
    spans_[i].has_points = true;
    rows_.CountPoints(end - first);
    return Grow(grown);
  }

  // The points of `from` at [begin, end).
  static void Append(const CellColumns& from, size_t begin, size_t end, CellColumns* to) {
    const auto append = [begin, end](const auto& values, auto* all) {
      all->insert(all->end(), values.begin() + static_cast<ptrdiff_t>(begin),
                  values.begin() + static_cast<ptrdiff_t>(end));
    };
    append(from.offset_ms, &to->offset_ms);
    append(from.bits, &to->bits);
    append(from.flags, &to->flags);
  }

  absl::Status Damaged(const RowReader::Row& row, const absl::Status& fault) const {
    std::string key;
    parts_.row_keys->Append(settings_.list->tsuid(positions_[row.index]), row.base_time_s, &key);
    return absl::DataLossError(fmt::format("row {}: {}", ToHex(key), fault.ToString()));
  }

  // Points that are decoded; without downsampling the sink is given as many.
  absl::Status TakeQuick(uint64_t points) {
    const bool is_given = !settings_.downsample.has_value();
    return parts_.meter->TakeQuickPoints(is_given ? points * (1 + kQuickPointsOfGiven) : points);
  }

  absl::Status Grow(size_t bytes) {
    grown_bytes_ += bytes;
    return grown_bytes_ < kLeaseBytes ? absl::OkStatus() : TakeMemory();
  }

  absl::Status TakeMemory() {
    const size_t bytes = std::exchange(grown_bytes_, 0);
    HOURCELL_RETURN_IF_ERROR(parts_.memory->Take(bytes));
    taken_bytes_ += bytes;
    return absl::OkStatus();
  }

  const Parts& parts_;
  const Settings& settings_;
  const std::span<const uint32_t> positions_;
  const bool uses_summaries_;
  RowReader rows_;
  std::span<SeriesSpan> spans_;
  std::unique_ptr<SpanBuilders> builders_;
  std::unique_ptr<PartMemory> memory_ = PartMemory::Take();
  std::vector<OpenRow>& open_rows_ = memory_->open_rows;
  CellColumns& open_columns_ = memory_->open_columns;
  bool has_open_specials_ = false;  // some have special values, to be dropped
  std::vector<OpenOfSeries>& open_of_series_ = memory_->open_of_series;
  CellColumns& columns_ = memory_->columns;
  size_t columns_counted_ = 0;  // points they have been counted for
  size_t grown_bytes_ = 0;      // not yet taken of the lease
  size_t taken_bytes_ = 0;
};

// The order in which series are shared out among parts: indexes into `positions`.
std::vector<uint32_t> SpanReader::OrderOf(std::span<const uint32_t> positions,
                                          ReadMethod method,
                                          size_t parts) const {
  std::vector<uint32_t> order(positions.size());
  std::iota(order.begin(), order.end(), 0);
  HOURCELL_DCHECK(parts > 0 && parts <= positions.size());
  const RowKeyCodec& row_keys = *parts_.row_keys;
  // Those of the last hours: of others it is as good a way to share out series as any.
  const uint32_t buckets_in_force = row_keys.salt_epochs().BucketsAt(settings_.stored.end_s());
  const bool by_bucket = settings_.division == ReadDivision::kByBucket && buckets_in_force > 1;
  // A row that is read by its key costs the same in any part.
  if (!by_bucket || parts == 1 || method == ReadMethod::kPointReads) return order;
  // By bucket, and by index in each: a stable sort by counts.
  std::vector<uint32_t> buckets(positions.size());
  std::vector<uint32_t> begins(buckets_in_force + 1);  // of each bucket in `order`
  for (size_t i = 0; i < positions.size(); ++i) {
    buckets[i] = row_keys.BucketOf(settings_.list->tsuid(positions[i]), buckets_in_force);
    ++begins[buckets[i] + 1];
  }
  std::partial_sum(begins.begin(), begins.end(), begins.begin());
  for (uint32_t i = 0; i < positions.size(); ++i)
    order[begins[buckets[i]]++] = i;
  return order;
}

absl::Status SpanReader::Read(std::span<const uint32_t> positions,
                              ReadMethod method,
                              bool is_large,
                              SpanBatch* batch,
                              size_t* bytes) {
  batch->spans.assign(positions.size(), {});
  batch->builders.clear();
  *bytes = 0;
  if (positions.empty()) return absl::OkStatus();
  const size_t rows = (settings_.stored.rows() + 1) * positions.size();
  const size_t threads = parts_.pool->threads();
  const size_t wanted = rows < kManyRows ? threads : threads * kPartsPerThread;
  const size_t count =
      std::clamp<size_t>(rows / kRowsPerPart, 1, std::min(wanted, positions.size()));
  if (count == 1) {
    Part part(*this, positions, is_large);
    const absl::Status done = part.Read(method, batch->spans);
    *bytes = part.taken_bytes();
    batch->builders.push_back(part.TakeBuilders());
    return done;
  }
  const std::vector<uint32_t> order = OrderOf(positions, method, count);
  std::vector<absl::Status> done(count);
  std::vector<size_t> taken(count);
  batch->builders.resize(count);
  parts_.pool->ForEach(count, [&](size_t i) {
    const size_t begin = positions.size() * i / count;
    const size_t end = positions.size() * (i + 1) / count;
    std::vector<uint32_t> indices(order.begin() + static_cast<ptrdiff_t>(begin),
                                  order.begin() + static_cast<ptrdiff_t>(end));
    std::ranges::sort(indices);
    std::vector<uint32_t> of_part;
    of_part.reserve(indices.size());
    for (const uint32_t index : indices)
      of_part.push_back(positions[index]);
    std::vector<SeriesSpan> read(indices.size());
    Part part(*this, of_part, is_large);
    done[i] = part.Read(method, read);
    taken[i] = part.taken_bytes();
    batch->builders[i] = part.TakeBuilders();
    for (size_t k = 0; k < indices.size(); ++k)
      batch->spans[indices[k]] = read[k];
  });
  for (size_t i = 0; i < count; ++i) {
    *bytes += taken[i];
    HOURCELL_RETURN_IF_ERROR(done[i]);
  }
  return absl::OkStatus();
}

}  // namespace hourcell
