#include "bench/lab/simulate/design_text.h"

#include <algorithm>
#include <charconv>

#include <absl/status/status.h>
#include <fmt/format.h>

#include "codec/base/status_macros.h"
#include "codec/base/strings.h"

namespace hourcell {
namespace {

absl::Status RefuseDesign(std::string_view text, std::string_view want) {
  return absl::InvalidArgumentError(
      fmt::format("design {}: expected {}", QuoteForMessage(text), want));
}

absl::Status Apply(std::string_view word, DesignDefaults* design) {
  const size_t equals = std::min(word.find('='), word.size());
  const std::string_view key = word.substr(0, equals);
  const std::string value(word.substr(std::min(equals + 1, word.size())));
  if (equals == 0 || equals == word.size()) return RefuseDesign(word, "key=value");
  if (key == "layout") {
    design->layout = value;
  } else if (key == "distributor") {
    design->distributor = value;
  } else if (key == "presplit") {
    design->presplit = value;
  } else if (key == "engine") {
    design->engine = value;
  } else if (key == "seed") {
    const char* const end = value.data() + value.size();
    const auto parsed = std::from_chars(value.data(), end, design->seed);
    if (parsed.ec != std::errc() || parsed.ptr != end) return RefuseDesign(word, "seed=NUMBER");
  } else {
    design->settings.insert_or_assign(std::string(key), value);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<SimulationDesign> MakeDesign(std::string_view name, const DesignDefaults& defaults) {
  if (defaults.engine != "hourcell" && defaults.engine != "hbase") {
    return RefuseDesign(defaults.engine, "engine hourcell or hbase");
  }
  const ModelSettings base = defaults.engine == "hbase" ? HBaseModelSettings() : ModelSettings();
  SimulationDesign design{.name = std::string(name),
                          .layout = defaults.layout,
                          .distributor = defaults.distributor,
                          .presplit = defaults.presplit};
  HOURCELL_ASSIGN_OR_RETURN(design.settings, ParseModelSettings(defaults.settings, base));
  design.settings.seed = defaults.seed;
  return design;
}

absl::StatusOr<SimulationDesign> ParseDesign(std::string_view text,
                                             const DesignDefaults& defaults) {
  const size_t colon = text.find(": ");
  if (colon == 0 || colon == std::string_view::npos) {
    return RefuseDesign(text, "a name, a colon and a blank, then key=value ...");
  }
  DesignDefaults design = defaults;
  std::string_view rest = text.substr(colon + 2);
  while (!rest.empty()) {
    const size_t blank = std::min(rest.find(' '), rest.size());
    if (blank > 0) HOURCELL_RETURN_IF_ERROR(Apply(rest.substr(0, blank), &design));
    rest.remove_prefix(std::min(blank + 1, rest.size()));
  }
  return MakeDesign(text.substr(0, colon), design);
}

}  // namespace hourcell
