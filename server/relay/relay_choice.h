// RelayChoice: where a relay passes a connection on to, by its first bytes: to the process that
// writes, or to this process' own server of queries (follower.h), which has every point that was
// acknowledged. The latter gets connections whose first request is a query that needs nothing of
// the writer's memory:
//
//   GET, POST   /api/query, /api/query/last, with a version or without; not if the URL has a
//               parameter `delete` or `method_override`, nor a POST where deletions are allowed,
//               since the body may ask for one
//   GET         /q, not with these parameters
//
// Pure; thread-safe.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace hourcell {

// A first line that is longer goes to the writer.
inline constexpr size_t kFirstLineBytesMax = size_t{16} << 10;

enum class RelayChoice : uint8_t { kNeedsMore, kWriter, kFollower };

// `bytes`: the first of a client. kNeedsMore only if its first line is not complete and not longer
// than kFirstLineBytesMax.
RelayChoice ChooseByFirstBytes(std::string_view bytes, bool may_delete);

}  // namespace hourcell
