#include "codec/rows/salt_epochs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/random.h"
#include "tests/support/status_matchers.h"

namespace hourcell::salt_epochs_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string MessageOf(std::string_view text, size_t salt_width = 1) {
  return std::string(SaltEpochs::Parse(text, salt_width).status().message());
}

TEST(SaltEpochsTest, TextIsReadBack) {
  for (const char* text : {"0=20", "0=1,3600=256", "0=20,1767225600=64,1767229200=20"}) {
    const auto epochs = SaltEpochs::Parse(text, 1);
    ASSERT_TRUE(epochs.ok()) << epochs.status();
    EXPECT_EQ(epochs->ToText(), text);
  }
}

TEST(SaltEpochsTest, RefusesWhatIsNoList) {
  for (const char* text :
       {"", "0", "0=", "=4", "0=4,", " 0=4", "0=-1", "0=4294967296", "99999999999999999999=4"})
    EXPECT_THAT(MessageOf(text), HasSubstr("expected from=buckets")) << text;
  EXPECT_THAT(MessageOf("0=4 "), HasSubstr("got more text"));
  EXPECT_THAT(MessageOf("0=4;3600=5"), HasSubstr("got more text after 1 of them"));
  EXPECT_THAT(MessageOf("3600=4"), HasSubstr("expected 0, got a first one from 3600 s"));
  EXPECT_THAT(MessageOf("0=4,7200=5,3600=6"), HasSubstr("expected ascending times"));
  EXPECT_THAT(MessageOf("0=4,3600=5,3600=6"), HasSubstr("expected ascending times"));
  EXPECT_THAT(MessageOf("0=4,3601=5"), HasSubstr("expected a whole hour"));
  EXPECT_THAT(SaltEpochs::Make({}, 1).status().message(), HasSubstr("expected 1 to 256, got 0"));
}

TEST(SaltEpochsTest, BucketsFitTheWidth) {
  EXPECT_THAT(MessageOf("0=0"),
              HasSubstr("expected 1 to 256, which 1 bytes of salt number, got 0 buckets"));
  EXPECT_THAT(MessageOf("0=257"), HasSubstr("got 257 buckets"));
  EXPECT_EQ(MessageOf("0=256"), "");
  EXPECT_EQ(MessageOf("0=257", 2), "");
  EXPECT_EQ(MessageOf("0=4294967295", 4), "");
  EXPECT_EQ(MessageOf("0=1", 0), "");
  EXPECT_THAT(MessageOf("0=2", 0), HasSubstr("expected 1 to 1"));
}

TEST(SaltEpochsTest, TooManyAreRefused) {
  std::string text = "0=1";
  for (size_t i = 1; i < SaltEpochs::kEpochsMax; ++i)
    text += "," + std::to_string(i * 3600) + "=" + std::to_string(1 + i % 2);
  auto epochs = SaltEpochs::Parse(text, 1);
  ASSERT_TRUE(epochs.ok()) << epochs.status();

  EXPECT_FALSE(epochs->Append({.from_s = 36'000'000, .buckets = 9}).ok());
  EXPECT_FALSE(SaltEpochs::Parse(text + ",36000000=9", 1).ok());
  EXPECT_FALSE(SaltEpochs::Parse(text + std::string(20'000, ','), 1).ok());
}

TEST(SaltEpochsTest, AppendsOnlyAfterTheLast) {
  auto epochs = SaltEpochs::Parse("0=20,7200=40", 1);
  ASSERT_TRUE(epochs.ok());

  EXPECT_TRUE(absl::IsFailedPrecondition(epochs->Append({.from_s = 3600, .buckets = 60})));
  EXPECT_TRUE(absl::IsFailedPrecondition(epochs->Append({.from_s = 7200, .buckets = 60})));
  EXPECT_TRUE(absl::IsFailedPrecondition(epochs->Append({.from_s = 10'800, .buckets = 40})));
  EXPECT_TRUE(absl::IsInvalidArgument(epochs->Append({.from_s = 10'801, .buckets = 60})));
  EXPECT_TRUE(absl::IsInvalidArgument(epochs->Append({.from_s = 10'800, .buckets = 257})));
  EXPECT_EQ(epochs->ToText(), "0=20,7200=40");
  EXPECT_TRUE(epochs->Append({.from_s = 10'800, .buckets = 60}).ok());
  EXPECT_EQ(epochs->ToText(), "0=20,7200=40,10800=60");
}

TEST(SaltEpochsTest, ARangeHasItsBuckets) {
  const auto epochs = SaltEpochs::Parse("0=20,7200=40,10800=60", 1);
  ASSERT_TRUE(epochs.ok());

  EXPECT_EQ(epochs->BucketsAt(0), 20u);
  EXPECT_EQ(epochs->BucketsAt(7199), 20u);
  EXPECT_EQ(epochs->BucketsAt(7200), 40u);
  EXPECT_EQ(epochs->BucketsAt(UINT64_MAX), 60u);
  EXPECT_THAT(epochs->SpansOf(3600, 7200), ElementsAre(SaltSpan{3600, 7200, 20}));
  EXPECT_THAT(epochs->SpansOf(3600, 7201),
              ElementsAre(SaltSpan{3600, 7200, 20}, SaltSpan{7200, 7201, 40}));
  EXPECT_THAT(epochs->SpansOf(0, UINT64_MAX),
              ElementsAre(SaltSpan{0, 7200, 20}, SaltSpan{7200, 10'800, 40},
                          SaltSpan{10'800, UINT64_MAX, 60}));
  EXPECT_THAT(epochs->SpansOf(7200, 7200), IsEmpty());
  EXPECT_THAT(epochs->SpansOf(7200, 3600), IsEmpty());
}

TEST(SaltEpochsTest, SpansTileTheRange) {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    auto epochs = SaltEpochs::Parse("0=4", 2);
    ASSERT_TRUE(epochs.ok());
    uint64_t hour = 0;
    for (uint64_t i = random.Below(6); i > 0; --i) {
      hour += 1 + random.Below(5);
      (void)epochs->Append(
          {.from_s = hour * 3600, .buckets = static_cast<uint32_t>(1 + random.Below(9))});
    }
    const uint64_t begin = random.Below(100'000);
    const uint64_t end = begin + 1 + random.Below(100'000);

    uint64_t at = begin;
    for (const SaltSpan& span : epochs->SpansOf(begin, end)) {
      EXPECT_EQ(span.begin_s, at);
      EXPECT_EQ(span.buckets, epochs->BucketsAt(span.begin_s));
      EXPECT_EQ(span.buckets, epochs->BucketsAt(span.end_s - 1));
      at = span.end_s;
    }
    EXPECT_EQ(at, end);
  }
}

TEST(SaltEpochsTest, TheMostBucketsOfARange) {
  const auto epochs = SaltEpochs::Parse("0=20,3600=64,7200=4", 1);
  ASSERT_TRUE(epochs.ok());
  EXPECT_EQ(epochs->BucketsMaxIn(0, 3600), 20U);
  EXPECT_EQ(epochs->BucketsMaxIn(0, 3601), 64U);
  EXPECT_EQ(epochs->BucketsMaxIn(7200, UINT64_MAX), 4U);
  EXPECT_EQ(epochs->BucketsMaxIn(3599, 10000), 64U);
  EXPECT_EQ(epochs->BucketsMaxIn(3600, 3600), 1U);
}

}  // namespace
}  // namespace hourcell::salt_epochs_test
