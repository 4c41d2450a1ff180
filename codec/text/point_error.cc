#include "codec/text/point_error.h"

#include <string_view>

#include "codec/base/check.h"

namespace hourcell {

std::string_view PointErrorKindName(PointErrorKind kind) {
  switch (kind) {
    case PointErrorKind::kInvalidValue:
      return "invalid_value";
    case PointErrorKind::kIllegalArgument:
      return "illegal_argument";
    case PointErrorKind::kUnknownName:
      return "unknown_name";
    case PointErrorKind::kNoSuchRollup:
      return "no_such_rollup";
    case PointErrorKind::kThrottled:
      return "throttled";
    case PointErrorKind::kStorage:
      return "storage";
  }
  HOURCELL_CHECK(false);
}

std::string_view PointErrorTelnetClass(PointErrorKind kind) {
  switch (kind) {
    case PointErrorKind::kInvalidValue:
      return "invalid value";
    case PointErrorKind::kIllegalArgument:
      return "illegal argument";
    case PointErrorKind::kUnknownName:
      return "unknown metric";
    case PointErrorKind::kNoSuchRollup:
      return "No such rollup";
    case PointErrorKind::kThrottled:
      return "Please throttle writes";
    case PointErrorKind::kStorage:
      return "HBase error";
  }
  HOURCELL_CHECK(false);
}

}  // namespace hourcell
