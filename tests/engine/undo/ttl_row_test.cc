#include "engine/undo/ttl_row.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>

#include "codec/base/bytes.h"
#include "engine/table/retention.h"
#include "tests/support/mem_table_store.h"
#include "tests/support/status_matchers.h"

namespace hourcell::ttl_row_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;
using testing::UnorderedElementsAre;

TtlRow SomeRow() {
  return {.id = 7,
          .changed_ms = 1'764'000'000'000,
          .until_ms = 1'764'604'800'000,
          .metric = 5,
          .before_s = std::nullopt,
          .shortened_s = 60,
          .file_ttl_s = 86'400};
}

TEST(TtlRowTest, RowsAreAsDrawn) {
  EXPECT_EQ(ToHex(TtlRowsPrefix()), "54");
  EXPECT_EQ(ToHex(TtlRowKey(7)), "540000000000000007");
  EXPECT_EQ(ToHex(TtlRowValue(SomeRow())),
            "01"
            "0000019ab697e8000000019adaa46c00"
            "0000000000000005"
            "ffffffffffffffff000000000000003c"
            "0000000000015180");
}

TEST(TtlRowTest, ReadsWhatItWrites) {
  TtlRow of_store = SomeRow();
  of_store.metric = kNoUid;
  of_store.before_s = 0;
  of_store.shortened_s = kTtlMaxS;
  of_store.file_ttl_s = 0;
  for (const TtlRow& row : {SomeRow(), of_store})
    EXPECT_THAT(ParseTtlRow(TtlRowKey(row.id), TtlRowValue(row)), IsOkAndHolds(row));
}

TEST(TtlRowTest, DamageIsNamed) {
  const std::string key = TtlRowKey(7);
  const std::string value = TtlRowValue(SomeRow());
  const auto is_damage = [&](std::string_view of_key, std::string_view bytes, const char* fault) {
    EXPECT_THAT(ParseTtlRow(of_key, bytes),
                StatusIs(absl::StatusCode::kDataLoss, HasSubstr(fault)));
  };
  for (size_t size = 0; size < value.size(); ++size)
    is_damage(key, value.substr(0, size), "expected 49 bytes");
  is_damage(key, value + "x", "expected 49 bytes, got 50");
  is_damage(key.substr(0, 8), value, "expected a key of 9 bytes");
  is_damage("D" + key.substr(1), value, "expected a key of 9 bytes");
  is_damage(TtlRowKey(0), value, "out of range");
  is_damage(key, "\x02" + value.substr(1), "version 2");

  // Each eight bytes with their first bit set: a time or a TTL out of range, but for the UID.
  for (const size_t at : {1U, 9U, 25U, 33U, 41U}) {
    std::string flipped = value;
    flipped[at] = static_cast<char>(flipped[at] ^ 0x80);
    EXPECT_THAT(ParseTtlRow(key, flipped), StatusIs(absl::StatusCode::kDataLoss)) << at;
  }
  std::string of_store = value;
  of_store[24] = 0;
  is_damage(key, of_store, "a TTL is not");
}

TEST(TtlRowTest, TheLongestTtlOfFilesCounts) {
  MemTableStore tables;
  const auto add = [&](uint64_t id, Uid metric, int64_t file_ttl_s) {
    TtlRow row = SomeRow();
    row.id = id;
    row.metric = metric;
    row.before_s = 1;
    row.file_ttl_s = file_ttl_s;
    const Mutation set{TableId::kSystem, Mutation::Kind::kSet, TtlRowKey(id), TtlRowValue(row)};
    ASSERT_OK(tables.Apply({&set, 1}, false));
  };
  add(1, 5, 100);
  add(2, 5, 300);
  add(3, 5, 200);
  add(4, kNoUid, 50);
  add(5, kNoUid, 0);
  const auto rows = ReadTtlRows(tables.Snapshot().get());
  ASSERT_OK(rows);
  ASSERT_EQ(rows->size(), 5u);
  EXPECT_EQ(rows->front().id, 1u);
  EXPECT_THAT(FileTtlsOf(*rows), UnorderedElementsAre(Pair(5, 300), Pair(kNoUid, 0)));
}

}  // namespace
}  // namespace hourcell::ttl_row_test
