#include "uid/uid_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/limits.h"
#include "tests/support/status_matchers.h"
#include "tests/uid/uid_fixture.h"

namespace hourcell::uid_check_test {
namespace {

using absl::StatusCode;
using testing::AllOf;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr UidKind kMetric = UidKind::kMetric;
constexpr UidKind kTagk = UidKind::kTagk;
constexpr UidKind kTagv = UidKind::kTagv;

auto Finding(std::string_view text, bool is_error, bool repaired) {
  return AllOf(Field("text", &UidFinding::text, HasSubstr(std::string(text))),
               Field("is_error", &UidFinding::is_error, is_error),
               Field("repaired", &UidFinding::repaired, repaired));
}

std::vector<std::string> Texts(const UidCheckReport& report) {
  std::vector<std::string> texts;
  for (const UidFinding& finding : report.findings)
    texts.push_back(finding.text);
  return texts;
}

// Checks without and with repair, which must find the same; then that no error is left. Returns the
// report of the repair.
UidCheckReport CheckRepairCheck(MemUidStore& store, const Layout& layout = {}) {
  const size_t commits = store.commits();
  const auto checked = CheckUids(layout, &store, /*repair=*/false);
  EXPECT_EQ(store.commits(), commits);
  const auto repaired = CheckUids(layout, &store, /*repair=*/true);
  const auto after = CheckUids(layout, &store, /*repair=*/false);
  EXPECT_OK(checked);
  EXPECT_OK(repaired);
  EXPECT_OK(after);
  EXPECT_EQ(Texts(*checked), Texts(*repaired));
  EXPECT_EQ(after->errors(), 0U) << testing::PrintToString(Texts(*after));
  return *repaired;
}

// cpu <-> 1 and mem <-> 2, counted.
class UidCheckTest : public testing::Test {
 protected:
  UidCheckTest() {
    store_.SetForward(kMetric, "cpu", 1);
    store_.SetReverse(kMetric, 1, "cpu");
    store_.SetForward(kMetric, "mem", 2);
    store_.SetReverse(kMetric, 2, "mem");
    store_.SetCounter(kMetric, 2);
  }
  MemUidStore store_;
};

TEST_F(UidCheckTest, HealthyStoreHasNoFindings) {
  store_.SetForward(kTagk, "host", 1);
  store_.SetReverse(kTagk, 1, "host");
  store_.SetCounter(kTagk, 1);

  const UidCheckReport report = CheckRepairCheck(store_);

  EXPECT_THAT(report.findings, IsEmpty());
  EXPECT_EQ(report.mappings, 6U);
  EXPECT_EQ(store_.commits(), 0U);
}

TEST_F(UidCheckTest, EmptyStoreHasNoFindings) {
  MemUidStore empty;

  EXPECT_THAT(CheckRepairCheck(empty).findings, IsEmpty());
}

TEST_F(UidCheckTest, ForwardWithoutReverseGetsItsReverse) {
  store_.SetForward(kMetric, "disk", 3);
  store_.SetCounter(kMetric, 3);

  const UidCheckReport report = CheckRepairCheck(store_);

  EXPECT_THAT(report.findings,
              ElementsAre(Finding("metrics \"disk\" -> 000003: no reverse mapping", true, true)));
  EXPECT_EQ(report.errors(), 1U);
  EXPECT_THAT(store_.Reverse(kMetric),
              ElementsAre(UidMapping{"cpu", 1}, UidMapping{"mem", 2}, UidMapping{"disk", 3}));
}

TEST_F(UidCheckTest, ReverseToANameWithoutForwardIsRewritten) {
  store_.SetReverse(kMetric, 1, "gone");

  const UidCheckReport report = CheckRepairCheck(store_);

  EXPECT_THAT(report.findings,
              ElementsAre(Finding("\"cpu\" -> 000001: the reverse mapping is", true, true),
                          Finding("000001 -> \"gone\": no forward", false, true)));
  EXPECT_THAT(store_.Reverse(kMetric), ElementsAre(UidMapping{"cpu", 1}, UidMapping{"mem", 2}));
}

TEST_F(UidCheckTest, ReverseToANameOfAnotherIdIsTwoErrorsAndRewritten) {
  store_.SetReverse(kMetric, 1, "mem");

  const UidCheckReport report = CheckRepairCheck(store_);

  EXPECT_THAT(report.findings,
              ElementsAre(Finding("\"cpu\" -> 000001: the reverse mapping is", true, true),
                          Finding("inconsistent with \"mem\" -> 000002", true, true),
                          Finding("000001 -> \"mem\": the forward mapping is", true, true)));
  EXPECT_THAT(store_.Reverse(kMetric), ElementsAre(UidMapping{"cpu", 1}, UidMapping{"mem", 2}));
}

TEST_F(UidCheckTest, NamesThatShareAnIdBecomeOne) {
  store_.SetForward(kMetric, "app", 1);

  const UidCheckReport report = CheckRepairCheck(store_);

  EXPECT_THAT(report.findings,
              ElementsAre(Finding("\"app\" -> 000001: the reverse mapping is", true, true),
                          Finding("inconsistent with \"cpu\" -> 000001", true, true)));
  EXPECT_THAT(store_.Forward(kMetric),
              ElementsAre(UidMapping{"fsck.app.cpu", 1}, UidMapping{"mem", 2}));
  EXPECT_THAT(store_.Reverse(kMetric),
              ElementsAre(UidMapping{"fsck.app.cpu", 1}, UidMapping{"mem", 2}));
}

TEST_F(UidCheckTest, NamesThatShareAnIdWithoutReverseBecomeOne) {
  store_.SetForward(kMetric, "b", 3);
  store_.SetForward(kMetric, "a", 3);
  store_.SetForward(kMetric, "c", 3);
  store_.SetCounter(kMetric, 3);

  const UidCheckReport report = CheckRepairCheck(store_);

  EXPECT_EQ(report.errors(), 3U);
  EXPECT_THAT(store_.Forward(kMetric),
              ElementsAre(UidMapping{"cpu", 1}, UidMapping{"fsck.a.b.c", 3}, UidMapping{"mem", 2}));
}

TEST_F(UidCheckTest, MergedNameAvoidsNamesThatAreTaken) {
  store_.SetForward(kMetric, "app", 1);
  store_.SetForward(kMetric, "fsck.app.cpu", 3);
  store_.SetReverse(kMetric, 3, "fsck.app.cpu");
  store_.SetCounter(kMetric, 3);

  CheckRepairCheck(store_);

  EXPECT_THAT(store_.Forward(kMetric),
              ElementsAre(UidMapping{"fsck.app.cpu", 3}, UidMapping{"fsck.app.cpu.000001", 1},
                          UidMapping{"mem", 2}));
}

TEST_F(UidCheckTest, MergedNameOfLongNamesIsTheId) {
  store_.SetForward(kMetric, std::string(kNameBytesMax, 'a'), 1);

  CheckRepairCheck(store_);

  EXPECT_THAT(store_.Forward(kMetric),
              ElementsAre(UidMapping{"fsck.000001", 1}, UidMapping{"mem", 2}));
}

TEST_F(UidCheckTest, ReverseWithoutForwardIsAWarningAndDeleted) {
  store_.SetReverse(kMetric, 3, "orphan");
  store_.SetCounter(kMetric, 3);

  const UidCheckReport report = CheckRepairCheck(store_);

  EXPECT_THAT(report.findings,
              ElementsAre(Finding("metrics 000003 -> \"orphan\": no forward", false, true)));
  EXPECT_EQ(report.errors(), 0U);
  EXPECT_EQ(report.warnings(), 1U);
  EXPECT_THAT(store_.Reverse(kMetric), SizeIs(2));
}

TEST_F(UidCheckTest, SecondReverseOfANameIsDeleted) {
  store_.SetReverse(kMetric, 3, "cpu");
  store_.SetCounter(kMetric, 3);

  const UidCheckReport report = CheckRepairCheck(store_);

  EXPECT_THAT(report.findings,
              ElementsAre(Finding("000003 -> \"cpu\": the forward mapping is \"cpu\" -> 000001",
                                  true, true)));
  EXPECT_THAT(store_.Reverse(kMetric), ElementsAre(UidMapping{"cpu", 1}, UidMapping{"mem", 2}));
}

// What a cut assignment leaves: a reverse row alone, whose name may have another UID by now.
TEST_F(UidCheckTest, UidsThatNoNameLeadsToAreWasted) {
  store_.SetReverse(kMetric, 3, "orphan");
  store_.SetReverse(kMetric, 4, "cpu");
  store_.SetReverse(kTagk, 1, "host");
  store_.SetForward(kTagk, "host", 2);  // whose own reverse row is missing
  store_.SetCounter(kMetric, 4);
  store_.SetCounter(kTagk, 2);

  const UidCheckReport report = CheckRepairCheck(store_);

  std::vector<Uid> wasted;
  for (const UidFinding& finding : report.findings) {
    if (finding.is_wasted) wasted.push_back(finding.uid);
  }
  EXPECT_THAT(wasted, ElementsAre(3, 4));
}

TEST_F(UidCheckTest, SwappedReversesAreBothRewritten) {
  store_.SetReverse(kMetric, 1, "mem");
  store_.SetReverse(kMetric, 2, "cpu");

  const UidCheckReport report = CheckRepairCheck(store_);

  EXPECT_EQ(report.errors(), 6U);
  for (const UidFinding& finding : report.findings)
    EXPECT_FALSE(finding.is_wasted) << finding.text;
  EXPECT_THAT(store_.Reverse(kMetric), ElementsAre(UidMapping{"cpu", 1}, UidMapping{"mem", 2}));
}

TEST_F(UidCheckTest, CounterBelowTheHighestIdIsRaised) {
  store_.SetForward(kTagv, "web01", 7);
  store_.SetReverse(kTagv, 7, "web01");
  store_.SetCounter(kTagv, 3);
  store_.SetCounter(kMetric, 1);

  const UidCheckReport report = CheckRepairCheck(store_);

  EXPECT_THAT(
      report.findings,
      ElementsAre(
          Finding("metrics counter: below the highest id found; expected 2, got 1", true, true),
          Finding("tagv counter: below the highest id found; expected 7, got 3", true, true)));
  EXPECT_THAT(store_.GetCounter(kMetric), IsOkAndHolds(Uid{2}));
  EXPECT_THAT(store_.GetCounter(kTagv), IsOkAndHolds(Uid{7}));
}

TEST_F(UidCheckTest, LostCounterOfDenseMetricsIsRaised) {
  store_.SetCounter(kMetric, 0);

  const UidCheckReport report = CheckRepairCheck(store_);

  EXPECT_EQ(report.errors(), 1U);
  EXPECT_THAT(store_.GetCounter(kMetric), IsOkAndHolds(Uid{2}));
}

TEST_F(UidCheckTest, CounterOfRandomMetricsIsOnlyRemarkedOn) {
  store_.SetForward(kMetric, "random", 0xABCDEF);
  store_.SetReverse(kMetric, 0xABCDEF, "random");
  store_.SetCounter(kMetric, 0);

  const UidCheckReport report = CheckRepairCheck(store_);

  EXPECT_THAT(report.findings, ElementsAre(Finding("are they random?", false, false)));
  EXPECT_THAT(store_.GetCounter(kMetric), IsOkAndHolds(Uid{0}));
}

TEST_F(UidCheckTest, CounterAboveTheNumberOfNamesIsAWarning) {
  store_.SetCounter(kMetric, 5);

  const UidCheckReport report = CheckRepairCheck(store_);

  EXPECT_THAT(report.findings, ElementsAre(Finding("were 3 ids deleted?", false, false)));
  EXPECT_THAT(store_.GetCounter(kMetric), IsOkAndHolds(Uid{5}));
}

TEST_F(UidCheckTest, DamagedCounterIsSetToTheHighestId) {
  store_.DamageCounter(kMetric);

  const UidCheckReport report = CheckRepairCheck(store_);

  EXPECT_THAT(report.findings, ElementsAre(Finding("metrics counter: a row of 3", true, true)));
  EXPECT_THAT(store_.GetCounter(kMetric), IsOkAndHolds(Uid{2}));
}

TEST_F(UidCheckTest, NamesAreShownAsText) {
  store_.SetReverse(kMetric, 3, "t\xe4st");
  store_.SetCounter(kMetric, 3);

  const UidCheckReport report = CheckRepairCheck(store_);

  EXPECT_THAT(report.findings, ElementsAre(Finding("\"t\u00e4st\"", false, true)));
}

TEST_F(UidCheckTest, StoreErrorsArePassedOn) {
  store_.SetReverse(kMetric, 3, "orphan");
  store_.FailReads(true);
  EXPECT_THAT(CheckUids({}, &store_, false), StatusIs(StatusCode::kUnavailable));

  store_.FailReads(false);
  store_.FailCommit(1);
  EXPECT_THAT(CheckUids({}, &store_, true), StatusIs(StatusCode::kUnavailable));
  EXPECT_THAT(store_.Reverse(kMetric), SizeIs(3));
}

TEST_F(UidCheckTest, RandomDamageIsRepairedInOneGo) {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    MemUidStore store;
    const uint64_t rows = 1 + random.Below(12);
    for (uint64_t i = 0; i < rows; ++i) {
      const std::string name(1, static_cast<char>('a' + random.Below(5)));
      const Uid uid = 1 + random.Below(5);
      if (random.Below(2) == 0)
        store.SetForward(kTagk, name, uid);
      else
        store.SetReverse(kTagk, uid, name);
    }
    store.SetCounter(kTagk, random.Below(7));

    CheckRepairCheck(store);

    EXPECT_THAT(store.Forward(kTagk), SizeIs(store.Reverse(kTagk).size()));
  }
}

}  // namespace
}  // namespace hourcell::uid_check_test
