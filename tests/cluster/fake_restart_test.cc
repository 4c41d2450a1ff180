// The program hourcell_fake_bigtable keeps answered writes.

#include <signal.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/bigtable/api/bigtable_channels.h"
#include "engine/bigtable/api/bigtable_client.h"
#include "engine/bigtable/writer/system_rows.h"
#include "tests/cluster/child_process.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::fake_restart_test {
namespace {

const std::string kValue = std::string(1, '\0') + "value";

TEST(FakeRestartTest, WhatWasAnsweredIsThereAfterAKill) {
  const TempDir directory;
  const uint16_t port = FreePort();
  const auto start = [&] {
    auto fake = std::make_unique<ChildProcess>(
        std::vector<std::string>{HOURCELL_FAKE_BIGTABLE, fmt::format("{}", port), "--data",
                                 directory.file("rows")},
        std::vector<std::string>{}, directory.file("log"));
    EXPECT_TRUE(ListensWithin(port, 10'000));
    return fake;
  };
  auto fake = start();
  BigtableOptions options;
  options.project = "p";
  options.instance = "i";
  options = AtEmulator(options, fmt::format("127.0.0.1:{}", port));
  const auto row = [](int i) {
    return SystemCell(fmt::format("row{}", i), "q", static_cast<uint64_t>(i), kValue, false);
  };
  {
    const auto channels = OpenBigtableChannels(options);
    ASSERT_OK(channels);
    BigtableClient client(options, *channels);
    ASSERT_OK(client.CreateTable("t", "h"));
    ASSERT_OK(client.Mutate("t", {row(1), row(2)}));
    ASSERT_OK(client.SetIfAbsent("t", row(3)));
    RowMutations removal;
    removal.set_row_key("row1");
    removal.add_mutations()->mutable_delete_from_row();
    ASSERT_OK(client.Mutate("t", {removal}));
    ASSERT_OK(client.Increment("t", "counter", "h", 5));
  }
  fake->Signal(SIGKILL);
  fake->EndWithin(10'000);
  fake = start();

  const auto channels = OpenBigtableChannels(options);
  ASSERT_OK(channels);
  BigtableClient client(options, *channels);
  const auto page = client.Read("t", {});
  ASSERT_OK(page);
  ASSERT_EQ(page->rows.size(), 3U);
  EXPECT_EQ(page->rows[0].key, "counter");
  EXPECT_EQ(page->rows[1].key, "row2");
  ASSERT_EQ(page->rows[2].cells.size(), 1U);
  EXPECT_EQ(page->rows[2].cells[0].timestamp_micros, 3000);
  EXPECT_EQ(page->rows[2].cells[0].value, kValue);
  EXPECT_EQ(*client.Increment("t", "counter", "h", 1), 6);
}

}  // namespace
}  // namespace hourcell::fake_restart_test
