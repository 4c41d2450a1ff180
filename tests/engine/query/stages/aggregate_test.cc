#include "engine/query/stages/aggregate.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>

#include <gtest/gtest.h>

#include "codec/base/random.h"
#include "tests/support/status_matchers.h"
#include "tests/support/vectors.h"

namespace hourcell::aggregate_test {
namespace {

using simdjson::dom::element;
using testing::HasSubstr;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int64_t kFarMs = INT64_MAX;

Span SpanOf(std::initializer_list<std::pair<int64_t, Value>> points) {
  Span span;
  for (const auto& [ms, value] : points)
    span.push_back(ms, value);
  return span;
}
Value I(int64_t value) {
  return Value::Integer(value);
}
Value F(double value) {
  return Value::Float(value);
}

Span Merged(const std::vector<Span>& members, Aggregator aggregator, bool is_rate = false) {
  const auto merged = AggregateSpans(members, aggregator, is_rate, kFarMs);
  EXPECT_OK(merged);
  return merged.ok() ? *merged : Span{};
}

// The values of a vector: an array, or the words "integers 1..1000".
void ReadValues(element values, std::vector<int64_t>* integers, std::vector<double>* doubles) {
  if (values.is_string()) {
    EXPECT_EQ(std::string_view(values), "integers 1..1000");
    for (int64_t i = 1; i <= 1000; ++i) {
      integers->push_back(i);
      doubles->push_back(static_cast<double>(i));
    }
    return;
  }
  for (const element value : simdjson::dom::array(values)) {
    doubles->push_back(double(value));
    if (value.is_int64()) integers->push_back(int64_t(value));
  }
}

TEST(AggregateTest, OpenTsdbVectors) {
  int run = 0;
  for (const TestVector& vector : LoadVectors("query.json", "aggregator-unit")) {
    SCOPED_TRACE(vector.from + " " + TextOf(vector.given, "aggregator"));
    const auto aggregator = ParseAggregator(TextOf(vector.given, "aggregator"));
    ASSERT_OK(aggregator);
    std::vector<double> doubles;
    std::vector<int64_t> integers;
    ReadValues(vector.given["values"], &integers, &doubles);
    const double got = integers.size() == doubles.size()
                           ? static_cast<double>(AggregateIntegers(*aggregator, integers))
                           : AggregateDoubles(*aggregator, doubles);
    EXPECT_NEAR(got, double(vector.expect["value"]), double(vector.expect["tolerance"]));
    ++run;
  }
  EXPECT_EQ(run, 21);
}

TEST(AggregateTest, IntegersWrapAndTruncate) {
  const std::vector<int64_t> extremes = {INT64_MAX, 1};
  const std::vector<int64_t> negatives = {-3, -4};

  EXPECT_EQ(AggregateIntegers(Aggregator::kSum, extremes), INT64_MIN);
  EXPECT_EQ(AggregateIntegers(Aggregator::kAvg, negatives), -3);
  EXPECT_EQ(AggregateIntegers(Aggregator::kDev, std::vector<int64_t>{INT64_MAX, INT64_MIN}),
            INT64_MAX);
  EXPECT_EQ(AggregateIntegers(Aggregator::kCount, negatives), 2);
  EXPECT_EQ(AggregateIntegers(Aggregator::kMimmin, negatives), -4);
  EXPECT_EQ(AggregateIntegers(Aggregator::kMimmax, negatives), -3);
  EXPECT_EQ(AggregateIntegers(Aggregator::kPfsum, extremes), INT64_MIN);
  EXPECT_EQ(AggregateIntegers(Aggregator::kMult, std::vector<int64_t>{INT64_MAX, 2}), -2);
  EXPECT_EQ(AggregateIntegers(Aggregator::kDiff, std::vector<int64_t>{INT64_MIN, 7, 1}),
            INT64_MIN + 1);
  EXPECT_EQ(AggregateIntegers(Aggregator::kDiff, std::vector<int64_t>{42}), 0);
  EXPECT_EQ(AggregateIntegers(Aggregator::kSquareSum, std::vector<int64_t>{-3, 4}), 25);
  EXPECT_EQ(AggregateIntegers(Aggregator::kSquareSum, std::vector<int64_t>{int64_t{1} << 32}), 0);
  EXPECT_EQ(AggregateIntegers(Aggregator::kFirst, std::vector<int64_t>{0, 5}), 0);
  EXPECT_EQ(AggregateIntegers(Aggregator::kLast, std::vector<int64_t>{5, 0}), 0);
}

TEST(AggregateTest, DoublesSkipNan) {
  const auto check = [](Aggregator aggregator, double want, int line) {
    testing::ScopedTrace trace(__FILE__, line, "this case");
    EXPECT_EQ(AggregateDoubles(aggregator, std::vector<double>{kNan, 2.0, kNan, 4.0}), want);
    const double of_none = AggregateDoubles(aggregator, std::vector<double>{kNan, kNan});
    if (aggregator == Aggregator::kCount) {
      EXPECT_EQ(of_none, 0.0);
    } else {
      EXPECT_TRUE(std::isnan(of_none));
    }
  };
  check(Aggregator::kSum, 6.0, __LINE__);
  check(Aggregator::kZimsum, 6.0, __LINE__);
  check(Aggregator::kMin, 2.0, __LINE__);
  check(Aggregator::kMimmin, 2.0, __LINE__);
  check(Aggregator::kMax, 4.0, __LINE__);
  check(Aggregator::kMimmax, 4.0, __LINE__);
  check(Aggregator::kAvg, 3.0, __LINE__);
  check(Aggregator::kCount, 2.0, __LINE__);
  check(Aggregator::kDev, 1.0, __LINE__);
  check(Aggregator::kPfsum, 6.0, __LINE__);
  check(Aggregator::kMult, 8.0, __LINE__);
  check(Aggregator::kDiff, 2.0, __LINE__);
  check(Aggregator::kSquareSum, 20.0, __LINE__);
  check(Aggregator::kMedian, 4.0, __LINE__);
  check(Aggregator::kP50, 3.0, __LINE__);
  check(Aggregator::kEp50r3, 3.0, __LINE__);
}

TEST(AggregateTest, FirstAndLastTakeNanAsItIs) {
  const std::vector<double> ends = {kNan, 2.0, kNan};

  EXPECT_TRUE(std::isnan(AggregateDoubles(Aggregator::kFirst, ends)));
  EXPECT_TRUE(std::isnan(AggregateDoubles(Aggregator::kLast, ends)));
  // The first of diff is the first number; its last is the last value.
  EXPECT_TRUE(std::isnan(AggregateDoubles(Aggregator::kDiff, ends)));
  EXPECT_EQ(AggregateDoubles(Aggregator::kDiff, std::vector<double>{kNan, 2.0}), 0.0);
  EXPECT_EQ(AggregateDoubles(Aggregator::kFirst, std::vector<double>{2.5, 4.0}), 2.5);
  EXPECT_EQ(AggregateDoubles(Aggregator::kLast, std::vector<double>{2.5, 4.0}), 4.0);
}

TEST(AggregateSpansTest, OneMemberPassesThroughPromotedBeforeADouble) {
  const Span member = SpanOf({{1, I(1)}, {2, I(2)}, {3, F(2.5)}, {4, I(4)}});

  const Span merged = Merged({member}, Aggregator::kSum);

  EXPECT_EQ(merged, SpanOf({{1, I(1)}, {2, F(2)}, {3, F(2.5)}, {4, I(4)}}));
}

TEST(AggregateSpansTest, IntegerInterpolationTruncatesTowardZero) {
  const Span falling = SpanOf({{0, I(0)}, {3, I(-5)}});
  const Span other = SpanOf({{0, I(0)}, {1, I(0)}, {2, I(0)}, {3, I(0)}});

  // -5/3 = -1.67 and -10/3 = -3.33.
  EXPECT_EQ(Merged({falling, other}, Aggregator::kSum),
            SpanOf({{0, I(0)}, {1, I(-1)}, {2, I(-3)}, {3, I(-5)}}));
}

TEST(AggregateSpansTest, IntegerInterpolationWraps) {
  const Span steep = SpanOf({{0, I(INT64_MIN)}, {2, I(INT64_MAX)}});
  const Span other = SpanOf({{0, I(0)}, {1, I(0)}, {2, I(0)}});

  // The rise wraps to -1, as in Java's long arithmetic, and -1/2 is 0.
  EXPECT_EQ(Merged({steep, other}, Aggregator::kSum).value(1), I(INT64_MIN));
}

TEST(AggregateSpansTest, ADoubleOfAMemberNotYetBegunMakesResultsDouble) {
  const Span early = SpanOf({{1, I(1)}, {2, I(2)}, {5, I(5)}, {6, I(6)}});
  const Span late = SpanOf({{3, F(0.5)}, {4, I(7)}, {5, I(8)}});

  EXPECT_EQ(Merged({early, late}, Aggregator::kMax),
            SpanOf({{1, F(1)}, {2, F(2)}, {3, F(3)}, {4, I(7)}, {5, I(8)}, {6, I(6)}}));
}

TEST(AggregateSpansTest, MissingValuesByPolicy) {
  const Span sparse = SpanOf({{1, I(10)}, {3, I(30)}});
  const Span dense = SpanOf({{1, I(1)}, {2, I(2)}, {3, I(3)}});
  const auto at_2 = [&](Aggregator aggregator) {
    return Merged({sparse, dense}, aggregator).value(1);
  };

  EXPECT_EQ(at_2(Aggregator::kSum), I(22));
  EXPECT_EQ(at_2(Aggregator::kZimsum), I(2));
  EXPECT_EQ(at_2(Aggregator::kMimmin), I(2));
  EXPECT_EQ(at_2(Aggregator::kMimmax), I(2));
  EXPECT_EQ(at_2(Aggregator::kCount), I(2));
  EXPECT_EQ(at_2(Aggregator::kPfsum), I(12));
  EXPECT_EQ(at_2(Aggregator::kFirst), I(0));
  EXPECT_EQ(at_2(Aggregator::kLast), I(2));
  EXPECT_EQ(at_2(Aggregator::kSquareSum), I(4));
  EXPECT_EQ(at_2(Aggregator::kDiff), I(-18));
  EXPECT_EQ(at_2(Aggregator::kMult), I(40));
  EXPECT_EQ(at_2(Aggregator::kMedian), I(20));
  EXPECT_EQ(at_2(Aggregator::kP50), I(11));
}

TEST(AggregateSpansTest, RatesHoldUntilTheNextAndCountFromTheirFirst) {
  const Span a = SpanOf({{1, F(1)}, {4, F(4)}});
  const Span b = SpanOf({{2, F(10)}, {3, F(20)}});

  EXPECT_EQ(Merged({a, b}, Aggregator::kSum, /*is_rate=*/true),
            SpanOf({{1, F(1)}, {2, F(11)}, {3, F(21)}, {4, F(4)}}));
}

TEST(AggregateSpansTest, StopsAtTheEndOfTheScan) {
  const Span span = SpanOf({{1, I(1)}, {2, I(2)}, {3, I(3)}});

  const auto merged = AggregateSpans(std::vector<Span>{span}, Aggregator::kSum, false, 2);

  EXPECT_THAT(merged, IsOkAndHolds(SpanOf({{1, I(1)}, {2, I(2)}})));
}

TEST(AggregateSpansTest, RefusesInfiniteResults) {
  const std::vector<Span> members = {SpanOf({{7, F(kInfinity)}})};

  EXPECT_THAT(AggregateSpans(members, Aggregator::kSum, false, kFarMs),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("Got Infinity: Infinity")));
}

// Times outside of start..end are scanned for the sake of their neighbours, and were not requested.
TEST(AggregateSpansTest, InfinityOutsideOfTheTimesAskedForIsNoError) {
  const Span points = SpanOf({{1, F(kInfinity)}, {2, F(5)}, {3, F(kInfinity)}});
  const Span other = SpanOf({{1, F(1)}, {2, F(1)}, {3, F(1)}});
  constexpr AskedTimes kAsked = {.from_ms = 2, .to_ms = 2};
  for (const Aggregator aggregator : {Aggregator::kSum, Aggregator::kMax, Aggregator::kMedian}) {
    for (const std::vector<Span>& members : {std::vector{points}, std::vector{points, other}}) {
      const auto kept = AggregateSpans(members, aggregator, false, kFarMs, kAsked);
      const auto added = MakeSpanAggregator(
          {.aggregator = aggregator, .scan_end_ms = kFarMs, .asked = kAsked, .times = {1, 2, 3}});
      for (const Span& member : members)
        added->Add(Span(member));

      ASSERT_OK(kept);
      EXPECT_EQ(kept->ToDouble(1), aggregator == Aggregator::kSum && members.size() > 1 ? 6 : 5);
      EXPECT_THAT(added->Finish(), IsOkAndHolds(*kept));
      EXPECT_THAT(AggregateSpans(members, aggregator, false, kFarMs, {.from_ms = 2, .to_ms = 3}),
                  StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("Got Infinity")));
    }
  }
}

