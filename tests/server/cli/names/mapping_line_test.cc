#include "server/cli/names/mapping_line.h"

#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"

namespace hourcell::mapping_line_test {
namespace {

using testing::HasSubstr;

TEST(MappingLineTest, AMappingHasTheKindThatWasAskedFor) {
  MappingLine line(UidKind::kTagv);
  const auto row = line.Read(R"({"kind":"tagv","name":"web01","uid":"0000FF"})");

  ASSERT_OK(row);
  ASSERT_TRUE(row->has_value());
  EXPECT_EQ((*row)->kind, UidKind::kTagv);
  EXPECT_EQ((*row)->name, "web01");
  EXPECT_EQ((*row)->uid_bytes, std::string_view("\0\0\xFF", 3));
}

TEST(MappingLineTest, TheEndIsACountOrAnError) {
  MappingLine line(UidKind::kMetric);

  EXPECT_EQ(*line.Read(R"({"lines":2})"), std::nullopt);
  EXPECT_THAT(line.Read(R"({"error":"timed out"})").status(),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("timed out")));
}

TEST(MappingLineTest, ALineThatIsNoMappingIsDataLoss) {
  MappingLine line(UidKind::kMetric);
  for (const char* text : {"", "[]", "{}", R"({"name":"a"})", R"({"name":"a","uid":"0"})",
                           R"({"name":"a","uid":"0g"})", R"({"name":1,"uid":"00"})"}) {
    EXPECT_THAT(line.Read(text).status(), StatusIs(absl::StatusCode::kDataLoss)) << text;
  }
}

}  // namespace
}  // namespace hourcell::mapping_line_test
