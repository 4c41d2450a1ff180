#include "server/cli/data/query/query_text.h"

#include <iterator>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "codec/point.h"
#include "codec/text/number.h"
#include "server/cli/data/java_text.h"

namespace hourcell {

void AppendSeriesLines(const ResultSeries& series, std::string* out) {
  std::vector<TagView> tags;
  for (const auto& [key, value] : series.tags)
    tags.push_back({key, value});
  std::string tail = " ";
  AppendJavaTags(tags, &tail);
  tail.push_back('\n');
  for (const ResultPoint& point : series.points) {
    fmt::format_to(std::back_inserter(*out), "{} {} ", series.metric, point.ms);
    if (point.value.is_integer()) {
      fmt::format_to(std::back_inserter(*out), "{}", point.value.integer());
    } else {
      AppendJavaDouble(point.value.floating(), out);
    }
    out->append(tail);
  }
}

}  // namespace hourcell
