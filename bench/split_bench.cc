// The time for which a split or merge of a region blocks other work.
//
//   split_bench [--mb=1024] [--others=0] [--rounds=20] [--stall=0] [--dir=PATH]
//
// A region of --mb MiB, in rows of 1 KiB that do not compress, is cut in two and, once trimmed,
// merged again, --rounds times, in a store with --others other regions. Meanwhile one thread writes
// to the region, one to another region, and one reads rows of the region, each at most 5,000 times
// a second. Prints the longest wait of each in every split and merge, its median and worst, and the
// 99th percentile of other regions' writes during splits and without.
//
// With --stall=1 no region is split: the region gets files without a merge until it accepts no more
// rows. Prints the waits of other regions' writes at that time.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <rocksdb/env.h>

#include "codec/base/check.h"
#include "codec/base/mutex.h"
#include "codec/base/random.h"
#include "engine/options.h"
#include "engine/rocks/rocks_table_store.h"
#include "engine/table/table.h"

namespace hourcell {
namespace {

using SteadyClock = std::chrono::steady_clock;
constexpr TableId kTable = TableId::kData;
constexpr size_t kRowBytes = 1024;

struct Arguments {
  uint64_t mb = 1024;
  uint64_t others = 0;
  uint64_t rounds = 20;
  uint64_t stall = 0;
  std::string dir = "split_bench.store";
};

// The waits of one thread. Thread-safe.
class Waits {
 public:
  void Add(double ms) {
    MutexLock lock(&mutex_);
    all_.push_back(ms);
  }
  // The waits since the last call, ascending.
  std::vector<double> Take() {
    MutexLock lock(&mutex_);
    std::vector<double> taken = std::exchange(all_, {});
    std::ranges::sort(taken);
    return taken;
  }

 private:
  Mutex mutex_;
  std::vector<double> all_ ABSL_GUARDED_BY(mutex_);
};

double Percentile(const std::vector<double>& sorted, double share) {
  if (sorted.empty()) return 0;
  return sorted[static_cast<size_t>(share * static_cast<double>(sorted.size() - 1))];
}

std::string RandomBytes(size_t size, Random* random) {
  std::string bytes;
  while (bytes.size() < size) {
    const uint64_t word = random->Next();
    bytes.append(std::string_view(reinterpret_cast<const char*>(&word), sizeof word));
  }
  return bytes;
}

std::string HotKey(uint64_t row) {
  return fmt::format("h{:010}", row);
}

class SplitBench {
 public:
  explicit SplitBench(const Arguments& arguments)
      : arguments_(arguments), rows_(arguments.mb * 1024 * 1024 / kRowBytes) {
    std::filesystem::remove_all(arguments_.dir);
    std::filesystem::create_directories(arguments_.dir);
    Options options;
    options.path = arguments_.dir;
    auto opened = OpenRocksTableStore(arguments_.dir + "/db", options);
    HOURCELL_CHECK(opened.ok());
    store_ = *std::move(opened);
    std::vector<std::string> keys = {"i"};
    for (uint64_t i = 1; i < arguments_.others; ++i)
      keys.push_back(fmt::format("o{:05}", i));
    HOURCELL_CHECK(store_->regions()->Presplit(kTable, {.keys = keys}).ok());
    Fill();
  }
  ~SplitBench() {
    store_.reset();
    std::filesystem::remove_all(arguments_.dir);
  }

