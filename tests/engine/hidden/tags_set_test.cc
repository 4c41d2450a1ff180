#include "engine/hidden/tags_set.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "codec/base/bytes.h"

namespace hourcell::tags_set_test {
namespace {

std::string Tags(uint64_t value, size_t width) {
  std::string tags;
  AppendBigEndian(value, width, &tags);
  return tags;
}

TEST(TagsSetTest, HasWhatItWasMadeOf) {
  std::vector<std::string> tags;
  for (uint64_t value = 0; value < 500; value += 2) {
    tags.push_back(Tags(value, 6));
    tags.push_back(std::string(6, '\0') + Tags(value, 6));
  }
  tags.push_back(tags.front());
  const TagsSet set(tags);

  EXPECT_EQ(set.size(), 500u);
  for (uint64_t value = 0; value < 502; ++value) {
    const bool is_in = value % 2 == 0 && value < 500;
    EXPECT_EQ(set.Contains(Tags(value, 6)), is_in) << value;
    EXPECT_EQ(set.Contains(std::string(6, '\0') + Tags(value, 6)), is_in) << value;
  }
  EXPECT_FALSE(set.Contains(""));
  EXPECT_FALSE(set.Contains(std::string(18, '\0')));
}

TEST(TagsSetTest, MayBeEmpty) {
  const TagsSet set({});
  EXPECT_EQ(set.size(), 0u);
  EXPECT_FALSE(set.Contains(Tags(1, 6)));
}

}  // namespace
}  // namespace hourcell::tags_set_test
