// The output of telegraf's inputs on a few machines: lines of InfluxDB's protocol with many fields,
// and the points that a store must make from them.

#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace hourcell {

// "metric{key=value,...}" with the keys in their order, and milliseconds since 1970.
struct TelegrafPoint {
  std::string series;
  int64_t ms = 0;

  auto operator<=>(const TelegrafPoint&) const = default;
};

// A point of an integer field, or of a boolean, is an integer.
using TelegrafPoints = std::map<TelegrafPoint, std::variant<int64_t, double>>;

struct TelegrafBatch {
  std::vector<std::string> lines;  // each with its line end
  TelegrafPoints points;
  size_t strings = 0;  // fields that are not stored

  std::string text() const;
};

// The inputs cpu, mem, disk, diskio, net, system, processes and smart of `hosts` machines, of
// `rounds` intervals of 10 s from `begin_ms` on. Every line has a different time.
TelegrafBatch TelegrafTraffic(uint64_t seed, int hosts, int rounds, int64_t begin_ms);

}  // namespace hourcell