  void Run() {
    if (arguments_.stall != 0) return RunStalled();
    std::vector<std::jthread> threads;
    threads.emplace_back([this] { Write("h", &hot_writes_, &stop_); });
    threads.emplace_back([this] { Write("o", &other_writes_, &stop_); });
    threads.emplace_back([this] { Read(); });
    std::this_thread::sleep_for(std::chrono::seconds(2));
    Take();
    std::this_thread::sleep_for(std::chrono::seconds(5));
    const std::vector<double> quiet = other_writes_.Take();
    fmt::print("{} MiB, {} other regions, {} rounds; milliseconds\n", arguments_.mb,
               arguments_.others, arguments_.rounds);
    for (uint64_t round = 0; round < arguments_.rounds; ++round) {
      Take();
      HOURCELL_CHECK(store_->regions()->Split(kTable, {.keys = {HotKey(rows_ / 2)}}).ok());
      Note(&splits_);
      while (*store_->regions()->TrimRegions(kTable)) {
      }
      Take();
      const std::vector<RegionInfo> regions = store_->regions()->Regions(kTable);
      const std::vector<RegionId> ids = {regions[0].id, regions[1].id};
      HOURCELL_CHECK(store_->regions()->MergeRegions(kTable, ids).ok());
      Note(&merges_);
    }
    stop_ = true;
    threads.clear();
    Print("split", &splits_);
    Print("merge", &merges_);
    std::ranges::sort(splits_.other_p99);
    fmt::print("other regions' writes, p99: {:.3f} during splits (median), {:.3f} without\n",
               Percentile(splits_.other_p99, 0.5), Percentile(quiet, 0.99));
  }

  // Writes to the region block until its files are merged again.
  void RunStalled() {
    const std::vector<double> quiet = WritesToOthers();
    // Other regions have rows only in files now, so the loop adds files to this region only.
    HOURCELL_CHECK(store_->Flush(kTable).ok());
    rocksdb::Env::Default()->SetBackgroundThreads(0, rocksdb::Env::LOW);
    while (!store_->IsLagging(kTable, HotKey(0))) {
      const Mutation row{kTable, Mutation::Kind::kSet, HotKey(0), "v"};
      HOURCELL_CHECK(store_->ApplyUnlogged({&row, 1}).ok());
      HOURCELL_CHECK(store_->Flush(kTable).ok());
    }
    std::jthread hot([this] {
      const Mutation row{kTable, Mutation::Kind::kSet, HotKey(1), "v"};
      while (!stop_)
        store_->ApplyUnlogged({&row, 1}).IgnoreError();
    });
    const std::vector<double> stalled = WritesToOthers();
    HOURCELL_CHECK(store_->IsLagging(kTable, HotKey(0)) && !stalled.empty());
    stop_ = true;
    rocksdb::Env::Default()->SetBackgroundThreads(2, rocksdb::Env::LOW);
    fmt::print("{} MiB, {} other regions; milliseconds\n", arguments_.mb, arguments_.others);
    fmt::print(
        "other regions' writes beside a region that lags: p99 {:.3f}, worst {:.2f}; "
        "without: p99 {:.3f}, worst {:.2f}\n",
        Percentile(stalled, 0.99), Percentile(stalled, 1), Percentile(quiet, 0.99),
        Percentile(quiet, 1));
  }

 private:
  struct Longest {
    std::vector<double> hot_writes, other_writes, reads, other_p99;
  };

  void Fill() {
    Random random(1);
    std::vector<Mutation> group;
    for (uint64_t row = 0; row < rows_; ++row) {
      group.push_back({kTable, Mutation::Kind::kSet, HotKey(row), RandomBytes(kRowBytes, &random)});
      if (group.size() < 256 && row + 1 < rows_) continue;
      HOURCELL_CHECK(store_->ApplyUnlogged(group).ok());
      group.clear();
    }
    for (uint64_t i = 0; i < std::max<uint64_t>(1, arguments_.others); ++i) {
      const Mutation row{kTable, Mutation::Kind::kSet, fmt::format("o{:05}x", i), "v"};
      HOURCELL_CHECK(store_->ApplyUnlogged({&row, 1}).ok());
    }
    HOURCELL_CHECK(store_->Flush(kTable).ok());
    HOURCELL_CHECK(store_->Compact(kTable).ok());
  }

