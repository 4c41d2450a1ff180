#include "codec/base/crc32c.h"

#include <string>

#include <gtest/gtest.h>

#include "codec/base/random.h"

namespace hourcell::crc32c_test {
namespace {

std::string Counting(char first, char step) {
  std::string bytes(32, '\0');
  for (size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<char>(first + step * static_cast<char>(i));
  return bytes;
}

TEST(Crc32cTest, VectorsOfRfc3720) {
  EXPECT_EQ(Crc32c(std::string(32, '\0')), 0x8A9136AAu);
  EXPECT_EQ(Crc32c(std::string(32, '\xFF')), 0x62A8AB43u);
  EXPECT_EQ(Crc32c(Counting(0, 1)), 0x46DD794Eu);
  EXPECT_EQ(Crc32c(Counting(31, -1)), 0x113FDB5Cu);
  EXPECT_EQ(Crc32c("123456789"), 0xE3069283u);
  EXPECT_EQ(Crc32c(""), 0u);
}

TEST(Crc32cTest, TablesAndInstructionAgreeAtEveryLengthAndAlignment) {
  Random random(1);
  std::string bytes;
  for (int i = 0; i < 2000; ++i)
    bytes += static_cast<char>(random.Below(256));

  for (size_t from = 0; from < 8; ++from) {
    for (size_t size = 0; from + size <= bytes.size(); ++size) {
      const std::string_view part = std::string_view(bytes).substr(from, size);
      ASSERT_EQ(ExtendCrc32c(7, part), base_internal::ExtendCrc32cPortable(7, part))
          << "from " << from << " size " << size;
    }
  }
}

TEST(Crc32cTest, ExtendIsTheCrcOfTheWhole) {
  const std::string bytes = "what was there, and what was after it";
  for (size_t cut = 0; cut <= bytes.size(); ++cut)
    EXPECT_EQ(ExtendCrc32c(Crc32c(bytes.substr(0, cut)), bytes.substr(cut)), Crc32c(bytes)) << cut;
}

}  // namespace
}  // namespace hourcell::crc32c_test
