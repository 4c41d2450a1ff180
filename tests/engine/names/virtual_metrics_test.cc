#include "engine/names/virtual_metrics.h"

#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/mem_table_store.h"
#include "tests/support/mem_uid_store.h"
#include "tests/support/status_matchers.h"

namespace hourcell::virtual_metrics_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::IsNull;
using testing::NotNull;

class VirtualMetricsTest : public testing::Test {
 protected:
  VirtualMetricsTest() {
    uids_ = *UidDirectory::Open({.layout = layout_}, &uid_store_);
    metrics_ = std::make_unique<VirtualMetrics>(layout_, &tables_, uids_.get());
    EXPECT_OK(uids_->GetOrAssign(UidKind::kTagk, "host").status());
  }

  Uid Metric(const std::string& name) { return *uids_->GetOrAssign(UidKind::kMetric, name); }

  // The sum of metrics by host.
  static MetricExpression SumOf(const std::vector<std::string>& names) {
    MetricExpression expression;
    for (const std::string& name : names) {
      if (!expression.formula.empty()) expression.formula += " + ";
      expression.formula += ExpressionVariable(expression.inputs.size());
      SubQuery& input = expression.inputs.emplace_back();
      input.metric = name;
      input.filters = {
          {.tagk = "host", .type = FilterType::kWildcard, .filter = "*", .group_by = true}};
    }
    return expression;
  }

  absl::Status Define(const std::string& name, const std::vector<std::string>& inputs) {
    absl::StatusOr<StoredExpression> stored = metrics_->Resolve(SumOf(inputs));
    if (!stored.ok()) return stored.status();
    return metrics_->Define(Metric(name), name, *std::move(stored));
  }

  std::vector<std::string> RowKeys() {
    std::vector<std::string> keys;
    EXPECT_OK(
        tables_.Snapshot()->Scan(TableId::kSystem, {}, [&](std::string_view key, std::string_view) {
          keys.emplace_back(key);
          return true;
        }));
    return keys;
  }

  const Layout layout_;
  MemTableStore tables_;
  MemUidStore uid_store_;
  std::unique_ptr<UidDirectory> uids_;
  std::unique_ptr<VirtualMetrics> metrics_;
};

TEST_F(VirtualMetricsTest, KeysAreAsDrawn) {
  Metric("u");
  ASSERT_OK(Define("busy", {"u"}));

  EXPECT_THAT(RowKeys(), ElementsAre("virtual/000002"));
  EXPECT_FALSE(metrics_->is_empty());
  EXPECT_TRUE(metrics_->Has(2));
  EXPECT_THAT(metrics_->Find(1), IsNull());
}

TEST_F(VirtualMetricsTest, AnotherProcessReadsThem) {
  Metric("u");
  ASSERT_OK(Define("busy", {"u"}));
  VirtualMetrics other(layout_, &tables_, uids_.get());
  EXPECT_TRUE(other.is_empty());

  ASSERT_OK(other.Load());
  ASSERT_THAT(other.Find(Metric("busy")), NotNull());
  EXPECT_EQ(*other.Find(Metric("busy")), *metrics_->Find(Metric("busy")));

  ASSERT_OK(metrics_->Drop(Metric("busy"), "busy"));
  ASSERT_OK(other.Load());
  EXPECT_TRUE(other.is_empty());
  EXPECT_THAT(RowKeys(), IsEmpty());
}

TEST_F(VirtualMetricsTest, ExpressionsFollowRenames) {
  Metric("u");
  ASSERT_OK(Define("busy", {"u"}));

  ASSERT_OK(uids_->Rename(UidKind::kMetric, "u", "user"));
  ASSERT_OK(uids_->Rename(UidKind::kTagk, "host", "node"));
  MetricExpression want = SumOf({"user"});
  want.inputs[0].filters[0].tagk = "node";
  EXPECT_THAT(metrics_->Named(*metrics_->Find(Metric("busy"))), IsOkAndHolds(want));

  ASSERT_OK(uids_->Delete(UidKind::kMetric, "user"));
  want.inputs[0].metric = "000001";
  EXPECT_THAT(metrics_->Named(*metrics_->Find(Metric("busy"))), IsOkAndHolds(want));
}

