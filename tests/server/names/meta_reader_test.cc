#include "server/names/meta_reader.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/server/api_fixture.h"

namespace hourcell::meta_reader_test {
namespace {

const std::string kSeries("\0\0\1\0\0\1\0\0\1", 9);
const std::string kWider("\0\0\1\0\0\1\0\0\1\0\0\2\0\0\2", 15);
const std::string kNamed("\0\0\1\0\0\1\0\0\2", 9);  // m{a=y}, not a series
const std::string kUnnamed("\0\0\1\0\0\1\0\0\7", 9);

class MetaReaderTest : public ApiTest {
 protected:
  MetaReaderTest() : reader_(&tsdb()) {
    Put({"m", "a=x", kStartS, 1});
    Put({"m", "a=x b=y", kStartS + 60, 1});
    Put({"m", "a=x b=y", kStartS + 30, 1});
  }
  MetaReader reader_;
};

TEST_F(MetaReaderTest, KnowsASeriesFromItsNeighbours) {
  EXPECT_THAT(reader_.HasSeries(kSeries), IsOkAndHolds(true));
  EXPECT_THAT(reader_.HasSeries(kWider), IsOkAndHolds(true));
  EXPECT_THAT(reader_.HasSeries(kNamed), IsOkAndHolds(false));
  EXPECT_THAT(reader_.HasSeries(kUnnamed), IsOkAndHolds(false));
  EXPECT_THAT(reader_.HasSeries("abc"), StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST_F(MetaReaderTest, TheLastPointIsTheLatestOfItsSeries) {
  EXPECT_THAT(reader_.LastPointS(kSeries), IsOkAndHolds(kStartS));
  EXPECT_THAT(reader_.LastPointS(kWider), IsOkAndHolds(kStartS + 60));
  EXPECT_THAT(reader_.LastPointS(kNamed), IsOkAndHolds(0));
}

TEST_F(MetaReaderTest, TheTagsOfATsuidAreInItsOrder) {
  const auto meta = reader_.OfTsuid(kWider);
  ASSERT_OK(meta);
  std::string names = meta->metric.name;
  for (const UidMeta& tag : meta->tags)
    names += " " + tag.name;
  EXPECT_EQ(names, "m a x b y");
  EXPECT_THAT(reader_.OfTsuid(kUnnamed), StatusIs(absl::StatusCode::kNotFound));
}

TEST_F(MetaReaderTest, NamesGiveATsuidWithoutASeries) {
  EXPECT_THAT(reader_.TsuidOf({.metric = "m", .tags = {{"a", "y"}}}), IsOkAndHolds(kNamed));
  EXPECT_THAT(reader_.TsuidOf({.metric = "m", .tags = {{"b", "y"}, {"a", "x"}}}),
              IsOkAndHolds(kWider));
  EXPECT_THAT(reader_.TsuidOf({.metric = "m", .tags = {{"a", "z"}}}),
              StatusIs(absl::StatusCode::kNotFound));
}

}  // namespace
}  // namespace hourcell::meta_reader_test
