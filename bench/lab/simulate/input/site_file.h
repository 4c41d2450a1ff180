// hbase-site.xml, as settings by name:
//
//   <configuration>
//     <property><name>hbase.hregion.max.filesize</name><value>10737418240</value></property>
//   </configuration>
//
// Of that form, and no other XML: no attributes but xmlns:*, no XInclude, and no DOCTYPE, so that
// nothing is expanded or fetched. In a property description, final, source and tag may stand as
// well. A name that comes twice: the later one holds, as in Hadoop. expat reads the XML. Pure.

#pragma once

#include <cstddef>
#include <string_view>

#include <absl/status/statusor.h>

#include "engine/regions/setting_reader.h"

namespace hourcell {

inline constexpr size_t kSiteFileBytesMax = 4 * 1024 * 1024;

// kInvalidArgument: "line 7: got ..; want ..", or "line 7: " and what expat says. A text longer
// than kSiteFileBytesMax is refused.
absl::StatusOr<SettingMap> ParseSiteFile(std::string_view text);

// True if the text is XML rather than a properties file: its first character is a '<'.
bool LooksLikeXml(std::string_view text);

}  // namespace hourcell
