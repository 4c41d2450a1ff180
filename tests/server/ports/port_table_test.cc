#include "server/ports/port_table.h"

#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/config/setting.h"
#include "server/config/setting_table.h"
#include "tests/server/running_server.h"
#include "tests/support/source_dir.h"

namespace hourcell::port_table_test {
namespace {

TEST(PortTableTest, EachRowIsComplete) {
  std::set<std::string_view> names;
  for (const PortRow& row : PortTable()) {
    EXPECT_TRUE(names.insert(row.protocol).second) << row.protocol;
    EXPECT_TRUE(names.insert(row.setting).second) << row.setting;
    EXPECT_FALSE(row.carries.empty()) << row.protocol;
    EXPECT_NE(row.make, nullptr) << row.protocol;
  }
}

TEST(PortTableTest, EachSettingIsClosedByDefault) {
  for (const PortRow& row : PortTable()) {
    const Setting* const setting = FindSetting(row.setting);
    ASSERT_NE(setting, nullptr) << row.setting;
    EXPECT_EQ(setting->default_value, "-1") << row.setting;
  }
}

// To write the table of the page anew: HOURCELL_GOLDEN=1.
TEST(PortTableTest, ThePageOfInputsHasThisTable) {
  const std::string_view head = "| setting | transport | content |\n|---|---|---|\n";
  std::string table(head);
  for (const PortRow& row : PortTable()) {
    table += fmt::format("| `{}` | {} | {} |\n", row.setting,
                         row.transport == PortTransport::kTcp ? "TCP" : "UDP", row.carries);
  }
  const std::string page_file = SourcePath("docs/inputs.md");
  std::stringstream page;
  page << std::ifstream(page_file).rdbuf();
  const std::string text = page.str();
  const size_t begin = text.find(head);
  ASSERT_NE(begin, std::string::npos);
  const size_t end = text.find("\n\n", begin) + 1;
  if (std::getenv("HOURCELL_GOLDEN") != nullptr)
    std::ofstream(page_file) << text.substr(0, begin) << table << text.substr(end);
  EXPECT_EQ(text.substr(begin, end - begin), table);
}

class OpenPortTest : public RunningServerTest,
                     public testing::WithParamInterface<std::string_view> {};

TEST_P(OpenPortTest, OpensIfItsSettingNamesAPort) {
  for (const PortRow& row : PortTable()) {
    if (row.protocol == GetParam()) Set(row.setting, "0");
  }
  Start();
  for (const PortRow& row : PortTable())
    EXPECT_EQ(server_->input_port(row.protocol) != 0, row.protocol == GetParam()) << row.protocol;
}

std::vector<std::string_view> Protocols() {
  std::vector<std::string_view> protocols;
  for (const PortRow& row : PortTable())
    protocols.push_back(row.protocol);
  return protocols;
}

INSTANTIATE_TEST_SUITE_P(Protocols,
                         OpenPortTest,
                         testing::ValuesIn(Protocols()),
                         [](const auto& each) { return std::string(each.param); });

}  // namespace
}  // namespace hourcell::port_table_test