  template <typename Call>
  void Paced(Waits* waits, const std::atomic<bool>* stop, Call&& call) {
    while (!*stop) {
      const SteadyClock::time_point begin = SteadyClock::now();
      call();
      waits->Add(std::chrono::duration<double, std::milli>(SteadyClock::now() - begin).count());
      std::this_thread::sleep_until(begin + std::chrono::microseconds(200));
    }
  }
  void Write(std::string_view where, Waits* waits, const std::atomic<bool>* stop) {
    Random random(where.size() + (where == "h" ? 1 : 2));
    const std::string value = RandomBytes(100, &random);
    Paced(waits, stop, [&] {
      const std::string key =
          where == "h"
              ? HotKey(random.Below(rows_))
              : fmt::format("o{:05}x{}", random.Below(std::max<uint64_t>(1, arguments_.others)),
                            random.Below(1000));
      const Mutation row{kTable, Mutation::Kind::kSet, key, value};
      HOURCELL_CHECK(store_->ApplyUnlogged({&row, 1}).ok());
    });
  }
  // The waits of writes to other regions in five seconds.
  std::vector<double> WritesToOthers() {
    std::atomic<bool> stop{false};
    std::thread others([this, &stop] { Write("o", &other_writes_, &stop); });
    std::this_thread::sleep_for(std::chrono::seconds(1));
    other_writes_.Take();
    std::this_thread::sleep_for(std::chrono::seconds(5));
    stop = true;
    others.join();
    return other_writes_.Take();
  }
  void Read() {
    Random random(9);
    Paced(&reads_, &stop_, [&] {
      const auto row = store_->Snapshot()->Get(kTable, HotKey(random.Below(rows_)));
      HOURCELL_CHECK(row.ok() && row->has_value());
    });
  }

  void Take() {
    hot_writes_.Take();
    other_writes_.Take();
    reads_.Take();
  }
  void Note(Longest* longest) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // blocked threads are done
    longest->hot_writes.push_back(Percentile(hot_writes_.Take(), 1));
    longest->reads.push_back(Percentile(reads_.Take(), 1));
    const std::vector<double> others = other_writes_.Take();
    longest->other_writes.push_back(Percentile(others, 1));
    longest->other_p99.push_back(Percentile(others, 0.99));
  }
  static void Print(const char* what, Longest* longest) {
    const auto line = [what](const char* who, std::vector<double>* waits) {
      std::ranges::sort(*waits);
      fmt::print("longest wait in a {}, {:<22} median {:8.2f}   worst {:8.2f}\n", what, who,
                 Percentile(*waits, 0.5), Percentile(*waits, 1));
    };
    line("writes to the region:", &longest->hot_writes);
    line("writes to others:", &longest->other_writes);
    line("reads of the region:", &longest->reads);
  }

  const Arguments arguments_;
  const uint64_t rows_;
  std::unique_ptr<TableStore> store_;
  std::atomic<bool> stop_{false};
  Waits hot_writes_, other_writes_, reads_;
  Longest splits_, merges_;
};

int Main(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    const size_t equals = argument.find('=');
    const std::string_view name = argument.substr(0, equals);
    const std::string value(equals == argument.npos ? "" : argument.substr(equals + 1));
    if (name == "--mb") {
      arguments.mb = std::strtoull(value.c_str(), nullptr, 10);
    } else if (name == "--others") {
      arguments.others = std::strtoull(value.c_str(), nullptr, 10);
    } else if (name == "--rounds") {
      arguments.rounds = std::strtoull(value.c_str(), nullptr, 10);
    } else if (name == "--stall") {
      arguments.stall = std::strtoull(value.c_str(), nullptr, 10);
    } else if (name == "--dir") {
      arguments.dir = value;
    } else {
      fmt::print(stderr,
                 "{}: expected --mb, --others, --rounds, --stall or --dir, each with =VALUE\n",
                 argument);
      return 2;
    }
  }
  SplitBench(arguments).Run();
  return 0;
}

}  // namespace
}  // namespace hourcell

int main(int argc, char** argv) {
  return hourcell::Main(argc, argv);
}
