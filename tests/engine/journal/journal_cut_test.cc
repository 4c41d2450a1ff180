#include "engine/journal/journal_cut.h"

#include <optional>
#include <string>

#include "tests/engine/journal/journal_testing.h"

namespace hourcell::journal_cut_test {
namespace {

using testing::HasSubstr;

TEST(JournalCutTest, NamesThereAndBack) {
  JournalCut cut{.segment = 2, .begin = 71, .end = 140, .first_sequence = 5, .end_sequence = 7};
  EXPECT_EQ(CutName(cut), "00000000000000000002.log.71-140.5-7.cut");
  for (const std::optional<uint64_t> end :
       {std::optional<uint64_t>(7), std::optional<uint64_t>()}) {
    for (const int copy : {1, 2, 11}) {
      cut.end_sequence = end;
      cut.file = CutName(cut, copy);
      EXPECT_EQ(CutOf(cut.file), cut);
    }
  }
}

TEST(JournalCutTest, OtherNamesAreNone) {
  for (const char* other :
       {"", "00000000000000000002.log", "00000000000000000002.log.71-140.5-7.cut.seen",
        "00000000000000000002.log.71-140.5-7.cut.tmp", "00000000000000000002.log.140-71.5-7.cut",
        "00000000000000000002.log.71-140.7-5.cut", "2.log.71-140.5-7.cut",
        "00000000000000000002.log.71-140.cut", "00000000000000000002.log.71-140.5-7~.cut",
        "00000000000000000002.log.71-140.x-7.cut", "notes.cut"})
    EXPECT_EQ(CutOf(other), std::nullopt) << other;
}

TEST(JournalCutTest, SaysWhatIsLost) {
  JournalCut cut{.segment = 2,
                 .begin = 71,
                 .end = 140,
                 .first_sequence = 5,
                 .end_sequence = 7,
                 .file = "kept"};
  EXPECT_EQ(
      CutText(cut),
      "00000000000000000002.log: removed bytes 71 to 140, which are damaged; blocks 5 to 6 are "
      "lost; the bytes are kept in kept");
  cut.end_sequence = 5;
  EXPECT_THAT(CutText(cut), HasSubstr("no needed block is lost"));
  cut.end_sequence.reset();
  EXPECT_THAT(CutText(cut), HasSubstr("all blocks from 5 on"));
}

}  // namespace
}  // namespace hourcell::journal_cut_test
