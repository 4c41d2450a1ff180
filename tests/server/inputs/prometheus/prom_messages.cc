#include "tests/server/inputs/prometheus/prom_messages.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <fmt/format.h>
#include <protozero/pbf_reader.hpp>
#include <protozero/pbf_writer.hpp>
#include <snappy.h>

namespace hourcell {
namespace {

using protozero::pbf_reader;
using protozero::pbf_writer;

// The numbers of fields that differ.
struct Fields {
  uint32_t series;
  uint32_t samples;
  uint32_t histograms;
  uint32_t exemplars;
};
constexpr Fields kFields1 = {.series = 1, .samples = 2, .histograms = 4, .exemplars = 3};
constexpr Fields kFields2 = {.series = 5, .samples = 2, .histograms = 3, .exemplars = 4};

uint32_t SymbolOf(const std::string& text, std::vector<std::string>* symbols) {
  const auto found = std::ranges::find(*symbols, text);
  const auto number = static_cast<uint32_t>(found - symbols->begin());
  if (found == symbols->end()) symbols->push_back(text);
  return number;
}

void AddLabels(const PromTestSeries& series,
               std::vector<std::string>* symbols,
               pbf_writer* message) {
  std::vector<uint32_t> numbers;
  for (const auto& [name, value] : series.labels) {
    if (symbols != nullptr) {
      numbers.push_back(SymbolOf(name, symbols));
      numbers.push_back(SymbolOf(value, symbols));
      continue;
    }
    pbf_writer label(*message, 1);
    label.add_string(1, name);
    label.add_string(2, value);
  }
  if (!numbers.empty()) message->add_packed_uint32(1, numbers.begin(), numbers.end());
}

std::string SeriesMessage(const PromTestSeries& series,
                          const Fields& fields,
                          std::vector<std::string>* symbols) {
  std::string bytes;
  pbf_writer message(bytes);
  AddLabels(series, symbols, &message);
  for (const PromSample& sample : series.samples) {
    pbf_writer part(message, fields.samples);
    part.add_double(1, sample.value);
    part.add_int64(2, sample.ms);
  }
  for (size_t i = 0; i < series.histograms; ++i)
    message.add_message(fields.histograms, std::string("\x08\x01"));
  for (const std::string& native : series.native)
    message.add_message(fields.histograms, native);
  for (size_t i = 0; i < series.exemplars; ++i)
    message.add_message(fields.exemplars, std::string("\x08\x01"));
  return bytes;
}

// Spans, and differences or counts. `first`: the number of the first field.
void AddNativeBuckets(const std::vector<std::pair<int32_t, double>>& buckets,
                      uint32_t first,
                      bool is_float,
                      pbf_writer* message) {
  std::vector<int64_t> deltas;
  std::vector<double> counts;
  int32_t next = 0;
  double before = 0;
  for (const auto& [index, count] : buckets) {
    pbf_writer span(*message, first);
    span.add_sint32(1, index - next);
    span.add_uint32(2, 1);
    next = index + 1;
    deltas.push_back(static_cast<int64_t>(count - before));
    counts.push_back(count);
    before = count;
  }
  if (buckets.empty()) return;
  if (is_float) {
    message->add_packed_double(first + 2, counts.begin(), counts.end());
  } else {
    message->add_packed_sint64(first + 1, deltas.begin(), deltas.end());
  }
}

}  // namespace

std::string PromNativeMessage(const PromTestNative& native) {
  std::string bytes;
  pbf_writer message(bytes);
  double count = native.zero_count;
  for (const auto* const buckets : {&native.positive, &native.negative}) {
    for (const auto& [index, in_bucket] : *buckets)
      count += in_bucket;
  }
  if (native.is_float) {
    message.add_double(2, count);
    message.add_double(7, native.zero_count);
  } else {
    message.add_uint64(1, static_cast<uint64_t>(count));
    message.add_uint64(6, static_cast<uint64_t>(native.zero_count));
  }
  message.add_double(3, native.sum);
  message.add_sint32(4, native.schema);
  message.add_double(5, native.zero_threshold);
  AddNativeBuckets(native.negative, 8, native.is_float, &message);
  AddNativeBuckets(native.positive, 11, native.is_float, &message);
  message.add_enum(14, native.hint);
  message.add_int64(15, native.ms);
  return bytes;
}

std::string PromMessage(PromWriteVersion version, const std::vector<PromTestSeries>& series) {
  const bool has_symbols = version == PromWriteVersion::k2;
  const Fields& fields = has_symbols ? kFields2 : kFields1;
  std::vector<std::string> symbols = {""};
  std::vector<std::string> parts;
  for (const PromTestSeries& one : series)
    parts.push_back(SeriesMessage(one, fields, has_symbols ? &symbols : nullptr));
  std::string bytes;
  pbf_writer message(bytes);
  if (has_symbols) {
    for (const std::string& symbol : symbols)
      message.add_string(4, symbol);
  }
  for (const std::string& part : parts)
    message.add_message(fields.series, part);
  if (!has_symbols) message.add_message(3, std::string("\x08\x01"));  // metadata
  return bytes;
}

std::string PromReadMessage(const std::vector<PromReadQuery>& queries,
                            const std::vector<int32_t>& types) {
  std::string bytes;
  pbf_writer message(bytes);
  for (const PromReadQuery& query : queries) {
    pbf_writer part(message, 1);
    part.add_int64(1, query.start_ms);
    part.add_int64(2, query.end_ms);
    for (const PromMatcher& matcher : query.matchers) {
      pbf_writer one(part, 3);
      one.add_enum(1, static_cast<int32_t>(matcher.type));
      one.add_string(2, matcher.name);
      one.add_string(3, matcher.value);
    }
  }
  message.add_packed_enum(2, types.begin(), types.end());
  return bytes;
}

std::vector<std::vector<std::string>> PromReadResults(const std::string& message) {
  std::vector<std::vector<std::string>> results;
  // A result of a read has its series as a write of version 1 has them.
  for (pbf_reader reader(message); reader.next(1);) {
    std::vector<std::string>& lines = results.emplace_back();
    const std::string result = reader.get_string();
    PromWriteRequest series(result, PromWriteVersion::k1);
    while (series.Next()) {
      std::string line = std::string(series.series().name) + "{";
      for (const TagView& label : series.series().labels)
        line += fmt::format("{}{}={}", line.ends_with('{') ? "" : ",", label.key, label.value);
      line += "}";
      for (const PromSample& sample : series.series().samples)
        line += fmt::format(" {}@{}", sample.value, sample.ms);
      lines.push_back(series.fault().empty() ? line : "!" + series.fault());
    }
    if (!series.error().empty()) lines.push_back("!" + series.error());
  }
  return results;
}

std::string FromSnappy(const std::string& block) {
  std::string text;
  return snappy::Uncompress(block.data(), block.size(), &text) ? text : "no block of snappy";
}

std::string SnappyBlock(const std::string& text) {
  std::string block;
  snappy::Compress(text.data(), text.size(), &block);
  return block;
}

}  // namespace hourcell
