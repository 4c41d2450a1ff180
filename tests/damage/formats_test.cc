// Every truncation and every flipped bit of samples of every stored format of ours: an error, or a
// value that is stored and read as itself; with a checksum, an error. A format is a row of the
// tables below.

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "codec/base/bytes.h"
#include "codec/cells/cell.h"
#include "codec/cells/day_cell.h"
#include "codec/cells/hbase_cells.h"
#include "codec/cells/packed_cell.h"
#include "codec/object_qualifier.h"
#include "codec/rows/layout.h"
#include "codec/rows/row_key.h"
#include "codec/rows/salt_epochs.h"
#include "codec/rows/tsuid.h"
#include "codec/value.h"
#include "engine/backup_manifest.h"
#include "engine/hours/journal_payload.h"
#include "engine/hours/tsuid_list.h"
#include "engine/journal/journal_block.h"
#include "engine/names/table_uid_store.h"
#include "engine/options.h"
#include "engine/regions/live/rolling_split_state.h"
#include "engine/rows/annotation_cell.h"
#include "engine/rows/annotation_key.h"
#include "engine/rows/region_catalogue.h"
#include "engine/rows/series_key.h"
#include "engine/rows/system_table.h"
#include "engine/series/series_rows.h"
#include "engine/series/series_table.h"
#include "tests/support/mem_table_store.h"
#include "tests/support/source_dir.h"
#include "uid/uid_directory.h"
#include "uid/uid_store.h"

