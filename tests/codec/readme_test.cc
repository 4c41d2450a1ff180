// The examples of codec/README.md, held against the code.

#include <charconv>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "codec/base/bytes.h"
#include "codec/cells/cell.h"
#include "codec/cells/day_cell.h"
#include "codec/cells/hbase_cells.h"
#include "codec/cells/packed_cell.h"
#include "codec/histograms/histogram_text.h"
#include "codec/histograms/simple_histogram.h"
#include "codec/object_qualifier.h"
#include "codec/rows/row_key.h"
#include "codec/rows/salt.h"
#include "codec/rows/tsuid.h"
#include "codec/rows/uid.h"
#include "codec/text/name.h"
#include "codec/text/number.h"
#include "codec/value.h"
#include "tests/codec/codec_testing.h"
#include "tests/support/source_dir.h"

namespace hourcell::readme_test {
namespace {

std::vector<std::string> Split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);)
    parts.push_back(part);
  return parts;
}

uint64_t Number(const std::string& text, int base = 10) {
  uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, number, base);
  HOURCELL_CHECK(result.ec == std::errc{} && result.ptr == end);
  return number;
}

// `key=value key=value` as a map.
std::map<std::string, std::string> Fields(const std::string& input) {
  std::map<std::string, std::string> fields;
  for (const std::string& word : Split(input, ' ')) {
    const size_t equals = word.find('=');
    HOURCELL_CHECK(equals != std::string::npos);
    fields[word.substr(0, equals)] = word.substr(equals + 1);
  }
  return fields;
}

Value ValueOf(const std::string& text) {
  const auto value = ParseValueText(text);
  HOURCELL_CHECK(value.ok());
  return *value;
}

// `s=3:42 ms=1:0.5` as points.
CellColumns Points(const std::string& input) {
  CellColumns columns;
  for (const auto& word : Split(input, ' ')) {
    const size_t equals = word.find('=');
    const size_t colon = word.find(':');
    const bool is_ms = word.substr(0, equals) == "ms";
    const uint64_t offset = Number(word.substr(equals + 1, colon - equals - 1));
    AddPoint(static_cast<uint32_t>(is_ms ? offset : offset * 1000), is_ms,
             ValueOf(word.substr(colon + 1)), &columns);
  }
  return columns;
}

std::string Uids(const std::string& input) {
  auto fields = Fields(input);
  return UidToBytes(Number(fields["value"]), Number(fields["width"])).value();
}

std::string Salt(const std::string& input) {
  auto fields = Fields(input);
  const Layout layout{.salt_width = Number(fields["width"]),
                      .salt_buckets = static_cast<uint32_t>(Number(fields["buckets"]))};
  std::string salt;
  AppendSalt(layout, SaltBucket(layout, Hex(fields["tsuid"])), &salt);
  return salt;
}

std::string Tsuid(const std::string& input) {
  auto fields = Fields(input);
  std::vector<TagUids> tags;
  for (const std::string& pair : Split(fields["tags"], ',')) {
    const size_t colon = pair.find(':');
    tags.push_back({Number(pair.substr(0, colon)), Number(pair.substr(colon + 1))});
  }
  return EncodeTsuid(Layout{}, Number(fields["metric"]), tags);
}

std::string RowKey(const std::string& input) {
  auto fields = Fields(input);
  Layout layout;
  if (fields.contains("salt_width")) {
    layout.salt_width = Number(fields["salt_width"]);
    layout.salt_buckets = static_cast<uint32_t>(Number(fields["buckets"]));
  }
  const RowKeyCodec codec(layout);
  const auto base_time_s = static_cast<uint32_t>(Number(fields["base"]));
  std::string key;
  if (fields.contains("tags")) {
    codec.Append(Tsuid(input), base_time_s, &key);
  } else {
    codec.AppendGlobal(base_time_s, &key);
  }
  return key;
}

std::string Qualifiers(const std::string& input) {
  auto fields = Fields(input);
  const bool is_ms = fields.contains("ms");
  const uint64_t offset_ms = is_ms ? Number(fields["ms"]) : Number(fields["s"]) * 1000;
  std::string bytes;
  AppendQualifier({.offset_ms = static_cast<uint32_t>(offset_ms),
                   .is_ms = is_ms,
                   .flags = static_cast<uint8_t>(Number(fields["flags"], 16))},
                  &bytes);
  return bytes;
}

