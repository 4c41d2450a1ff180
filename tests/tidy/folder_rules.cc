#include "tests/tidy/folder_rules.h"

#include <algorithm>
#include <array>

namespace hourcell::tidy {
namespace {

constexpr std::string_view kProgram = "server/cli/main.cc";

constexpr std::array kRules = {
    FolderRule{"codec/base", ""},
    FolderRule{"codec", "codec/base"},
    FolderRule{"codec/cells", "codec/base codec"},
    FolderRule{"codec/rollups", "codec/base codec"},
    FolderRule{"codec/rows", "codec/base codec"},
    FolderRule{"codec/text", "codec/base codec codec/rows"},
    FolderRule{"codec/histograms", "codec/base codec codec/rows codec/text"},
    FolderRule{"uid", "codec/base codec codec/rows codec/text"},
    FolderRule{"engine/regions", "codec/base"},
    FolderRule{"engine/regions/split", "codec/base engine/regions"},
    FolderRule{"engine/regions/presplit",
               "codec/base codec/rows engine/regions engine/regions/split"},
    FolderRule{"engine/regions/keys",
               "codec/base codec codec/rows engine/regions engine/regions/presplit"},
    FolderRule{"engine/query", "codec/base codec codec/cells codec/rollups codec/rows codec/text"},
    FolderRule{"engine/query/functions", "codec/base codec engine/query"},
    FolderRule{"engine/expressions", "codec/base codec/text engine/query engine/query/functions"},
    FolderRule{"engine/query/stages",
               "codec/base codec codec/cells codec/rows codec/text engine/query"},
    FolderRule{"engine/trees", "codec/base engine/query engine/query/stages"},
    FolderRule{"engine",
               "codec/base codec codec/histograms codec/rollups codec/rows codec/text "
               "engine/regions/split engine/query"},
    FolderRule{"engine/threads", "codec/base"},
    FolderRule{"engine/rocks/files", "codec/base"},
    FolderRule{"engine/journal", "codec/base engine engine/rocks/files"},
    FolderRule{"engine/spool", "codec/base codec engine engine/threads engine/journal"},
    FolderRule{"engine/table", "codec/base codec codec/rows engine/regions engine/regions/split"},
    FolderRule{"engine/storage", "engine engine/table engine/journal"},
    FolderRule{"engine/rows",
               "codec/base codec codec/cells codec/histograms codec/rows uid engine/regions "
               "engine/query engine engine/table"},
    FolderRule{"engine/days",
               "codec/base codec/cells codec/rows engine/regions engine/table engine/rows"},
    FolderRule{"engine/hidden",
               "codec/base codec/cells codec/rows engine/regions engine/table engine/rows"},
    FolderRule{"engine/undo", "codec/base codec codec/rows uid engine/table engine/rows"},
    FolderRule{"engine/rocks/regions",
               "codec/base engine/regions engine engine/table engine/rocks/files"},
    FolderRule{"engine/rocks",
               "codec/base codec/rows engine/regions engine engine/table "
               "engine/rocks/files engine/journal engine/storage engine/rows "
               "engine/rocks/regions"},
    FolderRule{"engine/annotations",
               "codec/base codec codec/rows codec/text engine/query engine/table "
               "engine/rows"},
    FolderRule{"engine/documents", "codec/base engine engine/table engine/rows"},
    FolderRule{"engine/names",
               "codec/base codec codec/rollups codec/rows uid engine/query engine engine/table "
               "engine/rows engine/documents"},
    FolderRule{"engine/hours", "codec/base codec codec/cells codec/rows engine/rows"},
    FolderRule{"engine/rollups/marks", "codec/base codec/rows engine/table engine/rows"},
    FolderRule{
        "engine/series",
        "codec/base codec codec/rollups codec/rows codec/text uid engine/query engine/query/stages "
        "engine/table engine/rows engine/hidden engine/names engine/hours engine/rollups/marks"},
    FolderRule{"engine/regions/live",
               "codec/base codec/rows engine/regions engine/regions/split "
               "engine/regions/presplit engine engine/table engine/rows engine/series"},
    FolderRule{"engine/write",
               "codec/base codec codec/cells codec/rows codec/text uid engine engine/threads "
               "engine/table engine/journal engine/rows engine/days engine/regions/live "
               "engine/hours engine/rollups/marks engine/series"},
    FolderRule{"engine/histograms",
               "codec/base codec codec/histograms codec/rows codec/text uid engine/query "
               "engine/query/stages engine engine/table engine/rows engine/annotations "
               "engine/names engine/hours engine/series engine/write"},
    FolderRule{
        "engine/read",
        "codec/base codec codec/cells codec/rows uid engine/query "
        "engine/query/functions engine/query/stages engine engine/threads engine/table engine/rows "
        "engine/days engine/annotations engine/names engine/hours engine/series "
        "engine/histograms"},
    FolderRule{"engine/rollups",
               "codec/base codec codec/rollups codec/rows uid engine/query engine/query/stages "
               "engine engine/table engine/rollups/marks engine/series engine/read"},
    FolderRule{"engine/rollups/keeper",
               "codec/base codec codec/cells codec/rollups codec/rows uid engine/query "
               "engine/query/stages engine engine/table engine/names engine/hours "
               "engine/rollups/marks engine/series engine/write engine/read"},
    FolderRule{
        "engine/virtuals",
        "codec/base codec codec/rows uid engine/query engine/query/functions engine/query/stages "
        "engine/expressions engine/table engine/hidden engine/names engine/hours engine/series "
        "engine/read"},
    FolderRule{"engine/scan",
               "codec/base codec codec/cells codec/rows uid engine/regions engine/regions/keys "
               "engine engine/table engine/names engine/hours engine/series "
               "engine/read"},
    FolderRule{"engine/backup",
               "codec/base engine engine/table engine/rocks/files engine/journal "
               "engine/rows engine/rocks engine/write"},
    FolderRule{
        "engine/fsck",
        "codec/base codec codec/cells codec/rows codec/text uid engine/regions engine engine/table "
        "engine/rocks/files engine/journal engine/rows engine/days engine/undo engine/rocks "
        "engine/documents engine/names engine/hours engine/rollups/marks engine/series"},
    FolderRule{
        "engine/deletion",
        "codec/base codec codec/cells codec/rows uid engine/query engine engine/table "
        "engine/journal engine/rows engine/days engine/hidden engine/annotations engine/names "
        "engine/hours engine/rollups/marks engine/series engine/write engine/histograms "
        "engine/read"},
    FolderRule{"engine/opentsdb",
               "codec/base codec codec/cells codec/rows codec/text uid engine engine/table "
               "engine/rows engine/series"},
    FolderRule{"engine/bigtable/api", "codec/base engine/table"},
    FolderRule{"engine/bigtable/rows",
               "codec/base codec/cells engine/table engine/rows engine/opentsdb "
               "engine/bigtable/api"},
    FolderRule{"engine/bigtable/writer",
               "codec/base engine engine/threads engine/journal engine/table engine/storage "
               "engine/rows engine/opentsdb engine/bigtable/api engine/bigtable/rows"},
    FolderRule{"engine/bigtable",
               "codec/base engine/table engine/storage engine/rows engine/opentsdb "
               "engine/bigtable/api engine/bigtable/rows engine/bigtable/writer"},
    FolderRule{
        "engine/role",
        "codec/base codec/rows uid engine engine/threads engine/table engine/storage engine/rows "
        "engine/annotations engine/names engine/hours engine/series engine/write"},
    FolderRule{"engine/suggest",
               "codec/base codec/rollups codec/rows uid engine/query engine/hidden engine/names "
               "engine/series"},
    FolderRule{"engine/store",
               "codec/base codec codec/rows uid engine/query engine engine/threads engine/table "
               "engine/storage engine/journal engine/rows engine/days engine/hidden engine/undo "
               "engine/rocks engine/role engine/regions/live engine/annotations engine/documents "
               "engine/names "
               "engine/hours engine/rollups/marks engine/series engine/suggest engine/write "
               "engine/histograms engine/read engine/rollups engine/rollups/keeper engine/virtuals "
               "engine/deletion engine/scan"},
    FolderRule{"engine/facets",
               "codec/base codec/rollups uid engine/query engine engine/names engine/annotations "
               "engine/histograms engine/read engine/rollups/keeper engine/virtuals "
               "engine/deletion engine/scan "
               "engine/series engine/suggest engine/undo engine/store"},
    FolderRule{"promql/histograms", "codec/base"},
    FolderRule{"promql", "codec/base promql/histograms"},
    FolderRule{"promql/text", "codec/base codec/text promql"},
    FolderRule{"promql/values", "codec/base codec/text promql promql/histograms promql/text"},
    FolderRule{"promql/evaluation",
               "codec/base engine/query promql promql/histograms promql/text promql/values"},
    FolderRule{"server/plot", "codec/base"},
    FolderRule{"server/plot/output", "codec/base server/plot"},
    FolderRule{"bench/lab/keys", "codec/base engine/regions/presplit"},
    FolderRule{"bench/lab/simulate/model", "codec/base engine/regions engine/regions/split"},
    FolderRule{"bench/lab/simulate/input",
               "codec/base codec codec/rows codec/text engine/regions "
               "engine/regions/presplit engine/regions/keys"},
    FolderRule{"bench/lab/simulate",
               "codec/base engine/regions engine/regions/split "
               "engine/regions/presplit engine engine/days engine/table engine/rocks "
               "engine/regions/live bench/lab/keys bench/lab/simulate/model "
               "bench/lab/simulate/input"},
    FolderRule{"bench/lab/simulate/report",
               "codec/base engine/regions engine/regions/split bench/lab/keys "
               "bench/lab/simulate/input bench/lab/simulate"},
    FolderRule{"bench/lab/layouts",
               "codec/base codec codec/cells codec/rows engine/regions "
               "engine/regions/split engine/regions/keys engine/table engine/rows "
               "bench/lab/simulate"},
    FolderRule{"bench/lab/layouts/cases",
               "codec/base codec engine engine/days engine/table engine/rocks server/plot "
               "server/plot/output bench/lab/keys bench/lab/layouts"},
    FolderRule{"server/log", "codec/base"},
    FolderRule{"server/text", "codec/base codec codec/text engine/query engine"},
    FolderRule{"server/config", "codec/base codec codec/rollups engine/query engine server/text"},
    FolderRule{"server/access", "codec/base engine server/log server/text server/config"},
    FolderRule{"server/net", "codec/base engine"},
    FolderRule{"server/net/nodes", "codec/base"},
    FolderRule{"server/http", "codec/base codec server/text server/access"},
    FolderRule{"server/http/body", "codec/base engine server/http"},
    FolderRule{"server/http/guard",
               "codec/base server/text server/config server/access server/http"},
    FolderRule{"server/query",
               "codec/base codec codec/text engine/query engine server/text "
               "server/http server/http/body server/http/guard"},
    FolderRule{"server/expressions",
               "codec/base codec/text engine/query engine/expressions engine server/text "
               "server/http server/http/body server/query"},
    FolderRule{"server/changes",
               "codec/base codec/text engine/query engine server/text "
               "server/http server/http/body server/query"},
    FolderRule{"server/graph",
               "codec/base codec/text engine/query engine server/http server/http/body "
               "server/query server/plot server/plot/output"},
    FolderRule{"server/names",
               "codec/base codec codec/rows codec/text engine server/text "
               "server/http server/http/body server/query"},
    FolderRule{"server/trees",
               "codec/base codec codec/rows codec/text engine/trees engine server/text server/http "
               "server/http/body server/query server/names"},
    FolderRule{"server/documents",
               "codec/base codec codec/text engine/query engine promql/text server/text "
               "server/http server/query"},
    FolderRule{"server/monitor",
               "codec/base engine server/log server/text server/config server/access server/http"},
    FolderRule{"server/rollups",
               "codec/base codec codec/rollups codec/text engine/query engine server/config "
               "server/http"},
    FolderRule{"server/put",
               "codec/base codec codec/rollups codec/text engine server/text server/http "
               "server/rollups"},
    FolderRule{"server/histograms",
               "codec/base codec codec/histograms codec/text engine server/text server/http "
               "server/put"},
    FolderRule{"server/admin",
               "codec/base engine server/log server/text server/http server/http/body "
               "server/histograms server/query"},
    FolderRule{"server/lab",
               "codec/base engine engine/regions/keys engine/regions/presplit "
               "engine/regions/split server/text server/http server/admin "
               "bench/lab/simulate/input bench/lab/simulate "
               "bench/lab/simulate/report bench/lab/layouts bench/lab/layouts/cases"},
    FolderRule{"server/inputs",
               "codec/base codec codec/histograms codec/rows codec/text engine server/config "
               "server/http server/put"},
    FolderRule{"server/inputs/graphite",
               "codec/base codec codec/text engine server/log server/access server/net server/put "
               "server/inputs"},
    FolderRule{"server/inputs/influx",
               "codec/base codec codec/text engine server/http server/put server/inputs"},
    FolderRule{"server/inputs/otlp",
               "codec/base codec codec/histograms codec/text engine server/text server/http "
               "server/put server/inputs"},
    FolderRule{
        "server/inputs/prometheus",
        "codec/base codec codec/histograms codec/rollups codec/rows codec/text engine/query engine "
        "server/http server/http/body server/put server/query server/text server/inputs"},
    FolderRule{"server/promql",
               "codec/base codec codec/histograms engine/query engine promql promql/histograms "
               "promql/text promql/values promql/evaluation server/config server/http "
               "server/http/body server/inputs "
               "server/inputs/prometheus server/query"},
    FolderRule{"server/translate",
               "codec/base codec/text engine/query engine/query/stages promql promql/text "
               "server/inputs server/inputs/prometheus server/query"},
    FolderRule{"server/translate/grafana",
               "codec/base codec/text engine/query promql promql/text server/query server/text "
               "server/translate"},
    FolderRule{"server/inputs/statsd",
               "codec/base codec codec/rows codec/text engine server/log server/config server/net "
               "server/put server/inputs"},
    FolderRule{"server/api",
               "codec/base codec/text engine/query engine server/log server/text server/config "
               "server/access server/net server/http server/http/body server/http/guard "
               "server/query server/expressions server/changes server/graph server/names "
               "server/trees server/documents server/admin server/inputs server/inputs/influx "
               "server/inputs/otlp server/inputs/prometheus server/promql "
               "server/lab server/monitor server/rollups server/put server/histograms"},
    FolderRule{"server/telnet",
               "codec/base codec codec/text engine server/text server/config "
               "server/access server/net server/rollups server/api server/histograms"},
    FolderRule{"server/ports",
               "codec/base engine server/log server/config server/access server/net "
               "server/net/nodes server/inputs server/inputs/graphite server/inputs/statsd "
               "server/api server/telnet"},
    FolderRule{"server",
               "codec/base engine server/log server/text server/config server/access server/net "
               "server/net/nodes server/http server/monitor server/api server/telnet "
               "server/ports"},
    FolderRule{"server/cluster",
               "codec/base engine engine/storage engine/threads engine/opentsdb "
               "engine/bigtable server/log server/text server/config server/access server/net "
               "server/net/nodes server/http server/api server/monitor server/ports server"},
    FolderRule{"server/forward",
               "codec/base codec codec/text engine engine/spool server/log server/text "
               "server/config server/http server/histograms"},
    FolderRule{"server/cli", "codec/base engine server/config server/http server/cluster"},
    FolderRule{"server/cli/cluster", "codec/base codec/text server/http server/cli"},
    FolderRule{"server/cli/data",
               "codec/base codec codec/text engine/query engine server/http server/query "
               "server/forward"},
    FolderRule{"server/cli/opentsdb",
               "codec/base codec engine engine/opentsdb server/config server/cluster server/http "
               "server/cli server/cli/data"},
    FolderRule{"server/cli/data/import",
               "codec/base codec codec/text engine/query engine server/text server/config "
               "server/rollups server/histograms server/inputs server/inputs/graphite "
               "server/inputs/influx server/http server/cli "
               "server/cli/data server/cli/opentsdb"},
    FolderRule{"server/cli/data/query",
               "codec/base codec codec/text engine/query engine promql/text server/access "
               "server/http server/http/body server/translate server/translate/grafana "
               "server/api server/cli "
               "server/cli/data server/cli/opentsdb server/cli/data/import"},
    FolderRule{"server/cli/data/scan",
               "codec/base codec codec/text engine server/text server/histograms server/http "
               "server/cli server/cli/data server/cli/data/import"},
    FolderRule{"server/cli/names",
               "codec/base codec/rows codec/text engine server/text server/cluster server/http "
               "server/expressions server/cli server/cli/data server/cli/data/import"},
    FolderRule{"server/cli/admin/store",
               "codec/base codec/rollups engine/query engine server/text server/config server/http "
               "server/rollups server/cli"},
    FolderRule{"server/cli/admin",
               "codec/base engine server/text server/config server/access server/cluster "
               "server/http server/admin server/cli server/cli/cluster server/cli/admin/store"},
    FolderRule{"server/cli/admin/migrate",
               "codec/base codec/rows engine server/cluster server/cli server/cli/data"},
    FolderRule{"server/cli/serve",
               "codec/base engine engine/storage server/log server/config "
               "server/net server/cluster server/forward server/monitor server server/cli"},
    FolderRule{"server/cli/lab",
               "codec/base codec codec/text engine/regions engine/regions/split engine "
               "server/config server/plot server/plot/output bench/lab/simulate/input "
               "bench/lab/simulate bench/lab/simulate/report bench/lab/layouts "
               "bench/lab/layouts/cases server/http server/cli server/cli/data/import "
               "server/cli/data/scan"},
    FolderRule{
        "server/cli/main.cc",
        "codec/base server/text server/cli server/cli/serve server/cli/data/import "
        "server/cli/data/query server/cli/data/scan server/cli/names "
        "server/cli/admin/store server/cli/admin server/cli/admin/migrate server/cli/cluster "
        "server/cli/opentsdb server/cli/lab"},
};

std::string_view FolderOf(std::string_view path) {
  if (path == kProgram) return kProgram;
  return path.substr(0, std::min(path.rfind('/'), path.size()));
}

bool Lists(std::string_view folders, std::string_view folder) {
  while (!folders.empty()) {
    const size_t end = std::min(folders.find(' '), folders.size());
    if (folders.substr(0, end) == folder) return true;
    folders.remove_prefix(std::min(end + 1, folders.size()));
  }
  return false;
}

}  // namespace

std::span<const FolderRule> FolderRules() {
  return kRules;
}

const FolderRule* RuleOf(std::string_view path) {
  const std::string_view folder = FolderOf(path);
  const auto* const rule =
      std::ranges::find_if(kRules, [&](const FolderRule& row) { return row.folder == folder; });
  return rule == kRules.end() ? nullptr : rule;
}

bool MayInclude(const FolderRule& rule, std::string_view path) {
  const std::string_view folder = FolderOf(path);
  return folder == rule.folder || Lists(rule.may_include, folder);
}

}  // namespace hourcell::tidy
