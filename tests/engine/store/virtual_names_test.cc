// Virtual metrics by their names: how they are defined and renamed, and that puts are refused.

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/virtuals/virtual_fixture.h"

namespace hourcell::virtual_names_test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;

class VirtualNamesTest : public VirtualTest {};

TEST_F(VirtualNamesTest, PutsAreRefusedInWords) {
  Open();
  PutRandomPoints();
  ASSERT_OK(tsdb_->names().DefineMetric("busy", Sum()));
  EXPECT_THAT(TryPut("busy", "host=a", kStart, 1),
              StatusIs(kInvalid, HasSubstr("metric \"busy\": virtual; expected a metric that")));
  EXPECT_THAT(TryPut("busy", "host=new", kStart, 1), Not(IsOk()));
  EXPECT_THAT(tsdb_->names().FindUid(UidKind::kTagv, "new").status(),
              StatusIs(absl::StatusCode::kNotFound));
  EXPECT_OK(TryPut("user", "host=new", kStart, 1));

  ASSERT_OK(tsdb_->names().DropMetric("busy"));
  EXPECT_OK(TryPut("busy", "host=a", kStart, 1));
}

TEST_F(VirtualNamesTest, AStoredMetricIsNotHidden) {
  Open();
  PutRandomPoints();
  EXPECT_THAT(tsdb_->names().DefineMetric("stored", Sum()),
              StatusIs(kInvalid, "metric \"stored\": has series; expected a name without"));
  EXPECT_THAT(*tsdb_->names().ListVirtualMetrics(), IsEmpty());
}

TEST_F(VirtualNamesTest, WrongExpressionsAreRefused) {
  Open();
  PutRandomPoints();
  MetricExpression expression = Sum();
  expression.formula = "a + c";
  EXPECT_THAT(tsdb_->names().DefineMetric("busy", expression), StatusIs(kInvalid));
  expression = Sum();
  expression.inputs[0].filters.clear();
  EXPECT_THAT(tsdb_->names().DefineMetric("busy", expression), StatusIs(kInvalid));
  EXPECT_THAT(tsdb_->names().DefineMetric("b!", Sum()), StatusIs(kInvalid));
  EXPECT_THAT(tsdb_->names().DefineMetric("_rollup/1h-sum/busy", Sum()),
              StatusIs(kInvalid, HasSubstr("a level of rollups")));
  EXPECT_THAT(tsdb_->names().DropMetric("user"), StatusIs(absl::StatusCode::kNotFound));
}

TEST_F(VirtualNamesTest, RenamesFollow) {
  Open();
  PutRandomPoints();
  ASSERT_OK(tsdb_->names().DefineMetric("busy", Sum()));

  ASSERT_OK(tsdb_->names().RenameUid(UidKind::kMetric, "user", "cpu.user"));
  ASSERT_OK(tsdb_->names().RenameUid(UidKind::kMetric, "busy", "cpu.busy"));
  for (const bool is_opened_again : {false, true}) {
    if (is_opened_again) {
      ASSERT_OK(tsdb_->Close());
      Open();
    }
    const std::vector<VirtualMetric> metrics = *tsdb_->names().ListVirtualMetrics();
    ASSERT_THAT(metrics, SizeIs(1));
    EXPECT_EQ(metrics[0].name, "cpu.busy");
    MetricExpression want = Sum();
    want.inputs[0].metric = "cpu.user";
    EXPECT_EQ(metrics[0].expression, want);
  }

  EXPECT_THAT(tsdb_->names().DeleteUid(UidKind::kMetric, "cpu.busy"),
              StatusIs(kInvalid, "metric \"cpu.busy\": virtual; drop it first"));
}

TEST_F(VirtualNamesTest, NamesInAnExpressionAreNotDeleted) {
  Open();
  PutRandomPoints();
  ASSERT_OK(tsdb_->names().DefineMetric("busy", Sum()));

  EXPECT_THAT(
      tsdb_->names().DeleteUid(UidKind::kMetric, "user"),
      StatusIs(kInvalid, "metric \"user\": the virtual metric \"busy\" uses it; drop that first"));
  EXPECT_THAT(
      tsdb_->names().DeleteUid(UidKind::kTagk, "host"),
      StatusIs(kInvalid, HasSubstr("tag key \"host\": the virtual metric \"busy\" uses it")));
  EXPECT_OK(tsdb_->names().DeleteUid(UidKind::kTagk, "dc"));
  EXPECT_OK(tsdb_->names().DeleteUid(UidKind::kTagv, "east"));
  EXPECT_OK(tsdb_->names().DeleteUid(UidKind::kMetric, "stored"));

  ASSERT_OK(tsdb_->names().DropMetric("busy"));
  EXPECT_OK(tsdb_->names().DeleteUid(UidKind::kMetric, "user"));
  EXPECT_OK(tsdb_->names().DeleteUid(UidKind::kTagk, "host"));
}

TEST_F(VirtualNamesTest, RollupsAreNotHiddenAndNotPut) {
  Open();
  PutRandomPoints();
  ASSERT_OK(TryPut("_rollup/1h-sum/summed", "host=a", kStart, 1));
  EXPECT_THAT(tsdb_->names().DefineMetric("summed", Sum()),
              StatusIs(kInvalid, "metric \"summed\": has rollups; expected a name without"));

  ASSERT_OK(tsdb_->names().DefineMetric("busy", Sum()));
  EXPECT_THAT(TryPut("_rollup/1h-sum/busy", "host=a", kStart, 1),
              StatusIs(kInvalid, HasSubstr("metric \"busy\": virtual; expected a metric that")));
  EXPECT_OK(TryPut("_rollup/1h-sum/user", "host=a", kStart, 1));
}

TEST_F(VirtualNamesTest, AFollowerListsThemAndChangesNone) {
  Open();
  PutRandomPoints();
  ASSERT_OK(tsdb_->names().DefineMetric("busy", Sum()));
  ASSERT_OK(tsdb_->Close());

  options_.follow = true;
  Open();
  EXPECT_THAT(*tsdb_->names().ListVirtualMetrics(), SizeIs(1));
  EXPECT_THAT(tsdb_->names().DefineMetric("other", Sum()), Not(IsOk()));
  EXPECT_THAT(tsdb_->names().DropMetric("busy"), Not(IsOk()));
}

}  // namespace
}  // namespace hourcell::virtual_names_test
