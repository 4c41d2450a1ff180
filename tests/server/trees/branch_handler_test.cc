#include "server/trees/branch_handler.h"

#include <string>
#include <string_view>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/server/api_fixture.h"
#include "tests/support/status_matchers.h"

namespace hourcell::branch_handler_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kFirst = "000001000001000001";
constexpr std::string_view kSecond = "000001000001000002";

class BranchHandlerTest : public ApiTest {
 protected:
  // sys.cpu.0 of two hosts, and a tree of the metric's parts and the host.
  void SetTree(std::string_view fields = "") {
    Put({"sys.cpu.0", "host=web01", kStartS, 1});
    Put({"sys.cpu.0", "host=web02", kStartS, 1});
    ASSERT_EQ(
        Send("POST /api/tree", fmt::format(R"({{"name":"T","enabled":true{}}})", fields)).status,
        200);
    SetRules(R"([{"treeId":1,"level":0,"type":"METRIC","separator":"\\."},)"
             R"({"treeId":1,"level":1,"type":"TAGK","field":"host"}])");
  }

  void SetRules(std::string rules) {
    ASSERT_EQ(Send("PUT /api/tree/rules", std::move(rules)).status, 204);
  }

  std::string Get(std::string_view what) {
    return Send(fmt::format("GET /api/tree/{}", what)).body;
  }
};

// The vector "HTTP: child branch" with series in place of rows.
TEST_F(BranchHandlerTest, ABranchHasLeavesAndBranches) {
  SetTree();
  EXPECT_THAT(Get("branch?treeid=1"), AllOf(HasSubstr(R"("leaves":null,"branches":[{)"),
                                            HasSubstr(R"("displayName":"sys")"),
                                            HasSubstr(R"("branchId":"00010001BECD")")));
  EXPECT_THAT(Get("branch?branch=00010001BECD000181A8"), HasSubstr(R"("displayName":"0")"));
  EXPECT_THAT(Get("branch?branch=00010001BECD000181A800000030"),
              AllOf(HasSubstr(R"("metric":"sys.cpu.0","tags":{"host":"web01"})"),
                    HasSubstr(R"("branches":null)"), HasSubstr(R"("displayName":"web02")")));
  EXPECT_EQ(Send("GET /api/tree/branch?branch=00010001BECD000181A8BBBBB").status, 404);
  EXPECT_EQ(Send("GET /api/tree/branch?branch=0002").status, 404);
  EXPECT_EQ(Send("GET /api/tree/branch?branch=001").status, 400);
}

TEST_F(BranchHandlerTest, BranchesFollowSeriesAndRules) {
  SetTree();
  const std::string_view leaves = "branch?branch=00010001BECD000181A800000030";
  EXPECT_THAT(Get(leaves), Not(HasSubstr("web03")));
  Put({"sys.cpu.0", "host=web03", kStartS, 1});
  EXPECT_THAT(Get(leaves), HasSubstr("web03"));
  SetRules(R"([{"treeId":1,"type":"TAGK","field":"host","displayFormat":"Host {value}"}])");
  EXPECT_THAT(Get("branch?treeid=1"), HasSubstr(R"("displayName":"Host web03")"));
}

TEST_F(BranchHandlerTest, ATreeThatIsNotEnabledHasNoBranches) {
  SetTree();
  ASSERT_EQ(Send("POST /api/tree", R"({"treeId":1,"enabled":false})").status, 200);
  EXPECT_THAT(Get("branch?treeid=1"), HasSubstr(R"("leaves":null,"branches":null)"));
  EXPECT_THAT(Get(fmt::format("test?treeid=1&tsuids={}", kFirst)), HasSubstr("Adding leaf: web01"));
}

// The vectors of collisions and of series that are not matched, with series in place of rows.
TEST_F(BranchHandlerTest, FailuresAreListed) {
  SetTree(R"(,"storeFailures":true,"strictMatch":true)");
  EXPECT_EQ(Get("collisions?treeid=1"), "{}");
  EXPECT_EQ(Get("notmatched?treeid=1"), "{}");
  SetRules(R"([{"treeId":1,"level":0,"type":"METRIC"}])");
  EXPECT_EQ(Get("collisions?treeid=1"), fmt::format(R"({{"{}":"{}"}})", kSecond, kFirst));
  EXPECT_EQ(Get(fmt::format("collisions?treeid=1&tsuids={}", kFirst)), "{}");
  SetRules(R"([{"treeId":1,"level":1,"order":1,"type":"TAGK","field":"dc"}])");
  const std::string body = fmt::format(R"({{"treeId":1,"tsuids":["{}"]}})", kSecond);
  EXPECT_EQ(Send("POST /api/tree/notmatched", body).body,
            fmt::format(R"({{"{}":"[1:1:1:TAGK]"}})", kSecond));
  EXPECT_EQ(Send("GET /api/tree/notmatched").status, 400);

  ASSERT_EQ(Send("POST /api/tree", R"({"treeId":1,"storeFailures":false})").status, 200);
  EXPECT_EQ(Get("notmatched?treeid=1"), "{}");
}

TEST_F(BranchHandlerTest, RulesReadTheFieldsOfNames) {
  SetTree();
  ASSERT_EQ(
      Send("POST /api/uid/uidmeta", R"({"uid":"000001","type":"tagv","custom":{"owner":"ann"}})")
          .status,
      200);
  SetRules(R"([{"treeId":1,"level":0,"type":"TAGV_CUSTOM","field":"web01","customField":"owner"},)"
           R"({"treeId":1,"level":1,"type":"TAGK","field":"host"}])");
  EXPECT_THAT(Get("branch?treeid=1"),
              AllOf(HasSubstr(R"("displayName":"ann")"), HasSubstr(R"("displayName":"web02")")));
  EXPECT_THAT(Get(fmt::format("test?treeid=1&tsuids={}", kFirst)),
              HasSubstr("Matched custom tag [owner]"));
}

TEST_F(BranchHandlerTest, TestSaysWhyASeriesHasNoPlace) {
  SetTree();
  EXPECT_THAT(Get(fmt::format("test?treeid=1&tsuids={},000009000001000001", kFirst)),
              AllOf(HasSubstr(R"("messages":["Processing rule: [1:0:0:METRIC]")"),
                    HasSubstr(R"("meta":{"tsuid":"000001000001000001")"),
                    HasSubstr("TSUID was missing a UID name: "),
                    HasSubstr(R"("meta":null,"branch":null})")));
  ASSERT_OK(tsdb().names().AssignUid(UidKind::kTagv, "web09"));
  EXPECT_THAT(Get("test?treeid=1&tsuids=000001000001000003"),
              HasSubstr("Unable to locate TSUID meta data"));
  EXPECT_EQ(Send("GET /api/tree/test?treeid=1").status, 400);
  EXPECT_EQ(Send("GET /api/tree/test?treeid=1&tsuids=xy").status, 400);
}

TEST_F(BranchHandlerTest, SeriesWithoutANameAreNotInTrees) {
  SetTree();
  ASSERT_OK(tsdb().names().DeleteUid(UidKind::kTagv, "web02"));
  const std::string leaves = Get("branch?branch=00010001BECD000181A800000030");
  EXPECT_THAT(leaves, AllOf(HasSubstr("web01"), Not(HasSubstr("000002"))));
}

}  // namespace
}  // namespace hourcell::branch_handler_test
