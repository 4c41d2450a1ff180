#include "bench/lab/layouts/layout_list.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "codec/base/status_macros.h"

namespace hourcell::layouts {
namespace {

constexpr std::array kLayouts = {
    NamedLayout{"opentsdb", "metric,time,tags", "OpenTSDB without salt"},
    NamedLayout{"salt-4", "salt:4+metric,time,tags", "OpenTSDB's salt by series"},
    NamedLayout{"salt-16", "salt:16+metric,time,tags", "OpenTSDB's salt by series"},
    NamedLayout{"salt-64", "salt:64+metric,time,tags", "OpenTSDB's salt by series"},
    NamedLayout{"opentsdb-day", "metric,day,tags", "OpenTSDB without salt, rows of days"},
    NamedLayout{"salt-16-day", "salt:16+metric,day,tags", "OpenTSDB's salt, rows of days"},
    NamedLayout{"opentsdb-by-density", "metric,hour-or-day,tags",
                "rows of hours or of days, as in a store"},
    NamedLayout{"salt-16-by-density", "salt:16+metric,hour-or-day,tags",
                "OpenTSDB's salt, rows as in a store"},
    NamedLayout{"row-hash-16", "xxh3:16+metric,time,tags", "hash of the row key, one byte"},
    NamedLayout{"md5-4hex", "md5-4hex+metric,time,tags", "hash of the row key, 65,536 buckets"},
    NamedLayout{"reversed-metric", "reversed-metric,time,tags", "the metric's UID reversed"},
    NamedLayout{"series-first", "metric,tags,time", "tags before time"},
    NamedLayout{"newest-first", "metric,tags,reversed-time", "tags before reversed time"},
    NamedLayout{"tags-first", "tags,metric,time", "what is of one host together"},
    NamedLayout{"time-first", "time,metric,tags", "in the order of arrival"},
    NamedLayout{"round-robin-16", "round-robin:16+time,metric,tags",
                "in the order of arrival, over 16 buckets in turn"},
};

}  // namespace

std::span<const NamedLayout> NamedLayouts() {
  return kLayouts;
}

absl::StatusOr<RowLayout> FindLayout(std::string_view name_or_template) {
  const auto named = std::find_if(kLayouts.begin(), kLayouts.end(), [&](const NamedLayout& layout) {
    return layout.name == name_or_template;
  });
  const bool is_named = named != kLayouts.end();
  absl::StatusOr<RowKeys> keys = RowKeys::Parse(is_named ? named->key_template : name_or_template);
  if (keys.ok()) return RowLayout{std::string(name_or_template), *std::move(keys)};
  std::string names;
  for (const NamedLayout& layout : kLayouts)
    names += fmt::format("{}{}", names.empty() ? "" : ", ", layout.name);
  return absl::InvalidArgumentError(
      fmt::format("{}; or a layout's name: {}", std::string(keys.status().message()), names));
}

}  // namespace hourcell::layouts
