#include "engine/undo/rename_row.h"

#include <string>
#include <string_view>

#include <gmock/gmock.h>

#include "codec/base/bytes.h"
#include "tests/support/mem_table_store.h"
#include "tests/support/status_matchers.h"

namespace hourcell::rename_row_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

RenameRow SomeRename() {
  return {.id = 7,
          .renamed_ms = 1'764'000'000'000,
          .until_ms = 1'764'604'800'000,
          .kind = UidKind::kTagv,
          .uid = 5,
          .old_name = "ab",
          .new_name = "xyz"};
}

TEST(RenameRowTest, RowsAreAsDrawn) {
  EXPECT_EQ(ToHex(RenameRowsPrefix()), "52");
  EXPECT_EQ(ToHex(RenameRowKey(7)), "520000000000000007");
  EXPECT_EQ(ToHex(RenameRowValue(SomeRename())),
            "01"
            "0000019ab697e8000000019adaa46c00"
            "020000000000000005"
            "00026162"
            "78797a");
}

TEST(RenameRowTest, ReadsWhatItWrites) {
  RenameRow longest = SomeRename();
  longest.old_name = std::string(65'535, 'o');
  longest.new_name = "n";
  for (const RenameRow& row : {SomeRename(), longest})
    EXPECT_THAT(ParseRenameRow(RenameRowKey(row.id), RenameRowValue(row)), IsOkAndHolds(row));

  MemTableStore tables;
  longest.id = 9;
  for (const RenameRow& row : {longest, SomeRename()}) {
    const Mutation set{TableId::kSystem, Mutation::Kind::kSet, RenameRowKey(row.id),
                       RenameRowValue(row)};
    ASSERT_OK(tables.Apply({&set, 1}, false));
  }
  EXPECT_THAT(ReadRenameRows(tables.Snapshot().get()),
              IsOkAndHolds(ElementsAre(SomeRename(), longest)));
}

TEST(RenameRowTest, DamageIsNamed) {
  const std::string key = RenameRowKey(7);
  const std::string value = RenameRowValue(SomeRename());
  const auto is_damage = [&](std::string_view of_key, std::string_view bytes, const char* fault) {
    EXPECT_THAT(ParseRenameRow(of_key, bytes),
                StatusIs(absl::StatusCode::kDataLoss, HasSubstr(fault)));
  };
  // The bytes of the new name are counted by nothing.
  for (size_t size = 0; size < value.size() - 2; ++size)
    is_damage(key, value.substr(0, size), "cut short");
  is_damage(key.substr(0, 8), value, "expected a key of 9 bytes");
  is_damage("D" + key.substr(1), value, "expected a key of 9 bytes");
  is_damage(RenameRowKey(0), value, "out of range");
  is_damage(key, "\x02" + value.substr(1), "version 2");
  const auto with = [&](size_t at, char byte) {
    std::string changed = value;
    changed[at] = byte;
    return changed;
  };
  is_damage(key, with(17, 3), "kind 3; expected 0 to 2");
  is_damage(key, with(1, '\x80'), "out of range");
  is_damage(key, with(9, '\x80'), "out of range");
  is_damage(key, with(25, 0), "out of range");
  is_damage(key, with(27, 0), "out of range");
}

}  // namespace
}  // namespace hourcell::rename_row_test
