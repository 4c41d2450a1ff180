#include "engine/backup_manifest.h"

#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/crc32c.h"
#include "codec/base/strings.h"
#include "tests/support/status_matchers.h"

namespace hourcell::backup_manifest_test {
namespace {

using absl::StatusCode;
using testing::HasSubstr;

BackupManifest Example() {
  return {.id = 7,
          .made_ms = 1356998400123,
          .low_mark = 12,
          .next_block = 345,
          .copied_files = 2,
          .copied_bytes = 4096,
          .files = {{.path = "db/000012.sst", .bytes = 65536, .crc = 0x9a3bc0de},
                    {.path = "db/CURRENT", .bytes = 16, .crc = 0},
                    {.path = "journal/00000000000000000003.log", .bytes = 0, .crc = 0xffffffff}}};
}

constexpr const char* kExampleBody =
    "hourcell-backup 1\n"
    "id 7\n"
    "made_ms 1356998400123\n"
    "low_mark 12\n"
    "next_block 345\n"
    "copied 2 4096\n"
    "file 9a3bc0de 65536 db/000012.sst\n"
    "file 00000000 16 db/CURRENT\n"
    "file ffffffff 0 journal/00000000000000000003.log\n";

// With the CRC that belongs to it.
std::string Finished(const std::string& body) {
  return fmt::format("{}crc32c {:08x}\n", body, Crc32c(body));
}

std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

TEST(BackupManifestTest, IsTextALineEach) {
  EXPECT_EQ(EncodeBackupManifest(Example()), Finished(kExampleBody));
  EXPECT_EQ(Example().bytes(), 65552u);
  EXPECT_EQ(Example().files[0].StoredName(), "000012.sst-65536-9a3bc0de");
}

TEST(BackupManifestTest, ComesBackAsItWas) {
  EXPECT_THAT(DecodeBackupManifest(EncodeBackupManifest(Example())), IsOkAndHolds(Example()));
  const BackupManifest empty;
  EXPECT_THAT(DecodeBackupManifest(EncodeBackupManifest(empty)), IsOkAndHolds(empty));
}

TEST(BackupManifestTest, EveryTruncationIsRefused) {
  const std::string text = EncodeBackupManifest(Example());
  for (size_t size = 0; size < text.size(); ++size) {
    EXPECT_THAT(DecodeBackupManifest(text.substr(0, size)), StatusIs(StatusCode::kDataLoss))
        << size;
  }
  EXPECT_THAT(DecodeBackupManifest(text + "\n"), StatusIs(StatusCode::kDataLoss));
  EXPECT_THAT(DecodeBackupManifest(text + text), StatusIs(StatusCode::kDataLoss));
}

TEST(BackupManifestTest, EverySingleBitFlipIsRefused) {
  const std::string text = EncodeBackupManifest(Example());
  for (size_t bit = 0; bit < text.size() * 8; ++bit) {
    std::string flipped = text;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
    EXPECT_THAT(DecodeBackupManifest(flipped), StatusIs(StatusCode::kDataLoss)) << flipped;
  }
}

TEST(BackupManifestTest, WhatNoBackupWritesIsRefusedWhateverItsCrc) {
  struct Case {
    std::string from;
    std::string to;
    std::string says;
  };
  const Case cases[] = {
      {"id 7", "id 07", "expected id and a number"},
      {"id 7", "id -7", "expected id and a number"},
      {"id 7", "id 7 ", "expected id and a number"},
      {"id 7", "id 18446744073709551616", "expected id and a number"},
      {"made_ms ", "made ", "expected made_ms"},
      {"copied 2 4096", "copied 2", "expected copied"},
      {"file 9a3bc0de", "file 9A3BC0DE", "expected file, a CRC"},
      {"file 9a3bc0de", "file a3bc0de", "expected file, a CRC"},
      {"db/000012.sst", "000012.sst", "expected file, a CRC"},
      {"db/000012.sst", "db/../../passwd", "expected file, a CRC"},
      {"db/000012.sst", "db/..", "expected file, a CRC"},
      {"db/000012.sst", "db/", "expected file, a CRC"},
      {"db/000012.sst", "db/a b", "expected file, a CRC"},
      {"db/000012.sst", "journal/x", "a path after journal/x"},
      {"db/CURRENT", "db/000012.sst", "a path after db/000012.sst"},
      {"hourcell-backup", "hourcell backup", "expected hourcell-backup"},
  };
  for (const Case& c : cases) {
    EXPECT_THAT(DecodeBackupManifest(Finished(Replaced(kExampleBody, c.from, c.to))),
                StatusIs(StatusCode::kDataLoss, HasSubstr(c.says)))
        << c.to;
  }
}

TEST(BackupManifestTest, ALaterFormatIsNoDamage) {
  EXPECT_THAT(DecodeBackupManifest(Finished(Replaced(kExampleBody, "backup 1", "backup 2"))),
              StatusIs(StatusCode::kFailedPrecondition,
                       HasSubstr(NewerFormatMessage("backup format 2", "1"))));
  for (const std::string none : {"backup 0", "backup x", "backup "}) {
    EXPECT_THAT(DecodeBackupManifest(Finished(Replaced(kExampleBody, "backup 1", none))),
                StatusIs(StatusCode::kDataLoss, HasSubstr("expected hourcell-backup 1")))
        << none;
  }
}

}  // namespace
}  // namespace hourcell::backup_manifest_test