namespace hourcell::formats_test {
namespace {

// Reads bytes and stores the result; nothing if they are refused.
using Restore = std::function<std::optional<std::string>(std::string_view bytes)>;

struct Format {
  std::string name;
  std::vector<std::string> samples;
  Restore restore;
  bool tells_all_damage = false;  // no cut and no flipped bit of a sample is read
  bool is_read = true;            // each sample is stored again, not refused
};

void PrintTo(const Format& format, std::ostream* out) {
  *out << format.name;
}

CellColumns Points(std::vector<std::pair<uint32_t, Value>> points, bool is_ms = false) {
  CellColumns columns;
  for (const auto& [offset_ms, value] : points) {
    columns.push_back({.offset_ms = offset_ms, .is_ms = is_ms, .flags = ValueFlags(value)}, value);
  }
  return columns;
}

CellColumns EachMinute(const std::function<Value(int)>& value_at) {
  std::vector<std::pair<uint32_t, Value>> points;
  for (int i = 0; i < 30; ++i)
    points.emplace_back(static_cast<uint32_t>(i) * 60'000, value_at(i));
  return Points(std::move(points));
}

std::vector<CellColumns> SampleColumns() {
  std::vector<CellColumns> samples;
  samples.push_back(Points({{0, Value::Integer(42)}}));
  samples.push_back(Points({{0, Value::Integer(1)}, {10'000, Value::Integer(-300)}}));
  samples.push_back(Points({{0, Value::Float(0.5)}, {7'000, Value::Float(12.3)}}));
  samples.push_back(Points({{5, Value::Integer(9)}, {77'125, Value::Float(-1e300)}}, true));
  CellColumns hour;
  for (uint32_t i = 0; i < 60; ++i) {
    const Value value = Value::Integer(static_cast<int64_t>(i) * 37 % 101);
    hour.push_back(
        {.offset_ms = i * 60'000 + i % 7 * 1000, .is_ms = false, .flags = ValueFlags(value)},
        value);
  }
  samples.push_back(hour);
  // Decimals with a noisy value, multiples of 0.001 and 1/6, one value, and a counter that rests.
  samples.push_back(
      EachMinute([](int i) { return Value::Float(i == 7 ? 0.1 + 0.2 : i * 37 % 101 / 10.0); }));
  samples.push_back(EachMinute([](int i) { return Value::Float(i * 37 % 101 * 0.001); }));
  samples.push_back(EachMinute([](int i) { return Value::Float(i * 37 % 101 / 6.0); }));
  samples.push_back(EachMinute([](int) { return Value::Integer(12345); }));
  samples.push_back(EachMinute([](int i) { return Value::Integer(i / 7 * 123'456); }));
  return samples;
}

std::optional<std::string> RestoreCell(std::string_view cell) {
  CellColumns columns;
  if (!DecodeCell(cell, &columns).ok()) return std::nullopt;
  std::string stored;
  if (IsPacked(cell)) {
    AppendPackedCell(columns, &stored);
  } else {
    AppendCell(columns, &stored);
  }
  return stored;
}

Format OpenTsdbCells() {
  Format format{.name = "OpenTsdbCell", .samples = {}, .restore = RestoreCell};
  for (const CellColumns& columns : SampleColumns())
    AppendCell(columns, &format.samples.emplace_back());
  return format;
}

Format PackedCells() {
  Format format{.name = "PackedCell", .samples = {}, .restore = RestoreCell};
  for (const CellColumns& columns : SampleColumns())
    AppendPackedCell(columns, &format.samples.emplace_back());
  return format;
}

// Cells of format 2, which is read but no longer written: the short ones of the frozen file.
Format FirstPackedCells() {
  Format format{.name = "FirstPackedCell", .samples = {}, .restore = RestoreCell};
  std::ifstream file(SourcePath("tests/data/packed_cells_2.txt"));
  for (std::string line; std::getline(file, line);) {
    const size_t equals = line.find(" = ");
    if (equals == std::string::npos || line.size() - equals > 250) continue;
    format.samples.push_back(FromHex(line.substr(equals + 3)).value());
  }
  return format;
}

// The samples as hours 3 and 9 of a day, and half of the hours with the last ones.
Format DayCells() {
  Format format{.name = "DayCell", .samples = {}, .restore = {}};
  std::vector<std::string> hours;
  for (const CellColumns& columns : SampleColumns()) {
    std::string hour_cell;
    AppendPackedCell(columns, &hour_cell);
    std::vector<std::string> operands(2);
    AppendDayCellOfHour(3, hour_cell, &operands[0]);
    AppendDayCellOfHour(9, hour_cell, &operands[1]);
    const std::vector<std::string_view> views(operands.begin(), operands.end());
    MergeCells("", views, &format.samples.emplace_back());
    hours.clear();
    for (uint32_t hour = 0; hour < 24; hour += 2)
      AppendDayCellOfHour(hour, hour_cell, &hours.emplace_back());
  }
  const std::vector<std::string_view> views(hours.begin(), hours.end());
  MergeCells("", views, &format.samples.emplace_back());
  format.restore = [](std::string_view cell) -> std::optional<std::string> {
    CellColumns columns;
    if (!DecodeDayCell(cell, &columns).ok()) return std::nullopt;
    std::string stored;
    AppendDayCell(columns, &stored);
    return stored;
  };
  return format;
}

// A merge of a day cell with others must keep the points that decode, and report the rest.
Format MergedDayCells() {
  Format format{
      .name = "MergedDayCell", .samples = DayCells().samples, .restore = {}, .is_read = false};
  format.restore = [](std::string_view operand) -> std::optional<std::string> {
    std::string point;
    AppendPointCell(1'234'000, false, Value::Integer(7), &point);
    std::string late;
    AppendDayCellOfHour(4, point, &late);
    std::string merged;
    MergeCells(late, {&operand, 1}, &merged);
    CellColumns read;
    CellColumns alone;
    const bool is_whole = DecodeDayCell(operand, &alone).ok();
    const absl::Status status = DecodeCell(merged, &read);
    EXPECT_EQ(status.ok(), is_whole) << ToHex(operand);
    EXPECT_GE(read.size(), 1U);
    return std::nullopt;
  };
  return format;
}

// Every one is an error to read, and must stay one after a merge.
Format DamagedCells() {
  Format format{.name = "DamagedCell", .samples = {}, .restore = RestoreCell, .is_read = false};
  std::string good;
  AppendCell(SampleColumns()[1], &good);
  const std::vector<std::string_view> operands = {"\x01nonsense", "\x02more"};
  MergeCells(good, operands, &format.samples.emplace_back());
  return format;
}

// A merge of a cell with others must keep the points that decode, and report the rest.
Format MergedCells() {
  Format format{.name = "MergedCell", .samples = {}, .restore = {}, .is_read = false};
  for (const CellColumns& columns : SampleColumns())
    AppendPackedCell(columns, &format.samples.emplace_back());
  format.restore = [](std::string_view operand) -> std::optional<std::string> {
    std::string late;
    AppendPointCell(1'234'000, false, Value::Integer(7), &late);
    std::string merged;
    MergeCells(late, {&operand, 1}, &merged);
    CellColumns read;
    CellColumns alone;
    const bool is_whole = DecodeCell(operand, &alone).ok();
    const absl::Status status = DecodeCell(merged, &read);
    EXPECT_EQ(status.ok(), is_whole) << ToHex(operand);
    EXPECT_GE(read.size(), 1U);
    return std::nullopt;
  };
  return format;
}

// A cell of HBase as one text: the qualifier, of `split` bytes, and the value.
Format HBaseCellFormat(std::string name, std::string qualifier, const std::string& value) {
  const size_t split = qualifier.size();
  return {.name = std::move(name),
          .samples = {qualifier + value},
          .restore = [split](std::string_view bytes) -> std::optional<std::string> {
            const HBaseCell cell{.qualifier = bytes.substr(0, std::min(split, bytes.size())),
                                 .value = bytes.substr(std::min(split, bytes.size()))};
            const absl::StatusOr<CompactedRow> row = CompactRow({&cell, 1});
            if (!row.ok() || row->qualifier.size() != split) return std::nullopt;
            return row->qualifier + row->value;
          },
          .is_read = qualifier != kAppendQualifier};  // it is written as points, of another length
}

std::string Bytes(std::string_view hex) {
  return FromHex(hex).value();
}

Format ObjectQualifiers() {
  return {.name = "ObjectQualifier",
          .samples = {Bytes("010a02"), Bytes("01002719c4"), Bytes("0600000bb8")},
          .restore = [](std::string_view bytes) -> std::optional<std::string> {
            const auto qualifier = ParseObjectQualifier(bytes);
            if (!qualifier.ok()) return std::nullopt;
            std::string stored;
            AppendObjectQualifier(*qualifier, &stored);
            return stored;
          }};
}

Layout Salted() {
  return {.salt_width = 1, .salt_buckets = 20};
}

Format RowKeys(std::string name, const Layout& layout) {
  const auto codec = std::make_shared<RowKeyCodec>(layout);
  Format format{.name = std::move(name), .samples = {}, .restore = {}};
  const std::vector<TagUids> tags = {{1, 2}, {3, 300}};
  codec->Append(EncodeTsuid(layout, 257, tags), 1356998400, &format.samples.emplace_back());
  format.restore = [codec](std::string_view bytes) -> std::optional<std::string> {
    const auto view = codec->Parse(bytes);
    if (!view.ok()) return std::nullopt;
    std::string tsuid;
    RowKeyCodec::AppendTsuid(*view, &tsuid);
    std::string stored;
    codec->Append(tsuid, view->base_time_s, &stored);
    return stored;
  };
  return format;
}

Format Tsuids() {
  const std::vector<TagUids> tags = {{1, 2}, {3, 300}};
  return {.name = "Tsuid",
          .samples = {EncodeTsuid({}, 257, tags)},
          .restore = [](std::string_view bytes) -> std::optional<std::string> {
            const auto uids = ParseTsuid({}, bytes);
            if (!uids.ok()) return std::nullopt;
            return EncodeTsuid({}, uids->metric, uids->tags);
          }};
}

Format AnnotationKeys() {
  const auto codec = std::make_shared<RowKeyCodec>(Layout());
  Format format{.name = "AnnotationKey", .samples = {}, .restore = {}};
  const std::vector<TagUids> tags = {{1, 1}};
  const std::string series = EncodeTsuid({}, 1, tags);
  for (const std::string& tsuid : {series, std::string()}) {
    for (const int64_t ms : {int64_t{1388450562000}, int64_t{1388450562500}}) {
      const Timestamp start{.ms = ms, .is_ms = ms % 1000 != 0};
      AppendAnnotationKey(*codec, tsuid, start, &format.samples.emplace_back());
    }
  }
  format.restore = [codec](std::string_view bytes) -> std::optional<std::string> {
    const auto view = ParseAnnotationKey(*codec, bytes);
    // The last hour there is holds instants that cannot be written.
    if (!view.ok() || view->start_ms > kTimestampMsMax) return std::nullopt;
    const std::string tsuid = std::string(view->metric) + std::string(view->tags);
    std::string stored;
    AppendAnnotationKey(*codec, tsuid, {.ms = view->start_ms, .is_ms = view->start_ms % 1000 != 0},
                        &stored);
    return stored;
  };
  return format;
}

Format AnnotationCells() {
  Format format{.name = "AnnotationCell", .samples = {}, .restore = {}};
  AppendAnnotationCell({.tsuid = "000001000001000001",
                        .start_time = 1388450562,
                        .end_time = 1388450600,
                        .description = "caf\u00e9 \"on\"",
                        .notes = "a\nb",
                        .custom = {{"owner", "ops"}}},
                       &format.samples.emplace_back());
  format.restore = [](std::string_view bytes) -> std::optional<std::string> {
    const auto annotation = ParseAnnotationCell(bytes);
    if (!annotation.ok()) return std::nullopt;
    std::string stored;
    AppendAnnotationCell(*annotation, &stored);
    return stored;
  };
  return format;
}

Format SegmentHeaders() {
  Format format{
      .name = "JournalSegmentHeader", .samples = {}, .restore = {}, .tells_all_damage = true};
  AppendSegmentHeader({.number = 7, .first_sequence = 100, .synced_below = 90},
                      &format.samples.emplace_back());
  format.restore = [](std::string_view bytes) -> std::optional<std::string> {
    const auto header = DecodeSegmentHeader(bytes, 7);
    if (!header.ok()) return std::nullopt;
    std::string stored;
    AppendSegmentHeader(*header, &stored);
    return stored;
  };
  return format;
}

Format JournalBlocks() {
  Format format{.name = "JournalBlock", .samples = {}, .restore = {}, .tells_all_damage = true};
  const std::vector<std::string_view> parts = {"some", " points"};
  AppendJournalBlock(7, 100, 90, parts, &format.samples.emplace_back());
  AppendJournalFooter(7, 100, &format.samples.emplace_back());
  format.restore = [](std::string_view bytes) -> std::optional<std::string> {
    if (bytes.size() < kBlockHeaderBytes) return std::nullopt;
    const auto block = DecodeJournalBlock(bytes, 7, 100);
    if (!block.ok()) return std::nullopt;
    std::string stored;
    AppendJournalBlock(7, block->sequence, block->synced_below, {&block->payload, 1}, &stored);
    return stored;
  };
  return format;
}

// The points and definitions of a payload, written again; nothing if it is damaged.
std::optional<std::string> RestorePayload(std::string_view payload) {
  std::vector<PointSection> sections;
  const bool is_split = SplitPayload(payload, &sections);
  JournalPayloadReader reader(payload);
  JournalPayloadWriter writer;
  bool is_empty = true;
  while (true) {
    const JournalPayloadReader::Event event = reader.Next();
    if (event == JournalPayloadReader::Event::kDamaged) return std::nullopt;
    if (event == JournalPayloadReader::Event::kEnd) break;
    is_empty = false;
    if (event == JournalPayloadReader::Event::kPoint) {
      writer.Add(reader.series(), reader.time(), reader.value());
    } else {
      writer.Define(reader.definition());
    }
  }
  EXPECT_TRUE(is_split) << ToHex(payload);
  if (is_empty) return std::nullopt;
  writer.Finish({});
  std::string stored(writer.has_definitions() ? kPayloadWithDefinitions
                                              : kPayloadWithoutDefinitions);
  return stored.append(writer.bytes());
}

Format JournalPayloads() {
  Format format{.name = "JournalPayload", .samples = {}, .restore = RestorePayload};
  JournalPayloadWriter writer;
  const std::vector<TagView> tags = {{"host", "web01"}, {"dc", "lga"}};
  const std::vector<TagUids> tag_uids = {{1, 1}, {2, 2}};
  writer.Define({.number = 3, .metric_uid = 1, .metric = "m", .tags = tags, .tag_uids = tag_uids});
  writer.Add(3, {.ms = 1356998400000, .is_ms = false}, Value::Integer(4));
  writer.Add(3, {.ms = 1356998410000, .is_ms = false}, Value::Float(0.5));
  writer.Add(9, {.ms = 1356998410125, .is_ms = true}, Value::Float(12.3));
  writer.Finish({});
  format.samples.push_back(std::string(kPayloadWithDefinitions).append(writer.bytes()));
  return format;
}

Format TsuidLists() {
  Format format{.name = "TsuidList", .samples = {}, .restore = {}};
  std::string* const list = &format.samples.emplace_back();
  for (const std::string_view tsuid : {"abcdefghi", "", "jklmnopqrstuvwx"})
    AppendToTsuidList(tsuid, list);
  format.restore = [](std::string_view bytes) -> std::optional<std::string> {
    std::string stored;
    std::string_view tsuid;
    while (TakeTsuid(&bytes, &tsuid))
      AppendToTsuidList(tsuid, &stored);
    if (!bytes.empty()) return std::nullopt;
    return stored;
  };
  return format;
}

Format SeriesBlocks() {
  Format format{.name = "SeriesBlock", .samples = {}, .restore = {}};
  std::string* const row = &format.samples.emplace_back();
  for (SeriesNumber i = 0; i < kBlockSeries; ++i)
    AppendToTsuidList(i % 7 == 2 ? "" : "abcdefghi", row);
  format.restore = [](std::string_view bytes) -> std::optional<std::string> {
    std::vector<std::string_view> tsuids(kBlockSeries);
    const std::optional<std::string> read = std::string(bytes);
    if (!ParseBlock(BlockKey(1), read, &tsuids).ok()) return std::nullopt;
    std::string stored;
    for (const std::string_view tsuid : tsuids)
      AppendToTsuidList(tsuid, &stored);
    return stored;
  };
  return format;
}

Format PostingSets() {
  Format format{.name = "PostingSet", .samples = {}, .restore = {}};
  for (const uint64_t count : {1U, 5U, 100U}) {
    std::vector<std::string> ones;
    for (uint64_t i = 0; i < count; ++i)
      ones.push_back(PostingOfOne(3 * i + (i % 5 == 0 ? 1 : 0)));
    const std::vector<std::string_view> sets(ones.begin(), ones.end());
    MergePostings(sets, &format.samples.emplace_back());
  }
  format.restore = [](std::string_view bytes) -> std::optional<std::string> {
    std::vector<SeriesNumber> numbers;
    if (!DecodePosting(bytes, 0, &numbers).ok()) return std::nullopt;
    EXPECT_FALSE(numbers.empty());
    EXPECT_TRUE(std::ranges::adjacent_find(numbers, std::greater_equal<>()) == numbers.end())
        << ToHex(bytes.substr(0, 64));
    std::string stored;
    MergePostings({&bytes, 1}, &stored);
    return stored;
  };
  return format;
}

Format Layouts() {
  return {.name = "Layout",
          .samples = {FormatLayout(Salted())},
          .restore = [](std::string_view bytes) -> std::optional<std::string> {
            const auto layout = ParseLayout(bytes);
            if (!layout.ok()) return std::nullopt;
            EXPECT_TRUE(ValidateLayout(*layout).ok()) << bytes;
            return FormatLayout(*layout);
          }};
}

Format SaltEpochTexts() {
  return {.name = "SaltEpochs",
          .samples = {"0=20,1767225600=64"},
          .restore = [](std::string_view bytes) -> std::optional<std::string> {
            const auto epochs = SaltEpochs::Parse(bytes, 1);
            if (!epochs.ok()) return std::nullopt;
            return epochs->ToText();
          }};
}

Format Regions() {
  const RegionInfo region{.table = "data",
                          .range = {.start = "abc", .end = "abd"},
                          .id = {1356998400000},
                          .state = RegionState::kOpen,
                          .parents = {{7}, {9}},
                          .pinned_until_ms = 12,
                          .has_references = true,
                          .column_family = "data.1356998400000"};
  const std::string key = RegionKey("data", region.id);
  return {.name = "RegionCatalogue",
          .samples = {key + EncodeRegion(region)},
          .restore = [size = key.size()](std::string_view bytes) -> std::optional<std::string> {
            const size_t split = std::min(size, bytes.size());
            const auto read = DecodeRegion(bytes.substr(0, split), bytes.substr(split));
            if (!read.ok()) return std::nullopt;
            return RegionKey(read->table, read->id) + EncodeRegion(*read);
          }};
}

Format Rollings() {
  const Mutation row =
      SetRolling("data", {.split = "keys:a,b", .keys = 2, .made = 1, .started_ms = 1356998400000});
  return {.name = "RollingSplit",
          .samples = {row.value},
          .restore = [](std::string_view bytes) -> std::optional<std::string> {
            const auto rolling = DecodeRolling("data", bytes);
            if (!rolling.ok()) return std::nullopt;
            return SetRolling("data", *rolling).value;
          }};
}

Format BackupManifests() {
  const BackupManifest manifest{.id = 3,
                                .made_ms = 1356998400000,
                                .low_mark = 7,
                                .next_block = 9,
                                .copied_files = 1,
                                .copied_bytes = 12,
                                .files = {{.path = "db/000012.sst", .bytes = 12, .crc = 0xabcd},
                                          {.path = "db/CURRENT", .bytes = 16, .crc = 1}}};
  return {.name = "BackupManifest",
          .samples = {EncodeBackupManifest(manifest)},
          .restore = [](std::string_view bytes) -> std::optional<std::string> {
            const auto read = DecodeBackupManifest(bytes);
            if (!read.ok()) return std::nullopt;
            return EncodeBackupManifest(*read);
          },
          .tells_all_damage = true};
}

// A row of the system table that is a number in decimal digits.
Format LowMarks() {
  return {.name = "LowMark",
          .samples = {"1234567"},
          .restore = [](std::string_view bytes) -> std::optional<std::string> {
            MemTableStore tables;
            const Mutation row{TableId::kSystem, Mutation::Kind::kSet, "low_mark",
                               std::string(bytes)};
            EXPECT_TRUE(tables.Apply({&row, 1}, false).ok());
            const auto mark = ReadLowMark(&tables);
            if (!mark.ok()) return std::nullopt;
            return fmt::format("{}", *mark);
          }};
}

Format MetricTtls() {
  return {.name = "MetricTtl",
          .samples = {"ttl/0000013600"},
          .restore = [](std::string_view bytes) -> std::optional<std::string> {
            MemTableStore tables;
            const size_t split = std::min<size_t>(10, bytes.size());
            const Mutation row{TableId::kSystem, Mutation::Kind::kSet,
                               std::string(bytes.substr(0, split)),
                               std::string(bytes.substr(split))};
            EXPECT_TRUE(tables.Apply({&row, 1}, false).ok());
            const auto ttls = ReadMetricTtls(&tables);
            if (!ttls.ok() || ttls->empty()) return std::nullopt;
            const auto& [metric, ttl_s] = *ttls->begin();
            return fmt::format("ttl/{:06X}{}", metric, ttl_s);
          }};
}

Format Counters() {
  return {.name = "Counter",
          .samples = {EncodeU64(77)},
          .restore = [](std::string_view bytes) -> std::optional<std::string> {
            const auto number = DecodeU64(bytes);
            if (!number.ok()) return std::nullopt;
            return EncodeU64(*number);
          }};
}

// The contents of the only row of the uid table, written again.
std::optional<std::string> RestoreUidRow(MemTableStore* tables) {
  TableUidStore store({}, tables);
  std::vector<UidChange> changes;
  bool is_damaged = false;
  for (const UidKind kind : kUidKinds) {
    const auto counter = store.GetCounter(kind);
    if (counter.ok() && *counter != 0) {
      changes.push_back(
          {.what = UidChange::What::kSetCounter, .kind = kind, .uid = *counter, .name = {}});
    }
    const auto add = [&](UidChange::What what) {
      return [&changes, kind, what](const UidMapping& mapping) {
        EXPECT_NE(mapping.uid, kNoUid);
        changes.push_back({.what = what, .kind = kind, .uid = mapping.uid, .name = mapping.name});
        return true;
      };
    };
    const bool is_good = counter.ok() &&
                         store.ScanForward(kind, "", add(UidChange::What::kSetForward)).ok() &&
                         store.ScanReverse(kind, add(UidChange::What::kSetReverse)).ok();
    is_damaged = is_damaged || !is_good;
  }
  if (is_damaged || changes.empty()) return std::nullopt;
  EXPECT_EQ(changes.size(), 1U);
  std::vector<Mutation> group;
  store.AppendMutations(changes, &group);
  return group[0].key + group[0].value;
}

// A row of the uid table as one text: the key, of `split` bytes, and the value.
Format UidRows(std::string name, const UidChange& change) {
  MemTableStore tables;
  std::vector<Mutation> group;
  TableUidStore(Layout(), &tables).AppendMutations({&change, 1}, &group);
  const size_t split = group[0].key.size();
  return {.name = std::move(name),
          .samples = {group[0].key + group[0].value},
          .restore = [split](std::string_view bytes) -> std::optional<std::string> {
            MemTableStore read;
            const Mutation row{TableId::kUid, Mutation::Kind::kSet,
                               std::string(bytes.substr(0, split)),
                               std::string(bytes.substr(std::min(split, bytes.size())))};
            EXPECT_TRUE(read.Apply({&row, 1}, false).ok());
            return RestoreUidRow(&read);
          }};
}

UidChange UidOf(UidChange::What what) {
  // One bit from 0, which is an invalid UID.
  return {.what = what, .kind = UidKind::kTagk, .uid = 256, .name = "host"};
}

// The new series in the only row of the series table, written again.
std::optional<std::string> RestoreLogRow(MemTableStore* tables) {
  TableUidStore uid_store({}, tables);
  const auto uids = UidDirectory::Open({}, &uid_store);
  EXPECT_TRUE(uids.ok());
  const auto series = SeriesTable::Open(
      {}, {.tables = tables, .uid_store = &uid_store, .uids = uids->get()}, /*sync=*/false);
  if (!series.ok()) return std::nullopt;
  std::map<SeriesNumber, std::string> tsuids;
  EXPECT_TRUE((*series)
                  ->Visit(std::nullopt,
                          [&](SeriesNumber number, std::string_view tsuid) {
                            return tsuids.emplace(number, tsuid).second;
                          })
                  .ok());
  if (tsuids.empty()) return std::nullopt;
  std::string stored = LogRowKey(tsuids.begin()->first);
  for (const auto& [number, tsuid] : tsuids)
    AppendToTsuidList(tsuid, &stored);
  return stored;
}

Format SeriesLogRows() {
  Format format{.name = "SeriesLogRow", .samples = {LogRowKey(9)}, .restore = {}};
  for (const Uid tagv : {Uid{2}, Uid{300}}) {
    const std::vector<TagUids> tags = {{.tagk = 1, .tagv = tagv}};
    AppendToTsuidList(EncodeTsuid({}, 257, tags), &format.samples[0]);
  }
  format.restore = [split = LogRowKey(9).size()](std::string_view bytes) {
    MemTableStore tables;
    const std::vector<Mutation> rows = {
        SetSeries(SeriesCounterKey(), EncodeU64(20)),
        SetSeries(std::string(bytes.substr(0, split)),
                  std::string(bytes.substr(std::min(split, bytes.size()))))};
    EXPECT_TRUE(tables.Apply(rows, false).ok());
    return RestoreLogRow(&tables);
  };
  return format;
}

// A store with one of these texts has no other format.
Format StoreFormats() {
  return {.name = "StoreFormat",
          .samples = {"1", "2", "4", "7", "8", "30"},
          .restore = [](std::string_view bytes) -> std::optional<std::string> {
            MemTableStore tables;
            const std::vector<Mutation> rows = {
                {TableId::kSystem, Mutation::Kind::kSet, "layout", FormatLayout({})},
                {TableId::kSystem, Mutation::Kind::kSet, "format", std::string(bytes)}};
            EXPECT_TRUE(tables.Apply(rows, false).ok());
            if (!ReadOrCreateLayout(Options(), &tables).ok()) return std::nullopt;
            return std::string(bytes);
          },
          .tells_all_damage = true};
}

std::vector<Format> Formats() {
  return {OpenTsdbCells(),
          PackedCells(),
          FirstPackedCells(),
          DayCells(),
          MergedDayCells(),
          DamagedCells(),
          MergedCells(),
          HBaseCellFormat("HBasePoint", Bytes("0033"), Bytes("0000002a")),
          HBaseCellFormat("HBaseCompacted", Bytes("00000010f0007d0b"), Bytes("2a2b3f00000001")),
          HBaseCellFormat("HBaseAppend", std::string(kAppendQualifier), Bytes("00102b00002a")),
          ObjectQualifiers(),
          RowKeys("RowKey", {}),
          RowKeys("SaltedRowKey", Salted()),
          Tsuids(),
          AnnotationKeys(),
          AnnotationCells(),
          SegmentHeaders(),
          JournalBlocks(),
          JournalPayloads(),
          TsuidLists(),
          SeriesBlocks(),
          PostingSets(),
          Layouts(),
          SaltEpochTexts(),
          Regions(),
          Rollings(),
          BackupManifests(),
          UidRows("UidForwardRow", UidOf(UidChange::What::kSetForward)),
          UidRows("UidReverseRow", UidOf(UidChange::What::kSetReverse)),
          UidRows("UidCounterRow", UidOf(UidChange::What::kSetCounter)),
          SeriesLogRows(),
          StoreFormats(),
          LowMarks(),
          MetricTtls(),
          Counters()};
}

class FormatsTest : public testing::TestWithParam<Format> {
 protected:
  // In memory of just that size, so that a sanitizer sees every byte read beyond.
  static std::optional<std::string> Read(const std::string& bytes) {
    const auto exact = std::make_unique<char[]>(bytes.size());
    std::ranges::copy(bytes, exact.get());
    return GetParam().restore(std::string_view(exact.get(), bytes.size()));
  }

  // Bytes that were read and stored give the same when they are read again.
  static void CheckValid(const std::string& bytes) {
    const std::optional<std::string> stored = Read(bytes);
    if (!stored.has_value()) return;
    EXPECT_FALSE(GetParam().tells_all_damage) << ToHex(bytes);
    const std::optional<std::string> again = Read(*stored);
    ASSERT_TRUE(again.has_value()) << ToHex(bytes) << " gave " << ToHex(*stored);
    EXPECT_EQ(ToHex(*again), ToHex(*stored)) << ToHex(bytes);
  }
};

TEST_P(FormatsTest, WhatIsWholeIsRead) {
  EXPECT_FALSE(GetParam().samples.empty());
  for (const std::string& sample : GetParam().samples)
    EXPECT_EQ(Read(sample).has_value(), GetParam().is_read) << ToHex(sample);
}

TEST_P(FormatsTest, EveryTruncationIsRefusedOrAValue) {
  for (const std::string& sample : GetParam().samples) {
    for (size_t size = 0; size < sample.size(); ++size)
      CheckValid(sample.substr(0, size));
  }
}

TEST_P(FormatsTest, EveryFlippedBitIsRefusedOrAValue) {
  for (const std::string& sample : GetParam().samples) {
    for (size_t bit = 0; bit < 8 * sample.size(); ++bit) {
      std::string damaged = sample;
      damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
      CheckValid(damaged);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, FormatsTest, testing::ValuesIn(Formats()), [](const auto& format) {
  return format.param.name;
});

}  // namespace
}  // namespace hourcell::formats_test
