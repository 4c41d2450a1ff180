// hbase-site.xml, as settings by name:
//
//   <configuration>
//     <property><name>hbase.hregion.max.filesize</name><value>10737418240</value></property>
//   </configuration>
//
// Only this form of XML is accepted: no attributes except xmlns:*, no XInclude, and no DOCTYPE, so
// that nothing is expanded or fetched. A property may also have description, final, source and tag.
// For a repeated name the last value counts, as in Hadoop. expat parses the XML. Pure.

#pragma once

#include <cstddef>
#include <string_view>

#include <absl/status/statusor.h>

#include "engine/regions/setting_reader.h"

namespace hourcell {

inline constexpr size_t kSiteFileBytesMax = 4 * 1024 * 1024;

// kInvalidArgument: "line 7: expected .., got ..", or "line 7: " and expat's message; also for a
// text longer than kSiteFileBytesMax.
absl::StatusOr<SettingMap> ParseSiteFile(std::string_view text);

// True if the text is XML, not a properties file: its first character is '<'.
bool LooksLikeXml(std::string_view text);

}  // namespace hourcell
