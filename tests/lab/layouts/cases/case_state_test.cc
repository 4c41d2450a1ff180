#include "bench/lab/layouts/cases/case_state.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/lab/layouts/cases/results.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::layouts::case_state_test {
namespace {

using absl::StatusCode;
using testing::AllOf;
using testing::HasSubstr;
using testing::SizeIs;

const CaseState::Options kOptions = {{"--points", "1000"}, {"--layouts", "opentsdb salt-4"}};

CaseResult ResultOf(std::string_view layout) {
  CaseResult result = MadeUpResult(layout);
  result.hot_share_max = 1.0 / 3;  // with all its digits
  result.load.starts[1] = std::string("\0 \t\n", 4);
  result.reads[2].accesses = 12.75;
  return result;
}

class CaseStateTest : public testing::Test {
 protected:
  // Begins a file with both results.
  void WriteBoth() {
    auto state = CaseState::Begin(path_, kOptions);
    ASSERT_OK(state);
    ASSERT_OK(state->Add(ResultOf("opentsdb")));
    ASSERT_OK(state->Add(ResultOf("salt-4")));
  }

  absl::Status Resume(const CaseState::Options& options = kOptions) {
    return CaseState::Resume(path_, options, specs_, &results_).status();
  }

  std::string Text() const {
    std::ifstream file(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }
  void Write(const std::string& text) const { std::ofstream(path_, std::ios::binary) << text; }

  TempDir dir_;
  const std::string path_ = dir_.file("new/report/cases.state");
  const std::vector<CaseSpec> specs_ = {MadeUpResult("opentsdb").spec, MadeUpResult("salt-4").spec,
                                        MadeUpResult("salt-16").spec};
  std::vector<CaseResult> results_;
};

TEST_F(CaseStateTest, ResumesWithEveryNumber) {
  WriteBoth();

  ASSERT_OK(Resume());

  ASSERT_THAT(results_, SizeIs(2));
  const CaseResult want = ResultOf("salt-4");
  const CaseResult& got = results_[1];
  EXPECT_EQ(CaseName(got.spec), CaseName(want.spec));
  EXPECT_EQ(got.hot_share_max, want.hot_share_max);
  EXPECT_EQ(got.load.starts, want.load.starts);
  EXPECT_EQ(got.load.rows, want.load.rows);
  EXPECT_EQ(got.windows[1].regions, want.windows[1].regions);
  for (const auto fields : {WriteFields(), ReadFields()}) {
    for (const ResultField& field : fields)
      EXPECT_EQ(field.value(got), field.value(want)) << field.name;
  }
}

TEST_F(CaseStateTest, NamesTheOptionThatDiffers) {
  WriteBoth();

  EXPECT_THAT(Resume({{"--points", "2000"}, {"--layouts", "opentsdb salt-4"}}),
              StatusIs(StatusCode::kFailedPrecondition,
                       AllOf(HasSubstr(path_), HasSubstr("--points: expected \"1000\", as in the "
                                                         "run to resume, got \"2000\""))));
  EXPECT_THAT(Resume({{"--points", "1000"}, {"--seed", "1"}}),
              StatusIs(StatusCode::kFailedPrecondition, HasSubstr("--seed: missing")));
}

TEST_F(CaseStateTest, RefusesFilesOfAnotherKind) {
  EXPECT_THAT(Resume(), StatusIs(StatusCode::kNotFound));
  std::filesystem::create_directories(dir_.file("new/report"));
  Write("hourcell import 1\n");
  EXPECT_THAT(Resume(), StatusIs(StatusCode::kFailedPrecondition));
}

// Whatever part of the last line a killed process wrote, only that case is measured again.
TEST_F(CaseStateTest, DropsALineThatIsNotComplete) {
  WriteBoth();
  const std::string whole = Text();
  const size_t second = whole.find("case\tfleet salt-4");
  ASSERT_NE(second, std::string::npos);
  for (size_t end = second; end < whole.size(); ++end) {
    Write(whole.substr(0, end));
    ASSERT_OK(Resume());
    EXPECT_THAT(results_, SizeIs(1)) << end;
    EXPECT_EQ(Text(), whole.substr(0, second));
  }
}

TEST_F(CaseStateTest, DropsALineThatIsDamagedAndAllAfterIt) {
  WriteBoth();
  std::string text = Text();
  text[text.find("123456")] = '2';
  Write(text);
  ASSERT_OK(Resume());
  EXPECT_THAT(results_, SizeIs(0));
}

TEST_F(CaseStateTest, SaysWhereItCannotWrite) {
  WriteBoth();
  EXPECT_THAT(CaseState::Begin(path_ + "/inside/x", kOptions).status(),
              StatusIs(StatusCode::kUnavailable, HasSubstr(path_)));
}

}  // namespace
}  // namespace hourcell::layouts::case_state_test
