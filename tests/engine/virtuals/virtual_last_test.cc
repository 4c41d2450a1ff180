#include "engine/virtuals/virtual_last.h"

#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/virtuals/virtual_fixture.h"

namespace hourcell::virtual_last_test {
namespace {

using testing::ElementsAre;

class VirtualLastTest : public VirtualTest {
 protected:
  // "busy host=a dc=east 1356998400000 3"
  std::vector<std::string> Lasts(const LastQuery& query) {
    std::vector<std::string> lasts;
    EXPECT_OK(tsdb_->queries().LastPoints(query, [&lasts](const LastPoint& point) {
      std::string& text = lasts.emplace_back(point.series.metric);
      for (const TagView& tag : point.series.tags)
        text += fmt::format(" {}={}", tag.key, tag.value);
      text += fmt::format(" {} {}", point.ms, point.value.ToDouble());
    }));
    return lasts;
  }
};

TEST_F(VirtualLastTest, TheLastPointIsAtTheLastCommonTime) {
  Open();
  Put("user", "host=a dc=east", kStart, 1);
  Put("system", "host=a dc=east", kStart, 2);
  Put("user", "host=a dc=east", kStart + 60, 10);  // without a point of system
  Put("user", "host=b dc=west", kEnd - 1, 3);
  Put("system", "host=b dc=west", kEnd - 1, 4);
  Put("user", "host=c dc=west", kStart - 40 * 86'400, 5);
  Put("system", "host=c dc=west", kStart - 40 * 86'400, 6);
  Put("user", "host=d dc=west", kStart, 5);
  ASSERT_OK(tsdb_->names().DefineMetric("busy", Sum()));

  LastQuery query{.queries = {{.metric = "busy"}, {.metric = "system"}}, .resolve = true};
  EXPECT_THAT(
      Lasts(query),
      ElementsAre("system host=a dc=east 1356998400000 2", "system host=b dc=west 1357016398000 4",
                  "system host=c dc=west 1353542400000 6", "busy host=a dc=east 1356998400000 3",
                  "busy host=b dc=west 1357016398000 7", "busy host=c dc=west 1353542400000 11"));
  query.queries = {{.metric = "busy", .tags = {{.tagk = "dc", .tagv = "west"}}},
                   {.metric = "busy", .tags = {{.tagk = "host", .tagv = "b"}}}};
  query.back_hours = 3;
  EXPECT_THAT(Lasts(query), ElementsAre("busy host=b dc=west 1357016398000 7"));
}

TEST_F(VirtualLastTest, TsuidsOfBothKindsAreAnswered) {
  Open();
  Put("user", "host=a", kStart, 1);
  Put("system", "host=a", kStart, 2);
  Put("user", "host=b", kStart, 1);
  ASSERT_OK(tsdb_->names().DefineMetric("busy", Sum()));

  // host=a of busy, of user, and a series of busy that is not joined.
  LastQuery query{
      .queries = {{.metric = {},
                   .tags = {},
                   .tsuids = {"000003000001000001", "000001000001000001", "000003000001000002"}}},
      .resolve = true};
  EXPECT_THAT(Lasts(query),
              ElementsAre("user host=a 1356998400000 1", "busy host=a 1356998400000 3"));
  query.queries[0].tsuids = {"000003000001000001"};
  EXPECT_THAT(Lasts(query), ElementsAre("busy host=a 1356998400000 3"));
}

}  // namespace
}  // namespace hourcell::virtual_last_test
