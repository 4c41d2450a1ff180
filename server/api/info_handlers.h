// The small endpoints: what the server is and knows, without data points.
//
// Pure but for what they read; thread-safe. All answer 200.

#pragma once

#include <cstdint>
#include <string_view>

#include "engine/cluster_view.h"
#include "engine/stats.h"
#include "server/config/config.h"
#include "server/http/http_message.h"
#include "server/text/stats_text.h"

namespace hourcell {

// /api/aggregators: the names of all aggregators.
HttpResponse AggregatorsInfo();

// /api/version. Clients of OpenTSDB read `version`; ours is in `hourcell`. Also the commit, how it
// was built, and, for clients that may read, with which libraries.
HttpResponse VersionInfo(bool with_libraries);
// /version, two lines of text.
HttpResponse VersionPage();

// /api/stats: every counter and gauge, with the tags of `origin`.
HttpResponse StatsInfo(const Stats& stats, int64_t now_ms, const StatOrigin& origin);
// /stats: the same as lines `tsd.<name> <seconds> <value> tagk=tagv ...`; for ?json, an array of
// them.
HttpResponse StatsPage(const Stats& stats, int64_t now_ms, const StatOrigin& origin, bool json);

// /api/config: all settings, those that hold a password masked.
HttpResponse ConfigInfo(const Config& config);
// /api/config/filters: the types of filters, described.
HttpResponse FiltersInfo();

// /api/endpoints: the table of routes.
HttpResponse EndpointsInfo();

// /api/whoami: the user, the role that the client has by its login and its address, the mode of the
// server, and whether a login could give it more.
HttpResponse WhoAmIInfo(const HttpRequest& request, const Config& config);

// /api/cluster: the processes that share the store, and what its journal holds. `own_address` is
// said of this process if the store does not know where it is found.
HttpResponse ClusterInfo(const ClusterView& view, std::string_view own_address);

// /api/serializers: the one there is.
HttpResponse SerializersInfo();

}  // namespace hourcell
