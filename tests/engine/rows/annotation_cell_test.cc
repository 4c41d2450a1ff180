#include "engine/rows/annotation_cell.h"

#include <string>

#include <gmock/gmock.h>

#include "codec/base/bytes.h"
#include "tests/support/status_matchers.h"
#include "tests/support/vectors.h"

namespace hourcell::annotation_cell_test {
namespace {

using testing::HasSubstr;
using testing::Pair;

std::string CellOf(const Annotation& annotation) {
  std::string cell;
  AppendAnnotationCell(annotation, &cell);
  return cell;
}

std::string TextOr(simdjson::dom::element object, std::string_view key) {
  return Has(object, key) ? TextOf(object, key) : "";
}

TEST(AnnotationCellTest, Vectors) {
  int run = 0;
  for (const TestVector& vector : LoadVectors("storage.json", "annotation.json")) {
    SCOPED_TRACE(vector.from);
    Annotation annotation{.tsuid = TextOf(vector.given, "tsuid"),
                          .start_time = IntOf(vector.given, "startTime"),
                          .end_time = 0,
                          .description = TextOr(vector.given, "description"),
                          .notes = TextOr(vector.given, "notes"),
                          .custom = {}};
    simdjson::dom::object custom;
    if (vector.given["custom"].get(custom) == simdjson::SUCCESS) {
      for (const auto [key, value] : custom)
        annotation.custom.emplace_back(key, std::string_view(value));
      std::sort(annotation.custom.begin(), annotation.custom.end());
    }
    EXPECT_EQ(CellOf(annotation), TextOf(vector.expect, "json"));
    EXPECT_THAT(ParseAnnotationCell(TextOf(vector.expect, "json")), IsOkAndHolds(annotation));
    ++run;
  }
  EXPECT_EQ(run, 3);
}

// The annotations in the rows of these vectors have their fields in another order.
TEST(AnnotationCellTest, ReadsWhatOlderVersionsOfOpenTsdbStored) {
  int run = 0;
  for (const TestVector& vector : LoadVectors("storage.json", "compact.row")) {
    for (const auto cell : simdjson::dom::array(vector.given["cells"])) {
      if (!TextOf(cell, "q").starts_with("01") || TextOf(cell, "q").size() % 4 == 0) continue;
      SCOPED_TRACE(vector.from);
      const Annotation want{.tsuid = "ABCD",
                            .start_time = 1328140800,
                            .end_time = 1328140801,
                            .description = "Description",
                            .notes = "Notes",
                            .custom = {}};
      EXPECT_THAT(ParseAnnotationCell(BytesOf(cell, "v")), IsOkAndHolds(want));
      ++run;
    }
  }
  EXPECT_EQ(run, 3);
}

TEST(AnnotationCellTest, GlobalOnesHaveNoTsuid) {
  EXPECT_EQ(CellOf({.tsuid = "", .start_time = 1}),
            R"({"startTime":1,"endTime":0,"description":"","notes":"","custom":null})");
}

TEST(AnnotationCellTest, EveryTextComesBack) {
  std::string all;
  for (char c = 0; c < 0x7F; ++c)
    all.push_back(c);
  for (const std::string& text : {all, std::string("ä€😀\x7F"), std::string("\"\\\"\\")}) {
    const Annotation annotation{.tsuid = "",
                                .start_time = INT64_MAX,
                                .end_time = INT64_MIN,
                                .description = text,
                                .notes = text,
                                .custom = {{"a", text}, {text, "b"}}};
    EXPECT_THAT(ParseAnnotationCell(CellOf(annotation)), IsOkAndHolds(annotation));
  }
}

TEST(AnnotationCellTest, ReadsEscapesBlanksAndUnknownFields) {
  const auto annotation = ParseAnnotationCell(
      " { \"notes\" : \"\\u00e4\\uD83D\\uDE00\\/\\b\\f\\n\\r\\t\" ,\"more\":-1.5e3,\"x\":\"y\","
      "\"z\":true, \"startTime\":\t7,\"custom\":{ \"k\" : \"v\" } }\n");
  ASSERT_OK(annotation);
  EXPECT_EQ(annotation->notes, "ä😀/\b\f\n\r\t");
  EXPECT_EQ(annotation->start_time, 7);
  EXPECT_THAT(annotation->custom, testing::ElementsAre(Pair("k", "v")));
}

TEST(AnnotationCellTest, DamageIsDataLoss) {
  const std::string good = CellOf({.tsuid = "00",
                                   .start_time = 12,
                                   .end_time = 34,
                                   .description = "a\nb",
                                   .notes = "n",
                                   .custom = {{"k", "v"}, {"l", "w"}}});
  for (size_t size = 0; size < good.size(); ++size) {
    EXPECT_THAT(ParseAnnotationCell(good.substr(0, size)), StatusIs(absl::StatusCode::kDataLoss));
  }
  for (const char* const bad :
       {"[]", "{}{}", "{\"notes\":1}", "{\"startTime\":\"1\"}", "{\"startTime\":1.5}",
        "{\"custom\":[]}", "{\"custom\":{\"a\":1}}", "{\"x\":[]}", "{\"x\":{}}", "{\"x\":}",
        "{\"notes\":\"\\uD800\"}", "{\"notes\":\"\\uDC00\\uD800\"}", "{\"notes\":\"\\u00g0\"}",
        "{\"notes\":\"\\x\"}", "{\"notes\":\"\xff\"}", "{\"notes\":\"\n\"}", "{,}", "{\"a\"}"}) {
    EXPECT_THAT(ParseAnnotationCell(bad),
                StatusIs(absl::StatusCode::kDataLoss, HasSubstr("at byte")))
        << bad;
  }
}

}  // namespace
}  // namespace hourcell::annotation_cell_test
