// RelayChoice: chooses by a connection's first bytes where a relay forwards it: to the writer, or
// to this process's follower server, which has every acknowledged point. The follower server gets
// connections whose first request is a GET or POST of a route that a follower may answer
// (RouteRow::follower_may_answer, server/api/route_table.h), unless it may delete: its URL has a
// parameter `delete` or `method_override`, or it is a POST of a route with DELETE where deletions
// are allowed, since its body may request one.
//
// No I/O; thread-safe.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace hourcell {

// Connections with a longer first line go to the writer.
inline constexpr size_t kFirstLineBytesMax = size_t{16} << 10;

enum class RelayChoice : uint8_t { kNeedsMore, kWriter, kFollower };

// `bytes`: the first bytes of a client. Returns kNeedsMore only if the first line is incomplete and
// at most kFirstLineBytesMax long.
RelayChoice ChooseByFirstBytes(std::string_view bytes, bool may_delete);

}  // namespace hourcell
