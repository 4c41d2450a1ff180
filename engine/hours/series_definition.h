// SeriesDefinition: the number and the names of a series, which are all that is needed to make the
// series again. Borrows.

#pragma once

#include <span>
#include <string_view>

#include "codec/point.h"
#include "codec/rows/tsuid.h"
#include "codec/rows/uid.h"
#include "engine/rows/series_key.h"

namespace hourcell {

struct SeriesDefinition {
  SeriesNumber number = 0;
  Uid metric_uid = kNoUid;
  std::string_view metric;
  std::span<const TagView> tags;      // in any order
  std::span<const TagUids> tag_uids;  // tag_uids[i] belongs to tags[i]
};

}  // namespace hourcell
