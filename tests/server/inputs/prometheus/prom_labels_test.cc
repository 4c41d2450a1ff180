#include "server/inputs/prometheus/prom_labels.h"

#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hourcell::prom_labels_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using Tags = std::vector<std::pair<std::string_view, std::string_view>>;

PromLabels Labels(bool is_utf8) {
  InputSettings settings;
  settings.prometheus_utf8_names = is_utf8;
  settings.default_tag_key = "source";
  settings.default_tag_value = "none";
  return PromLabels(settings);
}

TEST(PromLabelsTest, NamesAreLegalUnlessTheyMayBeUtf8) {
  EXPECT_EQ(Labels(false).Metric("1a.b:c"), "_1a_b:c");
  EXPECT_EQ(Labels(false).LabelName("a:b"), "a_b");
  EXPECT_EQ(Labels(false).LabelName("__name__"), "___name__");
  EXPECT_EQ(Labels(true).Metric("1a.b:c"), "1a.b:c");
}

TEST(PromLabelsTest, ValuesOfTagsThatBecomeOneLabelAreJoined) {
  const Tags tags = {{"a.b", "2"}, {"a-b", "1"}, {"c", "3"}};
  EXPECT_THAT(Labels(false).Of(tags), ElementsAre(PromLabel{.name = "a_b", .value = "1;2"},
                                                  PromLabel{.name = "c", .value = "3"}));
}

TEST(PromLabelsTest, NumbersThatAnOldStoreChangedAreNumbersAgain) {
  EXPECT_THAT(Labels(false).Of(Tags{{"le", "_Inf"}}),
              ElementsAre(PromLabel{.name = "le", .value = "+Inf"}));
  EXPECT_THAT(Labels(false).Of(Tags{{"le", "1e_06"}}),
              ElementsAre(PromLabel{.name = "le", .value = "1e+06"}));
  EXPECT_THAT(Labels(false).Of(Tags{{"host", "_Inf"}}),
              ElementsAre(PromLabel{.name = "host", .value = "_Inf"}));
}

TEST(PromLabelsTest, TheDefaultTagIsNoLabelOfASeriesWithoutOthers) {
  EXPECT_THAT(Labels(false).Of(Tags{{"source", "none"}}), IsEmpty());
  EXPECT_THAT(Labels(false).Of(Tags{{"source", "none"}, {"a", "b"}}),
              ElementsAre(PromLabel{.name = "a", .value = "b"},
                          PromLabel{.name = "source", .value = "none"}));
}

}  // namespace
}  // namespace hourcell::prom_labels_test
