#include "engine/table/table.h"

#include "codec/base/check.h"

namespace hourcell {

std::string_view TableName(TableId table) {
  switch (table) {
    case TableId::kSystem:
      return "meta";
    case TableId::kUid:
      return "uid";
    case TableId::kSeries:
      return "series";
    case TableId::kData:
      return "data";
    case TableId::kAnnotation:
      return "annotation";
  }
  HOURCELL_CHECK(false);
}

}  // namespace hourcell