TEST_F(VirtualMetricsTest, UnknownNamesAreRefused) {
  EXPECT_THAT(Define("busy", {"nosuch"}),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("No such name for 'metrics'")));
  EXPECT_TRUE(metrics_->is_empty());
}

TEST_F(VirtualMetricsTest, CyclesAreRefused) {
  Metric("u");
  ASSERT_OK(Define("v", {"u"}));
  ASSERT_OK(Define("w", {"v", "u"}));
  EXPECT_THAT(Define("w", {"w"}), StatusIs(absl::StatusCode::kInvalidArgument,
                                           HasSubstr("\"w\": calculated from itself")));
  EXPECT_THAT(Define("v", {"w"}), StatusIs(absl::StatusCode::kInvalidArgument,
                                           HasSubstr("\"v\": calculated from itself")));
  ASSERT_OK(Define("x", {"w"}));
  EXPECT_THAT(Define("v", {"u", "x"}), StatusIs(absl::StatusCode::kInvalidArgument,
                                                HasSubstr("\"v\": calculated from itself")));

  EXPECT_THAT(metrics_->Named(*metrics_->Find(Metric("v"))), IsOkAndHolds(SumOf({"u"})));
}

TEST_F(VirtualMetricsTest, TwoDefinesAtOnceMakeNoCycle) {
  Metric("u");
  for (int i = 0; i < 50; ++i) {
    ASSERT_OK(Define("v", {"u"}));
    ASSERT_OK(Define("w", {"u"}));
    const StoredExpression of_w = *metrics_->Resolve(SumOf({"w"}));
    const StoredExpression of_v = *metrics_->Resolve(SumOf({"v"}));
    const Uid v = Metric("v");
    const Uid w = Metric("w");

    absl::Status other;
    std::thread thread([&] { other = metrics_->Define(w, "w", of_v); });
    const absl::Status defined = metrics_->Define(v, "v", of_w);
    thread.join();

    EXPECT_NE(defined.ok(), other.ok()) << defined << ' ' << other;
  }
}

TEST_F(VirtualMetricsTest, LevelsAreBoundedAlsoFromBelow) {
  Metric("v0");
  for (int i = 1; i <= 4; ++i)
    ASSERT_OK(Define(fmt::format("v{}", i), {fmt::format("v{}", i - 1)}));
  EXPECT_THAT(Define("v5", {"v4"}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("\"v5\": too many levels")));

  // A level more below the highest.
  Metric("below");
  ASSERT_OK(Define("other", {"below"}));
  EXPECT_THAT(Define("v1", {"other"}), StatusIs(absl::StatusCode::kInvalidArgument));
  // A metric that is found first by a long path, and by a short one.
  ASSERT_OK(Define("wide", {"v3", "v1", "v2"}));
}

TEST_F(VirtualMetricsTest, AnInputCannotBeDropped) {
  Metric("u");
  ASSERT_OK(Define("v", {"u"}));
  ASSERT_OK(Define("w", {"v"}));

  EXPECT_THAT(metrics_->Drop(Metric("v"), "v"),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       "metric \"v\": \"w\" is calculated from it; drop that first"));
  EXPECT_THAT(metrics_->Drop(Metric("u"), "u"), StatusIs(absl::StatusCode::kNotFound));
  EXPECT_OK(metrics_->Drop(Metric("w"), "w"));
  EXPECT_OK(metrics_->Drop(Metric("v"), "v"));
}

TEST_F(VirtualMetricsTest, ADamagedRowIsDataLoss) {
  Metric("u");
  ASSERT_OK(Define("v", {"u"}));
  const auto set = [this](std::string key, std::string value) {
    const Mutation row{TableId::kSystem, Mutation::Kind::kSet, std::move(key), std::move(value)};
    ASSERT_OK(tables_.Apply({&row, 1}, false));
  };
  set("virtual/0001", EncodeExpression(layout_, *metrics_->Find(Metric("v"))));
  EXPECT_THAT(metrics_->Load(), StatusIs(absl::StatusCode::kDataLoss,
                                         HasSubstr("expected the UID of a metric in hex")));
  set("virtual/0001", "x");
  EXPECT_THAT(metrics_->Load(),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("meta \"virtual/0001\"")));
}

}  // namespace
}  // namespace hourcell::virtual_metrics_test
