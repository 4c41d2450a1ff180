// The rows of the `uid` table: OpenTSDB's tsdb-uid, its families and qualifiers as key prefixes.
//
//   key                                    value                          OpenTSDB
//   69 'i' | kind | name, stored bytes     UID, as wide as its kind       row name, family id
//   6e 'n' | kind | UID                    name, stored bytes             row UID, family name
//   63 'c' | kind                          highest UID handed out, u64    row \0, family id
//
// kind is 'm' (metrics), 'k' (tagk) or 'v' (tagv). Integers are big-endian. Pure; thread-safe.

#pragma once

#include <string>
#include <string_view>

#include "codec/rows/layout.h"
#include "codec/rows/uid.h"

namespace hourcell {

// Keys of a kind's forward rows begin with this; the name's stored bytes follow.
std::string UidForwardPrefix(UidKind kind);
std::string UidForwardKey(UidKind kind, std::string_view stored_name);

// Keys of a kind's reverse rows begin with this; the UID's bytes follow.
std::string UidReversePrefix(UidKind kind);
std::string UidReverseKey(const Layout& layout, UidKind kind, Uid uid);

std::string UidCounterKey(UidKind kind);

}  // namespace hourcell
