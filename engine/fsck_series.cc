#include "engine/fsck_series.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/status/statusor.h>
#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/status_macros.h"
#include "codec/tsuid.h"

namespace hourcell {
namespace {

using Numbers = std::vector<SeriesNumber>;  // ascending

class SeriesCheck {
 public:
  SeriesCheck(const Layout& layout,
              const SeriesTable& series,
              size_t examples_max,
              FsckReport* report)
      : layout_(layout), series_(series), examples_max_(examples_max), report_(*report) {}

  absl::Status Run() {
    absl::Status status;
    HOURCELL_RETURN_IF_ERROR(
        series_.Visit(std::nullopt, [&](SeriesNumber number, std::string_view tsuid) {
          status = Add(number, tsuid);
          return status.ok();
        }));
    HOURCELL_RETURN_IF_ERROR(status);
    return CheckMetric();
  }

 private:
  void Fault(std::string text) { report_.Add(FsckFault::kIndex, std::move(text), examples_max_); }

  absl::Status Add(SeriesNumber number, std::string_view tsuid) {
    ++report_.series;
    const absl::StatusOr<SeriesUids> uids = ParseTsuid(layout_, tsuid);
    if (!uids.ok()) {
      Fault(
          fmt::format("tsuid {} of series {}: {}", ToHex(tsuid), number, uids.status().ToString()));
      return absl::OkStatus();
    }
    if (uids->metric != metric_) {
      HOURCELL_RETURN_IF_ERROR(CheckMetric());
      metric_ = uids->metric;
    }
    of_metric_.push_back(number);
    tsuids_.emplace_back(tsuid);
    for (const TagUids& tag : uids->tags)
      of_tag_[tag].push_back(number);
    return absl::OkStatus();
  }

  // What was added since the last call, all of one metric.
  absl::Status CheckMetric() {
    if (of_metric_.empty()) return absl::OkStatus();
    std::vector<std::string> found;
    HOURCELL_RETURN_IF_ERROR(series_.TsuidsFound(of_metric_, &found));
    for (size_t i = 0; i < found.size(); ++i) {
      if (found[i] == tsuids_[i]) continue;
      Fault(fmt::format("series {}: its tsuid {} says so, its number says {}", of_metric_[i],
                        ToHex(tsuids_[i]), found[i].empty() ? "none" : ToHex(found[i])));
    }
    HOURCELL_ASSIGN_OR_RETURN(Numbers posted, series_.OfMetric(metric_));
    Compare(fmt::format("metric {}", metric_), &of_metric_, &posted);
    for (auto& [tag, numbers] : of_tag_) {
      HOURCELL_ASSIGN_OR_RETURN(posted, series_.WithTag(metric_, tag));
      Compare(fmt::format("metric {} and tag {}={}", metric_, tag.tagk, tag.tagv), &numbers,
              &posted);
    }
    of_metric_.clear();
    tsuids_.clear();
    of_tag_.clear();
    return absl::OkStatus();
  }

  void Compare(const std::string& set, Numbers* want, Numbers* got) {
    std::ranges::sort(*want);
    std::ranges::sort(*got);
    Numbers missing;
    Numbers extra;
    std::ranges::set_difference(*want, *got, std::back_inserter(missing));
    std::ranges::set_difference(*got, *want, std::back_inserter(extra));
    for (const SeriesNumber number : missing)
      Fault(fmt::format("posting set of UIDs {}: series {} is not in it", set, number));
    for (const SeriesNumber number : extra)
      Fault(fmt::format("posting set of UIDs {}: it has {}, which is no such series", set, number));
  }

  const Layout& layout_;
  const SeriesTable& series_;
  const size_t examples_max_;
  FsckReport& report_;
  Uid metric_ = kNoUid;
  Numbers of_metric_;
  std::vector<std::string> tsuids_;  // of of_metric_
  std::map<TagUids, Numbers> of_tag_;
};

}  // namespace

absl::Status CheckSeries(const Layout& layout,
                         const SeriesTable& series,
                         size_t examples_max,
                         FsckReport* report) {
  return SeriesCheck(layout, series, examples_max, report).Run();
}

}  // namespace hourcell
