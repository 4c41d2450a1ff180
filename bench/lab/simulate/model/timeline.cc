#include "bench/lab/simulate/model/timeline.h"

#include "codec/base/check.h"

namespace hourcell {

std::string_view IncidentName(IncidentKind kind) {
  switch (kind) {
    case IncidentKind::kSplit:
      return "split";
    case IncidentKind::kMerge:
      return "merge";
    case IncidentKind::kStall:
      return "stall";
    case IncidentKind::kUnsplittable:
      return "unsplittable";
  }
  HOURCELL_CHECK(false);
}

std::string_view SplitCauseName(SplitCause cause) {
  switch (cause) {
    case SplitCause::kNone:
      return "none";
    case SplitCause::kSize:
      return "size";
    case SplitCause::kBusy:
      return "busy";
    case SplitCause::kLoad:
      return "load";
    case SplitCause::kUser:
      return "normaliser";
  }
  HOURCELL_CHECK(false);
}

}  // namespace hourcell
