#include "bench/lab/simulate/input/key_words.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace hourcell::key_words_test {
namespace {

// Bytes with zeros among them.
template <size_t kSize>
std::string Bytes(const char (&text)[kSize]) {
  return {text, kSize - 1};
}

const KeyNames kNames = {.uid_bytes = 3, .tags = {"host", "cpu"}};

std::string Words(std::string_view layout, const std::string& key, std::string_view by = "none") {
  return KeyWords::Make(layout, by, kNames).Of(key);
}

TEST(KeyWordsTest, SaysWhatAWholeKeySays) {
  // 2013-01-01 00:00, host 7, cpu 258.
  const std::string key =
      Bytes("\x00\x00\x0C\x50\xE2\x27\x00\x00\x00\x01\x00\x00\x07\x00\x00\x02\x00\x01\x02");
  EXPECT_EQ(Words("opentsdb", key), "metric 12, 2013-01-01 00:00Z, host=7, cpu=258");
  // The row of the day.
  EXPECT_EQ(Words("opentsdb", Bytes("\x00\x00\x0C\x00\x00\x7A\xB5\x00\x00\x01\x00\x00\x07")),
            "metric 12, day of 2013-01-01 00:00Z, host=7");
  EXPECT_EQ(Words("salted:20", Bytes("\x05") + key),
            "bucket 5, metric 12, 2013-01-01 00:00Z, host=7, cpu=258");
  EXPECT_EQ(
      Words("tags-first",
            Bytes("\x00\x00\x0C\x00\x00\x01\x00\x00\x07\x00\x00\x02\x00\x01\x02\x50\xE2\x27\x00")),
      "metric 12, host=7, cpu=258, 2013-01-01 00:00Z");
  EXPECT_EQ(Words("reversed-metric", Bytes("\x0C\x00\x00\x50\xE2\x27\x00")),
            "metric 12, 2013-01-01 00:00Z");
  EXPECT_EQ(Words("newest-first", Bytes("\x00\x00\x0C\xAF\x1D\xD8\xFF")),
            "metric 12, 2013-01-01 00:00Z");
  EXPECT_EQ(Words("id", Bytes("\x00\x00\x00\x00\x00\x00\x01\x00")), "id 256");
  EXPECT_EQ(Words("partition:20",
                  Bytes("\x00\x00\x00\x00\x00\x00\x00\x03\x00\x00\x00\x00\x00\x00\x01\x00")),
            "partition 3, id 256");
  EXPECT_EQ(Words("hash:2+metric", Bytes("\xAB\x41\x00\x00\x01")), "hash \\xABA, metric 1");
}

TEST(KeyWordsTest, SaysWhatIsWholeOfACutKey) {
  EXPECT_EQ(Words("opentsdb", Bytes("\x00\x00\x0C")), "metric 12");
  EXPECT_EQ(Words("opentsdb", Bytes("\x00\x00\x0C\x50\xE2")), "metric 12, P\\xE2");
  EXPECT_EQ(Words("opentsdb", Bytes("\x00\x00\x0C\x50\xE2\x27\x00\x00\x00\x01")),
            "metric 12, 2013-01-01 00:00Z, host");
  EXPECT_EQ(Words("opentsdb", ""), "");
}

TEST(KeyWordsTest, KnowsWhatADistributorPutsBeforeAKey) {
  EXPECT_EQ(Words("opentsdb", Bytes("\x07\x00\x00\x0C"), "simple-hash:15"), "bucket 7, metric 12");
  EXPECT_EQ(Words("opentsdb", Bytes("beef\x00\x00\x0C"), "md5-4hex").substr(0, 11), "prefix beef");
}

TEST(KeyWordsTest, KnowsNothingOfOtherKeys) {
  EXPECT_EQ(Words("stored", "key"), "");
  EXPECT_EQ(Words("opentsdb", "key", "reversed"), "");
  EXPECT_EQ(Words("no such layout", "key"), "");
  EXPECT_EQ(KeyWords().Of("key"), "");
}

TEST(KeyWordsTest, TagsWithoutNamesAreNumbers) {
  EXPECT_EQ(KeyWords::Make("metric+tags", "none", {.uid_bytes = 1}).Of("\x01\x02\x03"),
            "metric 1, tag 2=3");
}

}  // namespace
}  // namespace hourcell::key_words_test
