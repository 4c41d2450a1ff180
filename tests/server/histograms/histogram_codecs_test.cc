#include "server/histograms/histogram_codecs.h"

#include <fstream>
#include <optional>
#include <string>

#include <gmock/gmock.h>

#include "tests/codec/histograms/histogram_vectors.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::histogram_codecs_test {
namespace {

using testing::HasSubstr;
using testing::Optional;

TEST(HistogramCodecsTest, Vectors) {
  int run = 0;
  for (const TestVector& vector : VectorsOfKind("histogram-codec", "codecs")) {
    SCOPED_TRACE(vector.from);
    const auto codecs = ParseHistogramCodecs(TextOf(vector.given, "config"));
    ++run;
    ASSERT_EQ(codecs.ok(), !vector.wants_error());
    if (!codecs.ok()) continue;
    EXPECT_THAT(codecs->simple, Optional(0));
  }
  EXPECT_EQ(run, 4);
}

TEST(HistogramCodecsTest, EmptyIsOffAndOtherNamesAreTheBuiltInCodec) {
  EXPECT_EQ(ParseHistogramCodecs("")->simple, std::nullopt);
  EXPECT_THAT(ParseHistogramCodecs(R"({"simple": 42})")->simple, Optional(42));
  EXPECT_THAT(ParseHistogramCodecs(R"({"a.B": 1})"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("got \"a.B\"")));
}

TEST(HistogramCodecsTest, TheIdOfExponentialHistogramsIsTaken) {
  EXPECT_OK(ParseHistogramCodecs(R"({"simple": 255})"));
  EXPECT_THAT(ParseHistogramCodecs(R"({"simple": 254})"),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("expected another ID than 254, which is that of exponential")));
}

TEST(HistogramCodecsTest, APathIsRead) {
  TempDir directory;
  const std::string path = directory.file("codecs.json");
  EXPECT_THAT(ParseHistogramCodecs(path), StatusIs(absl::StatusCode::kNotFound, HasSubstr(path)));
  std::ofstream(path) << R"({"simple": 7})";
  EXPECT_THAT(ParseHistogramCodecs(path)->simple, Optional(7));
}

}  // namespace
}  // namespace hourcell::histogram_codecs_test
