// The cost of order in a scan over salt buckets: 20 sources merged by their original keys, compared
// with one stream of the same rows, in memory.
//
//   merge_bench --benchmark_filter=Blocks
//
// Rows lie in arrays (a scan that costs only memory access), or in blocks with shared prefixes, as
// in RocksDB's data blocks: the decoding of an iterator over a cache, without its other work.
// `of_one_stream` is the processor time of the merge relative to the stream, `without_order` that
// of one bucket after the other; all in the same run.

#include <time.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <benchmark/benchmark.h>

#include "codec/base/bytes.h"
#include "codec/base/check.h"
#include "codec/base/random.h"
#include "codec/base/varint.h"
#include "engine/regions/keys/prefix_distributor.h"
#include "engine/scan/merge_cursor.h"

namespace hourcell {
namespace {

constexpr uint64_t kBuckets = 20;
constexpr size_t kSeries = 10'000;
constexpr size_t kHours = 100;
constexpr size_t kRows = kSeries * kHours;
constexpr size_t kValueBytes = 64;  // of a small packed cell
constexpr size_t kRestartRows = 16;
// The processor does not prefetch more than 20 streams, so a source reads two rows ahead.
constexpr ptrdiff_t kReadAheadBytes = 160;

double CpuSeconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// Rows one after the other: length of the key, key, value.
class ArrayRows {
 public:
  void Append(std::string_view key) {
    bytes_.push_back(static_cast<char>(key.size()));
    bytes_.append(key);
    bytes_.append(kValueBytes, static_cast<char>(bytes_.size()));
  }

  class Cursor {
   public:
    explicit Cursor(const ArrayRows& rows)
        : at_(rows.bytes_.data()), end_(rows.bytes_.data() + rows.bytes_.size()) {}
    bool Valid() const { return at_ != end_; }
    std::string_view key() const { return {at_ + 1, static_cast<size_t>(*at_)}; }
    std::string_view value() const { return {at_ + 1 + *at_, kValueBytes}; }
    void Next() {
      at_ += 1 + *at_ + static_cast<ptrdiff_t>(kValueBytes);
      __builtin_prefetch(at_ + kReadAheadBytes);
    }

   private:
    const char* at_;
    const char* end_;
  };

 private:
  std::string bytes_;
};

// Rows as: bytes shared with the key before, other bytes of the key, bytes of the value (varints),
// the other bytes, the value. Every 16th key is whole.
class BlockRows {
 public:
  void Append(std::string_view key) {
    const size_t shared = rows_++ % kRestartRows == 0 ? 0 : SharedBytes(last_, key);
    AppendVarint(shared, &bytes_);
    AppendVarint(key.size() - shared, &bytes_);
    AppendVarint(kValueBytes, &bytes_);
    bytes_.append(key.substr(shared));
    bytes_.append(kValueBytes, static_cast<char>(bytes_.size()));
    last_.assign(key);
  }

  class Cursor {
   public:
    explicit Cursor(const BlockRows& rows)
        : at_(reinterpret_cast<const uint8_t*>(rows.bytes_.data())),
          end_(at_ + rows.bytes_.size()) {
      Next();
    }
    bool Valid() const { return is_valid_; }
    std::string_view key() const { return key_; }
    std::string_view value() const { return value_; }
    void Next() {
      is_valid_ = at_ != end_;
      if (!is_valid_) return;
      uint64_t shared = 0;
      uint64_t other = 0;
      uint64_t value = 0;
      at_ = LoadVarint(at_, end_, &shared);
      at_ = LoadVarint(at_, end_, &other);
      at_ = LoadVarint(at_, end_, &value);
      key_.resize(shared);
      key_.append(reinterpret_cast<const char*>(at_), other);
      at_ += other;
      value_ = {reinterpret_cast<const char*>(at_), value};
      at_ += value;
      __builtin_prefetch(at_ + kReadAheadBytes);
    }

   private:
    const uint8_t* at_;
    const uint8_t* end_;
    std::string key_;
    std::string_view value_;
    bool is_valid_ = false;
  };

