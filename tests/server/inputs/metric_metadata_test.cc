#include "server/inputs/metric_metadata.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "codec/limits.h"
#include "tests/support/builders.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::metric_metadata_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const std::string kLong(kNameBytesMax + 1, 'm');
// A control character adds a hash to the name.
const std::string kLongAsStored = std::string(kNameBytesMax - 1, 'm') + "\n";

class MetricMetadataTest : public testing::Test {
 protected:
  void SetUp() override { Open(); }

  void Open(size_t metrics_max = kMetadataMetricsMax) {
    keeper_.reset();
    tsdb_.reset();
    auto opened = Tsdb::Open(TinyOptions(directory_.path()));
    ASSERT_OK(opened);
    tsdb_ = *std::move(opened);
    keeper_.emplace(tsdb_.get(), metrics_max);
  }

  // Whether anything was new.
  bool Store(const std::vector<MetricMetadata>& all) {
    NewMetadata news(&*keeper_, &names_);
    for (const MetricMetadata& one : all)
      news.Add(one);
    const bool has_any = news.has_any();
    if (has_any) news.Store();
    news.CountDropped();
    return has_any;
  }

  std::vector<std::string> Stored() {
    std::vector<std::string> stored;
    EXPECT_OK(keeper_->Visit([&](const MetricMetadata& one) {
      stored.push_back(
          fmt::format("{} {} {} {}", one.metric, MetadataTypeText(one.type), one.unit, one.help));
      return true;
    }));
    return stored;
  }

  uint64_t Dropped() {
    return tsdb_->stats()
        .counter("rpc.inputs.dropped", {{"type", "metadata"}, {"reason", "metadata"}})
        ->value();
  }

  TempDir directory_;
  const NameRule names_{NameEncoding::kAny, ""};
  std::unique_ptr<Tsdb> tsdb_;
  std::optional<MetadataKeeper> keeper_;
};

TEST_F(MetricMetadataTest, RepeatedMetadataIsNotNew) {
  const MetricMetadata cpu{.metric = "cpu", .type = MetadataType::kGauge, .help = "a\nb"};

  EXPECT_TRUE(Store({cpu}));
  EXPECT_FALSE(Store({cpu, cpu}));
  EXPECT_TRUE(Store({{.metric = "cpu", .type = MetadataType::kCounter}}));

  EXPECT_THAT(Stored(), ElementsAre("cpu counter  "));
}

TEST_F(MetricMetadataTest, AnOpenedStoreIsReadOnceAndThenKnown) {
  const MetricMetadata cpu{.metric = "cpu", .unit = "s", .help = "a\nb"};
  Store({cpu});
  Open();

  EXPECT_TRUE(Store({cpu}));  // not read yet
  EXPECT_FALSE(Store({cpu}));

  EXPECT_THAT(Stored(), ElementsAre("cpu unknown s a\nb"));
}

TEST_F(MetricMetadataTest, LongTextsAreCutBetweenCharacters) {
  const std::string help = std::string(kMetadataHelpMax - 1, 'h') + "\u00e9";
  const std::string unit(kMetadataUnitMax + 9, 'u');

  Store({{.metric = "m", .unit = unit, .help = help}});

  EXPECT_THAT(Stored(), ElementsAre(fmt::format("m unknown {} {}", unit.substr(0, kMetadataUnitMax),
                                                help.substr(0, kMetadataHelpMax - 1))));
  EXPECT_FALSE(Store({{.metric = "m", .unit = unit, .help = help}}));
}

TEST_F(MetricMetadataTest, WhatIsWrongIsLeftOutAndCounted) {
  EXPECT_FALSE(Store({{.metric = ""},
                      {.metric = "m", .unit = "\xff"},
                      {.metric = "m", .help = "\xc3"},
                      {.metric = std::string_view(kLong)},
                      {.metric = std::string_view(kLongAsStored)}}));

  EXPECT_EQ(Dropped(), 5u);
  EXPECT_THAT(Stored(), IsEmpty());
}

TEST_F(MetricMetadataTest, AUnitIsALine) {
  Store({{.metric = "m", .unit = "a\nb", .help = "c"}});

  EXPECT_THAT(Stored(), ElementsAre("m unknown a b c"));
}

TEST_F(MetricMetadataTest, ARequestHasABoundedNumber) {
  std::vector<std::string> names;
  for (size_t i = 0; i < kMetadataAtOnce + 3; ++i)
    names.push_back(fmt::format("m{}", i));
  std::vector<MetricMetadata> all;
  for (const std::string& name : names)
    all.push_back({.metric = name});

  EXPECT_TRUE(Store(all));

  EXPECT_EQ(Stored().size(), kMetadataAtOnce);
  EXPECT_EQ(Dropped(), 3u);
  EXPECT_TRUE(Store(all));  // the rest
  EXPECT_EQ(Stored().size(), kMetadataAtOnce + 3);
}

