#include "server/cli/admin/undo.h"

#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include "tests/server/cli/captured_terminal.h"
#include "tests/server/http/scripted_server.h"
#include "tests/support/builders.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::undo_test {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

constexpr int64_t kHour = 1'356'998'400;

class UndoTest : public testing::Test {
 protected:
  StoreOptions store() const {
    return {.data = dir_.file("store"), .settings = {"tsd.storage.undo=86400"}};
  }

  // A point that is deleted.
  void FillAndDelete() {
    const auto tsdb = OpenStore(store(), StoreUse::kCreate);
    ASSERT_OK(tsdb);
    OwnedPoint point("m", "host=a", kHour, 1);
    ASSERT_OK((*tsdb)->points().Put(point.view()));
    ASSERT_OK(
        (*tsdb)->points().DeletePoints(MakeQuery(Aggregator::kNone, "m", {}, kHour, kHour + 60)));
    ASSERT_OK((*tsdb)->Close());
  }

  size_t PointsLeft() const {
    const auto tsdb = OpenStore(store(), StoreUse::kExisting);
    EXPECT_OK(tsdb);
    if (!tsdb.ok()) return 0;
    const auto result =
        (*tsdb)->queries().Query(MakeQuery(Aggregator::kNone, "m", {}, kHour, kHour + 60));
    EXPECT_OK(result);
    return result.ok() ? result->series.size() : 0;
  }

  int Run(std::vector<std::string> words, bool forget = false, const std::string& url = "") {
    return RunUndo(
        {.store = {.store = store(), .url = url, .words = std::move(words)}, .forget = forget},
        terminal_.get());
  }

  TempDir dir_;
  CapturedTerminal terminal_;
};

TEST_F(UndoTest, ADirectorysDeletesAreListedAndUndone) {
  ASSERT_NO_FATAL_FAILURE(FillAndDelete());
  EXPECT_EQ(PointsLeft(), 0u);
  EXPECT_EQ(Run({}), kExitOk);
  EXPECT_THAT(terminal_.out(), StartsWith("1 deleted "));
  EXPECT_THAT(terminal_.out(),
              HasSubstr(": 1 series of m, from 2013/01/01-00:00:00 to 2013/01/01-00:01:00\n"));

  EXPECT_EQ(Run({"1"}), kExitOk);
  EXPECT_THAT(terminal_.out(), EndsWith("\n1: undone\n"));
  EXPECT_EQ(PointsLeft(), 1u);
  EXPECT_EQ(Run({}), kExitOk);
  EXPECT_THAT(terminal_.out(), EndsWith("\nnothing can be undone\n"));
  EXPECT_EQ(Run({"1"}), kExitFailure);
  EXPECT_THAT(terminal_.err(), HasSubstr("change 1: not found"));
}

TEST_F(UndoTest, AForgottenDeleteIsGone) {
  ASSERT_NO_FATAL_FAILURE(FillAndDelete());
  EXPECT_EQ(Run({"1"}, /*forget=*/true), kExitOk);
  EXPECT_EQ(terminal_.out(), "1: cannot be undone any more\n");
  EXPECT_EQ(Run({"1"}), kExitFailure);
  EXPECT_EQ(PointsLeft(), 0u);
}

TEST_F(UndoTest, ShortenedTtlsAreListedAndUndone) {
  ASSERT_NO_FATAL_FAILURE(FillAndDelete());
  ASSERT_EQ(Run({"1"}), kExitOk);
  {
    const auto tsdb = OpenStore(store(), StoreUse::kExisting);
    ASSERT_OK(tsdb);
    ASSERT_OK((*tsdb)->retention().SetMetricTtl("m", 86'400));
  }
  EXPECT_EQ(PointsLeft(), 0u);
  EXPECT_EQ(Run({}), kExitOk);
  EXPECT_THAT(terminal_.out(), HasSubstr("\n2 shortened 20"));
  EXPECT_THAT(terminal_.out(), EndsWith(": TTL of m from that of the store to 1d\n"));
  EXPECT_EQ(Run({"2"}), kExitOk);
  EXPECT_THAT(terminal_.out(), EndsWith("\n2: undone\n"));
  EXPECT_EQ(PointsLeft(), 1u);
}

TEST_F(UndoTest, RenamesAreListedAndUndone) {
  ASSERT_NO_FATAL_FAILURE(FillAndDelete());
  ASSERT_EQ(Run({"1"}), kExitOk);
  {
    const auto tsdb = OpenStore(store(), StoreUse::kExisting);
    ASSERT_OK(tsdb);
    ASSERT_OK((*tsdb)->names().RenameUid(UidKind::kMetric, "m", "wrong"));
  }
  EXPECT_EQ(Run({}), kExitOk);
  EXPECT_THAT(terminal_.out(), HasSubstr("\n2 renamed 20"));
  EXPECT_THAT(terminal_.out(), EndsWith(": metrics 000001 from m to wrong\n"));
  EXPECT_EQ(Run({"2"}), kExitOk);
  EXPECT_THAT(terminal_.out(), EndsWith("\n2: undone\n"));
  EXPECT_EQ(PointsLeft(), 1u);
}

TEST_F(UndoTest, AServerIsAsked) {
  const std::string reply =
      R"({"deletions":[{"id":7,"deleted":1000,"undoUntil":2000,"start":0,"end":60000,)"
      R"("metrics":["m","n"],"series":2,"canBeUndone":false}],"changes":[{"id":8,"kind":"ttl",)"
      R"("changed":1000,"undoUntil":2000,"before":0,"since":60}]})";
  ScriptedServer server({{HttpReplyText(200, reply)}, {HttpReplyText(200, reply)}});
  EXPECT_EQ(Run({}, false, server.url()), kExitOk);
  EXPECT_EQ(
      terminal_.out(),
      "7 deleted 1970/01/01-00:00:01, cannot be undone any more: 2 series of m, n, from "
      "1970/01/01-00:00:00 to 1970/01/01-00:01:00\n"
      "8 shortened 1970/01/01-00:00:01, undo until 1970/01/01-00:00:02: TTL of the store from "
      "forever to 1m\n");
  EXPECT_EQ(Run({"7"}, true, server.url()), kExitOk);
}

TEST_F(UndoTest, WrongWordsAreUsageErrors) {
  EXPECT_EQ(Run({"x"}), kExitUsage);
  EXPECT_EQ(Run({"1", "2"}), kExitUsage);
  EXPECT_EQ(Run({}, /*forget=*/true), kExitUsage);
  EXPECT_THAT(terminal_.err(), HasSubstr("--forget: needs an id"));
}

}  // namespace
}  // namespace hourcell::undo_test