 private:
  std::string bytes_;
  std::string last_;
  size_t rows_ = 0;
};

// Row keys of one metric without salt, in order: hours, in each of them the series.
std::vector<std::string> RowKeys() {
  std::vector<std::string> keys;
  keys.reserve(kRows);
  for (size_t hour = 0; hour < kHours; ++hour) {
    for (size_t series = 0; series < kSeries; ++series) {
      std::string& key = keys.emplace_back("\1\2\3");
      AppendBigEndian(1'356'998'400 + hour * 3600, 4, &key);
      AppendBigEndian(1, 3, &key);
      AppendBigEndian(series * 7, 3, &key);
    }
  }
  return keys;
}

// The same rows in one stream and in buckets by OpenTSDB's salt.
template <typename Rows>
struct Table {
  Rows stream;
  std::vector<Rows> buckets = std::vector<Rows>(kBuckets);
};

template <typename Rows>
const Table<Rows>& TableOf() {
  static const Table<Rows>* const table = [] {
    static Table<Rows> made;
    Layout layout;
    layout.salt_width = 1;
    layout.salt_buckets = kBuckets;
    const auto salt = MakeSeriesSalt(layout);
    HOURCELL_CHECK(salt.ok());
    std::string stored;
    for (const std::string& key : RowKeys()) {
      HOURCELL_CHECK((*salt)->Encode(key, &stored).ok());
      made.stream.Append(std::string(1, '\0') + key);
      made.buckets[static_cast<size_t>(stored[0])].Append(stored);
    }
    return &made;
  }();
  return *table;
}

// Uses a row with the least work that the compiler cannot remove.
struct Sink {
  uint64_t rows = 0;
  uint64_t bytes = 0;
  uint64_t order = 14695981039346656037U;  // differs if rows come in another order

  template <bool kOrdered>
  void Take(std::string_view key, std::string_view value) {
    ++rows;
    bytes += static_cast<uint8_t>(value.front()) + key.size();
    const uint64_t tail = LoadBigEndian(key.data() + key.size() - 4, 4);
    if constexpr (kOrdered) order = (order ^ tail) * 1099511628211;
  }
};

template <typename Rows>
uint64_t ScanStream(const Table<Rows>& table) {
  Sink sink;
  for (typename Rows::Cursor cursor(table.stream); cursor.Valid(); cursor.Next())
    sink.Take<true>(cursor.key().substr(1), cursor.value());
  HOURCELL_CHECK(sink.rows == kRows);
  return sink.order;
}

template <typename Rows>
std::vector<typename Rows::Cursor> CursorsOf(const Table<Rows>& table) {
  std::vector<typename Rows::Cursor> cursors;
  for (const Rows& rows : table.buckets)
    cursors.emplace_back(rows);
  return cursors;
}

template <typename Rows>
uint64_t ScanMerged(const Table<Rows>& table) {
  std::vector<typename Rows::Cursor> cursors = CursorsOf(table);
  Sink sink;
  for (MergeCursor<typename Rows::Cursor> merge(cursors, {.prefix_bytes = 1}); merge.Valid();
       merge.Next())
    sink.Take<true>(merge.key(), merge.source().value());
  HOURCELL_CHECK(sink.rows == kRows);
  return sink.order;
}

template <typename Rows>
uint64_t ScanWithoutOrder(const Table<Rows>& table) {
  Sink sink;
  for (typename Rows::Cursor& cursor : CursorsOf(table)) {
    for (; cursor.Valid(); cursor.Next())
      sink.Take<false>(cursor.key().substr(1), cursor.value());
  }
  HOURCELL_CHECK(sink.rows == kRows);
  return sink.bytes;
}

// Processor seconds of the fastest of several runs.
template <typename Run>
double QuickestOf(int runs, Run run) {
  double quickest = 1e9;
  for (int i = 0; i < runs; ++i) {
    const double begin = CpuSeconds();
    benchmark::DoNotOptimize(run());
    quickest = std::min(quickest, CpuSeconds() - begin);
  }
  return quickest;
}

template <typename Rows>
void BM_Merge(benchmark::State& state) {
  const Table<Rows>& table = TableOf<Rows>();
  HOURCELL_CHECK(ScanMerged(table) == ScanStream(table));
  for (auto _ : state)
    benchmark::DoNotOptimize(ScanMerged(table));

  const double stream_s = QuickestOf(5, [&] { return ScanStream(table); });
  const double merged_s = QuickestOf(5, [&] { return ScanMerged(table); });
  const double without_order_s = QuickestOf(5, [&] { return ScanWithoutOrder(table); });
  state.counters["of_one_stream"] = merged_s / stream_s;
  state.counters["without_order"] = without_order_s / stream_s;
  state.counters["stream_ns_per_row"] = stream_s * 1e9 / kRows;
  state.counters["merge_ns_per_row"] = merged_s * 1e9 / kRows;
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(kRows));
}

BENCHMARK(BM_Merge<ArrayRows>)->Name("BM_Arrays")->Unit(benchmark::kMillisecond);
BENCHMARK(BM_Merge<BlockRows>)->Name("BM_Blocks")->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace hourcell

BENCHMARK_MAIN();
