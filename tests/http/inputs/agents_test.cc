// Real agents of Debian's packages, which write measurements of this machine.

#include <pwd.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/http/inputs/peer_program.h"
#include "tests/http/server_process.h"
#include "tests/support/temp_dir.h"

namespace hourcell::agents_test {
namespace {

constexpr const char* kCollectd = "/usr/sbin/collectd";
constexpr const char* kNetdata = "/usr/sbin/netdata";
constexpr const char* kWhisperDump = "/usr/bin/whisper-dump";

std::string NotTested(std::string_view what, std::string_view program, std::string_view package) {
  return fmt::format(
      "NOT TESTED: {}: no {}; `apt-get install --no-install-recommends {}` (group "
      "peers of scripts/packages)",
      what, program, package);
}

// A server with a port for Graphite's lines.
class AgentsTest : public testing::Test {
 protected:
  // The answer to a query of the last hour.
  std::string Points(std::string_view metric_and_tags) const {
    return HttpCall(server_.port(), "GET",
                    fmt::format("/api/query?start=1h-ago&m=none:{}", metric_and_tags))
        .body;
  }
  // Whether each of these has points.
  bool HasPoints(const std::vector<std::string_view>& queries) const {
    for (const std::string_view query : queries) {
      if (Points(query).find("\"dps\":{\"1") == std::string::npos) return false;
    }
    return true;
  }
  void ExpectInMetrics(std::string_view line) const {
    const std::string metrics = HttpCall(server_.port(), "GET", "/metrics").body;
    EXPECT_NE(metrics.find(line), std::string::npos) << line;
  }

