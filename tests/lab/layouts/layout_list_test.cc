#include "bench/lab/layouts/layout_list.h"

#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"

namespace hourcell::layouts::layout_list_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(LayoutListTest, EveryNameIsALayoutOfItsOwn) {
  std::set<std::string> templates;
  for (const NamedLayout& named : NamedLayouts()) {
    const auto layout = FindLayout(named.name);
    ASSERT_OK(layout);
    EXPECT_EQ(layout->name, named.name);
    templates.insert(layout->keys.text());
  }
  EXPECT_EQ(templates.size(), NamedLayouts().size());
}

TEST(LayoutListTest, ATemplateIsItsOwnName) {
  const auto layout = FindLayout("simple-hash:8+metric,tags,time");
  ASSERT_OK(layout);
  EXPECT_EQ(layout->name, "simple-hash:8+metric,tags,time");
  EXPECT_EQ(layout->keys.distributor().buckets(), 8u);
}

TEST(LayoutListTest, NeitherListsTheNames) {
  EXPECT_THAT(FindLayout("salt-15").status(),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("salt-15"), HasSubstr("salt-16, salt-64"))));
}

}  // namespace
}  // namespace hourcell::layouts::layout_list_test
