#include <bit>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "codec/base/check.h"
#include "codec/limits.h"
#include "engine/hours/journal_payload.h"
#include "tests/fuzz/fuzz_input.h"

namespace hourcell {
namespace {

using Event = JournalPayloadReader::Event;

struct LoggedPoint {
  SeriesNumber series = 0;
  Timestamp time;
  Value value;
  friend bool operator==(const LoggedPoint&, const LoggedPoint&) = default;
};

// The points of a reader, and how many definitions came among them; false if it found damage.
bool ReadAll(JournalPayloadReader reader, std::vector<LoggedPoint>* points, size_t* definitions) {
  while (true) {
    switch (reader.Next()) {
      case Event::kPoint:
        HOURCELL_CHECK(reader.time().ms >= 0 && reader.time().ms <= kTimestampMsMax);
        points->push_back(
            {.series = reader.series(), .time = reader.time(), .value = reader.value()});
        break;
      case Event::kDefinition:
        HOURCELL_CHECK(reader.definition().tags.size() == reader.definition().tag_uids.size());
        ++*definitions;
        break;
      case Event::kEnd:
        return true;
      case Event::kDamaged:
        return false;
    }
  }
}

// Read in one go, and section by section as lanes do: the same points. Only the latter sees that
// definitions are longer than the section says.
void CheckRead(std::string_view payload) {
  std::vector<LoggedPoint> whole;
  size_t definitions = 0;
  const bool is_whole = ReadAll(JournalPayloadReader(payload), &whole, &definitions);

  std::vector<PointSection> sections;
  std::vector<LoggedPoint> parts;
  size_t part_definitions = 0;
  bool is_readable = SplitPayload(payload, &sections);
  for (const PointSection& section : sections) {
    if (!is_readable) break;
    // In a sorted section points are after the definitions; else they are among them.
    if (section.is_sorted && section.defining > 0) {
      std::vector<LoggedPoint> none;
      is_readable =
          ReadAll(JournalPayloadReader(section, section.definitions()), &none, &part_definitions);
      if (!none.empty()) return;  // no writer puts points there
    }
    is_readable = is_readable && ReadAll(JournalPayloadReader(section, section.points()), &parts,
                                         &part_definitions);
  }
  HOURCELL_CHECK(is_whole || !is_readable);
  if (!is_readable) return;
  HOURCELL_CHECK(parts == whole);
  HOURCELL_CHECK(part_definitions == definitions);
}

// Points made of the input come back as they were.
void CheckRoundTrip(std::string_view input) {
  JournalPayloadWriter writer;
  std::vector<LoggedPoint> sent;
  const uint64_t stride = 1 + TakeByte(&input) % 4;
  const uint64_t residue = TakeByte(&input) % stride;
  LoggedPoint point{.series = residue, .time = {}, .value = {}};
  while (!input.empty() && sent.size() < 64) {
    const uint8_t how = TakeByte(&input);
    uint64_t bits = 0;
    const std::string_view raw = input.substr(0, 8);
    std::memcpy(&bits, raw.data(), raw.size());
    input.remove_prefix(raw.size());
    if ((how & 1) != 0) point.series = bits / stride * stride + residue;
    if (point.series % stride != residue) point.series = residue;  // the last of them wraps
    if ((how & 2) != 0) {
      const auto ms = static_cast<int64_t>(bits % (kTimestampMsMax + 1));
      point.time = (how & 4) != 0 ? Timestamp{.ms = ms, .is_ms = true}
                                  : Timestamp{.ms = ms / 1000 * 1000, .is_ms = false};
    }
    const double floating = std::bit_cast<double>(bits);
    point.value = (how & 8) != 0
                      ? Value::Float(floating)
                      : Value::Integer(static_cast<int64_t>((how & 16) != 0 ? bits % 16 : bits));
    writer.Add(point.series, point.time, point.value);
    sent.push_back(point);
  }
  writer.Finish({.stride = stride, .residue = residue});
  std::string payload(kPayloadWithoutDefinitions);
  payload += writer.bytes();
  std::vector<LoggedPoint> found;
  size_t definitions = 0;
  HOURCELL_CHECK(ReadAll(JournalPayloadReader(payload), &found, &definitions));
  HOURCELL_CHECK(found == sent && definitions == 0);
  CheckRead(payload);
}

}  // namespace
}  // namespace hourcell

// Any payload is read or found damaged, whole and section by section alike; points made of the same
// bytes are written and read back.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hourcell;
  const std::string_view input = InputText(data, size);
  CheckRead(input);
  CheckRoundTrip(input);
  return 0;
}
