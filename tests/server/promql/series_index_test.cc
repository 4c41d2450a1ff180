#include "server/promql/series_index.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "tests/engine/query/functions/counted_memory.h"
#include "tests/server/promql/promql_fixture.h"

namespace hourcell::series_index_test {
namespace {

using promql::LabelMatcher;
using promql::MatchOperator;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

class SeriesIndexTest : public PromqlTest {
 protected:
  std::vector<std::string> Series(const std::vector<LabelMatcher>& matchers, bool goes_on = true) {
    std::vector<std::string> found;
    const auto visit = [&](const promql::Labels& labels) -> absl::StatusOr<bool> {
      found.push_back(SeriesText(labels));
      return goes_on;
    };
    MemoryHold memory(&memory_);
    SeriesIndex index(&reader(), {.control = &control_}, &memory);
    status_ = index.VisitSeries(matchers, visit);
    return found;
  }

  template <typename Visit>
  std::vector<std::string> Texts(Visit visit) {
    std::vector<std::string> found;
    MemoryHold memory(&memory_);
    SeriesIndex index(&reader(), {.control = &control_}, &memory);
    status_ = visit(&index, [&](const std::string& text) {
      found.push_back(text);
      return absl::OkStatus();
    });
    return found;
  }

  QueryControl control_;
  CountedMemory memory_;
  absl::Status status_;
};

TEST_F(SeriesIndexTest, FindsTheSeriesThatMatch) {
  WriteHosts();
  const LabelMatcher up = {"__name__", MatchOperator::kEqual, "up"};
  const std::string a = R"(up{dc="x", host="a"})";
  const std::string b = R"(up{host="b"})";

  EXPECT_THAT(Series({up}), UnorderedElementsAre(a, b));
  EXPECT_THAT(Series({up, {"host", MatchOperator::kEqual, "a"}}), ElementsAre(a));
  EXPECT_THAT(Series({up, {"host", MatchOperator::kNotEqual, "a"}}), ElementsAre(b));
  EXPECT_THAT(Series({up, {"dc", MatchOperator::kEqual, ""}}), ElementsAre(b));
  EXPECT_THAT(Series({up, {"dc", MatchOperator::kNotEqual, ""}}), ElementsAre(a));
  EXPECT_THAT(Series({up, {"host", MatchOperator::kRegexp, "b|c"}}), ElementsAre(b));
  EXPECT_THAT(Series({up, {"host", MatchOperator::kEqual, "nosuch"}}), IsEmpty());
  EXPECT_THAT(Series({{"host", MatchOperator::kEqual, "a"}}),
              UnorderedElementsAre(a, R"(load{host="a"})"));
  EXPECT_THAT(Series({{"__name__", MatchOperator::kRegexp, "l.*"}}),
              ElementsAre(R"(load{host="a"})"));
  EXPECT_OK(status_);
  EXPECT_THAT(Series({{"nosuch", MatchOperator::kEqual, "a"}}), IsEmpty());
  EXPECT_OK(status_);
}

TEST_F(SeriesIndexTest, MoreMetricsThanAQueryMayReadAreFound) {
  for (size_t i = 0; i < kPromMetricsMax + 5; ++i)
    Put({fmt::format("m{}", i), "host=a", kStartS, 1});

  EXPECT_EQ(Series({{"host", MatchOperator::kEqual, "a"}}).size(), kPromMetricsMax + 5);
  EXPECT_OK(status_);
}

TEST_F(SeriesIndexTest, AVisitMayGoOnWithTheNextMetric) {
  WriteHosts();

  EXPECT_EQ(Series({{"host", MatchOperator::kNotEqual, ""}}, /*goes_on=*/false).size(), 2u);
}

TEST_F(SeriesIndexTest, ASelectorOfEverythingIsRefused) {
  WriteHosts();

  EXPECT_THAT(Series({{"host", MatchOperator::kRegexp, ".*"}}), IsEmpty());

  EXPECT_THAT(status_, StatusIs(absl::StatusCode::kInvalidArgument,
                                "match[] must contain at least one non-empty matcher"));
  EXPECT_THAT(Series({{"host", MatchOperator::kRegexp, "("}}), IsEmpty());
  EXPECT_THAT(status_, StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("regular")));
}

TEST_F(SeriesIndexTest, NamesAreThoseOfLabels) {
  Put({"cpu.user", "service.name=shop", kStartS, 1});
  Put({"up", "host=a", kStartS, 1});
  ASSERT_OK(tsdb().names().AssignUid(UidKind::kMetric, "without.series"));
  ASSERT_OK(tsdb().names().AssignUid(UidKind::kTagk, "without.series"));

  EXPECT_THAT(Texts([](SeriesIndex* index, SeriesIndex::VisitText visit) {
                return index->VisitMetrics(visit);
              }),
              UnorderedElementsAre("cpu_user", "up"));
  EXPECT_THAT(Texts([](SeriesIndex* index, SeriesIndex::VisitText visit) {
                return index->VisitLabelNames(visit);
              }),
              UnorderedElementsAre("__name__", "host", "service_name"));
  EXPECT_OK(status_);
}

TEST_F(SeriesIndexTest, AnEmptyStoreHasNoNames) {
  EXPECT_THAT(Texts([](SeriesIndex* index, SeriesIndex::VisitText visit) {
                return index->VisitLabelNames(visit);
              }),
              IsEmpty());
}

TEST_F(SeriesIndexTest, ValuesAreThoseOfAllKeysOfALabel) {
  Put({"cpu", "service.name=shop", kStartS, 1});
  Put({"mem", "service_name=cart", kStartS, 1});
  Put({"mem", "host=other", kStartS, 1});

  EXPECT_THAT(Texts([](SeriesIndex* index, SeriesIndex::VisitText visit) {
                return index->VisitLabelValues("service_name", visit);
              }),
              UnorderedElementsAre("shop", "cart"));
  EXPECT_THAT(Texts([](SeriesIndex* index, SeriesIndex::VisitText visit) {
                return index->VisitLabelValues("nosuch", visit);
              }),
              IsEmpty());
  EXPECT_OK(status_);
}

TEST_F(SeriesIndexTest, AnErrorOfTheVisitorEndsIt) {
  WriteHosts();
  control_.Cancel();

  EXPECT_THAT(Series({{"host", MatchOperator::kEqual, "a"}}), IsEmpty());

  EXPECT_THAT(status_, StatusIs(absl::StatusCode::kCancelled));
}

}  // namespace
}  // namespace hourcell::series_index_test
