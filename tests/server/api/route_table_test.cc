// The table of routes, and what the server does with each path by verb, mode and rights. The golden
// file was first written by the server as it was before it had one table: its history says what was
// changed since.

#include "server/api/route_table.h"

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
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/api/http_context.h"
#include "server/api/http_job.h"
#include "server/api/query_gate.h"
#include "server/net/asio.h"
#include "server/text/ascii.h"
#include "tests/codec/allocation_count.h"
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
    "/metrics",
    "/healthz",
    "/readyz",
    "/-/healthy",
    "/-/ready",
    "/logs",
    "/s",
    "/s/x.js",
    "/favicon.ico",
    "/health",
    "/v1/metrics",
    "/api/put",
    "/api/histogram",
    "/api/rollup",
    "/write",
    "/api/v2/write",
    "/api/v2/query",
    "/api/v2/buckets",
    "/api/v2/orgs",
    "/api/query_range",
    "/api/labels",
    "/api/label/job/values",
    "/api/series",
    "/api/metadata",
    "/api/query_exemplars",
    "/api/format_query",
    "/api/rules",
    "/api/alerts",
    "/api/status/buildinfo",
    "/api/status/tsdb",
    "/api/v1/write",
    "/api/write",
    "/api/read",
    "/ping",
    "/api/query",
    "/api/query/exp",
    "/api/query/gexp",
    "/api/query/changes",
    "/api/query/churn",
    "/api/query/last",
    "/api/search",
    "/api/search/lookup",
    "/api/search/tsmeta",
    "/api/suggest",
    "/api/metrics",
    "/api/aggregators",
    "/api/version",
    "/api/stats",
    "/api/stats/threads",
    "/api/stats/jvm",
    "/api/stats/region_clients",
    "/api/status",
    "/api/stats/query",
    "/api/config",
    "/api/config/filters",
    "/api/serializers",
    "/api/endpoints",
    "/api/cluster",
    "/api/whoami",
    "/api/dropcaches",
    "/api/annotation",
    "/api/annotation/bulk",
    "/api/annotations",
    "/api/views",
    "/api/views/x",
    "/api/tree",
    "/api/tree/rule",
    "/api/tree/rules",
    "/api/tree/branch",
    "/api/tree/test",
    "/api/tree/collisions",
    "/api/tree/notmatched",
    "/api/uid",
    "/api/uid/assign",
    "/api/uid/rename",
    "/api/uid/uidmeta",
    "/api/uid/tsmeta",
    "/api/uid/nosuch",
    "/api/uid/assign/more",
    "/api/admin/seal",
    "/api/admin/flush",
    "/api/admin/compact",
    "/api/admin/backup",
    "/api/admin/fsck",
    "/api/admin/scan",
    "/api/admin/uid",
    "/api/admin/jobs",
    "/api/admin/ttl",
    "/api/admin/rollups",
    "/api/admin/metrics",
    "/api/admin/undo",
    "/api/admin/salt",
    "/api/admin/simulate",
    "/api/admin/layouts",
    "/api/admin/regions",
    "/api/admin/regions/loads",
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
    "/api/stats/nosuch",
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

bool IsInGoldenFile(std::string_view path) {
  if (!path.ends_with('*')) return std::ranges::find(kPaths, path) != std::end(kPaths);
  const std::string_view prefix = path.substr(0, path.size() - 1);
  return std::ranges::any_of(kPaths,
                             [&](std::string_view each) { return each.starts_with(prefix); });
}

