// The settings of the inputs: tsd.inputs.*, tsd.influx.* and tsd.otlp.*. Pure.

#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <absl/status/statusor.h>

#include "codec/limits.h"
#include "server/config/config.h"

namespace hourcell {

struct InputSettings {
  std::string default_tag = {};      // of points that have no tag; as LinePoint::tags, of any names
  std::string default_tag_key = {};  // its parts
  std::string default_tag_value = {};
  // Remote read answers with names as they are stored; else with those that Prometheus before
  // version 3 takes.
  bool prometheus_utf8_names = false;
  std::string influx_separator = {};  // between a measurement and a field; may be empty
  // Attributes of an OpenTelemetry resource that are tags of its points.
  std::vector<std::string> otlp_resource_attributes = {};
  size_t tags_max = kTagsMax;  // of a point (tsd.storage.max_tags)
};

// kInvalidArgument with the key, what it is and what is wanted: a default tag that is no tagk=tagv,
// or names with characters that OpenTSDB does not allow.
absl::StatusOr<InputSettings> InputSettingsOf(const Config& config);

}  // namespace hourcell
