#include "server/cli/lab/bench_html.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/lab/layouts/layout_list.h"
#include "tests/support/status_matchers.h"

namespace hourcell::bench_html_test {
namespace {

using testing::HasSubstr;

TEST(BenchHtmlTest, HasATableOfWritesAndOneOfReads) {
  layouts::CaseResult result;
  result.spec.layout = *layouts::FindLayout("salt-4");
  const auto page = BenchHtml(layouts::Summarize(std::vector<layouts::CaseResult>{result}),
                              {.measured = 1, .planned = 2});
  ASSERT_OK(page);
  EXPECT_THAT(*page, HasSubstr("<caption>Writes</caption>"));
  EXPECT_THAT(*page, HasSubstr("<caption>Reads</caption>"));
  EXPECT_THAT(*page, HasSubstr("<td class=\"text\">salt-4</td>"));
  EXPECT_THAT(*page, HasSubstr("Ended after 1 of 2 measurements."));
}

}  // namespace
}  // namespace hourcell::bench_html_test
