#include "server/cli/admin/region_text.h"

#include <gtest/gtest.h>

namespace hourcell::region_text_test {
namespace {

TEST(RegionTextTest, SizesAreShort) {
  EXPECT_EQ(SizeText(0), "0 B");
  EXPECT_EQ(SizeText(1023), "1023 B");
  EXPECT_EQ(SizeText(1024), "1.0 KiB");
  EXPECT_EQ(SizeText(1536), "1.5 KiB");
  EXPECT_EQ(SizeText(100 * 1024), "100 KiB");
  EXPECT_EQ(SizeText((1 << 20) - 1), "1.0 MiB");
  EXPECT_EQ(SizeText(uint64_t{4} << 30), "4.0 GiB");
  EXPECT_EQ(SizeText(UINT64_MAX), "16.0 EiB");
}

TEST(RegionTextTest, FieldsAreAligned) {
  constexpr int64_t kNowMs = 1'356'998'400'000;
  const RegionRow rows[] = {
      {.id = 7,
       .encoded_name = "e7",
       .end = "\\x00\\x00\\x02",
       .state = "OPEN",
       .files = 3,
       .file_bytes = 1 << 30,
       .memory_bytes = 4096,
       .pinned_until_ms = kNowMs - 1},
      {.id = 1356998400001,
       .encoded_name = "e8",
       .start = "\\x00\\x00\\x02",
       .state = "SPLITTING",
       .has_references = true,
       .pinned_until_ms = kNowMs + 86'400'000,
       .explained = "cpu.user, 0x00"},
  };
  EXPECT_EQ(RegionTable(rows, kNowMs, /*with_words=*/true),
            "           id  encoded name  start         end           state      files     size"
            "   memory  references  pinned            begins with\n"
            "            7  e7            -             \\x00\\x00\\x02  OPEN           3  1.0 GiB"
            "  4.0 KiB  no          -                 -\n"
            "1356998400001  e8            \\x00\\x00\\x02  -             SPLITTING      0      0 B"
            "      0 B  yes         until 2013-01-02  cpu.user, 0x00\n");
  EXPECT_EQ(RegionTable({}, kNowMs, /*with_words=*/false),
            "id  encoded name  start  end  state  files  size  memory  references  pinned\n");
}

TEST(RegionTextTest, APlanShowsSizesAndShares) {
  const PlanRow rows[] = {{.bytes = 1536, .write_share = 0.125},
                          {.start = "\\x01", .explained = "salt 1", .write_share = 0.875}};
  EXPECT_EQ(PlanTable(rows),
            "   size  writes  start  begins with\n"
            "1.5 KiB    12 %  -      -\n"
            "    0 B    88 %  \\x01   salt 1\n");
  const PlanRow unknown = {.bytes = 1};
  EXPECT_EQ(PlanTable({&unknown, 1}),
            "size  writes  start  begins with\n"
            " 1 B       -  -      -\n");
}

TEST(RegionTextTest, ADateThatIsNoneIsNotShown) {
  const RegionRow row = {.id = 1, .pinned_until_ms = UINT64_MAX};
  EXPECT_EQ(RegionTable({&row, 1}, 0, false).find("until"), std::string::npos);
}

}  // namespace
}  // namespace hourcell::region_text_test
