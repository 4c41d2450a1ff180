#include "engine/rows/key_description.h"

#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/rows/row_key.h"
#include "codec/rows/tsuid.h"
#include "engine/rows/annotation_key.h"
#include "tests/support/mem_uid_store.h"
#include "tests/support/status_matchers.h"
#include "uid/uid_directory.h"

namespace hourcell::key_description_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Optional;
using testing::Pair;

constexpr uint32_t kHourS = 1356998400;  // 2013-01-01 00:00:00

class KeyTextTest : public testing::Test {
 protected:
  void Open(Layout layout) {
    row_keys_ = std::make_unique<RowKeyCodec>(layout);
    auto opened = UidDirectory::Open({.layout = layout}, &store_);
    ASSERT_OK(opened);
    uids_ = *std::move(opened);
    const auto metric = uids_->GetOrAssign(UidKind::kMetric, "cpu.user");
    const auto tagk = uids_->GetOrAssign(UidKind::kTagk, "host");
    const auto tagv = uids_->GetOrAssign(UidKind::kTagv, "web01");
    ASSERT_OK(metric);
    ASSERT_OK(tagk);
    ASSERT_OK(tagv);
    const TagUids tags = {*tagk, *tagv};
    tsuid_ = EncodeTsuid(layout, *metric, {&tags, 1});
    row_keys_->Append(tsuid_, kHourS, &key_);
  }

  ExplainedKey Explain(std::string_view key, TableId table = TableId::kData) {
    return KeyDescriber(row_keys_.get(), uids_.get()).Explain(table, key);
  }
  std::string Text(std::string_view key) { return KeyText(Explain(key)); }

  MemUidStore store_;
  std::unique_ptr<RowKeyCodec> row_keys_;
  std::unique_ptr<UidDirectory> uids_;
  std::string tsuid_;
  std::string key_;  // of cpu.user host=web01 at kHourS
};

TEST_F(KeyTextTest, AWholeKeyIsExplainedInFull) {
  Open({});
  const ExplainedKey key = Explain(key_);
  EXPECT_EQ(key.salt, std::nullopt);
  EXPECT_THAT(key.metric, Optional(std::string("cpu.user")));
  EXPECT_THAT(key.time_s, Optional(kHourS));
  EXPECT_THAT(key.tags, ElementsAre(Pair("host", "web01")));
  EXPECT_THAT(key.rest, IsEmpty());
  EXPECT_EQ(KeyText(key), "cpu.user, 2013-01-01 00:00:00, host=web01");
}

// Wherever it is cut, the fields that are whole are shown, and the rest in hex.
TEST_F(KeyTextTest, APartOfAKeyIsExplainedAsFarAsItGoes) {
  Open({});
  EXPECT_EQ(Text(""), "");
  EXPECT_EQ(Text(key_.substr(0, 2)), "0x0000");
  EXPECT_EQ(Text(key_.substr(0, 3)), "cpu.user");
  EXPECT_EQ(Text(key_.substr(0, 5)), "cpu.user, 0x50E2");
  EXPECT_EQ(Text(key_.substr(0, 7)), "cpu.user, 2013-01-01 00:00:00");
  EXPECT_EQ(Text(key_.substr(0, 9)), "cpu.user, 2013-01-01 00:00:00, 0x0000");
  EXPECT_EQ(Text(key_.substr(0, 10)), "cpu.user, 2013-01-01 00:00:00, host=");
  EXPECT_EQ(Text(key_.substr(0, 12)), "cpu.user, 2013-01-01 00:00:00, host=, 0x0000");
  EXPECT_EQ(Text(key_ + "\x01"), "cpu.user, 2013-01-01 00:00:00, host=web01, 0x01");
}

TEST_F(KeyTextTest, WhatHasNoNameIsShownInHex) {
  Open({});
  EXPECT_EQ(Text({"\x00\xAB\x07", 3}), "00AB07");
  std::string key = key_;
  key[9] = '\x09';   // another tagk
  key[12] = '\x08';  // another tagv
  EXPECT_EQ(Text(key), "cpu.user, 2013-01-01 00:00:00, 000009=000008");
}

TEST_F(KeyTextTest, TheSaltIsShown) {
  Layout layout;
  layout.salt_width = 1;
  Open(layout);
  EXPECT_EQ(Text(std::string("\x03") + key_.substr(1)),
            "salt 3, cpu.user, 2013-01-01 00:00:00, host=web01");
  EXPECT_EQ(Text("\x13"), "salt 19");
}

TEST_F(KeyTextTest, FieldsAreReadInTheLayoutsOrder) {
  Layout layout;
  layout.fields = {RowField::kBaseTime, RowField::kMetric, RowField::kSalt, RowField::kTags};
  Open(layout);
  EXPECT_EQ(Text(key_.substr(0, 4)), "2013-01-01 00:00:00");
  EXPECT_EQ(Text(key_.substr(0, 6)), "2013-01-01 00:00:00, 0x0000");
  EXPECT_EQ(Text(key_), "cpu.user, 2013-01-01 00:00:00, host=web01");
}

TEST_F(KeyTextTest, AnnotationsHaveTheirOwnTime) {
  Open({});
  std::string key;
  AppendAnnotationKey(*row_keys_, tsuid_, {.ms = (kHourS + 125) * int64_t{1000}}, &key);
  EXPECT_EQ(KeyText(Explain(key, TableId::kAnnotation)),
            "cpu.user, 2013-01-01 00:02:05, host=web01");
  EXPECT_EQ(KeyText(Explain(key_.substr(0, 7), TableId::kAnnotation)),
            "cpu.user, 2013-01-01 00:00:00");
}

TEST_F(KeyTextTest, OtherTablesHaveNoFields) {
  Open({});
  EXPECT_EQ(KeyText(Explain("low", TableId::kSystem)), "0x6C6F77");
}

}  // namespace
}  // namespace hourcell::key_description_test
