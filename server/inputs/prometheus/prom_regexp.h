// Adapts a matcher's regular expression to names that a store has changed: where the name rule maps
// a character to '_', the expression also accepts '_'.
//
//   web01:9100|web02:.*    web01[:_]9100|web02[:_].*
//   1e\+06                 1e[\+_]06
//   [:+]x                  [:+_]x
//
// No I/O; thread-safe.

#pragma once

#include <string>
#include <string_view>

#include "server/inputs/name_rule.h"

namespace hourcell {

// Keeps invalid patterns invalid. Leaves text between \Q and \E, and classes that begin with [^,
// unchanged.
std::string RegexpOfStored(std::string_view pattern, const NameRule& names);

}  // namespace hourcell
