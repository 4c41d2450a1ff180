// UidOptions: the names that get UIDs, and the choice of UIDs.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "codec/rows/layout.h"
#include "codec/rows/uid.h"

namespace hourcell {

struct UidOptions {
  Layout layout = {};               // widths and name encoding; fixed for a store
  std::string extra_chars = {};     // UTF-8; tsd.core.tag.allow_specialchars
  bool auto_create_metrics = true;  // OpenTSDB: false
  bool auto_create_tagks = true;
  bool auto_create_tagvs = true;
  bool random_metrics = false;         // tsd.core.uid.random_metrics; metric width <= 7
  size_t cache_names_max = 1'000'000;  // per kind and direction
  uint64_t random_seed = 0;            // for random_metrics; 0 = from the operating system

  bool auto_create(UidKind kind) const {
    return kind == UidKind::kMetric ? auto_create_metrics
           : kind == UidKind::kTagk ? auto_create_tagks
                                    : auto_create_tagvs;
  }
};

}  // namespace hourcell
