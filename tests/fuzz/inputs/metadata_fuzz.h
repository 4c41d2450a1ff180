// Properties of metadata that a client sends.

#pragma once

#include <optional>
#include <string>

#include "codec/base/check.h"
#include "codec/base/strings.h"
#include "server/inputs/metric_metadata.h"

namespace hourcell {

// The stored text is bounded UTF-8, and reads back as itself.
inline void CheckMetadataText(const MetricMetadata& metadata) {
  const std::optional<std::string> text = MetadataTextOf(metadata);
  if (!text.has_value()) return;
  HOURCELL_CHECK(IsUtf8(*text));
  const MetricMetadata read = MetadataOfText(metadata.metric, *text);
  HOURCELL_CHECK(read.type == metadata.type);
  HOURCELL_CHECK(read.unit.size() <= kMetadataUnitMax);
  HOURCELL_CHECK(read.help.size() <= kMetadataHelpMax);
  HOURCELL_CHECK(metadata.help.starts_with(read.help));
  HOURCELL_CHECK(MetadataTextOf(read) == text);
}

}  // namespace hourcell
