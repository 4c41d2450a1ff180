#include "server/lab/simulate_request.h"

#include <string_view>
#include <utility>

#include <absl/status/status.h>
#include <fmt/format.h>
#include <simdjson.h>

#include "bench/lab/simulate/design_text.h"
#include "bench/lab/simulate/input/key_maker.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "engine/regions/presplit/presplit.h"
#include "server/text/json_fields.h"

namespace hourcell {
namespace {

using simdjson::dom::element;

absl::Status WrongField(std::string_view field, element value, std::string_view want) {
  return absl::InvalidArgumentError(fmt::format("{}: expected {}, got {}", field, want,
                                                QuoteForMessage(simdjson::to_string(value))));
}

absl::Status UnknownField(std::string_view where, std::string_view field, std::string_view want) {
  return absl::InvalidArgumentError(
      fmt::format("{}: expected {}, got the field {}", where, want, QuoteForMessage(field)));
}

absl::Status TakeString(std::string_view field, element value, std::string* out) {
  std::string_view text;
  if (value.get(text) != simdjson::SUCCESS) return WrongField(field, value, "a string");
  *out = text;
  return absl::OkStatus();
}

absl::Status TakeCount(
    std::string_view field, element value, uint64_t min, uint64_t max, uint64_t* out) {
  uint64_t number = 0;
  if (value.get(number) != simdjson::SUCCESS || number < min || number > max) {
    return WrongField(field, value, fmt::format("an integer, {} to {}", min, max));
  }
  *out = number;
  return absl::OkStatus();
}

absl::Status TakeSpan(std::string_view field, element value, uint64_t* ms) {
  std::string text;
  HOURCELL_RETURN_IF_ERROR(TakeString(field, value, &text));
  const absl::StatusOr<uint64_t> span = ParseSpanMs(text);
  if (!span.ok()) return WrongField(field, value, "a length of time, such as 1m or 2h");
  *ms = *span;
  return absl::OkStatus();
}

// Settings are texts; numbers and booleans become their JSON text.
absl::Status TakeSettings(element value, SettingMap* settings) {
  simdjson::dom::object object;
  if (value.get(object) != simdjson::SUCCESS) {
    return WrongField("settings", value, "an object of settings and their values");
  }
  for (const auto [key, setting] : object) {
    HOURCELL_ASSIGN_OR_RETURN(std::string text, JsonText(key, setting));
    settings->insert_or_assign(std::string(key), std::move(text));
  }
  return absl::OkStatus();
}

absl::Status TakeDesignField(std::string_view field,
                             element value,
                             std::string* name,
                             DesignDefaults* design) {
  if (field == "name") return TakeString(field, value, name);
  if (field == "layout") return TakeString(field, value, &design->layout);
  if (field == "distributor") return TakeString(field, value, &design->distributor);
  if (field == "presplit") return TakeString(field, value, &design->presplit);
  if (field == "engine") return TakeString(field, value, &design->engine);
  if (field == "seed") return TakeCount(field, value, 0, INT64_MAX, &design->seed);
  if (field == "settings") return TakeSettings(value, &design->settings);
  return UnknownField("design", field,
                      "name, layout, distributor, presplit, engine, seed or settings");
}

absl::StatusOr<SimulationDesign> ReadDesign(element value, const DesignDefaults& defaults) {
  std::string_view text;
  if (value.get(text) == simdjson::SUCCESS) return ParseDesign(text, defaults);
  simdjson::dom::object object;
  if (value.get(object) != simdjson::SUCCESS) {
    return WrongField("designs", value, "objects, or texts such as \"plain: layout=opentsdb\"");
  }
  std::string name = "design";
  DesignDefaults design = defaults;
  for (const auto [field, part] : object)
    HOURCELL_RETURN_IF_ERROR(TakeDesignField(field, part, &name, &design));
  return MakeDesign(name, design);
}

// An error that the job would return later.
absl::Status FindFault(const SimulationDesign& design) {
  if (design.presplit.starts_with("file:")) {
    return absl::InvalidArgumentError(
        fmt::format("presplit: expected keys:KEY,KEY.., as the server reads no file, got {}",
                    QuoteForMessage(design.presplit)));
  }
  if (design.layout == "stored") {
    return absl::InvalidArgumentError(
        "layout: expected one of /api/admin/simulate, got stored, which is for the rows of a "
        "store");
  }
  HOURCELL_ASSIGN_OR_RETURN(const KeyMaker keys, KeyMaker::Make(design.layout, design.distributor));
  if (design.presplit.empty() || design.presplit.starts_with("sample:")) return absl::OkStatus();
  HOURCELL_ASSIGN_OR_RETURN(const PresplitSpec spec, ParsePresplit(design.presplit));
  return PresplitKeys(spec, keys.layout(), "").status();
}

absl::Status CheckDesign(const SimulationDesign& design) {
  const absl::Status fault = FindFault(design);
  if (fault.ok()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      fmt::format("design {}: {}", QuoteForMessage(design.name), MessageOf(fault)));
}

// The fields of a body that depend on others.
struct RawRequest {
  std::string fleet = {};
  uint64_t ids = 0;
  uint64_t rate = 100'000;
  std::optional<element> designs = {};
};

absl::Status TakeHeat(std::string_view field, element value, size_t max, size_t* out) {
  uint64_t count = 0;
  HOURCELL_RETURN_IF_ERROR(TakeCount(field, value, 2, max, &count));
  *out = count;
  return absl::OkStatus();
}

absl::Status TakeField(std::string_view field,
                       element value,
                       RawRequest* raw,
                       SimulateRequest* request) {
  if (field == "fleet") return TakeString(field, value, &raw->fleet);
  if (field == "ids") return TakeCount(field, value, 1, kLabIdsMax, &raw->ids);
  if (field == "rate") return TakeCount(field, value, 1, UINT32_MAX, &raw->rate);
  if (field == "window") return TakeSpan(field, value, &request->window_ms);
  if (field == "settle") return TakeSpan(field, value, &request->settle_ms);
  if (field == "heat_rows") return TakeHeat(field, value, kLabHeatRowsMax, &request->heat_rows);
  if (field == "heat_steps") return TakeHeat(field, value, kLabHeatStepsMax, &request->heat_steps);
  if (field == "designs") {
    raw->designs = value;
    return absl::OkStatus();
  }
  return UnknownField("body", field,
                      "fleet, or ids and rate; designs, window, settle, heat_rows and heat_steps");
}

absl::Status ReadDesigns(const RawRequest& raw, SimulateRequest* request) {
  DesignDefaults defaults;
  if (raw.ids > 0) defaults.layout = "id";
  if (!raw.designs.has_value()) {
    HOURCELL_ASSIGN_OR_RETURN(request->designs.emplace_back(), MakeDesign("design", defaults));
    return absl::OkStatus();
  }
  simdjson::dom::array designs;
  if (raw.designs->get(designs) != simdjson::SUCCESS || designs.size() == 0 ||
      designs.size() > kLabDesignsMax) {
    return WrongField("designs", *raw.designs,
                      fmt::format("an array of 1 to {} designs", kLabDesignsMax));
  }
  for (const element design : designs) {
    HOURCELL_ASSIGN_OR_RETURN(request->designs.emplace_back(), ReadDesign(design, defaults));
    HOURCELL_RETURN_IF_ERROR(CheckDesign(request->designs.back()));
  }
  return absl::OkStatus();
}

absl::Status ReadFleet(const RawRequest& raw, SimulateRequest* request) {
  if (raw.ids > 0) {
    if (!raw.fleet.empty()) {
      return absl::InvalidArgumentError("body: expected one or the other, got fleet and ids");
    }
    request->ids = IdSpec{.ids = raw.ids, .ids_per_s = raw.rate};
    return absl::OkStatus();
  }
  HOURCELL_ASSIGN_OR_RETURN(request->fleet, ParseFleet(raw.fleet));
  if (request->fleet.series() <= kLabSeriesMax) return absl::OkStatus();
  return absl::InvalidArgumentError(
      fmt::format("fleet: expected at most {} on a server, got {} series; the command `hourcell "
                  "simulate` has no such limit",
                  kLabSeriesMax, request->fleet.series()));
}

}  // namespace

absl::StatusOr<SimulateRequest> ParseSimulateJson(const std::string& body) {
  simdjson::dom::parser parser;
  HOURCELL_ASSIGN_OR_RETURN(const simdjson::dom::object object, ParseJsonObject(body, &parser));
  SimulateRequest request;
  RawRequest raw;
  for (const auto [field, value] : object)
    HOURCELL_RETURN_IF_ERROR(TakeField(field, value, &raw, &request));
  HOURCELL_RETURN_IF_ERROR(ReadFleet(raw, &request));
  HOURCELL_RETURN_IF_ERROR(ReadDesigns(raw, &request));
  request.heat_steps += request.heat_steps % 2;
  return request;
}

}  // namespace hourcell
