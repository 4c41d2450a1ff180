#include "server/documents/stored_view.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"

namespace hourcell::stored_view_test {
namespace {

const StoredView kView = {.changed_ms = 1'357'300'800'000, .by = "an\"na", .document = "{\n}\n"};

TEST(StoredViewTest, Vectors) {
  EXPECT_EQ(PrintStoredView(kView), "{\"changed\":1357300800000,\"by\":\"an\\\"na\"}\n{\n}\n");
  EXPECT_EQ(PrintStoredView({}), "{\"changed\":0,\"by\":\"\"}\n");
}

TEST(StoredViewTest, IsParsedAsItWasPrinted) {
  const auto parsed = ParseStoredView(PrintStoredView(kView));
  ASSERT_OK(parsed);
  EXPECT_EQ(parsed->changed_ms, kView.changed_ms);
  EXPECT_EQ(parsed->by, kView.by);
  EXPECT_EQ(parsed->document, kView.document);
}

TEST(StoredViewTest, ALaterProgramMayAddMembers) {
  const auto parsed = ParseStoredView("{\"changed\":5,\"from\":[1],\"by\":\"a\"}\n{}");
  ASSERT_OK(parsed);
  EXPECT_EQ(parsed->by, "a");
  EXPECT_EQ(parsed->document, "{}");
}

TEST(StoredViewTest, OtherTextsAreDataLoss) {
  for (const char* const text : {"", "\n", "{}", "{}\n{}", "[]\n", "{\"changed\":-1}\n",
                                 "{\"changed\":1.5}\n", "{\"changed\":5,\"by\":1}\n",
                                 "{\"changed\":9223372036854775808}\n", "{\"changed\":\n5}\n"}) {
    EXPECT_THAT(ParseStoredView(text), StatusIs(absl::StatusCode::kDataLoss)) << text;
  }
}

TEST(StoredViewTest, AnotherStateHasAnotherTag) {
  EXPECT_EQ(EntityTagOf(kView), EntityTagOf(StoredView(kView)));
  StoredView later = kView;
  ++later.changed_ms;
  EXPECT_NE(EntityTagOf(later), EntityTagOf(kView));
  StoredView other = kView;
  other.document += ' ';
  EXPECT_NE(EntityTagOf(other), EntityTagOf(kView));
}

}  // namespace
}  // namespace hourcell::stored_view_test
