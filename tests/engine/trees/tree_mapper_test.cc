#include "engine/trees/tree_mapper.h"

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include "codec/base/bytes.h"
#include "engine/trees/branch_id.h"
#include "tests/engine/trees/tree_vectors.h"
#include "tests/support/status_matchers.h"
#include "tests/support/vectors.h"

namespace hourcell::tree_mapper_test {
namespace {

using simdjson::dom::element;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// A series that owns its names and fields.
struct OwnedSeries {
  std::string tsuid = "0102030405";
  std::string metric;
  std::map<std::string, std::string> tags;
  CustomFields metric_fields = {};
  std::map<std::string, CustomFields> key_fields = {};
  std::map<std::string, CustomFields> value_fields = {};

  TreePath PathBy(const Tree& tree, std::vector<std::string>* messages = nullptr) const {
    const auto mapper = TreeMapper::Compile(tree);
    EXPECT_OK(mapper);
    if (!mapper.ok()) return {};
    const auto fields_of = [](const auto& fields, const std::string& name) {
      const auto found = fields.find(name);
      return found == fields.end() ? nullptr : &found->second;
    };
    std::vector<TreeTag> views;
    for (const auto& [key, value] : tags)
      views.push_back({.key = key,
                       .value = value,
                       .key_fields = fields_of(key_fields, key),
                       .value_fields = fields_of(value_fields, value)});
    return mapper->PathOf(
        {.tsuid = tsuid, .metric = metric, .metric_fields = &metric_fields, .tags = views},
        messages);
  }
};

Tree TreeOf(std::vector<TreeRule> rules) {
  Tree tree{.id = 1};
  int32_t level = 0;
  for (TreeRule& rule : rules)
    tree.rules[{.level = level++}] = std::move(rule);
  return tree;
}

TreeRule Tagk(std::string field) {
  return {.type = TreeRuleType::kTagk, .field = std::move(field)};
}

CustomFields FieldsOf(element object) {
  CustomFields fields;
  for (const auto [key, value] : object.get_object())
    fields.emplace(key, std::string_view(value));
  return fields;
}

OwnedSeries SeriesOfVector(element given) {
  OwnedSeries series{
      .tsuid = TextOf(given, "tsuid"), .metric = TextOf(given, "metric"), .tags = {}};
  series.tags = FieldsOf(given["tags"]);
  if (Has(given, "metricCustom")) series.metric_fields = FieldsOf(given["metricCustom"]);
  if (Has(given, "tagkCustom")) {
    for (const auto [name, fields] : given["tagkCustom"].get_object())
      series.key_fields.emplace(name, FieldsOf(fields));
  }
  if (Has(given, "tagvCustom")) {
    for (const auto [name, fields] : given["tagvCustom"].get_object())
      series.value_fields.emplace(name, FieldsOf(fields));
  }
  return series;
}

// OpenTSDB's test sets a rule that its endpoint would refuse; such a rule matches nothing.
Tree TreeOfVector(element given) {
  Tree tree{.id = static_cast<uint16_t>(IntOf(given, "tree_id")),
            .strict_match = Has(given, "strict") && bool(given["strict"])};
  for (const element rule : given["rules"].get_array()) {
    const TreeRuleAt at{.level = static_cast<int32_t>(IntOf(rule, "level")),
                        .order = static_cast<int32_t>(IntOf(rule, "order"))};
    const TreeRule read = RuleOfVector(rule);
    if (CheckTreeRule(at, read).ok()) tree.rules.emplace(at, read);
  }
  return tree;
}

void CheckPath(const TestVector& vector, const Tree& tree, const TreePath& path) {
  if (Has(vector.expect, "stored")) {
    EXPECT_EQ(path.is_placed, bool(vector.expect["stored"]));
  }
  if (Has(vector.expect, "branch_id")) {
    EXPECT_EQ(ToUpperHex(BranchIdOf(tree.id, path.branches)), TextOf(vector.expect, "branch_id"));
  }
  if (Has(vector.expect, "leaf")) {
    EXPECT_EQ(path.leaf, TextOf(vector.expect, "leaf"));
  }
  if (Has(vector.expect, "rows")) {
    EXPECT_EQ(static_cast<int64_t>(path.branches.size()) + 1, IntOf(vector.expect, "rows"));
  }
  if (!Has(vector.expect, "path")) return;
  std::vector<std::string> want;
  for (const auto name : vector.expect["path"].get_array())
    want.emplace_back(std::string_view(name));
  std::vector<std::string> got = path.branches;
  got.insert(got.begin(), "ROOT");
  EXPECT_EQ(got, want);
}

TEST(TreeMapperTest, BuildsTheBranchesOfTheVectors) {
  int run = 0;
  for (const TestVector& vector : LoadVectors("rest.json", "tree-branch")) {
    if (TextOf(vector.given, "kind") != "build") continue;
    SCOPED_TRACE(vector.from);
    const Tree tree = TreeOfVector(vector.given);
    CheckPath(vector, tree, SeriesOfVector(vector.given["series"]).PathBy(tree));
    ++run;
  }
  EXPECT_EQ(run, 26);
}

TEST(TreeMapperTest, SplitsAsJavaDoes) {
  const auto check = [](std::string separator, std::string value, std::vector<std::string> want,
                        int line) {
    testing::ScopedTrace trace(__FILE__, line, "this case");
    const OwnedSeries series{.metric = std::move(value), .tags = {{"h", "leaf"}}};
    const Tree tree = TreeOf({{.separator = std::move(separator)}, Tagk("h")});
    EXPECT_EQ(series.PathBy(tree).branches, want);
  };
  check("\\.", "a.b.c", {"a", "b", "c"}, __LINE__);
  check("\\.", "a", {"a"}, __LINE__);
  check("\\.", "a..b", {"a", "b"}, __LINE__);
  check("\\.", ".a", {"a"}, __LINE__);
  check("\\.", "a...", {"a"}, __LINE__);
  check("\\.", "...", {}, __LINE__);
  check(".", "abc", {}, __LINE__);
  check("x*", "axxb", {"a", "b"}, __LINE__);
  check("x*", "ab", {"a", "b"}, __LINE__);
  check("(?=b)", "abab", {"a", "ba", "b"}, __LINE__);
  check("(?=a)", "abab", {"ab"}, __LINE__);  // "ab", "ab": equal names are one branch
  check("x*", "\xC3\xBC\xC3\xA4", {"\xC3\xBC", "\xC3\xA4"}, __LINE__);
  check("|", "ab", {"a", "b"}, __LINE__);
}

TEST(TreeMapperTest, OneNameIsALeafOfRoot) {
  const OwnedSeries series{.metric = "cpu", .tags = {{"h", "w"}}};
  const TreePath path = series.PathBy(TreeOf({{}, Tagk("none")}));
  EXPECT_TRUE(path.is_placed);
  EXPECT_THAT(path.branches, IsEmpty());
  EXPECT_EQ(path.leaf, "cpu");
}

TEST(TreeMapperTest, StrictMatchLeavesOutSeriesWithALevelWithoutAName) {
  const OwnedSeries series{.metric = "a..b", .tags = {{"h", "w"}}};
  Tree tree = TreeOf({Tagk("dc"), {}, Tagk("rack")});
  EXPECT_TRUE(series.PathBy(tree).is_placed);
  tree.strict_match = true;
  const TreePath path = series.PathBy(tree);
  EXPECT_FALSE(path.is_placed);
  EXPECT_EQ(path.missed, "[1:0:0:TAGK] [1:2:0:TAGK]");

  Tree split = TreeOf({{.separator = "\\."}});
  split.strict_match = true;
  EXPECT_FALSE(series.PathBy(split).is_placed);  // the part between the dots has no name
}

TEST(TreeMapperTest, ATreeThatGivesNoNameLeavesSeriesOut) {
  const OwnedSeries series{.metric = "cpu", .tags = {{"h", "w"}}};
  EXPECT_EQ(series.PathBy(TreeOf({})).missed, "the tree has no rules");
  const TreePath path = series.PathBy(TreeOf({Tagk("dc")}));
  EXPECT_FALSE(path.is_placed);
  EXPECT_EQ(path.missed, "[1:0:0:TAGK]");
}

TEST(TreeMapperTest, FieldsOfValuesAreThoseOfTheNamedValue) {
  const OwnedSeries series{.metric = "cpu",
                           .tags = {{"host", "web01"}},
                           .key_fields = {{"host", {{"owner", "key"}}}},
                           .value_fields = {{"web01", {{"owner", "ann"}}}}};
  const Tree tree =
      TreeOf({{.type = TreeRuleType::kTagvCustom,
               .field = "web01",
               .custom_field = "owner",
               .display_format = "{tag_name} {value}"},
              {.type = TreeRuleType::kTagkCustom, .field = "host", .custom_field = "owner"},
              {}});
  EXPECT_THAT(series.PathBy(tree).branches, ElementsAre("owner ann", "key"));
}

TEST(TreeMapperTest, NamesAndDepthAreBounded) {
  const std::string field(2'000, 'v');
  const OwnedSeries series{
      .metric = "cpu", .tags = {{"h", "w"}}, .metric_fields = {{"long", field}}};
  TreeRule rule{.type = TreeRuleType::kMetricCustom, .custom_field = "long"};
  rule.display_format = "{value}{value}";
  EXPECT_THAT(series.PathBy(TreeOf({rule, {}})).branches, ElementsAre(field + field));
  rule.display_format = "{value}{value}{value}";
  EXPECT_THAT(series.PathBy(TreeOf({rule, {}})).branches, IsEmpty());

  rule.display_format = "";
  rule.separator = "";
  std::string parts;
  for (size_t i = 0; i <= kTreeDepthMax; ++i)
    parts += std::to_string(i) + ".";
  const OwnedSeries deep{.metric = parts, .tags = {{"h", "w"}}};
  const TreePath path = deep.PathBy(TreeOf({{.separator = "\\."}}));
  EXPECT_FALSE(path.is_placed);
  EXPECT_EQ(path.missed, "more than 255 levels");
}

TEST(TreeMapperTest, MessagesSayWhatEachRuleDid) {
  const OwnedSeries series{.metric = "sys.cpu", .tags = {{"host", "web01"}}};
  Tree tree = TreeOf({{}, {.separator = "\\."}});
  tree.rules[{.level = 0, .order = 0}] = Tagk("fqdn");
  tree.rules[{.level = 0, .order = 1}] = {
      .type = TreeRuleType::kTagk, .field = "host", .regex = "^(db)"};
  std::vector<std::string> messages;
  series.PathBy(tree, &messages);
  EXPECT_THAT(
      messages,
      ElementsAre("Processing rule: [1:0:0:TAGK]", "No match on tagk [fqdn] for rule: [1:0:0:TAGK]",
                  "Processing rule: [1:0:1:TAGK]", "Matched tagk [host] for rule: [1:0:1:TAGK]",
                  "Regex group [1] did not match [web01] for rule: [1:0:1:TAGK]",
                  "Processing rule: [1:1:0:METRIC]", "Adding branch: sys", "Adding leaf: cpu"));
}

TEST(TreeMapperTest, ARuleThatIsNotValidDoesNotCompile) {
  EXPECT_THAT(TreeMapper::Compile(TreeOf({{.regex = "("}})),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("missing )")));
}

TEST(TreeMapperTest, FieldsAreNeededByCustomRules) {
  EXPECT_FALSE(TreeMapper::Compile(TreeOf({{}, Tagk("h")}))->needs_fields());
  const TreeRule custom{.type = TreeRuleType::kMetricCustom, .custom_field = "owner"};
  EXPECT_TRUE(TreeMapper::Compile(TreeOf({custom, Tagk("h")}))->needs_fields());
}

}  // namespace
}  // namespace hourcell::tree_mapper_test
