// The syntax of series in parameters: timeseries= of /api/query/last, m= of /api/search/lookup.
//
//   series := [ metric ] [ "{" [ tag { "," tag } ] "}" ]
//   tag    := [ tagk ] "=" [ tagv { "|" tagv } ]
//
// An empty text or "*" on either side of a tag matches anything. Beyond OpenTSDB, a tag matches any
// of several values separated by |, and a name may be quoted (codec/text/quoted_name.h). Pure;
// thread-safe.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "engine/query.h"

namespace hourcell {

struct SeriesText {
  std::string metric;
  std::vector<TagMatch> tags;
};

// kInvalidArgument: "Missing '}' at the end of: x", "invalid tag: x" for a tag without '='.
absl::StatusOr<SeriesText> ParseSeriesText(std::string_view text);

// Appends the matches of one tag, "tagk=tagv"; "web01|web02" as value makes two.
// kInvalidArgument "invalid tag: x": no '='.
absl::Status AppendTagMatches(std::string_view tag, std::vector<TagMatch>* tags);

// As above, for a key and its value.
void AppendTagMatches(std::string_view tagk, std::string_view tagv, std::vector<TagMatch>* tags);

}  // namespace hourcell
