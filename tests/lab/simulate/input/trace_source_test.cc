#include "bench/lab/simulate/input/trace_source.h"

#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/bytes.h"
#include "tests/support/status_matchers.h"

namespace hourcell::trace_source_test {
namespace {

using testing::HasSubstr;

TraceLines Lines(std::vector<std::string> lines) {
  const auto kept = std::make_shared<std::vector<std::string>>(std::move(lines));
  return [kept, next = size_t{0}](std::string_view* line) mutable -> absl::StatusOr<bool> {
    if (next == kept->size()) return false;
    *line = (*kept)[next++];
    return true;
  };
}

absl::StatusOr<std::string> Read(std::vector<std::string> lines, const TraceOptions& options) {
  auto trace = MakeTrace(Lines(std::move(lines)), options);
  if (!trace.ok()) return trace.status();
  std::string text;
  SourcePut put;
  while (true) {
    const auto more = (*trace)->Next(&put);
    if (!more.ok()) return more.status();
    if (!*more) return text;
    text += fmt::format("{} {} {} {}\n", put.key.empty() ? ToHex(put.parts.tsuid) : put.key,
                        put.now_ms, put.puts, put.begins_row);
  }
}

TEST(TraceSourceTest, PutLines) {
  EXPECT_THAT(Read({"put cpu 1356998400 1 host=a", "cpu 1356998410 2.5 host=a", "",
                    "cpu 1356998405 3 host=b", "put cpu 1357002000 4 host=a"},
                   {}),
              IsOkAndHolds("000001000001000001 1356998400000 1 true\n"
                           "000001000001000001 1356998410000 1 false\n"
                           "000001000001000002 1356998410000 1 true\n"
                           "000001000001000001 1357002000000 1 true\n"));
}

TEST(TraceSourceTest, Keys) {
  EXPECT_THAT(Read({"a", "b\t10", "\\x41c\t5\t9000", "a\t1\t9500"},
                   {.form = TraceForm::kKeys, .keys_per_s = 2, .start_ms = 1'000}),
              IsOkAndHolds("a 1000 1 true\n"
                           "b 1500 10 true\n"
                           "Ac 9000 5 true\n"
                           "a 9500 1 false\n"));
}

TEST(TraceSourceTest, TheFirstLineSaysWhenItBegins) {
  const auto trace = MakeTrace(Lines({"cpu 1356998400 1 host=a"}), {});
  ASSERT_OK(trace);
  EXPECT_EQ((*trace)->start_ms(), 1'356'998'400'000U);

  const auto empty = MakeTrace(Lines({}), {});
  ASSERT_OK(empty);
  SourcePut put;
  EXPECT_THAT((*empty)->Next(&put), IsOkAndHolds(false));
}

TEST(TraceSourceTest, RefusesWithTheLine) {
  EXPECT_THAT(Read({"cpu 1356998400 1 host=a", "", "cpu now 1 host=a"}, {}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("line 3: ")));
  for (const std::string_view bad : {"a\tx", "a\t1\t-2", "a\t1\t2\t3", "\\xZZ", "a\\"}) {
    EXPECT_THAT(Read({std::string(bad)}, {.form = TraceForm::kKeys}),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("line 1: ")))
        << bad;
  }
}

}  // namespace
}  // namespace hourcell::trace_source_test
