#include "server/forward/set_aside_file.h"

#include <fstream>
#include <iterator>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/builders.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::set_aside_file_test {
namespace {

using testing::HasSubstr;

std::string TextOf(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(SetAsideFileTest, HasTheLinesThatAnImportReads) {
  TempDir directory;
  const SetAsideFile file(directory.file("set-aside.txt"));
  const TagView tags[] = {{.key = "host", .value = "web01"}, {.key = "dc", .value = "lga"}};
  ASSERT_OK(file.Add({.metric = "m",
                      .tags = tags,
                      .timestamp = {.ms = 1'356'998'400'000},
                      .value = Value::Integer(-7)}));
  ASSERT_OK(file.Add({.metric = "m",
                      .tags = tags,
                      .timestamp = {.ms = 1'356'998'400'250, .is_ms = true},
                      .value = Value::Float(4.2)}));

  EXPECT_EQ(TextOf(file.path()),
            "m 1356998400 -7 host=web01 dc=lga\n"
            "m 1356998400250 4.2 host=web01 dc=lga\n");
}

TEST(SetAsideFileTest, AHistogramIsALineThatAnImportReads) {
  TempDir directory;
  const SetAsideFile file(directory.file("set-aside.txt"));
  const TagView tags[] = {{.key = "host", .value = "web01"}};

  ASSERT_OK(
      file.Add({.metric = "m", .tags = tags, .timestamp = {.ms = 1'356'998'400'000}, .value = {}},
               std::string_view("\x2a\0\0\0\1", 5)));

  EXPECT_EQ(TextOf(file.path()), "histogram m 1356998400 42 AAAAAQ== host=web01\n");
}

TEST(SetAsideFileTest, HasABound) {
  TempDir directory;
  const SetAsideFile file(directory.file("set-aside.txt"), /*bytes_max=*/40);
  OwnedPoint point("m", "host=web01", 1'356'998'400, 1);
  ASSERT_OK(file.Add(point.view()));
  EXPECT_THAT(file.Add(point.view()),
              StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("expected at most 40")));
  EXPECT_EQ(TextOf(file.path()), "m 1356998400 1 host=web01\n");
}

TEST(SetAsideFileTest, AFileThatCannotBeWrittenIsSaid) {
  TempDir directory;
  const SetAsideFile file(directory.file("nothing/set-aside.txt"));
  OwnedPoint point("m", "host=web01", 1'356'998'400, 1);
  EXPECT_THAT(file.Add(point.view()), StatusIs(absl::StatusCode::kUnavailable, HasSubstr("open")));
}

}  // namespace
}  // namespace hourcell::set_aside_file_test