TEST_F(MetricMetadataTest, TheTextsOfARequestAreBounded) {
  const std::string help(kMetadataHelpMax, 'h');
  std::vector<std::string> names;
  for (size_t i = 0; i < kMetadataBytesAtOnce / kMetadataHelpMax + 9; ++i)
    names.push_back(fmt::format("m{:04}", i));
  std::vector<MetricMetadata> all;
  for (const std::string& name : names)
    all.push_back({.metric = name, .help = help});

  EXPECT_TRUE(Store(all));

  const size_t bytes_of_each = std::string_view("m0000unknown\n\n").size() + kMetadataHelpMax;
  EXPECT_EQ(Stored().size(), kMetadataBytesAtOnce / bytes_of_each);
  EXPECT_EQ(Dropped(), all.size() - Stored().size());
  EXPECT_TRUE(Store(all));  // the rest
  EXPECT_EQ(Stored().size(), all.size());
}

// As series of two metrics that take turns.
TEST_F(MetricMetadataTest, ARepeatedMetricCountsOnceInARequest) {
  std::vector<MetricMetadata> all;
  for (size_t i = 0; i < kMetadataAtOnce; ++i) {
    all.push_back({.metric = "a", .help = "1"});
    all.push_back({.metric = "b", .help = "2"});
  }

  EXPECT_TRUE(Store(all));

  EXPECT_EQ(Dropped(), 0u);
  EXPECT_THAT(Stored(), ElementsAre("a unknown  1", "b unknown  2"));
}

TEST_F(MetricMetadataTest, AStoreKeepsABoundedNumberOfMetrics) {
  Open(/*metrics_max=*/2);
  EXPECT_TRUE(Store({{.metric = "a"}, {.metric = "b"}}));

  EXPECT_FALSE(Store({{.metric = "c"}})) << "a request without new metadata need not wait";
  EXPECT_EQ(Dropped(), 1u);
  EXPECT_TRUE(Store({{.metric = "a", .help = "later"}}));

  Open(/*metrics_max=*/2);  // the stored ones are not known yet
  EXPECT_TRUE(Store({{.metric = "c"}, {.metric = "b", .help = "later"}}));
  EXPECT_THAT(Stored(), ElementsAre("a unknown  later", "b unknown  later"));
  EXPECT_EQ(Dropped(), 1u) << "the counters of this store";
}

TEST_F(MetricMetadataTest, MetadataThatCannotBeWrittenIsCountedAndTriedAgain) {
  NewMetadata news(&*keeper_, &names_);
  news.Add({.metric = "a"});
  ASSERT_OK(tsdb_->Close());
  news.Store();
  news.CountDropped();
  EXPECT_EQ(Dropped(), 1u);

  Open();
  EXPECT_TRUE(Store({{.metric = "a"}}));
  EXPECT_THAT(Stored(), ElementsAre("a unknown  "));
}

TEST_F(MetricMetadataTest, NamesAreThoseOfTheStore) {
  Store({{.metric = "disk\nusage"}});

  EXPECT_THAT(Stored(), ElementsAre(fmt::format("{} unknown  ", names_.Apply("disk\nusage"))));
}

TEST_F(MetricMetadataTest, OtherTextsAreHelpTexts) {
  const MetricMetadata read = MetadataOfText("m", "a\nb");

  EXPECT_EQ(read.type, MetadataType::kUnknown);
  EXPECT_EQ(read.unit, "");
  EXPECT_EQ(read.help, "a\nb");
}

TEST_F(MetricMetadataTest, TheFamilyOfASeriesIsWithoutItsSuffix) {
  EXPECT_EQ(FamilyOf("a_bucket", MetadataType::kHistogram), "a");
  EXPECT_EQ(FamilyOf("a_sum", MetadataType::kHistogram), "a");
  EXPECT_EQ(FamilyOf("a_count", MetadataType::kSummary), "a");
  EXPECT_EQ(FamilyOf("a_bucket", MetadataType::kSummary), "a_bucket");
  EXPECT_EQ(FamilyOf("a_gcount", MetadataType::kGaugeHistogram), "a");
  EXPECT_EQ(FamilyOf("a_count", MetadataType::kCounter), "a_count");
  EXPECT_EQ(FamilyOf("_sum", MetadataType::kHistogram), "_sum");
}

}  // namespace
}  // namespace hourcell::metric_metadata_test
