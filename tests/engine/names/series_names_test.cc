#include "engine/names/series_names.h"

#include <memory>
#include <string>

#include <gmock/gmock.h>

#include "codec/rows/tsuid.h"
#include "tests/support/mem_uid_store.h"
#include "tests/support/status_matchers.h"

namespace hourcell::series_names_test {
namespace {

using testing::ElementsAre;

class SeriesNamesTest : public testing::Test {
 protected:
  void SetUp() override {
    auto opened = UidDirectory::Open({.layout = layout_}, &store_);
    ASSERT_OK(opened);
    uids_ = *std::move(opened);
  }
  Uid Assign(UidKind kind, std::string_view name) {
    const auto uid = uids_->GetOrAssign(kind, name);
    EXPECT_OK(uid);
    return uid.value_or(kNoUid);
  }

  Layout layout_;
  MemUidStore store_;
  std::unique_ptr<UidDirectory> uids_;
};

TEST_F(SeriesNamesTest, NamesOneSeriesAfterAnother) {
  const Uid metric = Assign(UidKind::kMetric, "cpu");
  const TagUids host = {Assign(UidKind::kTagk, "host"), Assign(UidKind::kTagv, "a")};
  const TagUids dc = {Assign(UidKind::kTagk, "dc"), Assign(UidKind::kTagv, "x")};
  const TagUids both[] = {dc, host};
  const std::string first = EncodeTsuid(layout_, metric, both);
  const std::string second = EncodeTsuid(layout_, metric, {&dc, 1});
  SeriesNames names(layout_, uids_.get());
  FoundSeries series;

  ASSERT_OK(names.Resolve(first, &series));
  EXPECT_EQ(series.tsuid, first);
  EXPECT_EQ(series.metric, "cpu");
  EXPECT_THAT(series.tags, ElementsAre(TagView{"host", "a"}, TagView{"dc", "x"}));
  ASSERT_OK(names.Resolve(second, &series));
  EXPECT_THAT(series.tags, ElementsAre(TagView{"dc", "x"}));
}

TEST_F(SeriesNamesTest, AUidWithoutANameIsShownInHex) {
  const TagUids host = {Assign(UidKind::kTagk, "host"), 0xab};
  SeriesNames names(layout_, uids_.get());
  FoundSeries series;

  ASSERT_OK(names.Resolve(EncodeTsuid(layout_, 0x12, {&host, 1}), &series));
  EXPECT_EQ(series.metric, "000012");
  EXPECT_THAT(series.tags, ElementsAre(TagView{"host", "0000AB"}));
}

}  // namespace
}  // namespace hourcell::series_names_test
