#include "server/text/deletion_text.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "tests/support/status_matchers.h"

namespace hourcell::deletion_text_test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

TEST(DeletionTextTest, ReadsWhatItPrints) {
  const std::vector<Deletion> deletions = {{.id = 1,
                                            .deleted_ms = 1000,
                                            .undo_until_ms = 2000,
                                            .start_ms = 3,
                                            .end_ms = 4,
                                            .metrics = {"m", "\"quoted\""},
                                            .series = 5,
                                            .can_be_undone = true},
                                           {.id = 7, .metrics = {}}};
  const std::string text = DeletionsJson(deletions);
  EXPECT_THAT(text, HasSubstr(R"({"id":1,"deleted":1000,"undoUntil":2000,"start":3,"end":4,)"
                              R"("metrics":["m","\"quoted\""],"series":5,"canBeUndone":true})"));
  EXPECT_THAT(ParseDeletionsJson(text), IsOkAndHolds(deletions));
  EXPECT_EQ(DeletionsJson({}), R"({"deletions":[]})");
  EXPECT_THAT(ParseDeletionsJson(DeletionsJson({})), IsOkAndHolds(IsEmpty()));
}

TEST(DeletionTextTest, OtherTextsAreRefused) {
  for (const char* const text : {"", "{}", "[]", R"({"deletions":[{"id":1}]})",
                                 R"({"deletions":[{"id":-1}]})", R"({"deletions":{}})"}) {
    EXPECT_THAT(ParseDeletionsJson(text), StatusIs(absl::StatusCode::kInvalidArgument)) << text;
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
