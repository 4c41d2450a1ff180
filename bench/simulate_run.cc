// simulate_run: the time of a simulation, per step: ids with one key each, hashed in each available
// way. Prints processor seconds, steps per second, and a checksum of the report, to compare two
// builds.
//
//   simulate_run [ids] [layout or distributor ...]

#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "bench/lab/simulate/input/id_source.h"
#include "bench/lab/simulate/report/simulation_report.h"
#include "bench/lab/simulate/simulation.h"
#include "codec/base/check.h"

namespace hourcell {
namespace {

// FNV-1a.
uint64_t SumOf(const std::string& text) {
  uint64_t sum = 0xCBF29CE484222325;
  for (const char c : text)
    sum = (sum ^ static_cast<uint8_t>(c)) * 0x100000001B3;
  return sum;
}

void Run(uint64_t ids, const std::string& how) {
  SimulationDesign design{.name = how, .layout = "id", .presplit = "hex:10"};
  (how.find('+') != std::string::npos ? design.layout : design.distributor) = how;
  const std::clock_t begin = std::clock();
  const auto result = RunSimulation(
      design,
      [ids]() -> absl::StatusOr<std::unique_ptr<PutSource>> { return MakeIds({.ids = ids}); },
      {.has_heat = false});
  const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  HOURCELL_CHECK(result.ok());
  HOURCELL_CHECK(result->totals.puts == ids);
  fmt::print("{:<14} {:>8.2f} s {:>8.0f} k/s  {} regions, report {:016x}\n", how, seconds,
             static_cast<double>(ids) / seconds / 1'000, result->regions.size(),
             SumOf(JsonText({&*result, 1})));
}

}  // namespace
}  // namespace hourcell

int main(int argc, char** argv) {
  const uint64_t ids = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1'000'000;
  std::vector<std::string> ways(argv + (argc > 2 ? 2 : argc), argv + argc);
  if (ways.empty()) ways = {"hash:4+id", "hex:8+id", "md5-4hex", "md5-8hex", "xxh3:16", "none"};
  for (const std::string& how : ways)
    hourcell::Run(ids, how);
  return 0;
}
