#include "engine/rows/annotation_key.h"

#include <algorithm>
#include <string>

#include <gmock/gmock.h>

#include "codec/base/bytes.h"
#include "codec/text/point_text.h"
#include "tests/support/status_matchers.h"
#include "tests/support/vectors.h"

namespace hourcell::annotation_key_test {
namespace {

using testing::HasSubstr;

constexpr Timestamp kStart{.ms = 1'388'450'562'000};

std::string KeyOf(const Layout& layout, std::string_view tsuid, const Timestamp& start) {
  std::string key;
  AppendAnnotationKey(RowKeyCodec(layout), tsuid, start, &key);
  return key;
}

// All layouts of the smallest and the usual widths, with and without salt, in every order.
std::vector<Layout> Layouts() {
  std::vector<Layout> layouts;
  for (const size_t width : {1U, 2U, 3U}) {
    for (const size_t salt : {0U, 1U}) {
      Layout layout{
          .metric_width = width, .tagk_width = width, .tagv_width = width, .salt_width = salt};
      std::sort(layout.fields.begin(), layout.fields.end() - 1);
      do {
        layouts.push_back(layout);
      } while (std::next_permutation(layout.fields.begin(), layout.fields.end() - 1));
    }
  }
  return layouts;
}

TEST(AnnotationKeyTest, Vectors) {
  int run = 0;
  for (const TestVector& vector : LoadVectors("storage.json", "annotation.cell")) {
    SCOPED_TRACE(vector.from);
    const auto start = TimestampFromInteger(IntOf(vector.given, "start_time"));
    EXPECT_EQ(start.ok(), !vector.wants_error());
    if (vector.wants_error()) continue;
    const std::string row = TextOf(vector.expect, "row_key");
    const std::string qualifier = TextOf(vector.expect, "q");
    // The deviation that codec/object_qualifier.h names.
    const std::string want = row + (qualifier == "010074" ? "010320" : qualifier);
    EXPECT_EQ(ToHex(KeyOf(Layout{}, BytesOf(vector.given, "tsuid"), *start)), want);
    ++run;
  }
  EXPECT_EQ(run, 7);
}

TEST(AnnotationKeyTest, GlobalOnesAreNotSalted) {
  const Layout layout{.salt_width = 1};
  const std::string tsuid = FromHex("000001000001000001").value();
  EXPECT_EQ(ToHex(KeyOf(layout, tsuid, kStart)), "0800000152c20900000001000001010a02");
  EXPECT_EQ(ToHex(KeyOf(layout, "", kStart)), "0000000052c20900010a02");
}

TEST(AnnotationKeyTest, ParseGivesBackSeriesAndInstantInEveryLayout) {
  for (const Layout& layout : Layouts()) {
    const RowKeyCodec row_keys(layout);
    for (const int64_t start_ms : {int64_t{0}, int64_t{1'388'450'562'000}, int64_t{65'793'001},
                                   kTimestampMsMax, int64_t{256'257}}) {
      const Timestamp start{.ms = start_ms, .is_ms = true};
      for (const std::vector<TagUids>& tags :
           {std::vector<TagUids>{}, {{1, 1}}, {{1, 1}, {2, 255}}, {{1, 255}, {2, 1}, {255, 1}}}) {
        const std::string tsuid = tags.empty() ? "" : EncodeTsuid(layout, 1, tags);
        const std::string key = KeyOf(layout, tsuid, start);

        const auto view = ParseAnnotationKey(row_keys, key);

        ASSERT_OK(view) << ToHex(key);
        EXPECT_EQ(view->start_ms, start_ms) << ToHex(key);
        EXPECT_EQ(view->is_global(), tags.empty());
        EXPECT_EQ(std::string(view->metric) + std::string(view->tags), tsuid) << ToHex(key);
      }
    }
  }
}

TEST(AnnotationKeyTest, AHistogramHasOneKeyForAnInstant) {
  const RowKeyCodec row_keys{Layout{}};
  const std::string tsuid = FromHex("000001000001000001").value();
  for (const auto& [time_ms, hex] :
       {std::pair<int64_t, std::string>{1388450562000, "00000152c20900000001000001060a02"},
        {1388450562500, "00000152c2090000000100000106002719c4"}}) {
    std::string key;
    AppendHistogramKey(row_keys, tsuid, time_ms, &key);
    EXPECT_EQ(ToHex(key), hex);
    const auto view = ParseAnnotationKey(row_keys, key);
    ASSERT_OK(view);
    EXPECT_FALSE(view->is_annotation());
    EXPECT_EQ(view->start_ms, time_ms);
    EXPECT_EQ(std::string(view->metric) + std::string(view->tags), tsuid);
  }
}

TEST(AnnotationKeyTest, ParseRefusesWhatIsNoKey) {
  const RowKeyCodec row_keys{Layout{}};
  struct Case {
    std::string hex;
    std::string says;
  };
  for (const auto& [hex, says] :
       {Case{"", "expected 3 or 5"}, Case{"0100", "expected 3 or 5"}, Case{"010000", "too short"},
        Case{"00000152c20900000001000001070a02", "type 7"},
        Case{"0000004f29d200060000", "without a series"},
        Case{"00000152c20900000001000001010e10", "expected less than"},
        Case{"00000152c20900000001000001010036ee80", "expected less than"},
        Case{"00000152c209000000010000010a02", "too short"},
        Case{"00000152c20901000001000001010a02", "base time"},
        Case{"0000014f29d200010000", "too short"}}) {
    EXPECT_THAT(ParseAnnotationKey(row_keys, FromHex(hex).value()),
                StatusIs(absl::StatusCode::kDataLoss, HasSubstr(says)))
        << hex;
  }
}

}  // namespace
}  // namespace hourcell::annotation_key_test
