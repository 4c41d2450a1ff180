#include "engine/regions/keys/distributor_spec.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <string>

#include <absl/status/status.h>
#include <fmt/format.h>

#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "engine/regions/keys/prefix_distributor.h"
#include "engine/regions/keys/time_distributor.h"

// Why distributors are made from text: a setting, a flag of the simulator and a test then use the
// same form, and one place checks it. A store itself accepts only none and series-salt, because its
// rows are OpenTSDB's (docs/regions.md).

namespace hourcell {
namespace {

using Distributor = absl::StatusOr<std::unique_ptr<KeyDistributor>>;

// The arguments for the makers of one shape.
struct Request {
  std::string_view spec;
  std::string_view operand;  // after the colon
  const Layout& layout;
};

struct Name {
  std::string_view name;
  bool has_operand;
  Distributor (*make)(const Request&);
};

absl::Status RefuseSpec(std::string_view spec, std::string_view want) {
  return absl::InvalidArgumentError(
      fmt::format("distributor {}: expected {}", QuoteForMessage(spec), want));
}

// All of `text` as a number.
bool ReadNumber(std::string_view text, uint64_t* number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *number);
  return error == std::errc() && end == text.data() + text.size();
}

// Calls `make` with the number after the colon.
template <auto kMake>
Distributor MakeWithNumber(const Request& request) {
  uint64_t number = 0;
  if (!ReadNumber(request.operand, &number))
    return RefuseSpec(request.spec, "a number after the colon");
  return kMake(number);
}

// "90m" in seconds.
absl::StatusOr<uint64_t> ReadSeconds(std::string_view spec, std::string_view text) {
  constexpr std::string_view kTimeUnits = "smhd";
  constexpr std::array<uint64_t, 4> kSeconds = {1, 60, 3600, 86'400};
  const size_t unit = text.empty() ? kTimeUnits.npos : kTimeUnits.find(text.back());
  uint64_t count = 0;
  if (unit == kTimeUnits.npos || !ReadNumber(text.substr(0, text.size() - 1), &count) ||
      count > UINT64_MAX / kSeconds[unit]) {
    return RefuseSpec(
        spec, fmt::format("a whole number and s, m, h or d where {} is", QuoteForMessage(text)));
  }
  return count * kSeconds[unit];
}

Distributor MakeCyclicOf(const Request& request) {
  CycleOptions options;
  const std::array<std::pair<std::string_view, uint64_t*>, 4> fields = {{
      {"period", &options.period_s},
      {"slot", &options.slot_s},
      {"ttl", &options.ttl_s},
      {"major", &options.lsm_compaction_s},
  }};
  std::string_view rest = request.operand;
  for (const auto& [name, seconds] : fields) {
    const size_t end = std::min(rest.find(','), rest.size());
    const std::string_view field = rest.substr(0, end);
    const bool is_last = name == fields.back().first;
    if (!field.starts_with(name) || field.substr(name.size(), 1) != "=" ||
        is_last != (end == rest.size())) {
      return RefuseSpec(request.spec, "cyclic:period=44d,slot=1d,ttl=30d,major=7d, in this order");
    }
    HOURCELL_ASSIGN_OR_RETURN(*seconds, ReadSeconds(request.spec, field.substr(name.size() + 1)));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return MakeCyclic(options);
}

constexpr std::array kNames = {
    Name{"none", false, [](const Request& /*request*/) -> Distributor { return MakeNone(); }},
    Name{"series-salt", false,
         [](const Request& request) { return MakeSeriesSalt(request.layout); }},
    Name{"simple-hash", true, &MakeWithNumber<MakeSimpleHash>},
    Name{"xxh3", true, &MakeWithNumber<MakeXxh3>},
    Name{"md5-4hex", false,
         [](const Request& /*request*/) -> Distributor { return MakeMd5FourHex(); }},
    Name{"md5-8hex", false,
         [](const Request& /*request*/) -> Distributor { return MakeMd5EightHex(); }},
    Name{"time-hash", true, &MakeWithNumber<MakeTimeHash>},
    Name{"round-robin", true, &MakeWithNumber<MakeRoundRobin>},
    Name{"partition", true, &MakeWithNumber<MakePartition>},
    Name{"reversed", false,
         [](const Request& /*request*/) -> Distributor { return MakeReversed(); }},
    Name{"reversed-time", true, &MakeWithNumber<MakeReversedTime>},
    Name{"cyclic", true, &MakeCyclicOf},
};

}  // namespace

absl::StatusOr<std::unique_ptr<KeyDistributor>> MakeKeyDistributor(std::string_view spec,
                                                                   const Layout& layout) {
  const size_t colon = spec.find(':');
  const auto known = std::find_if(kNames.begin(), kNames.end(), [&](const Name& name) {
    return name.name == spec.substr(0, colon);
  });
  if (known == kNames.end()) {
    std::string names;
    for (const Name& name : kNames)
      names += fmt::format("{}{}", names.empty() ? "" : ", ", name.name);
    return RefuseSpec(spec, "one of " + names);
  }
  const bool has_operand = colon != std::string_view::npos;
  if (has_operand != known->has_operand) {
    return RefuseSpec(spec,
                      known->has_operand ? "an operand after a colon" : "nothing after the name");
  }
  return known->make(
      {.spec = spec, .operand = has_operand ? spec.substr(colon + 1) : "", .layout = layout});
}

}  // namespace hourcell
