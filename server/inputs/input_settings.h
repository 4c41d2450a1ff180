// The settings of the inputs: tsd.inputs.*, tsd.influx.* and tsd.otlp.*. No I/O.

#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <absl/status/statusor.h>

#include "codec/limits.h"
#include "server/config/config.h"

namespace hourcell {

struct InputSettings {
  std::string default_tag = {};      // for points without tags; as LinePoint::tags, with any names
  std::string default_tag_key = {};  // its key and its value
  std::string default_tag_value = {};
  // Remote read returns names as stored; otherwise in the form that Prometheus before version 3
  // accepts.
  bool prometheus_utf8_names = false;
  std::string influx_separator = {};  // between a measurement and a field; may be empty
  // OpenTelemetry resource attributes that become tags.
  std::vector<std::string> otlp_resource_attributes = {};
  // Exponential histograms are stored whole; otherwise OpenTelemetry's become buckets, and
  // Prometheus' are refused.
  bool has_whole_histograms = false;
  size_t tags_max = kTagsMax;  // of a point (tsd.storage.max_tags)
};

// kInvalidArgument with the key, the value and the expected form: the default tag is not tagk=tagv,
// or a name has characters that OpenTSDB does not allow.
absl::StatusOr<InputSettings> InputSettingsOf(const Config& config);

}  // namespace hourcell
