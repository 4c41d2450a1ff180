// hbase-site.xml, as settings by name:
//
//   <configuration>
//     <property><name>hbase.hregion.max.filesize</name><value>10737418240</value></property>
//   </configuration>
//
// A small and strict reader of that form, and of no other XML: elements without attributes but
// xmlns:*, comments, the XML declaration and stylesheet instructions, text with the five entities
// and numeric references, CDATA. No DOCTYPE, so that nothing is expanded or fetched; no XInclude.
// In a property description, final, source and tag may stand as well. A name that comes twice: the
// later one holds, as in Hadoop. Pure.

#pragma once

#include <cstddef>
#include <string_view>

#include <absl/status/statusor.h>

#include "engine/regions/setting_reader.h"

namespace hourcell {

inline constexpr size_t kSiteFileBytesMax = 4 * 1024 * 1024;

// kInvalidArgument: "line 7: got ..; want ..". A text longer than kSiteFileBytesMax is refused.
absl::StatusOr<SettingMap> ParseSiteFile(std::string_view text);

// True if the text is XML rather than a properties file: its first character is a '<'.
bool LooksLikeXml(std::string_view text);

}  // namespace hourcell
