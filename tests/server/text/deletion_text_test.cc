#include "server/text/deletion_text.h"

#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "tests/support/status_matchers.h"

namespace hourcell::deletion_text_test {
namespace {

using testing::HasSubstr;

TEST(DeletionTextTest, ReadsWhatItPrints) {
  const UndoList list = {
      .deletions = {{.id = 1,
                     .deleted_ms = 1000,
                     .undo_until_ms = 2000,
                     .start_ms = 3,
                     .end_ms = 4,
                     .metrics = {"m", "\"quoted\""},
                     .series = 5,
                     .can_be_undone = true},
                    {.id = 7, .metrics = {}}},
      .ttls = {{.id = 8,
                .changed_ms = 1000,
                .undo_until_ms = 2000,
                .metric = "m",
                .before_s = std::nullopt,
                .shortened_s = 60},
               {.id = 9, .before_s = 0, .shortened_s = 86'400}},
      .renames = {
          {.id = 10,
           .renamed_ms = 1000,
           .undo_until_ms = 2000,
           .row = {.kind = UidKind::kTagk, .name = "new", .uid_bytes = std::string("\0\0\x0a", 3)},
           .old_name = "old"}}};
  const std::string text = UndoListJson(list);
  EXPECT_THAT(
      text,
      HasSubstr(R"({"id":1,"kind":"delete","deleted":1000,"undoUntil":2000,"start":3,"end":4,)"
                R"("metrics":["m","\"quoted\""],"series":5,"canBeUndone":true})"));
  EXPECT_THAT(text, HasSubstr(R"({"id":8,"kind":"ttl","changed":1000,"undoUntil":2000,)"
                              R"("metric":"m","since":60})"));
  EXPECT_THAT(text, HasSubstr(R"("undoUntil":0,"before":0,"since":86400},)"));
  EXPECT_THAT(text, HasSubstr(R"({"id":10,"kind":"rename","changed":1000,"undoUntil":2000,)"
                              R"("type":"tagk","uid":"00000A","name":"new","oldName":"old"}]})"));
  const auto parsed = ParseUndoListJson(text);
  ASSERT_OK(parsed);
  EXPECT_EQ(parsed->deletions, list.deletions);
  EXPECT_EQ(parsed->ttls, list.ttls);
  EXPECT_EQ(UndoListJson(*parsed), text);
  EXPECT_EQ(UndoListJson({}), R"({"deletions":[],"changes":[]})");
  EXPECT_TRUE(ParseUndoListJson(UndoListJson({}))->empty());
  EXPECT_FALSE(parsed->empty());
}

// An earlier server has only deletes, and a later one may have other kinds.
TEST(DeletionTextTest, TextsOfOtherServersAreRead) {
  EXPECT_TRUE(ParseUndoListJson(R"({"deletions":[]})")->empty());
  EXPECT_TRUE(
      ParseUndoListJson(R"({"deletions":[],"changes":[{"id":1,"kind":"other"}]})")->empty());
}

TEST(DeletionTextTest, OtherTextsAreRefused) {
  for (const char* const text :
       {"", "{}", "[]", R"({"deletions":[{"id":1}]})", R"({"deletions":[{"id":-1}]})",
        R"({"deletions":{}})", R"({"deletions":[],"changes":{}})",
        R"({"deletions":[],"changes":[{"id":1}]})",
        R"({"deletions":[],"changes":[{"id":1,"kind":"ttl","changed":1}]})",
        R"({"deletions":[],"changes":[{"id":1,"kind":"rename","changed":1,"undoUntil":2}]})",
        R"({"deletions":[],"changes":[{"id":1,"kind":"rename","changed":1,"undoUntil":2,)"
        R"("type":"x","uid":"00","name":"a","oldName":"b"}]})",
        R"({"deletions":[],"changes":[{"id":1,"kind":"ttl","changed":1,"undoUntil":2,)"
        R"("since":""}]})"}) {
    EXPECT_THAT(ParseUndoListJson(text), StatusIs(absl::StatusCode::kInvalidArgument)) << text;
  }
}

TEST(DeletionTextTest, AnIdIsADecimalNumber) {
  EXPECT_THAT(ParseDeletionId("7"), IsOkAndHolds(7));
  for (const char* const text : {"", "0", "-1", "1x", "all"}) {
    EXPECT_THAT(ParseDeletionId(text), StatusIs(absl::StatusCode::kInvalidArgument)) << text;
  }
}

}  // namespace
}  // namespace hourcell::deletion_text_test
