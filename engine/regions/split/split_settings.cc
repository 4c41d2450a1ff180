#include "engine/regions/split/split_settings.h"

#include <array>

#include "codec/base/check.h"

// Why some defaults differ from HBase's (docs/regions.md lists them): a region here has one store
// and one disk. A split costs milliseconds and no rewrite, so regions are smaller, 4 GiB and not
// 10, and a split that leaves next to nothing on one side is refused.

namespace hourcell {
namespace {

using enum SplitPolicyKind;

void ReadPolicy(SettingReader* reader, SplitSettings* settings) {
  reader->ReadChoice<SplitPolicyKind>(
      {"SPLIT_POLICY", "tsd.region.split.policy", "hbase.regionserver.region.split.policy"},
      {{"Disabled", kDisabled},
       {"ConstantSize", kConstantSize},
       {"IncreasingToUpperBound", kIncreasingToUpperBound},
       {"Stepping", kStepping},
       {"KeyPrefix", kKeyPrefix},
       {"DelimitedKeyPrefix", kDelimitedKeyPrefix},
       {"Busy", kBusy},
       {"Load", kLoad},
       {"DisabledRegionSplitPolicy", kDisabled},
       {"ConstantSizeRegionSplitPolicy", kConstantSize},
       {"IncreasingToUpperBoundRegionSplitPolicy", kIncreasingToUpperBound},
       {"SteppingSplitPolicy", kStepping},
       {"KeyPrefixRegionSplitPolicy", kKeyPrefix},
       {"DelimitedKeyPrefixRegionSplitPolicy", kDelimitedKeyPrefix},
       {"BusyRegionSplitPolicy", kBusy}},
      &settings->policy);
  reader->ReadBool({"SPLIT_ENABLED", "tsd.region.split.enabled"}, &settings->is_enabled);
}

void ReadSizes(SettingReader* reader, SplitSettings* settings) {
  reader->ReadBytes({"MAX_FILESIZE", "tsd.region.split.max_bytes", "hbase.hregion.max.filesize"},
                    {.min = 1}, &settings->max_bytes);
  reader->ReadFraction({"tsd.region.split.jitter", "hbase.hregion.max.filesize.jitter"}, 0, 1,
                       &settings->jitter);
  reader->ReadCount({"tsd.region.split.jitter_seed"}, {}, &settings->jitter_seed);
  reader->ReadBytes(
      {"MEMSTORE_FLUSHSIZE", "tsd.region.flush_bytes", "hbase.hregion.memstore.flush.size"},
      {.min = 1}, &settings->flush_bytes);
  reader->ReadBytes({"tsd.region.split.initial_bytes", "hbase.increasing.policy.initial.size"}, {},
                    &settings->initial_bytes);
  reader->ReadCount({"tsd.region.split.exponent"}, {.min = 1, .max = 3}, &settings->exponent);
  bool is_total = settings->measure == SizeMeasure::kTotal;
  reader->ReadBool({"hbase.hregion.split.overallfiles"}, &is_total);
  settings->measure = is_total ? SizeMeasure::kTotal : SizeMeasure::kLargestStore;
  reader->ReadChoice<SizeMeasure>(
      {"tsd.region.split.size"},
      {{"total", SizeMeasure::kTotal}, {"largest_store", SizeMeasure::kLargestStore}},
      &settings->measure);
}

void ReadGates(SettingReader* reader, SplitSettings* settings) {
  reader->ReadChoice<SplitPlace>({"tsd.region.split.place"},
                                 {{"bytes", SplitPlace::kBytes}, {"hbase", SplitPlace::kHBase}},
                                 &settings->place);
  reader->ReadBytes({"tsd.region.split.daughter_bytes_min"}, {}, &settings->daughter_bytes_min);
  reader->ReadBool({"tsd.region.split.nested_references"}, &settings->allow_nested_references);
  reader->ReadCount({"tsd.region.split.region_limit", "hbase.regionserver.regionSplitLimit"},
                    {.min = 1}, &settings->region_limit);
  reader->ReadCount({"tsd.region.split.blocking_files", "hbase.hstore.blockingStoreFiles"},
                    {.min = 1}, &settings->blocking_files);
  reader->ReadBool(
      {"tsd.region.split.before_rewrite", "hbase.hregion.split.ignore.blocking.enabled"},
      &settings->split_before_rewrite);
}

void ReadPrefixes(SettingReader* reader, SplitSettings* settings) {
  reader->ReadCount({"KeyPrefixRegionSplitPolicy.prefix_length",
                     "prefix_split_key_policy.prefix_length", "tsd.region.split.prefix_length"},
                    {}, &settings->policy_prefix_length);
  reader->ReadText({"DelimitedKeyPrefixRegionSplitPolicy.delimiter", "tsd.region.split.delimiter"},
                   &settings->policy_delimiter);
  SplitRestriction& restriction = settings->restriction;
  reader->ReadChoice<RestrictionKind>(
      {"tsd.region.split.restriction", "hbase.regionserver.region.split_restriction.type"},
      {{"None", RestrictionKind::kNone},
       {"KeyPrefix", RestrictionKind::kKeyPrefix},
       {"DelimitedKeyPrefix", RestrictionKind::kDelimitedKeyPrefix}},
      &restriction.kind);
  reader->ReadCount({"tsd.region.split.restriction.prefix_length",
                     "hbase.regionserver.region.split_restriction.prefix_length"},
                    {}, &restriction.prefix_length);
  reader->ReadText({"tsd.region.split.restriction.delimiter",
                    "hbase.regionserver.region.split_restriction.delimiter"},
                   &restriction.delimiter);
}

void ReadLoads(SettingReader* reader, SplitSettings* settings) {
  BusySettings& busy = settings->busy;
  // HBase takes its default in place of a value outside these bounds, without a word.
  reader->ReadFraction(
      {"tsd.region.split.busy.blocked_share_min", "hbase.busy.policy.blockedRequests"}, 1e-5,
      0.99999, &busy.blocked_share_min);
  reader->ReadCount({"tsd.region.split.busy.age_ms_min", "hbase.busy.policy.minAge"}, {},
                    &busy.age_ms_min);
  reader->ReadCount({"tsd.region.split.busy.window_ms", "hbase.busy.policy.aggWindow"}, {.min = 1},
                    &busy.window_ms);
  LoadSettings& load = settings->load;
  reader->ReadFraction({"tsd.region.split.load.requests_per_s_min"}, 0, 1e12,
                       &load.requests_per_s_min);
  reader->ReadCount({"tsd.region.split.load.record_ms_min"}, {}, &load.record_ms_min);
  reader->ReadCount({"tsd.region.split.load.samples"}, {.min = 1, .max = 1'000}, &load.samples);
  reader->ReadCount({"tsd.region.split.load.observations_min"}, {.min = 1}, &load.observations_min);
  reader->ReadFraction({"tsd.region.split.load.imbalance_max"}, 0, 1, &load.imbalance_max);
  reader->ReadFraction({"tsd.region.split.load.contained_max"}, 0, 1, &load.contained_max);
  AppendSettings& append = settings->append;
  reader->ReadBool({"tsd.region.split.append.enabled"}, &append.is_enabled);
  reader->ReadCount({"tsd.region.split.append.window"}, {.min = 1, .max = 1 << 20}, &append.window);
  reader->ReadFraction({"tsd.region.split.append.share_min"}, 0, 1, &append.share_min);
}

}  // namespace

std::string_view SplitPolicyName(SplitPolicyKind kind) {
  constexpr std::array<std::string_view, 8> kNames = {
      "Disabled", "ConstantSize", "IncreasingToUpperBound",
      "Stepping", "KeyPrefix",    "DelimitedKeyPrefix",
      "Busy",     "Load"};
  const auto index = static_cast<size_t>(kind);
  HOURCELL_CHECK(index < kNames.size());
  return kNames[index];
}

SplitSettings HBaseSplitSettings() {
  SplitSettings settings;
  settings.policy = kStepping;
  settings.max_bytes = uint64_t{10} << 30;
  settings.place = SplitPlace::kHBase;
  settings.daughter_bytes_min = 0;
  settings.allow_nested_references = false;
  settings.append.is_enabled = false;
  return settings;
}

uint64_t InitialBytes(const SplitSettings& settings) {
  if (settings.initial_bytes > 0) return settings.initial_bytes;
  const bool is_old_rule = settings.exponent == 2 && settings.policy != kStepping;
  if (is_old_rule) return settings.flush_bytes;
  return settings.flush_bytes > INT64_MAX / 2 ? INT64_MAX : 2 * settings.flush_bytes;
}

SplitRestriction RestrictionOf(const SplitSettings& settings) {
  if (settings.restriction.is_active()) return settings.restriction;
  if (settings.policy == kKeyPrefix) {
    return {.kind = RestrictionKind::kKeyPrefix, .prefix_length = settings.policy_prefix_length};
  }
  if (settings.policy == kDelimitedKeyPrefix) {
    return {.kind = RestrictionKind::kDelimitedKeyPrefix, .delimiter = settings.policy_delimiter};
  }
  return {};
}

void ReadSplitSettings(SettingReader* reader, SplitSettings* settings) {
  ReadPolicy(reader, settings);
  ReadSizes(reader, settings);
  ReadGates(reader, settings);
  ReadPrefixes(reader, settings);
  ReadLoads(reader, settings);
}

}  // namespace hourcell
