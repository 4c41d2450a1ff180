#include "server/cli/data/import_state.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::import_state_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const FinishedSlice kCpu{.metric = "cpu", .time = {100, 200}, .points = 7, .sum = 1.5};
const FinishedSlice kCpuNext{.metric = "cpu", .time = {200, 400}, .points = 0, .sum = 0};
const FinishedSlice kMem{.metric = "mem", .time = {100, 300}, .points = 9, .sum = -1e300};

class ImportStateTest : public testing::Test {
 protected:
  absl::StatusOr<std::unique_ptr<ImportState>> Open(std::string_view source = "http://a:1") {
    return ImportState::Open(path_, source, "store");
  }
  std::string Text() const {
    std::ifstream file(path_);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }
  void WriteAll() {
    const auto state = Open();
    ASSERT_OK(state.status());
    for (const FinishedSlice& slice : {kCpu, kMem, kCpuNext})
      ASSERT_OK((*state)->Add(slice));
  }

  TempDir dir_;
  const std::string path_ = dir_.file("state");
};

TEST_F(ImportStateTest, IsReadAgainAsItWasWritten) {
  WriteAll();

  const auto state = Open();

  ASSERT_OK(state.status());
  EXPECT_THAT((*state)->SlicesOf("cpu"), ElementsAre(kCpu, kCpuNext));
  EXPECT_THAT((*state)->SlicesOf("mem"), ElementsAre(kMem));
  EXPECT_THAT((*state)->SlicesOf("x"), IsEmpty());
  EXPECT_EQ(Text(),
            "hourcell import 1\nsource http://a:1\ntarget store\n"
            "slice 100 200 7 1.5 cpu f935a7a8\n"
            "slice 100 300 9 -1e+300 mem 1194b2b5\n"
            "slice 200 400 0 0 cpu 5d0fb40b\n");
}

TEST_F(ImportStateTest, AnyCutKeepsTheWholeLinesBeforeIt) {
  WriteAll();
  const std::string whole = Text();
  for (size_t size = 0; size < whole.size(); ++size) {
    std::ofstream(path_) << whole.substr(0, size);

    const auto state = Open();

    ASSERT_OK(state.status()) << size;
    const std::string kept = Text();
    EXPECT_TRUE(whole.starts_with(kept) || size < kept.size()) << size;
    ASSERT_OK((*state)->Add(kMem));
    EXPECT_EQ(Text(), kept + FinishedSliceText(kMem) + "\n") << size;
  }
}

TEST_F(ImportStateTest, TheFileIsMadeByTheFirstSliceOrByBegin) {
  {
    const auto state = Open();
    ASSERT_OK(state.status());
    EXPECT_FALSE(std::filesystem::exists(path_));
    ASSERT_OK((*state)->Begin());
    ASSERT_OK((*state)->Begin());
  }
  const std::string head = "hourcell import 1\nsource http://a:1\ntarget store\n";
  EXPECT_EQ(Text(), head);

  ASSERT_OK((*Open())->Add(kCpu));
  EXPECT_EQ(Text(), head + FinishedSliceText(kCpu) + "\n");
}

TEST_F(ImportStateTest, ADamagedLineEndsWhatIsTaken) {
  WriteAll();
  std::string text = Text();
  text[text.find("slice 100 300 9") + 14] = '8';
  std::ofstream(path_) << text;

  const auto state = Open();

  ASSERT_OK(state.status());
  EXPECT_THAT((*state)->SlicesOf("cpu"), ElementsAre(kCpu));
  EXPECT_THAT((*state)->SlicesOf("mem"), IsEmpty());
}

TEST_F(ImportStateTest, AStateOfAnotherImportIsRefusedAndLeftAsItIs) {
  WriteAll();
  const std::string text = Text();

  EXPECT_THAT(Open("http://b:1").status(), StatusIs(absl::StatusCode::kFailedPrecondition));
  EXPECT_EQ(Text(), text);
  std::ofstream(path_) << "points 1\n";
  EXPECT_THAT(Open().status(), StatusIs(absl::StatusCode::kFailedPrecondition));
  EXPECT_EQ(Text(), "points 1\n");
}

TEST_F(ImportStateTest, WithoutAFileItIsKeptInMemory) {
  const auto state = ImportState::Open("", "a", "b");

  ASSERT_OK(state.status());
  ASSERT_OK((*state)->Add(kCpu));
  EXPECT_THAT((*state)->SlicesOf("cpu"), ElementsAre(kCpu));
  EXPECT_THAT(ImportState::Open(dir_.file("none/x"), "a", "b").status(),
              StatusIs(absl::StatusCode::kUnavailable));
}

TEST_F(ImportStateTest, LinesThatAreNoneAreNotTaken) {
  EXPECT_EQ(ParseFinishedSlice(FinishedSliceText(kCpu)), kCpu);
  const std::string line = FinishedSliceText(kCpu);
  EXPECT_EQ(ParseFinishedSlice(line + "0"), std::nullopt);
  for (const char* const text : {"", "slice", "slice ", "slice 1 2 3 4 m", " 0", "x 00000000"})
    EXPECT_EQ(ParseFinishedSlice(text), std::nullopt) << text;
}

}  // namespace
}  // namespace hourcell::import_state_test
