// Small endpoints about the server, without data points.
//
// Pure except for the state they read; thread-safe. All answer 200.

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

// /api/version. Clients of OpenTSDB read `version`; ours is in `hourcell`. Also the commit and the
// kind of build and, for clients with the right to read, the libraries.
HttpResponse VersionInfo(bool with_libraries);
// /version, two lines of text.
HttpResponse VersionPage();

// /api/stats: every counter and gauge, with the tags of `origin`.
HttpResponse StatsInfo(const Stats& stats, int64_t now_ms, const StatOrigin& origin);
// /stats: the same as lines `tsd.<name> <seconds> <value> tagk=tagv ...`; for ?json, as an array.
HttpResponse StatsPage(const Stats& stats, int64_t now_ms, const StatOrigin& origin, bool json);

// /api/config: all settings, with passwords masked.
HttpResponse ConfigInfo(const Config& config);
// /api/config?help: the table of settings, in its order, without the values in effect.
HttpResponse ConfigHelp();
// /api/config/filters: the types of filters, with descriptions.
HttpResponse FiltersInfo();

// /api/endpoints: the table of routes.
HttpResponse EndpointsInfo();

// /api/whoami: the user, the client's role by its login and its address, the mode of the server,
// and whether a login could add rights.
HttpResponse WhoAmIInfo(const HttpRequest& request, const Config& config);

// /api/cluster: the processes that share the store, and the contents of its journal. `own_address`
// is the address of this process if the store does not know it.
HttpResponse ClusterInfo(const ClusterView& view, std::string_view own_address);

// /api/serializers: the only serializer.
HttpResponse SerializersInfo();

}  // namespace hourcell
