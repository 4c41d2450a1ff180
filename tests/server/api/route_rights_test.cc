#include "server/api/route_rights.h"

#include <string_view>

#include <gtest/gtest.h>

#include "codec/base/check.h"

namespace hourcell::route_rights_test {
namespace {

std::string_view RoleFor(std::string_view path, HttpMethod method = HttpMethod::kGet) {
  const auto route = ParseRoute(path);
  HOURCELL_CHECK(route.ok());
  return RightsFor(*route, method).role();
}

TEST(RouteRightsTest, PutsWriteAndQueriesRead) {
  EXPECT_EQ(RoleFor("/api/put", HttpMethod::kPost), "write");
  EXPECT_EQ(RoleFor("/API/v1/Put/", HttpMethod::kPost), "write");
  for (const char* const path : {"/api/query", "/api/query/last", "/q", "/api/suggest", "/suggest",
                                 "/api/search/lookup", "/api/stats", "/stats"}) {
    EXPECT_EQ(RoleFor(path), "read") << path;
    EXPECT_EQ(RoleFor(path, HttpMethod::kPost), "read") << path;
  }
}

TEST(RouteRightsTest, WhatDestroysOrTellsOfTheServerIsForAdmins) {
  for (const char* const path : {"/api/query", "/api/stats/query", "/api/annotation/bulk"})
    EXPECT_EQ(RoleFor(path, HttpMethod::kDelete), "admin") << path;
  for (const char* const path :
       {"/api/dropcaches", "/api/config", "/api/uid/rename", "/api/uid/tsmeta", "/api/admin/flush",
        "/api/admin/regions", "/api/admin/ttl", "/api/nosuch", "/nosuch", "/api/query/other"}) {
    EXPECT_EQ(RoleFor(path), "admin") << path;
  }
}

TEST(RouteRightsTest, AnnotationsAreReadAndWrittenByMethod) {
  EXPECT_EQ(RoleFor("/api/annotation"), "read");
  EXPECT_EQ(RoleFor("/api/annotation", HttpMethod::kPost), "write");
  EXPECT_EQ(RoleFor("/api/annotation", HttpMethod::kDelete), "write");
  EXPECT_EQ(RoleFor("/api/uid/assign"), "write");
}

bool ChangesBy(std::string_view path, HttpMethod method = HttpMethod::kGet) {
  const auto route = ParseRoute(path);
  HOURCELL_CHECK(route.ok());
  return Changes(*route, method);
}

TEST(RouteRightsTest, WhatChangesSomethingIsKnownAsSuch) {
  for (const char* const path :
       {"/api/dropcaches", "/api/uid/assign", "/api/uid/rename", "/api/uid/tsmeta"}) {
    EXPECT_TRUE(ChangesBy(path)) << path;
  }
  for (const char* const path : {"/api/annotation", "/api/annotation/bulk", "/api/annotations",
                                 "/api/admin/ttl", "/api/admin/regions/split", "/api/nosuch"}) {
    EXPECT_FALSE(ChangesBy(path)) << path;
    for (const HttpMethod method : {HttpMethod::kPost, HttpMethod::kPut, HttpMethod::kDelete})
      EXPECT_TRUE(ChangesBy(path, method)) << path;
  }
  for (const char* const path : {"/api/query", "/api/stats/query", "/api/query/last"}) {
    EXPECT_FALSE(ChangesBy(path)) << path;
    EXPECT_FALSE(ChangesBy(path, HttpMethod::kPost)) << path;
    EXPECT_TRUE(ChangesBy(path, HttpMethod::kDelete)) << path;
  }
  for (const char* const path : {"/", "/q", "/api/version", "/api/config", "/api/stats"})
    EXPECT_FALSE(ChangesBy(path)) << path;
  EXPECT_FALSE(ChangesBy("/api/put", HttpMethod::kPost)) << "OpenTSDB takes any type for it";
}

TEST(RouteRightsTest, AnyRightIsEnoughForWhatTheServerIs) {
  for (const char* const path : {"/", "/api/version", "/version", "/api/aggregators",
                                 "/api/serializers", "/api/config/filters"}) {
    EXPECT_EQ(RoleFor(path), "none") << path;
  }
}

}  // namespace
}  // namespace hourcell::route_rights_test
