#include "bench/lab/simulate/input/id_source.h"

#include <string>

#include <gtest/gtest.h>

#include "codec/base/bytes.h"

namespace hourcell::id_source_test {
namespace {

TEST(IdSourceTest, IdsInTurnAtTheirRate) {
  const auto source = MakeIds({.ids = 5, .first = 254, .ids_per_s = 2, .start_ms = 1'000});
  SourcePut put;
  std::string ids;
  std::string times;
  while (*source->Next(&put)) {
    ids += ToHex(put.parts.tsuid).substr(12) + " ";
    times += std::to_string(put.now_ms) + " ";
    EXPECT_EQ(put.puts, 1U);
  }

  EXPECT_EQ(ids, "00fe 00ff 0100 0101 0102 ");
  EXPECT_EQ(times, "1000 1500 2000 2500 3000 ");
  EXPECT_EQ(source->start_ms(), 1'000U);
  EXPECT_EQ(source->duration_ms(), 2'501U);
}

}  // namespace
}  // namespace hourcell::id_source_test
