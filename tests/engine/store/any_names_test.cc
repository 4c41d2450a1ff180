// Names that a store takes beyond OpenTSDB's (NameEncoding::kAny).

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/tsdb.h"
#include "tests/support/builders.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::any_names_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr int64_t kHour = 1356998400;

class AnyNamesTest : public testing::Test {
 protected:
  void SetUp() override { options_.layout.names = NameEncoding::kAny; }

  Tsdb& tsdb() {
    if (tsdb_ == nullptr) tsdb_ = *Tsdb::Open(options_);
    return *tsdb_;
  }

  std::string PutText(std::string_view tagv, bool has_any_names) {
    const std::vector<TagView> tags = {{.key = "host", .value = tagv}};
    const absl::Status status = tsdb().points().Put({.metric = "m",
                                                     .tags = tags,
                                                     .timestamp = {.ms = kHour * 1000},
                                                     .value = Value::Integer(1),
                                                     .has_any_names = has_any_names});
    return std::string(status.message());
  }

  // The error of a batch of one line; empty: it is accepted.
  std::string LineText(std::string_view tags, bool has_any_names = false) {
    const LinePoint point = {.metric = "m",
                             .tags = tags,
                             .timestamp = {.ms = kHour * 1000},
                             .value = Value::Integer(1),
                             .has_any_names = has_any_names};
    std::vector<RefusedPoint> refused;
    EXPECT_OK(tsdb().points().Append({&point, 1}, &refused).Wait());
    return refused.empty() ? "" : refused[0].error.text;
  }

  TempDir directory_;
  Options options_ = TinyOptions(directory_.path());
  std::unique_ptr<Tsdb> tsdb_;
};

TEST_F(AnyNamesTest, APointThatSaysSoHasThem) {
  EXPECT_EQ(PutText("web 01:9100", true), "");
  EXPECT_EQ(LineText("\1host\1a=b c", true), "");
  EXPECT_THAT(*tsdb().names().Suggest(UidKind::kTagv, "", 9), ElementsAre("a=b c", "web 01:9100"));
  EXPECT_THAT(PutText("a\nb", true), HasSubstr("illegal character: \\x0a"));
}

TEST_F(AnyNamesTest, OthersHaveThoseOfOpenTsdbWhetherTheNameIsThereOrNot) {
  const std::string fault =
      R"(Invalid tag value with key [host] ("web01:9100"): illegal character: :)";
  EXPECT_EQ(LineText("host=web01:9100"), fault);
  EXPECT_EQ(LineText("\1host\1web01:9100", true), "");
  EXPECT_EQ(LineText("host=web01:9100"), fault);
  EXPECT_THAT(PutText("web01:9100", false), HasSubstr(fault));
  EXPECT_EQ(PutText("web01:9100", true), "");
  EXPECT_THAT(PutText("web01:9100", false), HasSubstr(fault)) << "the cache knows the series";
  EXPECT_EQ(LineText("host=web01"), "");
  EXPECT_EQ(LineText("host=\u5317\u4eac"), "") << "letters";
}

TEST_F(AnyNamesTest, AnOptionLetsAllPointsHaveThem) {
  options_.put_any_names = true;

  EXPECT_EQ(LineText("host=web01:9100"), "");
  EXPECT_EQ(PutText("web 01", false), "");
}

TEST_F(AnyNamesTest, OtherStoresRefuseThemOfEveryPoint) {
  options_.layout.names = NameEncoding::kLatin1;

  EXPECT_THAT(PutText("web01:9100", true), HasSubstr("illegal character: :"));
  EXPECT_EQ(PutText("web01", true), "");
}

TEST_F(AnyNamesTest, AFilterFindsThemByQuotedValues) {
  ASSERT_EQ(PutText("a|b*", true), "");
  ASSERT_EQ(PutText("a", true), "");
  const auto hosts = [this](const std::string& filter) {
    const auto result = tsdb().queries().Query(MakeQuery(
        Aggregator::kNone, "m",
        {{.tagk = "host", .type = FilterType::kLiteralOr, .filter = filter}}, kHour, kHour + 1));
    std::vector<std::string> found;
    for (const ResultSeries& series : result->series)
      found.push_back(series.tags.at(0).second);
    return found;
  };
  EXPECT_THAT(hosts(R"("a|b*")"), ElementsAre("a|b*"));
  EXPECT_THAT(hosts("a"), ElementsAre("a"));
}

TEST_F(AnyNamesTest, TheyOutliveAReopen) {
  ASSERT_EQ(PutText("web 01:9100", true), "");
  tsdb_.reset();
  options_.layout.names = NameEncoding::kLatin1;
  options_.names_of_store = true;

  EXPECT_EQ(tsdb().layout().names, NameEncoding::kAny);
  EXPECT_THAT(*tsdb().names().Suggest(UidKind::kTagv, "", 9), ElementsAre("web 01:9100"));
  EXPECT_EQ(PutText("x y", true), "");
}

}  // namespace
}  // namespace hourcell::any_names_test
