#include "bench/lab/simulate/model/file_reference.h"

#include <gtest/gtest.h>

namespace hourcell::file_reference_test {
namespace {

using enum FileShare;

TEST(FileReferenceTest, SplitInsideMakesTwoReferences) {
  EXPECT_EQ(ShareFile("b", "f", "d"), (DaughterFiles{kReference, kReference}));
  EXPECT_EQ(ShareFile("b", "f", "f"), (DaughterFiles{kReference, kReference}));
}

TEST(FileReferenceTest, FileOnOneSideIsLinked) {
  EXPECT_EQ(ShareFile("b", "f", "b"), (DaughterFiles{kNothing, kLink}));
  EXPECT_EQ(ShareFile("b", "f", "a"), (DaughterFiles{kNothing, kLink}));
  EXPECT_EQ(ShareFile("b", "f", "fa"), (DaughterFiles{kLink, kNothing}));
}

TEST(FileReferenceTest, FileOfOneRowIsNeverCut) {
  EXPECT_EQ(ShareFile("b", "b", "b"), (DaughterFiles{kNothing, kLink}));
  EXPECT_EQ(ShareFile("b", "b", "c"), (DaughterFiles{kLink, kNothing}));
}

}  // namespace
}  // namespace hourcell::file_reference_test
