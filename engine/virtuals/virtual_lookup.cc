#include "engine/virtuals/virtual_lookup.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <span>
#include <utility>

#include "codec/base/status_macros.h"
#include "engine/query/stages/group_by.h"
#include "engine/virtuals/virtual_queries.h"

namespace hourcell {
namespace {

using SeriesTags = std::vector<TagUids>;

// A joined series while its inputs are added.
struct JoiningTags {
  size_t inputs = 0;
  SeriesTags common;
};

SeriesTags TagsWithKeys(const SeriesTags& tags, const FewUids& tagks) {
  SeriesTags kept;
  std::ranges::copy_if(tags, std::back_inserter(kept), [&tagks](const TagUids& tag) {
    return std::ranges::find(tagks, tag.tagk) != tagks.end();
  });
  return kept;
}

// The common tags of each group.
std::vector<SeriesTags> TagsOfGroups(const TagsColumn& series,
                                     std::span<const uint32_t> selected,
                                     const FewUids& group_by_tagks,
                                     bool each_alone) {
  const SeriesGroups groups = GroupSeries(series, selected, group_by_tagks, each_alone);
  std::vector<SeriesTags> tags;
  GroupTags of_group;
  for (size_t i = 0; i < groups.size(); ++i) {
    TagsOfGroup(series, groups[i], &of_group);
    tags.push_back(of_group.common);
  }
  return tags;
}

}  // namespace

absl::StatusOr<VirtualLookup::Results> VirtualLookup::ResultsOf(
    const SubQuery& query, size_t level, const QueryPlanner::Budget& budget) const {
  HOURCELL_ASSIGN_OR_RETURN(QueryPlanner::ResolvedQuery resolved,
                            planner_.Resolve(query, budget.watch));
  Results results{.tags = {},
                  .group_by_tagks = resolved.group_by_tagks,
                  .each_alone = query.aggregator == Aggregator::kNone};
  const VirtualMetrics::Expression stored = metrics_.Find(resolved.metric);
  if (stored == nullptr) {
    HOURCELL_ASSIGN_OR_RETURN(SubQueryPlan plan, planner_.Plan(query, std::move(resolved),
                                                               /*start_ms=*/0, now_ms_, budget));
    if (unlisted_ != nullptr) {
      std::erase_if(plan.selected, [&](uint32_t position) {
        return unlisted_->Contains(plan.list->number(position));
      });
    }
    HOURCELL_RETURN_IF_ERROR(
        budget.Take(plan.selected.size() * (sizeof(Tags) + 4 * sizeof(TagUids))));
    results.tags = TagsOfGroups(plan.list->all_tags(), plan.selected, results.group_by_tagks,
                                results.each_alone);
    return results;
  }
  HOURCELL_ASSIGN_OR_RETURN(const std::vector<Tags> joined,
                            JoinedTags(*stored, query, level + 1, budget));
  TagsColumn column;
  for (const Tags& tags : joined)
    column.push_back(tags);
  std::vector<uint32_t> all(joined.size());
  std::iota(all.begin(), all.end(), 0);
  results.tags = TagsOfGroups(column, all, results.group_by_tagks, results.each_alone);
  return results;
}

absl::StatusOr<std::vector<VirtualLookup::Tags>> VirtualLookup::JoinedTags(
    const StoredExpression& stored,
    const SubQuery& query,
    size_t level,
    const QueryPlanner::Budget& budget) const {
  if (level > kVirtualLevelsMax) return absl::DataLossError("virtual metrics: a cycle");
  HOURCELL_ASSIGN_OR_RETURN(const MetricExpression expression, metrics_.Named(stored));
  std::map<Tags, JoiningTags> joining;
  for (const SubQuery& input : expression.inputs) {
    HOURCELL_ASSIGN_OR_RETURN(const Results results,
                              ResultsOf(WithFiltersOf(input, query), level, budget));
    for (const Tags& tags : results.tags) {
      const auto [place, is_new] = joining.try_emplace(
          results.each_alone ? tags : TagsWithKeys(tags, results.group_by_tagks));
      JoiningTags& joined = place->second;
      if (is_new) {
        joined.common = tags;
      } else {
        Tags both;
        std::ranges::set_intersection(joined.common, tags, std::back_inserter(both));
        joined.common = std::move(both);
      }
      ++joined.inputs;
    }
  }
  std::vector<Tags> tags;
  for (auto& [key, joined] : joining) {
    if (expression.missing.has_value() || joined.inputs == expression.inputs.size()) {
      tags.push_back(std::move(joined.common));
    }
  }
  return tags;
}

absl::StatusOr<std::vector<std::string>> VirtualLookup::TsuidsOf(
    Uid metric, const QueryPlanner::Budget& budget) const {
  std::vector<std::string> tsuids;
  const VirtualMetrics::Expression stored = metrics_.Find(metric);
  if (stored == nullptr) return tsuids;
  HOURCELL_ASSIGN_OR_RETURN(const std::vector<Tags> all,
                            JoinedTags(*stored, SubQuery(), /*level=*/1, budget));
  for (const Tags& tags : all) {
    tsuids.push_back(EncodeTsuid(layout_, metric, tags));
    HOURCELL_RETURN_IF_ERROR(budget.Take(sizeof(std::string) + tsuids.back().size()));
  }
  std::ranges::sort(tsuids);
  return tsuids;
}

}  // namespace hourcell