  TempDir directory_;
  const uint16_t graphite_port_ = FreePort();
  ServerProcess server_{directory_.file("store"),
                        {"--set", fmt::format("tsd.graphite.port={}", graphite_port_)}};
};

// By write_graphite, with and without tags, and by write_tsdb.
TEST_F(AgentsTest, WhatCollectdWritesIsStored) {
  if (!IsInstalled(kCollectd)) {
    GTEST_SKIP() << NotTested("points of the real collectd", kCollectd, "collectd-core");
  }
  const std::string config = directory_.file("collectd.conf");
  std::ofstream(config) << fmt::format(
      "Hostname \"web01\"\nFQDNLookup false\nInterval 0.5\nBaseDir \"{0}\"\n"
      "TypesDB \"/usr/share/collectd/types.db\"\n"
      "LoadPlugin load\nLoadPlugin uptime\nLoadPlugin write_graphite\nLoadPlugin write_tsdb\n"
      "<Plugin write_graphite>\n"
      "  <Node \"plain\">\n    Host \"127.0.0.1\"\n    Port \"{1}\"\n  </Node>\n"
      "  <Node \"tags\">\n    Host \"127.0.0.1\"\n    Port \"{1}\"\n    UseTags true\n  </Node>\n"
      "</Plugin>\n"
      "<Plugin write_tsdb>\n  <Node>\n    Host \"127.0.0.1\"\n    Port \"{2}\"\n  </Node>\n"
      "</Plugin>\n",
      directory_.path(), graphite_port_, server_.port());
  {
    const PeerProgram collectd({kCollectd, "-f", "-C", config, "-P", directory_.file("pid")},
                               directory_.file("log"));
    ASSERT_TRUE(Eventually([&] { return HasPoints({"load.load.shortterm{fqdn=web01}"}); }));
  }
  // The agent has ended, and sent its data.
  EXPECT_TRUE(Eventually([&] {
    return HasPoints({"web01.load.load.shortterm{host=unknown}", "web01.uptime.uptime",
                      "uptime.uptime{host=web01}"});
  })) << Points("web01.load.load.shortterm");
  ExpectInMetrics("hourcell_rpc_inputs_refused_total{type=\"graphite\"} 0\n");
  ExpectInMetrics("hourcell_rpc_put_errors_total{reason=\"illegal_argument\"} 0\n");
}

// By its exporters for Graphite, for OpenTSDB's lines, and for OpenTSDB's HTTP API.
TEST_F(AgentsTest, WhatNetdataWritesIsStored) {
  if (!IsInstalled(kNetdata)) {
    GTEST_SKIP() << NotTested("points of the real netdata", kNetdata, "netdata-core");
  }
  const std::string home = directory_.file("netdata");
  std::filesystem::create_directories(home + "/lib");
  const passwd* const user = getpwuid(geteuid());
  ASSERT_NE(user, nullptr);
  std::ofstream(home + "/netdata.conf") << fmt::format(
      "[global]\n  run as user = {1}\n  hostname = web01\n[db]\n  mode = ram\n"
      "[directories]\n  config = {0}\n  stock config = {0}\n  cache = {0}/lib\n  lib = {0}/lib\n"
      "  log = {0}/lib\n  web = {0}/lib\n  registry = {0}/lib\n"
      "[logs]\n  access log = none\n  error log = stderr\n[ml]\n  enabled = no\n"
      "[health]\n  enabled = no\n[web]\n  mode = none\n[registry]\n  enabled = no\n"
      "[plugins]\n  timex = no\n  idlejitter = no\n  tc = no\n  diskspace = no\n  cgroups = no\n"
      "  statsd = no\n  slabinfo = no\n  apps = no\n  perf = no\n  nfacct = no\n"
      "  netdata monitoring = no\n  enable running new plugins = no\n"
      "[plugin:proc]\n  /proc/net/dev = no\n  /proc/diskstats = no\n",
      home, user->pw_name);
  std::ofstream(home + "/exporting.conf") << fmt::format(
      "[exporting:global]\n  enabled = yes\n  update every = 1\n  data source = as collected\n"
      "  send charts matching = system.load system.uptime\n"
      "[graphite:g]\n  enabled = yes\n  destination = 127.0.0.1:{0}\n"
      "[opentsdb:t]\n  enabled = yes\n  destination = 127.0.0.1:{1}\n  prefix = lines\n"
      "[opentsdb:http:h]\n  enabled = yes\n  destination = 127.0.0.1:{1}\n  prefix = http\n",
      graphite_port_, server_.port());
  const PeerProgram netdata({kNetdata, "-D", "-P", home + "/pid", "-c", home + "/netdata.conf"},
                            directory_.file("log"));
  EXPECT_TRUE(Eventually([&] {
    return HasPoints({"netdata.web01.system.uptime.uptime{_is_ephemeral=false}",
                      "lines.system.uptime.uptime{host=web01}",
                      "http.system.uptime.uptime{host=web01}"});
  }));
  // Not the errors of puts: without values the exporter posts [], which OpenTSDB refuses, too.
  ExpectInMetrics("hourcell_rpc_inputs_refused_total{type=\"graphite\"} 0\n");
}

// A file of Whisper that its own program made, as the text that its own program prints.
TEST_F(AgentsTest, WhatWhisperDumpPrintsIsImported) {
  if (!IsInstalled(kWhisperDump)) {
    GTEST_SKIP() << NotTested("files of the real Whisper", kWhisperDump, "python3-whisper");
  }
  const int64_t minute = std::time(nullptr) / 60 * 60;
  ASSERT_EQ(std::system(fmt::format("cd '{0}' && whisper-create m.wsp 60:10 300:12 >log && "
                                    "whisper-update m.wsp {1}:1.5 {2}:7 {3}:2.25 >>log && "
                                    "whisper-dump m.wsp >m.txt",
                                    directory_.path(), minute - 60, minute - 180, minute - 1800)
                            .c_str()),
            0);

  const ProgramResult import = RunProgram(
      {"import", "--format", "whisper", "--metric", "a.b", "--default-tag", "from=g", "--url",
       fmt::format("http://127.0.0.1:{}", server_.port()), directory_.file("m.txt")});

  EXPECT_EQ(import.exit_code, 0) << import.err;
  const std::string points = Points("a.b{from=g}");
  for (const std::string& point :
       {fmt::format("\"{}\":1.5", minute - 60), fmt::format("\"{}\":7", minute - 180),
        fmt::format("\"{}\":2.25", (minute - 1800) / 300 * 300)})
    EXPECT_NE(points.find(point), std::string::npos) << point << " in " << points;
}

}  // namespace
}  // namespace hourcell::agents_test
