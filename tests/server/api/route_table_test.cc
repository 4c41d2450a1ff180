// What the server does with each path, by verb, mode and rights: the golden file was written by the
// server before it had one table of routes, and says what is kept since.

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "server/api/connection_context.h"
#include "server/api/http_job.h"
#include "server/api/query_gate.h"
#include "server/net/asio.h"
#include "tests/server/api_fixture.h"
#include "tests/support/source_dir.h"

namespace hourcell::route_table_test {
namespace {

constexpr std::string_view kGolden = "tests/server/api/route_table.golden";

constexpr std::string_view kPaths[] = {
    "/",
    "/assets",
    "/assets/x.js",
    "/q",
    "/suggest",
    "/aggregators",
    "/version",
    "/stats",
    "/api/put",
    "/api/query",
    "/api/query/last",
    "/api/search",
    "/api/search/lookup",
    "/api/search/tsmeta",
    "/api/suggest",
    "/api/aggregators",
    "/api/version",
    "/api/stats",
    "/api/stats/query",
    "/api/config",
    "/api/config/filters",
    "/api/serializers",
    "/api/dropcaches",
    "/api/annotation",
    "/api/annotation/bulk",
    "/api/annotations",
    "/api/uid",
    "/api/uid/assign",
    "/api/uid/rename",
    "/api/uid/tsmeta",
    "/api/uid/assign/more",
    "/api/admin/seal",
    "/api/admin/flush",
    "/api/admin/compact",
    "/api/admin/backup",
    "/api/admin/fsck",
    "/api/admin/jobs",
    "/api/admin/ttl",
    "/api/admin/salt",
    "/api/admin/regions",
    "/api/admin/regions/check",
    "/api/admin/regions/split",
    "/api/admin/regions/merge",
    "/api/admin/regions/rolling",
    // Other spellings of these.
    "/API/v1/Put/",
    "/api/v1/query",
    "/api/PUT//",
    "/api//put",
    "/api/%70ut",
    "/api%2Fput",
    "/%71",
    "/api/quer%79",
    "/api/admin/regions/check/",
    "//",
    "/Q",
    "/ASSETS/x.js",
    // None of these is a route.
    "/put",
    "/anything/put",
    "/api/anything/put",
    "/api/put/x",
    "/api/query/first",
    "/api/anything/query",
    "/api/stats/jvm",
    "/api/admin",
    "/api/admin/nosuch",
    "/api/nosuch",
    "/api",
    "/api/v1",
    "/api/v0/put",
    "/api/v2/put",
    "/nosuch",
    "/query",
};

constexpr std::string_view kVerbs[] = {
    "GET",
    "HEAD",
    "POST",
    "PUT",
    "DELETE",
    "OPTIONS",
    "PATCH",
    "GET?method_override=post",
    "GET?method_override=put",
    "GET?method_override=delete",
    "GET?method_override=patch",
    "GET?method_override",
    "HEAD?method_override=delete",
    "POST?method_override=delete",
};

constexpr std::string_view kModes[] = {"rw", "ro", "wo"};

constexpr std::array<AccessRights, 5> kRights = {
    AccessRights(), AccessRights::Read(), AccessRights::Write(),
    AccessRights::Read() | AccessRights::Write(), AccessRights::Admin()};

class RouteTableTest : public ApiTest {
 protected:
  RouteTableTest() {
    for (size_t i = 0; i < std::size(kModes); ++i) {
      HOURCELL_CHECK(configs_[i].Set("tsd.mode", std::string(kModes[i])).ok());
      apis_[i] = std::make_unique<HttpApi>(&tsdb(), &configs_[i], &clock_);
    }
  }

  // The status of a refusal by what the path, the verb, the mode and the rights are; "ok" for what
  // the endpoint answers.
  std::string Verdict(size_t mode,
                      std::string_view path,
                      std::string_view verb,
                      AccessRights rights,
                      std::string_view content_type) {
    const size_t method_bytes = std::min(verb.find('?'), verb.size());
    HttpRequest request;
    request.method = verb.substr(0, method_bytes);
    request.target = fmt::format("{}{}", path, verb.substr(method_bytes));
    request.headers = {{"content-type", std::string(content_type)}};
    request.rights = rights;
    HOURCELL_CHECK(ParseTarget(&request).ok());
    if (const auto refusal = Refusal(mode, request)) return std::to_string(refusal->status);
    const bool may_refuse = verb.find('?') != std::string_view::npos || verb == "OPTIONS" ||
                            path.find("annotation") != std::string_view::npos;
    if (!may_refuse) return " ok";
    const HttpResponse response = apis_[mode]->Handle(request);
    const bool is_refused =
        response.status == 405 ||
        (response.status == 404 && response.body.find("Endpoint not found") != std::string::npos);
    return is_refused ? std::to_string(response.status) : " ok";
  }

  std::optional<HttpResponse> Refusal(size_t mode, const HttpRequest& request) {
    return apis_[mode]->RefuseUnread(request);
  }

  std::string VerdictLine(std::string_view path, std::string_view verb) {
    std::string line = fmt::format("{:<26} {:<28}", path, verb);
    for (size_t mode = 0; mode < std::size(kModes); ++mode) {
      line += fmt::format(" {}", kModes[mode]);
      for (const AccessRights rights : kRights)
        line += " " + Verdict(mode, path, verb, rights, "application/json");
    }
    return line + " form " + Verdict(0, path, verb, AccessRights::Admin(), "text/plain") + "\n";
  }

  std::string PoolLine(std::string_view path) {
    HttpRequest request;
    request.method = "GET";
    request.target = std::string(path);
    request.rights = AccessRights::Admin();
    HttpJob job(&context_, std::move(request), RequestBodyBudget::Hold(&memory_), &stopping_);
    const WorkerPool* const pool = job.Enter();
    return fmt::format("{:<26} is answered {}\n", path,
                       pool == nullptr     ? "at once"
                       : pool == &workers_ ? "by a worker"
                                           : "as a query");
  }

  Config configs_[std::size(kModes)];
  std::unique_ptr<HttpApi> apis_[std::size(kModes)];
  const ConnectionCounters counters_{&tsdb().stats()};
  QueryGate gate_{1};
  RequestBodyBudget memory_{0};
  WorkerPool workers_{1};
  WorkerPool queries_{1};
  std::atomic<bool> stopping_ = false;
  ConnectionContext context_ = {
      .pool = &workers_, .query_pool = &queries_, .counters = &counters_, .query_gate = &gate_};
};

// rw, ro, wo: what clients with the rights none, read, write, read+write and admin get in the mode;
// form: what an admin's form gets. To write the file anew: HOURCELL_GOLDEN=1.
TEST_F(RouteTableTest, EachPathVerbModeAndRightIsAnsweredAsTheGoldenFileSays) {
  std::string got;
  for (const std::string_view path : kPaths) {
    for (const std::string_view verb : kVerbs)
      got += VerdictLine(path, verb);
    got += PoolLine(path);
  }
  const std::string golden = SourcePath(kGolden);
  if (std::getenv("HOURCELL_GOLDEN") != nullptr) std::ofstream(golden) << got;

  std::ifstream file(golden);
  std::istringstream lines(got);
  std::string want_line;
  for (std::string line; std::getline(lines, line);) {
    std::getline(file, want_line);
    EXPECT_EQ(line, want_line);
  }
  EXPECT_FALSE(std::getline(file, want_line)) << want_line;
}

}  // namespace
}  // namespace hourcell::route_table_test