class RouteTableTest : public ApiTest {
 protected:
  RouteTableTest() {
    for (size_t i = 0; i < std::size(kModes); ++i) {
      HOURCELL_CHECK(configs_[i].Set("tsd.mode", std::string(kModes[i])).ok());
      apis_[i] = std::make_unique<Routes>(&tsdb(), &configs_[i], &clock_);
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
  std::unique_ptr<Routes> apis_[std::size(kModes)];
  const ConnectionCounters counters_{&tsdb().stats()};
  QueryGate gate_{1};
  RequestBodyBudget memory_{0};
  WorkerPool workers_{1};
  WorkerPool queries_{1};
  std::atomic<bool> stopping_ = false;
  HttpContext context_ = {.pools = {.workers = &workers_, .queries = &queries_},
                          .counters = &counters_,
                          .query_gate = &gate_};
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

const VerbRow& VerbOf(std::string_view path, HttpMethod method = HttpMethod::kGet) {
  const auto route = ParseRoutePath(path);
  HOURCELL_CHECK(route.ok());
  const RouteRow* const row = FindRoute(*route);
  HOURCELL_CHECK(row != nullptr);
  return row->Of(method);
}

TEST(RouteRightsTest, PutsWriteAndQueriesRead) {
  EXPECT_EQ(VerbOf("/api/put", HttpMethod::kPost).right, Right::kWrite);
  EXPECT_EQ(VerbOf("/API/v1/Put/", HttpMethod::kPost).right, Right::kWrite);
  for (const char* const path : {"/api/query", "/api/query/last", "/q", "/api/suggest", "/suggest",
                                 "/api/search/lookup", "/api/stats", "/stats"}) {
    EXPECT_EQ(VerbOf(path).right, Right::kRead) << path;
  }
}

TEST(RouteRightsTest, WhatDestroysOrTellsOfTheServerIsForAdmins) {
  EXPECT_EQ(VerbRow().right, Right::kAdmin) << "of a verb for which nobody chose";
  for (const char* const path : {"/api/query", "/api/stats/query", "/api/annotation/bulk"})
    EXPECT_EQ(VerbOf(path, HttpMethod::kDelete).right, Right::kAdmin) << path;
  for (const char* const path : {"/api/dropcaches", "/api/config", "/api/uid/rename",
                                 "/api/uid/nosuch", "/api/admin/regions", "/api/admin/ttl"}) {
    EXPECT_EQ(VerbOf(path).right, Right::kAdmin) << path;
  }
}

TEST(RouteRightsTest, AnnotationsAreReadAndWrittenByMethod) {
  EXPECT_EQ(VerbOf("/api/annotation").right, Right::kRead);
  EXPECT_EQ(VerbOf("/api/annotation", HttpMethod::kPost).right, Right::kWrite);
  EXPECT_EQ(VerbOf("/api/annotation", HttpMethod::kDelete).right, Right::kWrite);
  EXPECT_EQ(VerbOf("/api/uid/assign").right, Right::kWrite);
}

TEST(RouteRightsTest, WhatChangesSomethingIsKnownAsSuch) {
  constexpr HttpMethod kMethods[] = {HttpMethod::kPost, HttpMethod::kPut, HttpMethod::kDelete};
  for (const RouteRow& row : RouteTable()) {
    const bool get_changes = row.path == "/api/dropcaches" ||
                             (row.path.starts_with("/api/uid/") && !row.path.ends_with("meta"));
    EXPECT_EQ(row.get.offered && row.get.effect != Effect::kReads, get_changes) << row.path;
    for (const HttpMethod method : kMethods) {
      const VerbRow& verb = row.Of(method);
      if (!verb.offered) continue;
      const bool only_reads = verb.right == Right::kAny || verb.right == Right::kRead ||
                              row.path == "/api/config" || row.path == "/query";
      EXPECT_EQ(verb.effect == Effect::kReads, only_reads) << row.path;
    }
    const bool takes_points = row.path == "/api/put" || row.path == "/api/rollup" ||
                              row.path == "/api/histogram" || row.path == "/v1/metrics" ||
                              row.path.ends_with("/write");
    EXPECT_EQ(row.post.effect == Effect::kTakesAnyForm, takes_points)
        << "points are taken as any client sends them, and they alone";
  }
}

// A row after another that has its path as well would never be found.
TEST(RouteRowsTest, EachIsFoundByItsOwnPathAndIsComplete) {
  for (const RouteRow& row : RouteTable()) {
    std::string path(row.path);
    if (path.ends_with('*')) path.back() = 'x';
    EXPECT_EQ(FindRoute(*ParseRoutePath(path)), &row) << path;
    EXPECT_EQ(path, LowerCase(path));
    EXPECT_NE(row.handler, nullptr) << path;
    EXPECT_FALSE(row.doc.empty()) << path;
    EXPECT_TRUE(row.IsOfferedIn("rw")) << path;
    EXPECT_FALSE(row.put.offered && !row.post.offered) << path;
    EXPECT_TRUE(IsInGoldenFile(row.path)) << path;
  }
}

TEST(RouteRowsTest, AnyCaseAndSlashesAtTheEndFindTheSameRow) {
  const RouteRow* const put = FindRoute(*ParseRoutePath("/api/put"));
  for (const char* const path : {"/api/PUT", "/API/v1/put/", "/aPi/pUt//"})
    EXPECT_EQ(FindRoute(*ParseRoutePath(path)), put) << path;
  for (const char* const path : {"/put", "/api/putt", "/api/pu", "/api//put", "/api/put/x", "/api",
                                 "/x/api/put", "/assetsx", "/api/uidx"}) {
    EXPECT_EQ(FindRoute(*ParseRoutePath(path)), nullptr) << path;
  }
}

TEST(RouteRowsTest, FindingOneAllocatesNothing) {
  const size_t before = AllocationCount();
  for (const RouteRow& row : RouteTable())
    EXPECT_EQ(ThreadsFor(row.path), row.answered_on);
  EXPECT_EQ(ThreadsFor("/API/v1/Admin/Regions/Rolling/more/than/any/route/has"),
            AnsweredOn::kWorkers);
  EXPECT_EQ(AllocationCount(), before);
}

TEST(RouteRowsTest, AllowNamesTheVerbsOfTheMode) {
  const RouteRow& annotation = *FindRoute(*ParseRoutePath("/api/annotation"));
  EXPECT_EQ(AllowedVerbs(annotation, "rw"), "GET, HEAD, POST, PUT, DELETE");
  EXPECT_EQ(AllowedVerbs(annotation, "ro"), "GET, HEAD");
  EXPECT_EQ(AllowedVerbs(annotation, "wo"), "POST, PUT, DELETE");
  const RouteRow& drop = *FindRoute(*ParseRoutePath("/api/dropcaches"));
  EXPECT_EQ(AllowedVerbs(drop, "rw"), "GET, DELETE") << "a HEAD changes nothing";
}

std::string ModesOf(const VerbRow& verb) {
  if (verb.absent_in == "ro") return "rw, wo";
  return verb.absent_in == "wo" ? "rw, ro" : "";
}

// The verbs of a row that share a right, an effect and their modes are one line of the page.
std::string PageLinesOf(const RouteRow& row) {
  constexpr std::pair<HttpMethod, std::string_view> kVerbNames[] = {
      {HttpMethod::kGet, "GET"},
      {HttpMethod::kPost, "POST"},
      {HttpMethod::kPut, "PUT"},
      {HttpMethod::kDelete, "DELETE"}};
  std::vector<std::pair<std::string, std::string>> lines;  // verbs, the rest
  for (const auto& [method, name] : kVerbNames) {
    const VerbRow& verb = row.Of(method);
    if (!verb.offered) continue;
    const std::string rest = fmt::format("{} | {} | {}", RightName(verb.right),
                                         verb.effect == Effect::kReads ? "" : "yes", ModesOf(verb));
    if (lines.empty() || lines.back().second != rest) {
      lines.emplace_back(name, rest);
    } else {
      lines.back().first += fmt::format(", {}", name);
    }
  }
  std::string text;
  for (const auto& [verbs, rest] : lines) {
    text +=
        fmt::format("| {} | {} | {} | {} |\n", text.empty() ? fmt::format("`{}`", row.path) : "",
                    verbs, rest, text.empty() ? row.doc : "");
  }
  return text;
}

// To write the table of the page anew: HOURCELL_GOLDEN=1.
TEST(RouteRowsTest, ThePageOfEndpointsHasThisTable) {
  std::string table =
      "| path | verbs | right | changes state | only in `tsd.mode` | "
      "|\n|---|---|---|---|---|---|\n";
  for (const RouteRow& row : RouteTable())
    table += PageLinesOf(row);
  const std::string page_file = SourcePath("docs/endpoints.md");
  std::stringstream page;
  page << std::ifstream(page_file).rdbuf();
  const std::string text = page.str();
  const size_t begin = text.find("| path |");
  ASSERT_NE(begin, std::string::npos);
  const size_t end = text.find("\n\n", begin) + 1;
  if (std::getenv("HOURCELL_GOLDEN") != nullptr)
    std::ofstream(page_file) << text.substr(0, begin) << table << text.substr(end);
  EXPECT_EQ(text.substr(begin, end - begin), table);
}

class RouteAnswersTest : public ApiTest {};

// What the client must know is in the answer to what it did wrong.
TEST_F(RouteAnswersTest, AWrongVerbIsToldWhichAreRight) {
  struct Case {
    std::string_view line;
    std::string_view allow;
  };
  for (const Case& c :
       {Case{"GET /api/put", "POST"}, Case{"HEAD /api/put", "POST"},
        Case{"PUT /api/query", "GET, HEAD, POST, DELETE"},
        Case{"HEAD /api/dropcaches", "GET, DELETE"}, Case{"OPTIONS /api/put", "POST"},
        Case{"POST /", "GET, HEAD"}, Case{"GET /api/annotation/bulk", "POST, PUT, DELETE"},
        Case{"GET /api/version?method_override=delete", "GET, HEAD, POST"}}) {
    const HttpResponse response = Send(c.line);
    EXPECT_EQ(response.status, 405) << c.line;
    EXPECT_EQ(Header(response, "Allow"), c.allow) << c.line;
  }
  EXPECT_EQ(Header(Send("GET /api/nosuch"), "Allow"), "");
}

TEST_F(RouteAnswersTest, AModeTakesItsVerbsFromAllow) {
  ASSERT_OK(config().Set("tsd.mode", "ro"));
  EXPECT_EQ(Header(Send("PATCH /api/annotation"), "Allow"), "GET, HEAD");
  EXPECT_EQ(Send("PATCH /api/put").status, 404) << "nothing of it is left";
}

TEST_F(RouteAnswersTest, APreflightIsToldTheVerbsOfItsRoute) {
  ASSERT_OK(config().Set("tsd.http.request.cors_domains", "*"));
  const std::vector<std::pair<std::string, std::string>> headers = {{"origin", "42.com"}};
  EXPECT_EQ(Header(Send("OPTIONS /api/put", "", headers), "Access-Control-Allow-Methods"), "POST");
  EXPECT_EQ(Header(Send("OPTIONS /api/%71uery", "", headers), "Access-Control-Allow-Methods"),
            "GET, HEAD, POST, DELETE");
  EXPECT_EQ(Header(Send("OPTIONS /api/nosuch", "", headers), "Access-Control-Allow-Methods"), "");
}

TEST_F(RouteAnswersTest, TheEndpointsAreListed) {
  rights_ = AccessRights::Write();
  const std::string body = Send("GET /api/endpoints").body;
  EXPECT_THAT(body, testing::StartsWith(
                        R"([{"path":"/api/put","doc":"write points","verbs":[{"verb":"POST",)"
                        R"("right":"write","changes":true,"modes":["rw","wo"]}]},)"));
  EXPECT_THAT(body, testing::HasSubstr(
                        R"({"path":"/api/stats/query","doc":"list the queries that run or ran; )"
                        R"(DELETE cancels one","verbs":[{"verb":"GET","right":"read",)"
                        R"("changes":false,"modes":["rw","ro","wo"]},{"verb":"DELETE",)"
                        R"("right":"admin","changes":true,"modes":["rw","ro","wo"]}]})"));
  for (const RouteRow& row : RouteTable())
    EXPECT_THAT(body, testing::HasSubstr(fmt::format("\"path\":\"{}\"", row.path)));
}

}  // namespace
}  // namespace hourcell::route_table_test
