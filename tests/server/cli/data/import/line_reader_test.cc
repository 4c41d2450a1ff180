#include "server/cli/data/import/line_reader.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/check.h"
#include "codec/limits.h"
#include "server/http/http_response.h"
#include "tests/server/cli/captured_terminal.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::line_reader_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// "1:text" of each line, "!" after the number of one that is too long.
absl::StatusOr<std::vector<std::string>> ReadAll(const std::string& path) {
  auto reader = LineReader::Open(path);
  if (!reader.ok()) return reader.status();
  std::vector<std::string> lines;
  Line line;
  while (true) {
    const absl::StatusOr<bool> more = (*reader)->Next(&line);
    if (!more.ok()) return more.status();
    if (!*more) return lines;
    lines.push_back(std::to_string(line.number) + (line.too_long ? "!" : ":") +
                    std::string(line.text));
  }
}

// Runs `read` with `bytes` on the standard input, as from a pipe.
template <typename Read>
auto WithStdin(std::string_view bytes, Read read) {
  int ends[2];
  HOURCELL_CHECK(::pipe(ends) == 0);
  const int saved = ::dup(STDIN_FILENO);
  HOURCELL_CHECK(::dup2(ends[0], STDIN_FILENO) == STDIN_FILENO);
  ::close(ends[0]);
  std::thread writer([&] {
    while (!bytes.empty()) {
      const ssize_t wrote = ::write(ends[1], bytes.data(), bytes.size());
      HOURCELL_CHECK(wrote > 0);
      bytes.remove_prefix(static_cast<size_t>(wrote));
    }
    ::close(ends[1]);
  });
  auto result = read();
  writer.join();
  HOURCELL_CHECK(::dup2(saved, STDIN_FILENO) == STDIN_FILENO);
  ::close(saved);
  return result;
}

TEST(LineReaderTest, PlainFileGivesNumberedLines) {
  TempDir dir;
  WriteFile(dir.file("in"), "one\n\nthree\r\n");

  EXPECT_THAT(ReadAll(dir.file("in")), IsOkAndHolds(ElementsAre("1:one", "2:", "3:three")));
}

TEST(LineReaderTest, AByteOrderMarkBeforeTheFirstLineIsSkipped) {
  TempDir dir;
  WriteFile(dir.file("in"), "\xEF\xBB\xBFone\n\xEF\xBB\xBFtwo\n");

  EXPECT_THAT(ReadAll(dir.file("in")), IsOkAndHolds(ElementsAre("1:one", "2:\xEF\xBB\xBFtwo")));
}

TEST(LineReaderTest, LastLineWithoutEndCounts) {
  TempDir dir;
  WriteFile(dir.file("in"), "one\ntwo");

  EXPECT_THAT(ReadAll(dir.file("in")), IsOkAndHolds(ElementsAre("1:one", "2:two")));
}

TEST(LineReaderTest, EmptyFileHasNoLines) {
  TempDir dir;
  WriteFile(dir.file("in"), "");

  EXPECT_THAT(ReadAll(dir.file("in")), IsOkAndHolds(testing::IsEmpty()));
}

TEST(LineReaderTest, GzipIsFoundByItsBytesNotByTheName) {
  TempDir dir;
  WriteGzipFile(dir.file("compressed"), "one\ntwo\n");
  WriteFile(dir.file("plain.gz"), "one\ntwo\n");

  EXPECT_THAT(ReadAll(dir.file("compressed")), IsOkAndHolds(ElementsAre("1:one", "2:two")));
  EXPECT_THAT(ReadAll(dir.file("plain.gz")), IsOkAndHolds(ElementsAre("1:one", "2:two")));
}

TEST(LineReaderTest, GzipMembersAreReadOneAfterAnother) {
  TempDir dir;
  WriteFile(dir.file("in"), Gzip("one\ntw") + Gzip("o\n"));

  EXPECT_THAT(ReadAll(dir.file("in")), IsOkAndHolds(ElementsAre("1:one", "2:two")));
}

