#include "server/point_batch.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/point_text.h"

namespace hourcell {
namespace {

using testing::ElementsAre;

// Parses and adds; the parser's own storage is reused by the next call.
void AddLine(std::string_view line, PointText* parser, PointBatch* batch) {
  ASSERT_FALSE(parser->Parse(line, PointSyntax::kTelnet, {}).has_value()) << line;
  batch->Add(parser->point(), line);
}

TEST(PointBatchTest, KeepsEveryPointOfAReusedParser) {
  PointText parser;
  PointBatch batch;
  AddLine("m.a 1356998400 1 host=a dc=x", &parser, &batch);
  AddLine("m.b 1356998401 2.5 host=b", &parser, &batch);

  const auto points = batch.points();

  ASSERT_EQ(points.size(), 2U);
  EXPECT_EQ(points[0].metric, "m.a");
  EXPECT_THAT(points[0].tags, ElementsAre(TagView{"host", "a"}, TagView{"dc", "x"}));
  EXPECT_EQ(points[1].metric, "m.b");
  EXPECT_THAT(points[1].tags, ElementsAre(TagView{"host", "b"}));
  EXPECT_EQ(points[1].value, Value::Float(2.5));
}

TEST(PointBatchTest, CopiesNamesThatWereConverted) {
  PointText parser;
  PointBatch batch;
  AddLine("caf\xE9 1356998400 1 host=\xE9", &parser, &batch);
  AddLine("caf\xE8 1356998400 1 host=\xE8", &parser, &batch);

  const auto points = batch.points();

  EXPECT_EQ(points[0].metric, "caf\xC3\xA9");
  EXPECT_THAT(points[0].tags, ElementsAre(TagView{"host", "\xC3\xA9"}));
  EXPECT_EQ(points[1].metric, "caf\xC3\xA8");
}

TEST(PointBatchTest, ClearedBatchIsEmpty) {
  PointText parser;
  PointBatch batch;
  AddLine("m 1356998400 1 a=b", &parser, &batch);

  batch.Clear();

  EXPECT_TRUE(batch.empty());
  EXPECT_TRUE(batch.points().empty());
}

}  // namespace
}  // namespace hourcell
