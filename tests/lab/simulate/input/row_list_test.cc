#include "bench/lab/simulate/input/row_list.h"

#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/bytes.h"
#include "tests/support/status_matchers.h"

namespace hourcell::row_list_test {
namespace {

TEST(RowListTest, RowsComeInTheOrderOfTheirHours) {
  RowList rows;
  const std::vector<TagView> a = {{.key = "host", .value = "a"}};
  const std::vector<TagView> b = {{.key = "host", .value = "b"}};
  ASSERT_OK(rows.Add("k1", "cpu", a, 3'600, 10));
  ASSERT_OK(rows.Add("k2", "cpu", a, 0, 20));
  ASSERT_OK(rows.Add("k3", "cpu", b, 0, 30));
  rows.Sort();

  const auto source = rows.NewSource();
  std::string text;
  SourcePut put;
  while (*source->Next(&put)) {
    text += fmt::format("{} {} {} {} {}\n", put.row_key, ToHex(put.parts.tsuid), put.parts.time_ms,
                        put.now_ms, put.puts);
  }

  EXPECT_EQ(text,
            "k2 000001000001000001 0 3600000 20\n"
            "k3 000001000001000002 0 3600000 30\n"
            "k1 000001000001000001 3600000 7200000 10\n");
  EXPECT_EQ(source->start_ms(), 0U);
  EXPECT_EQ(source->duration_ms(), 7'200'001U);
  EXPECT_EQ(rows.size(), 3U);
}

TEST(RowListTest, NoRowsAreNoPuts) {
  RowList rows;
  rows.Sort();
  SourcePut put;

  EXPECT_THAT(rows.NewSource()->Next(&put), IsOkAndHolds(false));
  EXPECT_EQ(rows.NewSource()->duration_ms(), 0U);
}

}  // namespace
}  // namespace hourcell::row_list_test