TEST(AggregateSpansTest, MembersWithoutPointsAreNothing) {
  EXPECT_EQ(Merged({Span{}, SpanOf({{1, I(1)}}), Span{}}, Aggregator::kCount), SpanOf({{1, I(1)}}));
  EXPECT_TRUE(Merged({Span{}}, Aggregator::kSum).empty());
  EXPECT_TRUE(Merged({}, Aggregator::kSum).empty());
}

// The value of a member between its points `next` - 1 and `next`.
template <typename T>
T SlowMissing(T y0, T y1, int64_t dx, int64_t width, Interpolation interpolation) {
  switch (interpolation) {
    case Interpolation::kZeroIfMissing:
      return 0;
    case Interpolation::kMaxIfMissing:
      return std::numeric_limits<T>::max();
    case Interpolation::kMinIfMissing:
      return std::numeric_limits<T>::lowest();
    case Interpolation::kPrevious:
      return y0;
    case Interpolation::kLerp:
      break;
  }
  return y0 + static_cast<T>(dx) * (y1 - y0) / static_cast<T>(width);
}

// The rules of the merge written down once more, time by time, with nothing done for speed.
Value SlowValueAt(const std::vector<Span>& members, Aggregator aggregator, int64_t ms) {
  const Interpolation interpolation = InterpolationOf(aggregator);
  std::vector<double> doubles;
  std::vector<int64_t> integers;
  bool all_integers = true;
  for (const Span& member : members) {
    const auto next = static_cast<size_t>(std::upper_bound(member.t.begin(), member.t.end(), ms) -
                                          member.t.begin());
    const bool has_next = next < member.size();
    const bool is_current = next > 0 && (has_next || member.t[next - 1] == ms);
    if (has_next) all_integers &= member.value(next).is_integer();
    if (!is_current) continue;
    const Value y0 = member.value(next - 1);
    all_integers &= y0.is_integer();
    const int64_t dx = ms - member.t[next - 1];
    double y = y0.ToDouble();
    int64_t n = static_cast<int64_t>(member.v[next - 1]);
    if (dx > 0) {
      const int64_t width = member.t[next] - member.t[next - 1];
      y = SlowMissing(y, member.ToDouble(next), dx, width, interpolation);
      if (y0.is_integer() && member.value(next).is_integer()) {
        n = SlowMissing(n, member.value(next).integer(), dx, width, interpolation);
      }
    }
    doubles.push_back(y);
    integers.push_back(n);
  }
  return all_integers ? Value::Integer(AggregateIntegers(aggregator, integers))
                      : Value::Float(AggregateDoubles(aggregator, doubles));
}

