// A matcher's regular expression for names that a store has changed: where the name rule writes '_'
// for a character, the expression takes '_' for it, too.
//
//   web01:9100|web02:.*    web01[:_]9100|web02[:_].*
//   1e\+06                 1e[\+_]06
//   [:+]x                  [:+_]x
//
// Pure; thread-safe.

#pragma once

#include <string>
#include <string_view>

#include "server/inputs/name_rule.h"

namespace hourcell {

// An invalid pattern stays invalid. Text between \Q and \E, and classes that begin with [^, stay as
// they are.
std::string RegexpOfStored(std::string_view pattern, const NameRule& names);

}  // namespace hourcell
