#include "server/lab/lab_choices.h"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <absl/status/statusor.h>

#include "bench/lab/layouts/cases/case_result.h"
#include "bench/lab/layouts/cell_form.h"
#include "bench/lab/layouts/layout_list.h"
#include "bench/lab/layouts/split_rule.h"
#include "bench/lab/layouts/workload.h"
#include "codec/base/bytes.h"
#include "codec/base/json_writer.h"
#include "engine/regions/keys/key_template.h"
#include "engine/regions/split/split_settings.h"
#include "server/lab/layouts_request.h"
#include "server/lab/simulate_request.h"
#include "server/lab/simulate_run.h"

namespace hourcell {
namespace {

struct Choice {
  std::string_view name;
  std::string_view fields;  // of a layout
  std::string_view idea;
};

constexpr Choice kLayouts[] = {
    {"opentsdb", "metric+hour+tags", "OpenTSDB's key"},
    {"salted:20", "salt:20+metric+hour+tags", "OpenTSDB's key after a salt of 20 buckets"},
    {"hash-prefix:2", "hash:2+metric+hour+tags", "the first bytes of a hash of the series"},
    {"reversed-metric", "metric~+hour+tags", "the metric's bytes reversed"},
    {"tags-first", "metric+tags+hour", "all hours of a series side by side"},
    {"time-first", "hour+metric+tags", "all writes go to one place"},
    {"newest-first", "metric+hour~+tags", "the newest hour of a metric first"},
    {"partition:20", "modulo:20+id", "ids in 20 partitions"},
};

constexpr std::string_view kFields[] = {"metric", "metric~", "tags",      "hour",    "hour~",
                                        "day",    "ms",      "ms~",       "salt:20", "hash:2",
                                        "hex:4",  "id",      "modulo:20", "text:abc"};

constexpr Choice kDistributors[] = {
    {"none", "", "keys as they are"},
    {"simple-hash:15", "", "HBaseWD's one-byte hash of the key"},
    {"xxh3:64", "", "XXH3 of the key, in 64 buckets"},
    {"md5-4hex", "", "four hex digits of the key's MD5"},
    {"md5-8hex", "", "eight hex digits of the key's MD5"},
    {"round-robin:4", "", "one bucket after the other"},
    {"reversed", "", "the key's bytes in reverse"},
    {"reversed-time:3", "", "newest first; the time stands after byte 3"},
    {"cyclic:period=44d,slot=1d,ttl=30d,major=7d", "", "slots of time that come again"},
};

constexpr Choice kPresplits[] = {
    {"", "", "one region to begin with"},
    {"salt", "", "a region for each salt bucket"},
    {"hex:16", "", "16 regions of keys that begin with hex digits"},
    {"uniform:16", "", "16 regions of equal ranges of bytes"},
    {"partition:20", "", "a region for each of 20 partitions"},
    {"sample:16", "", "16 regions by a sample of the stream's own keys"},
};

constexpr SplitPolicyKind kPolicies[] = {
    SplitPolicyKind::kDisabled,  SplitPolicyKind::kConstantSize,
    SplitPolicyKind::kStepping,  SplitPolicyKind::kIncreasingToUpperBound,
    SplitPolicyKind::kKeyPrefix, SplitPolicyKind::kDelimitedKeyPrefix,
    SplitPolicyKind::kBusy,      SplitPolicyKind::kLoad};

// The key of the store's series in a layout, in hex.
std::string ExampleKey(std::string_view layout, const StoreFleet& store, int64_t now_ms) {
  const absl::StatusOr<KeyTemplate> key_template = KeyTemplate::Parse(layout);
  if (!key_template.ok()) return "";
  std::string key;
  key_template->Append({.tsuid = store.tsuid,
                        .metric_bytes = store.metric_bytes,
                        .number = 1,
                        .time_ms = static_cast<uint64_t>(now_ms)},
                       &key);
  return ToHex(key);
}

void AppendLayouts(const StoreFleet& store, int64_t now_ms, JsonWriter* json) {
  json->Key("layouts");
  json->OpenArray();
  for (const Choice& layout : kLayouts) {
    json->OpenObject();
    json->Field("name", layout.name);
    json->Field("fields", layout.fields);
    json->Field("idea", layout.idea);
    if (!store.tsuid.empty()) json->Field("key", ExampleKey(layout.name, store, now_ms));
    json->CloseObject();
  }
  json->CloseArray();
}

void AppendChoices(std::string_view key, std::span<const Choice> choices, JsonWriter* json) {
  json->Key(key);
  json->OpenArray();
  for (const Choice& choice : choices) {
    json->OpenObject();
    json->Field("name", choice.name);
    if (!choice.fields.empty()) json->Field("fields", choice.fields);
    json->Field("idea", choice.idea);
    json->CloseObject();
  }
  json->CloseArray();
}

template <typename List, typename NameOf>
void AppendNames(std::string_view key, const List& list, const NameOf& name_of, JsonWriter* json) {
  json->Key(key);
  json->OpenArray();
  for (const auto& each : list)
    json->Value(std::string_view(name_of(each)));
  json->CloseArray();
}

void AppendBench(JsonWriter* json) {
  json->Key("bench");
  json->OpenObject();
  json->Key("layouts");
  json->OpenArray();
  for (const layouts::NamedLayout& layout : layouts::NamedLayouts()) {
    json->OpenObject();
    json->Field("name", layout.name);
    json->Field("fields", layout.key_template);
    json->Field("idea", layout.idea);
    json->CloseObject();
  }
  json->CloseArray();
  AppendNames("cells", layouts::CellForms(), layouts::CellFormName, json);
  AppendNames("rules", layouts::kSplitRules, layouts::SplitRuleName, json);
  AppendNames("workloads", layouts::kWorkloadKinds, layouts::WorkloadName, json);
  json->Key("figures");
  json->OpenArray();
  for (const auto fields : {layouts::WriteFields(), layouts::ReadFields()}) {
    for (const layouts::ResultField& field : fields) {
      json->OpenObject();
      json->Field("name", field.name);
      json->Field("head", field.head);
      json->CloseObject();
    }
  }
  json->CloseArray();
  json->CloseObject();
}

void AppendLimits(JsonWriter* json) {
  const SimulateLimits limits;
  json->Key("limits");
  json->OpenObject();
  json->Field("designs", kLabDesignsMax);
  json->Field("series", kLabSeriesMax);
  json->Field("ids", kLabIdsMax);
  json->Field("regions", limits.regions);
  json->Field("seconds", limits.ms / 1'000);
  json->Field("heat_rows", kLabHeatRowsMax);
  json->Field("heat_steps", kLabHeatStepsMax);
  json->Field("bench_cases", kLabCasesMax);
  json->Field("bench_points", kLabCasePointsMax);
  json->CloseObject();
}

}  // namespace

std::string LabChoicesJson(const StoreFleet& store, int64_t now_ms) {
  std::string text;
  JsonWriter json(&text);
  json.OpenObject();
  AppendLayouts(store, now_ms, &json);
  AppendNames("layout_fields", kFields, [](std::string_view name) { return name; }, &json);
  AppendChoices("distributors", kDistributors, &json);
  AppendChoices("presplits", kPresplits, &json);
  AppendNames("policies", kPolicies, SplitPolicyName, &json);
  AppendNames(
      "engines", std::to_array<std::string_view>({"hourcell", "hbase"}),
      [](std::string_view name) { return name; }, &json);
  AppendBench(&json);
  AppendLimits(&json);
  if (!store.fleet.empty()) {
    json.Key("store");
    json.OpenObject();
    json.Field("fleet", store.fleet);
    json.Field("metric", store.metric);
    json.CloseObject();
  }
  json.CloseObject();
  return text;
}

}  // namespace hourcell