// Series of up to 3,000 points, so that the merge goes over several tiles.
std::vector<Span> RandomMembers(uint64_t seed) {
  Random random(seed);
  std::vector<Span> members(1 + random.Below(5));
  for (Span& member : members) {
    const uint64_t step = 1 + random.Below(20);
    const bool may_be_double = random.Below(2) == 0;
    int64_t ms = static_cast<int64_t>(random.Below(20'000));
    for (uint64_t left = random.Below(3'000); left > 0; --left) {
      const auto value = static_cast<int64_t>(random.Below(1'000));
      const bool is_double = may_be_double && random.Below(4) == 0;
      member.push_back(ms, is_double ? F(static_cast<double>(value) / 4) : I(value));
      ms += static_cast<int64_t>(1 + random.Below(step));
    }
  }
  return members;
}

TEST(AggregateSpansTest, AgreesWithTheRulesPointByPoint) {
  for (uint64_t seed = 1; seed <= 70; ++seed) {
    const auto aggregator = static_cast<Aggregator>(seed % AggregatorNames().size());
    if (aggregator == Aggregator::kNone) continue;
    SCOPED_TRACE(testing::Message() << "seed " << seed << " " << AggregatorName(aggregator));
    const std::vector<Span> members = RandomMembers(seed);
    std::set<int64_t> times;
    for (const Span& member : members)
      times.insert(member.t.begin(), member.t.end());

    const Span merged = Merged(members, aggregator);

    ASSERT_EQ(merged.t, std::vector<int64_t>(times.begin(), times.end()));
    for (size_t i = 0; i < merged.size(); ++i) {
      ASSERT_EQ(merged.value(i), SlowValueAt(members, aggregator, merged.t[i])) << merged.t[i];
    }
  }
}

// More members than one tile of 1,024 times may hold values of.
TEST(AggregateSpansTest, PercentilesOfManyMembersGoOverSmallTiles) {
  constexpr int64_t kMembers = 1'000;
  std::vector<Span> members(kMembers);
  for (int64_t m = 0; m < kMembers; ++m) {
    for (int64_t ms = 0; ms < 600; ++ms)
      members[static_cast<size_t>(m)].push_back(ms, I((m * 7 + ms) % kMembers));
  }

  const Span merged = Merged(members, Aggregator::kEp50r3);

  ASSERT_EQ(merged.size(), 600U);
  // At every time the values are 0 to 999.
  for (size_t i = 0; i < merged.size(); ++i)
    ASSERT_EQ(merged.value(i), I(499)) << i;
}

TEST(SpanAggregatorTest, AddingOneByOneGivesWhatAllAtOnceGive) {
  constexpr uint64_t kSeed = 4711;
  SCOPED_TRACE(kSeed);
  Random random(kSeed);
  for (const std::string_view name : AggregatorNames()) {
    const Aggregator aggregator = *ParseAggregator(name);
    if (aggregator == Aggregator::kNone) continue;
    for (int round = 0; round < 20; ++round) {
      const bool is_rate = random.Below(4) == 0;
      std::vector<int64_t> times;
      for (int64_t i = 0; i < 50; ++i)
        times.push_back(1000 + i * 60);
      const int64_t scan_end_ms = times[30 + random.Below(20)];
      const auto one_by_one = MakeSpanAggregator({.aggregator = aggregator,
                                                  .is_rate = is_rate,
                                                  .scan_end_ms = scan_end_ms,
                                                  .times = times});
      // Twice, to check the state after a Finish.
      for (int group = 0; group < 2; ++group) {
        std::vector<Span> members(random.Below(6));
        for (Span& member : members) {
          const uint64_t share = 1 + random.Below(5);
          for (const int64_t ms : times) {
            if (random.Below(share) != 0) continue;
            member.push_back(ms, F(random.Below(9) == 0 ? kNan : random.Fraction() - 0.5));
          }
          if (one_by_one->keeps_members() || random.Below(2) == 0) {
            one_by_one->Add(Span(member));
          } else {
            one_by_one->AddBuckets({.t = member.t, .v = member.v});
          }
        }
        const Span want = *AggregateSpans(members, aggregator, is_rate, scan_end_ms);
        const Span got = *one_by_one->Finish();
        EXPECT_EQ(got.t, want.t) << name;
        ASSERT_EQ(got.size(), want.size()) << name;
        for (size_t i = 0; i < got.size(); ++i) {
          if (std::isnan(want.ToDouble(i))) {
            EXPECT_TRUE(std::isnan(got.ToDouble(i))) << name;
          } else {
            EXPECT_EQ(got.ToDouble(i), want.ToDouble(i)) << name;
          }
        }
      }
    }
  }
}

TEST(SpanAggregatorTest, ASumOfOneHasNoNegativeZero) {
  const Span member = SpanOf({{1, F(-0.0)}, {2, F(-1.5)}});

  EXPECT_FALSE(std::signbit(Merged({member}, Aggregator::kSum).ToDouble(0)));
  EXPECT_TRUE(std::signbit(Merged({member}, Aggregator::kMax).ToDouble(0)));
  EXPECT_THAT(
      AggregateSpans(std::vector{SpanOf({{1, F(kInfinity)}})}, Aggregator::kMax, false, kFarMs),
      StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("Got Infinity")));
}

}  // namespace
}  // namespace hourcell::aggregate_test
