// Lookup of a key in a RegionMap, compared with the least cost of a lookup: std::upper_bound over
// an array of integers, and over an array of the start keys themselves. Goal: at most twice the
// first for keys that differ in their first 8 bytes.
//
// The keys are row keys of UID widths 3: metric, base time, one tag. `ties` of 0: each region
// begins with a different metric; of 1: with one of two metrics in one hour, so that the first 8
// bytes of the start keys have only two values, and the rest is compared.

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "codec/base/bytes.h"
#include "codec/base/check.h"
#include "codec/base/random.h"
#include "engine/regions/region_map.h"

namespace hourcell {
namespace {

constexpr size_t kKeys = 1 << 14;

std::string RowKey(uint64_t metric, uint64_t hour, uint64_t tagv) {
  std::string key;
  AppendBigEndian(metric, 3, &key);
  AppendBigEndian(1'700'000'000 / 3600 * 3600 + hour * 3600, 4, &key);
  AppendBigEndian(1, 3, &key);
  AppendBigEndian(tagv, 3, &key);
  return key;
}

// Ascending starts of the regions except the first.
std::vector<std::string> Starts(size_t regions, bool ties) {
  std::vector<std::string> starts;
  for (size_t i = 1; i < regions; ++i)
    starts.push_back(ties ? RowKey(i * 2 < regions ? 7 : 8, 0, i * 1000) : RowKey(i * 1000, 0, 0));
  return starts;
}

std::vector<std::string> Keys(size_t regions, bool ties) {
  Random random(11);
  std::vector<std::string> keys;
  while (keys.size() < kKeys) {
    const uint64_t place = random.Below(regions * 1000);
    keys.push_back(ties ? RowKey(place * 2 < regions * 1000 ? 7 : 8, 0, place)
                        : RowKey(place, random.Below(24), place));
  }
  return keys;
}

RegionMap MapOf(const std::vector<std::string>& starts) {
  std::vector<RegionInfo> regions;
  std::string start;
  for (size_t i = 0; i <= starts.size(); ++i) {
    regions.push_back({.table = "data",
                       .range = {.start = start, .end = i < starts.size() ? starts[i] : ""},
                       .id = {.value = i + 1},
                       .state = RegionState::kOpen});
    start = regions.back().range.end;
  }
  auto map = RegionMap::Make(std::move(regions));
  HOURCELL_CHECK(map.ok());
  return *std::move(map);
}

size_t WantSum(const std::vector<std::string>& starts, const std::vector<std::string>& keys) {
  size_t sum = 0;
  for (const std::string& key : keys) {
    sum +=
        static_cast<size_t>(std::upper_bound(starts.begin(), starts.end(), key) - starts.begin());
  }
  return sum;
}

// Times find(key) over all keys and checks the results.
template <typename Find>
void Run(benchmark::State& state, const Find& find) {
  const auto regions = static_cast<size_t>(state.range(0));
  const std::vector<std::string> keys = Keys(regions, state.range(1) != 0);
  const size_t want = WantSum(Starts(regions, state.range(1) != 0), keys);
  for (auto _ : state) {
    size_t sum = 0;
    for (const std::string& key : keys)
      sum += find(key);
    HOURCELL_CHECK(sum == want);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(kKeys));
}

void BM_RegionMap(benchmark::State& state) {
  const RegionMap map = MapOf(Starts(static_cast<size_t>(state.range(0)), state.range(1) != 0));
  Run(state, [&](const std::string& key) { return map.Find(key); });
}

void BM_UpperBoundOfKeys(benchmark::State& state) {
  const auto starts = Starts(static_cast<size_t>(state.range(0)), state.range(1) != 0);
  Run(state, [&](const std::string& key) {
    return static_cast<size_t>(std::upper_bound(starts.begin(), starts.end(), key) -
                               starts.begin());
  });
}

// The integers hold only the metric, so this needs keys without ties.
void BM_UpperBoundOfIntegers(benchmark::State& state) {
  std::vector<uint64_t> heads;
  for (const std::string& start : Starts(static_cast<size_t>(state.range(0)), false))
    heads.push_back(LoadBigEndian(start.data(), 8));
  Run(state, [&](const std::string& key) {
    const uint64_t head = LoadBigEndian(key.data(), 8);
    return static_cast<size_t>(std::upper_bound(heads.begin(), heads.end(), head) - heads.begin());
  });
}

BENCHMARK(BM_UpperBoundOfIntegers)->ArgNames({"regions", "ties"})->Args({1000, 0});
BENCHMARK(BM_UpperBoundOfKeys)->ArgNames({"regions", "ties"})->ArgsProduct({{100, 1000}, {0, 1}});
BENCHMARK(BM_RegionMap)->ArgNames({"regions", "ties"})->ArgsProduct({{100, 1000}, {0, 1}});

}  // namespace
}  // namespace hourcell

BENCHMARK_MAIN();