TEST(LineReaderTest, GzipCutShortIsDataLossAfterTheLinesBeforeIt) {
  TempDir dir;
  const std::string bytes = Gzip("one\ntwo\n");
  WriteFile(dir.file("in"), bytes.substr(0, bytes.size() - 6));

  auto reader = LineReader::Open(dir.file("in"));
  ASSERT_OK(reader.status());
  Line line;
  absl::StatusOr<bool> more = true;
  size_t lines = 0;
  while (more.ok() && *more) {
    more = (*reader)->Next(&line);
    if (more.ok() && *more) ++lines;
  }

  EXPECT_THAT(more, StatusIs(absl::StatusCode::kDataLoss, HasSubstr("gzip")));
  EXPECT_LE(lines, 2u);
}

TEST(LineReaderTest, StandardInputPlainAndGzip) {
  const auto read = [] { return ReadAll("-"); };

  EXPECT_THAT(WithStdin("one\ntwo\n", read), IsOkAndHolds(ElementsAre("1:one", "2:two")));
  EXPECT_THAT(WithStdin(Gzip("one\ntwo"), read), IsOkAndHolds(ElementsAre("1:one", "2:two")));
}

TEST(LineReaderTest, LineTooLongIsSaidAndSkipped) {
  TempDir dir;
  WriteFile(dir.file("in"), "one\n" + std::string(kLineBytesMax + 1, 'x') + "\nthree\n");

  const auto lines = ReadAll(dir.file("in"));

  ASSERT_OK(lines.status());
  ASSERT_EQ(lines->size(), 3u);
  EXPECT_TRUE((*lines)[1].starts_with("2!xxx")) << (*lines)[1];
  EXPECT_LT((*lines)[1].size(), 1000u);
  EXPECT_EQ((*lines)[2], "3:three");
}

TEST(LineReaderTest, LineOfSeveralBuffersIsSkippedToItsEnd) {
  TempDir dir;
  WriteFile(dir.file("in"), std::string(20 * kLineBytesMax, 'x') + "\ntwo\n" +
                                std::string(20 * kLineBytesMax, 'y'));

  const auto lines = ReadAll(dir.file("in"));

  ASSERT_OK(lines.status());
  ASSERT_EQ(lines->size(), 3u);
  EXPECT_EQ((*lines)[1], "2:two");
  EXPECT_TRUE((*lines)[2].starts_with("3!yyy"));
}

TEST(LineReaderTest, LongestLineIsTakenWhole) {
  TempDir dir;
  const std::string longest(kLineBytesMax, 'x');
  WriteFile(dir.file("in"), longest + "\n" + longest);

  EXPECT_THAT(ReadAll(dir.file("in")), IsOkAndHolds(ElementsAre("1:" + longest, "2:" + longest)));
}

TEST(LineReaderTest, LinesStayWhileTheNextIsBuffered) {
  TempDir dir;
  std::string text;
  for (int i = 0; i < 300'000; ++i)
    text += "line " + std::to_string(i) + "\n\n";
  WriteFile(dir.file("in"), text + "last");
  auto reader = LineReader::Open(dir.file("in"));
  ASSERT_OK(reader.status());

  std::string joined;
  std::vector<std::string_view> kept;
  size_t kept_max = 0;
  const auto join = [&] {
    kept_max = std::max(kept_max, kept.size());
    for (const std::string_view line : kept)
      joined.append(line).append("\n");
    kept.clear();
  };
  Line line;
  while (true) {
    if (!(*reader)->NextIsBuffered()) join();
    const auto more = (*reader)->Next(&line);
    ASSERT_OK(more.status());
    if (!*more) break;
    kept.push_back(line.text);
  }

  EXPECT_EQ(line.number, 600'001U);
  EXPECT_TRUE(joined == text + "last\n");
  EXPECT_GT(kept_max, 10'000U);
}

TEST(LineReaderTest, CountsCompressedBytes) {
  TempDir dir;
  const std::string bytes = Gzip("one\ntwo\n");
  WriteFile(dir.file("in"), bytes);

  auto reader = LineReader::Open(dir.file("in"));
  ASSERT_OK(reader.status());
  Line line;
  while (*(*reader)->Next(&line)) {
  }

  EXPECT_EQ((*reader)->bytes_total(), bytes.size());
  EXPECT_EQ((*reader)->bytes_read(), bytes.size());
}

TEST(LineReaderTest, MissingFileAndFolderAreNamed) {
  TempDir dir;

  EXPECT_THAT(LineReader::Open(dir.file("none")).status(),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("none: No such file")));
  EXPECT_THAT(InputBytes(dir.path()),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("is a directory")));
}

}  // namespace
}  // namespace hourcell::line_reader_test
