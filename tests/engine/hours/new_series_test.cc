#include "engine/hours/new_series.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "codec/base/random.h"
#include "tests/support/status_matchers.h"

namespace hourcell::new_series_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const Layout kLayout;

std::string Tsuid(Uid metric, std::vector<TagUids> tags) {
  return EncodeTsuid(kLayout, metric, tags);
}

std::vector<SeriesNumber> WithTag(const NewSeries& series, Uid metric, const TagUids& tag) {
  std::vector<SeriesNumber> numbers;
  series.WithTag(metric, tag, &numbers);
  return numbers;
}

TEST(NewSeriesTest, FindsSeriesByEachWay) {
  NewSeries series(kLayout, 10);
  EXPECT_EQ(series.last_number(), 9u);
  const std::string a = Tsuid(1, {{1, 1}, {2, 7}});
  const std::string b = Tsuid(1, {{1, 2}, {2, 7}});
  const std::string c = Tsuid(2, {{1, 1}});
  series.Add(10, a);
  series.Add(12, b);
  series.Add(11, c);
  series.Add(11, c);  // again: nothing

  EXPECT_EQ(series.size(), 3u);
  EXPECT_EQ(series.last_number(), 12u);
  EXPECT_EQ(series.NumberOf(b), 12u);
  EXPECT_EQ(series.NumberOf(Tsuid(3, {{1, 1}})), 0u);
  EXPECT_EQ(series.TsuidOf(11), c);
  EXPECT_EQ(series.TsuidOf(9), "");
  EXPECT_EQ(series.TsuidOf(13), "");
  EXPECT_EQ(series.OfMetric(1).size(), 2u);
  EXPECT_THAT(series.OfMetric(9), IsEmpty());
  EXPECT_THAT(WithTag(series, 1, {2, 7}), ElementsAre(10u, 12u));
  EXPECT_THAT(WithTag(series, 1, {1, 2}), ElementsAre(12u));
  EXPECT_THAT(WithTag(series, 2, {2, 7}), IsEmpty());
}

// The bytes of a pair that begin inside another pair are not that tag.
TEST(NewSeriesTest, ATagIsFoundOnItsOwnPlaceOnly) {
  NewSeries series(kLayout, 1);
  series.Add(1, Tsuid(1, {{0x000001, 0x000002}, {0x000003, 0x000004}}));
  EXPECT_THAT(WithTag(series, 1, {0x000002, 0x000003}), IsEmpty());
  EXPECT_THAT(WithTag(series, 1, {0x000003, 0x000004}), ElementsAre(1u));
}

TEST(NewSeriesTest, ASplitLosesNothing) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    NewSeries series(kLayout, 5);
    std::map<SeriesNumber, std::string> model;
    for (int i = 0; i < 300; ++i) {
      const SeriesNumber number = 5 + random.Below(300);  // leaves holes
      const std::string tsuid = Tsuid(1 + random.Below(3), {{1, number}, {2, random.Below(4) + 1}});
      if (model.emplace(number, tsuid).second) series.Add(number, tsuid);
    }
    series.AddLogRow({5, 100});
    series.AddLogRow({101, 304});
    const SeriesNumber first = series.first_number();
    const SeriesNumber last = first - 1 + random.Below(series.last_number() - first + 2);
    const std::unique_ptr<NewSeries> after = series.SplitAfter(last);

    EXPECT_EQ(series.last_number(), last);
    EXPECT_EQ(after->first_number(), last + 1);
    EXPECT_EQ(series.size() + after->size(), model.size());
    EXPECT_EQ(series.log_rows().size() + after->log_rows().size(), 2u);
    for (const NewSeries* const part : {&series, after.get()}) {
      for (const auto& [from, to] : part->log_rows())
        EXPECT_EQ(to <= last, part == &series);
      size_t entries = 0;
      part->VisitMetrics([&](Uid metric, std::span<const NewSeries::Entry> of_metric) {
        entries += of_metric.size();
        for (const auto& [number, tsuid] : of_metric) {
          EXPECT_EQ(model[number], tsuid);
          EXPECT_EQ(ParseTsuid(kLayout, tsuid)->metric, metric);
        }
      });
      EXPECT_EQ(entries, part->size());
    }
    for (const auto& [number, tsuid] : model) {
      const NewSeries& here = number <= last ? series : *after;
      const NewSeries& there = number <= last ? *after : series;
      EXPECT_EQ(here.TsuidOf(number), tsuid);
      EXPECT_EQ(here.NumberOf(tsuid), number);
      EXPECT_EQ(there.TsuidOf(number), "");
      EXPECT_EQ(there.NumberOf(tsuid), 0u);
    }
  }
}

TEST(NewSeriesTest, IndexesTheTagsOfMany) {
  NewSeries series(kLayout, 1);
  const auto add = [&series](SeriesNumber number) {
    series.Add(number, Tsuid(1, {{1, number}, {2, number % 3 + 1}}));
  };
  for (SeriesNumber number = 1; number <= 100; ++number)
    add(number);
  EXPECT_FALSE(series.IndexTagKey(1, 2, 60));
  EXPECT_TRUE(series.IndexTagKey(1, 2, 60));
  EXPECT_TRUE(series.IndexTagKey(7, 2, 60)) << "there is nothing of it";
  EXPECT_EQ(WithTag(series, 1, {2, 1}).size(), 33u);
  add(102);
  EXPECT_FALSE(series.IndexTagKey(1, 2, 0));
  EXPECT_EQ(WithTag(series, 1, {2, 1}).size(), 34u);
  EXPECT_THAT(WithTag(series, 1, {1, 102}), ElementsAre(102u));

  const std::unique_ptr<NewSeries> after = series.SplitAfter(63);

  EXPECT_EQ(WithTag(series, 1, {2, 1}).size(), 21u);
  EXPECT_EQ(WithTag(*after, 1, {2, 1}).size(), 13u);
  EXPECT_THAT(WithTag(series, 1, {1, 64}), IsEmpty());
  EXPECT_THAT(WithTag(*after, 1, {1, 64}), ElementsAre(64u));
}

TEST(NewSeriesTest, FindsTheNewerOnesInAnyOrder) {
  NewSeries series(kLayout, 1);
  const auto newer = [&series](SeriesNumber above) {
    std::vector<NewSeries::Entry> entries;
    series.AppendNewer(1, above, &entries);
    std::vector<SeriesNumber> numbers;
    for (const NewSeries::Entry& entry : entries)
      numbers.push_back(entry.number);
    return numbers;
  };
  for (const SeriesNumber number : {2u, 4u, 6u})
    series.Add(number, Tsuid(1, {{1, number}}));
  EXPECT_THAT(newer(3), ElementsAre(4u, 6u));
  EXPECT_THAT(newer(6), IsEmpty());
  series.Add(5, Tsuid(1, {{1, 5}}));
  EXPECT_THAT(newer(4), ElementsAre(6u, 5u));
}

}  // namespace
}  // namespace hourcell::new_series_test