std::string Objects(const std::string& input) {
  auto fields = Fields(input);
  const bool is_ms = fields.contains("ms");
  const uint64_t offset_ms = is_ms ? Number(fields["ms"]) : Number(fields["s"]) * 1000;
  std::string bytes;
  AppendObjectQualifier(ObjectQualifierAt(static_cast<uint8_t>(Number(fields["type"], 16)),
                                          {.ms = static_cast<int64_t>(offset_ms), .is_ms = is_ms}),
                        &bytes);
  return bytes;
}

std::string Values(const std::string& input) {
  std::string bytes;
  AppendValue(ValueOf(input), ValueFlags(ValueOf(input)), &bytes);
  return bytes;
}

std::string Cells(const std::string& input) {
  std::string cell;
  AppendCell(Points(input), &cell);
  return cell;
}

std::string PackedCells(const std::string& input) {
  std::string cell;
  AppendPackedCell(Points(input), &cell);
  return cell;
}

std::string DayCells(const std::string& input) {
  std::string cell;
  AppendDayCell(Points(input), &cell);
  return cell;
}

std::string Merge(const std::string& input) {
  std::vector<std::string> cells;
  for (const std::string& word : Split(input, ' '))
    cells.push_back(Hex(word));
  std::string merged;
  MergeCells("", std::vector<std::string_view>(cells.begin(), cells.end()), &merged);
  return merged;
}

std::string Names(const std::string& input) {
  const size_t blank = input.find(' ');
  const bool is_utf8 = input.substr(0, blank) == "utf8";
  const std::string name = input.substr(blank + 1);
  EXPECT_EQ(NameFault(name, is_utf8 ? NameEncoding::kUtf8 : NameEncoding::kLatin1, ""), "");
  return EncodeName(name, is_utf8 ? NameEncoding::kUtf8 : NameEncoding::kLatin1).value();
}

// `qualifier/value` cells and result, in hex.
std::string Compact(const std::string& input) {
  std::vector<std::string> bytes;
  for (const std::string& word : Split(input, ' ')) {
    for (const std::string& part : Split(word, '/'))
      bytes.push_back(Hex(part));
  }
  std::vector<HBaseCell> cells;
  for (size_t i = 0; i + 1 < bytes.size(); i += 2) {
    cells.push_back({bytes[i], bytes[i + 1], static_cast<int64_t>(i)});
  }
  const CompactedRow row = CompactRow(cells).value();
  return ToHex(row.qualifier) + "/" + ToHex(row.value);
}

std::string Histograms(const std::string& input) {
  std::string bytes;
  AppendSimpleHistogram(*ParseHistogramText(input), &bytes);
  return bytes;
}

// The kinds of example, each with what gives the text after the '='.
using Kind = std::function<std::string(const std::string&)>;
std::map<std::string, Kind> Kinds() {
  const auto hex = [](auto encode) {
    return [encode](const std::string& input) { return ToHex(encode(input)); };
  };
  const auto append_cell = [](const std::string& input) { return EncodeAppendCell(Points(input)); };
  return {{"uid", hex(Uids)},         {"salt", hex(Salt)},    {"tsuid", hex(Tsuid)},
          {"row_key", hex(RowKey)},   {"cell", hex(Cells)},   {"qualifier", hex(Qualifiers)},
          {"value", hex(Values)},     {"merge", hex(Merge)},  {"append_cell", hex(append_cell)},
          {"compact", Kind(Compact)}, {"name", hex(Names)},   {"packed", hex(PackedCells)},
          {"object", hex(Objects)},   {"day", hex(DayCells)}, {"histogram", hex(Histograms)}};
}

// The lines of the README's blocks marked `bytes`.
std::vector<std::string> Examples() {
  std::ifstream file(SourcePath("codec/README.md"));
  std::vector<std::string> examples;
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("```")) {
      inside = line == "```bytes";
    } else if (inside) {
      examples.push_back(line);
    }
  }
  return examples;
}

TEST(ReadmeTest, EveryExampleIsWhatTheCodeStores) {
  const std::map<std::string, Kind> kinds = Kinds();
  std::map<std::string, int> seen;
  for (const std::string& example : Examples()) {
    SCOPED_TRACE(example);
    const size_t colon = example.find(": ");
    const size_t equals = example.rfind(" = ");
    ASSERT_TRUE(colon != std::string::npos && equals != std::string::npos && colon < equals);
    const auto kind = kinds.find(example.substr(0, colon));
    ASSERT_TRUE(kind != kinds.end()) << "no such kind of example";
    ++seen[kind->first];

    const std::string encoded = kind->second(example.substr(colon + 2, equals - colon - 2));

    EXPECT_EQ(encoded, example.substr(equals + 3));
  }
  EXPECT_EQ(seen.size(), kinds.size()) << "a kind without an example";
}

}  // namespace
}  // namespace hourcell::readme_test
