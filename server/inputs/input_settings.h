// The settings of the inputs: tsd.inputs.* and tsd.influx.*. Pure.

#pragma once

#include <string>

#include <absl/status/statusor.h>

#include "server/config/config.h"

namespace hourcell {

struct InputSettings {
  std::string default_tag;       // "host=unknown": of points that have no tag
  std::string influx_separator;  // between a measurement and a field; may be empty
};

// kInvalidArgument with the key, what it is and what is wanted: a default tag that is no tagk=tagv,
// or names with characters that OpenTSDB does not allow.
absl::StatusOr<InputSettings> InputSettingsOf(const Config& config);

}  // namespace hourcell
