#include "server/names/meta_fields.h"

#include <cmath>
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"

namespace hourcell::meta_fields_test {
namespace {

using testing::HasSubstr;
using testing::Optional;

TEST(MetaFieldsTest, ADocumentIsReadAsItWasPrinted) {
  MetaFields fields;
  EXPECT_TRUE(fields.is_empty());
  fields.display_name = "a \"b\"";
  fields.created = 7;
  fields.custom.emplace()["k"] = "v";
  fields.retention = 30;
  fields.max = 1e300;
  fields.min = -INFINITY;
  const std::string text = PrintMetaDocument(fields, MetaOf::kSeries);
  EXPECT_EQ(text, R"({"displayName":"a \"b\"","description":"","notes":"","created":7,)"
                  R"("custom":{"k":"v"},"units":"","dataType":"","retention":30,"max":1.0E300,)"
                  R"("min":"-Infinity"})");
  const auto read = ParseMetaDocument(text);
  ASSERT_OK(read);
  EXPECT_EQ(PrintMetaDocument(*read, MetaOf::kSeries), text);
  EXPECT_EQ(PrintMetaDocument(*read, MetaOf::kUid),
            R"({"displayName":"a \"b\"","description":"","notes":"","created":7,)"
            R"("custom":{"k":"v"}})");
}

TEST(MetaFieldsTest, OtherTextsAreDataLoss) {
  for (const std::string_view text : {"", "{", "[]", "7", R"({"max":"x"})", R"({"custom":[]})"})
    EXPECT_THAT(ParseMetaDocument(text), StatusIs(absl::StatusCode::kDataLoss)) << text;
  EXPECT_OK(ParseMetaDocument(R"({"of a later version":[1]})"));
}

TEST(MetaFieldsTest, ParametersHaveTheirOwnNames) {
  HttpRequest request;
  request.params = {{"display_name", "d"}, {"data_type", "t"}, {"retention", "7"},
                    {"max", "2.5"},        {"min", ""},        {"tsuid", "000001"}};
  const auto fields = MetaFieldsOfParams(request);
  ASSERT_OK(fields);
  EXPECT_EQ(fields->display_name, "d");
  EXPECT_EQ(fields->data_type, "t");
  EXPECT_EQ(fields->retention, 7);
  EXPECT_EQ(fields->max, 2.5);
  EXPECT_TRUE(std::isnan(fields->min));

  for (const std::string_view field : {"retention", "created", "max", "min"}) {
    request.params = {{std::string(field), "abc"}};
    EXPECT_THAT(MetaFieldsOfParams(request),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         HasSubstr("Unable to parse '" + std::string(field) + "' value")));
  }
}

TEST(MetaFieldsTest, AReplacementKeepsOnlyTheCreation) {
  MetaFields stored;
  stored.notes = "n";
  stored.units = "u";
  stored.max = 1;
  stored.created = 5;
  MetaFields edit;
  edit.description = "d";
  const MetaFields replaced = MergeMeta(stored, edit, /*replaces=*/true);
  EXPECT_EQ(PrintMetaDocument(replaced, MetaOf::kSeries),
            R"({"displayName":"","description":"d","notes":"","created":5,"custom":null,)"
            R"("units":"","dataType":"","retention":0,"max":"NaN","min":"NaN"})");
  const MetaFields merged = MergeMeta(stored, edit, /*replaces=*/false);
  EXPECT_EQ(merged.notes, "n");
  EXPECT_EQ(merged.description, "d");
  EXPECT_EQ(merged.max, 1);
}

TEST(MetaFieldsTest, TypesComeInAnyCase) {
  EXPECT_THAT(ParseMetaType("Metrics"), Optional(UidKind::kMetric));
  EXPECT_THAT(ParseMetaType("metric"), Optional(UidKind::kMetric));
  EXPECT_THAT(ParseMetaType("TAGV"), Optional(UidKind::kTagv));
  EXPECT_EQ(ParseMetaType("tagks"), std::nullopt);
  EXPECT_EQ(ParseMetaType(""), std::nullopt);
}

}  // namespace
}  // namespace hourcell::meta_fields_test
