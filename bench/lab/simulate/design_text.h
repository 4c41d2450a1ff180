// Designs as text, to compare several in one run:
//
//   salted: layout=salted:20 presplit=salt tsd.region.split.policy=ConstantSize
//
// A name and a colon, then words. layout, distributor, presplit, engine (hourcell or hbase: the
// defaults of its settings and its form of cells), seed; any other word is a setting by its name
// (model_settings.h). Pure.

#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/statusor.h>

#include "bench/lab/simulate/simulation.h"
#include "engine/regions/setting_reader.h"

namespace hourcell {

// The defaults of all designs.
struct DesignDefaults {
  std::string layout = "opentsdb";
  std::string distributor = "none";
  std::string presplit = {};
  std::string engine = "hourcell";
  uint64_t seed = 1;
  SettingMap settings = {};
};

// The design of these defaults alone. kInvalidArgument: an unknown engine, an invalid setting.
absl::StatusOr<SimulationDesign> MakeDesign(std::string_view name, const DesignDefaults& defaults);

// The design of a text. kInvalidArgument: no name, a word without '=', else as MakeDesign; the
// message contains the text.
absl::StatusOr<SimulationDesign> ParseDesign(std::string_view text, const DesignDefaults& defaults);

}  // namespace hourcell
