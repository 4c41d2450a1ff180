#include "engine/regions/presplit/presplit.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "codec/rows/salt.h"
#include "engine/regions/presplit/split_algorithm.h"
#include "engine/regions/region_name.h"

// Why one text for all ways: the command line, a setting and HTTP accept the same form, and give
// the same errors.

namespace hourcell {
namespace {

using Kind = PresplitSpec::Kind;

// The operand after the word of a specification.
enum class Operand : uint8_t { kNothing, kRegions, kKeys, kPath };

struct Word {
  std::string_view name;
  Kind kind;
  Operand operand;
  uint32_t regions_min;
};

constexpr std::array kWords = {
    Word{"hex", Kind::kHexString, Operand::kRegions, 1},
    Word{"decimal", Kind::kDecimalString, Operand::kRegions, 1},
    Word{"uniform", Kind::kUniform, Operand::kRegions, 2},
    Word{"keys", Kind::kKeys, Operand::kKeys, 0},
    Word{"file", Kind::kFile, Operand::kPath, 0},
    Word{"salt", Kind::kSalt, Operand::kNothing, 0},
    Word{"partition", Kind::kPartition, Operand::kRegions, 2},
};

const Word& WordOf(Kind kind) {
  return *std::find_if(kWords.begin(), kWords.end(),
                       [&](const Word& word) { return word.kind == kind; });
}

absl::Status RefusePresplit(std::string_view spec, std::string_view want) {
  return absl::InvalidArgumentError(
      fmt::format("pre-split {}: expected {}", QuoteForMessage(spec), want));
}

absl::StatusOr<uint32_t> ParseRegions(std::string_view spec,
                                      std::string_view text,
                                      uint32_t regions_min) {
  uint32_t regions = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), regions);
  if (error != std::errc() || end != text.data() + text.size() || regions < regions_min ||
      regions > kPresplitRegionsMax) {
    return RefusePresplit(spec, fmt::format("a number of regions from {} to {} after the colon",
                                            regions_min, kPresplitRegionsMax));
  }
  return regions;
}

// Splits `text` at every `separator` and reads each part as a key.
absl::StatusOr<std::vector<std::string>> ParseKeys(std::string_view text, char separator) {
  std::vector<std::string> keys;
  for (;;) {
    const size_t end = std::min(text.find(separator), text.size());
    HOURCELL_ASSIGN_OR_RETURN(std::string key, FromStringBinary(text.substr(0, end)));
    keys.push_back(std::move(key));
    if (keys.size() > kPresplitRegionsMax || end == text.size()) break;
    text.remove_prefix(end + 1);
  }
  return SortSplitKeys(std::move(keys));
}

absl::Status CheckTextSize(std::string_view text) {
  if (text.size() <= kSplitTextBytesMax) return absl::OkStatus();
  return absl::InvalidArgumentError(fmt::format("split keys: expected at most {} bytes, got {}",
                                                kSplitTextBytesMax, text.size()));
}

}  // namespace

absl::StatusOr<PresplitSpec> ParsePresplit(std::string_view text) {
  HOURCELL_RETURN_IF_ERROR(CheckTextSize(text));
  const size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  const auto word = std::find_if(kWords.begin(), kWords.end(),
                                 [&](const Word& known) { return known.name == name; });
  if (word == kWords.end()) {
    return RefusePresplit(
        text, "hex:N, decimal:N, uniform:N, keys:A,B..., file:PATH, salt or partition:N");
  }
  const bool has_operand = colon != std::string_view::npos;
  const std::string_view operand = has_operand ? text.substr(colon + 1) : "";
  PresplitSpec spec{.kind = word->kind, .regions = 0, .keys = {}, .path = ""};
  switch (word->operand) {
    case Operand::kNothing:
      if (has_operand) return RefusePresplit(text, "nothing after the word");
      break;
    case Operand::kRegions: {
      HOURCELL_ASSIGN_OR_RETURN(spec.regions, ParseRegions(text, operand, word->regions_min));
      break;
    }
    case Operand::kKeys: {
      HOURCELL_ASSIGN_OR_RETURN(spec.keys, ParseKeys(operand, ','));
      break;
    }
    case Operand::kPath:
      if (operand.empty()) return RefusePresplit(text, "a path after the colon");
      spec.path = operand;
      break;
  }
  return spec;
}

std::string FormatPresplit(const PresplitSpec& spec) {
  const Word& word = WordOf(spec.kind);
  switch (word.operand) {
    case Operand::kNothing:
      break;
    case Operand::kRegions:
      return fmt::format("{}:{}", word.name, spec.regions);
    case Operand::kPath:
      return fmt::format("{}:{}", word.name, spec.path);
    case Operand::kKeys: {
      std::string text = fmt::format("{}:", word.name);
      for (const std::string& key : spec.keys) {
        if (&key != spec.keys.data()) text += ',';
        for (const char c : ToStringBinary(key))
          c == ',' ? void(text += "\\x2C") : void(text += c);
      }
      return text;
    }
  }
  return std::string(word.name);
}

absl::StatusOr<std::vector<std::string>> PresplitKeys(const PresplitSpec& spec,
                                                      const Layout& layout,
                                                      std::string_view file_text) {
  switch (spec.kind) {
    case Kind::kHexString:
      return SplitAlgorithm::HexString().Split(spec.regions);
    case Kind::kDecimalString:
      return SplitAlgorithm::DecimalString().Split(spec.regions);
    case Kind::kUniform:
      return SplitAlgorithm::Uniform().Split(spec.regions);
    case Kind::kKeys:
      return SortSplitKeys(spec.keys);
    case Kind::kFile:
      return ParseSplitsFile(file_text);
    case Kind::kSalt:
      return SaltKeys(layout);
    case Kind::kPartition:
      break;
  }
  return PartitionKeys(spec.regions);
}

absl::StatusOr<std::vector<std::string>> SortSplitKeys(std::vector<std::string> keys) {
  if (keys.size() >= kPresplitRegionsMax) {
    return absl::InvalidArgumentError(
        fmt::format("split keys: expected at most {}, got more than {}", kPresplitRegionsMax - 1,
                    kPresplitRegionsMax - 1));
  }
  std::sort(keys.begin(), keys.end());
  for (size_t i = 0; i < keys.size(); ++i) {
    if (keys[i].empty()) {
      return absl::InvalidArgumentError(
          "split keys: expected none (the first region begins with nothing), got an empty one");
    }
    if (keys[i].size() > kSplitKeyBytesMax) {
      return absl::InvalidArgumentError(
          fmt::format("split key {}: expected at most {} bytes, got {}", QuoteForMessage(keys[i]),
                      kSplitKeyBytesMax, keys[i].size()));
    }
    if (i > 0 && keys[i] == keys[i - 1]) {
      return absl::InvalidArgumentError(
          fmt::format("split key {}: expected each once, got it twice", QuoteForMessage(keys[i])));
    }
  }
  return keys;
}

absl::StatusOr<std::vector<std::string>> ParseSplitsFile(std::string_view text) {
  HOURCELL_RETURN_IF_ERROR(CheckTextSize(text));
  std::vector<std::string> keys;
  for (size_t number = 1; !text.empty() && keys.size() < kPresplitRegionsMax; ++number) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    auto key = FromStringBinary(line);
    if (!key.ok() || key->empty()) {
      return absl::InvalidArgumentError(fmt::format(
          "split keys, line {}: {}", number,
          key.ok() ? "expected one key a line, got nothing" : std::string(key.status().message())));
    }
    keys.push_back(*std::move(key));
  }
  return SortSplitKeys(std::move(keys));
}

absl::StatusOr<std::vector<std::string>> CreateTableKeys(std::string_view start,
                                                         std::string_view end,
                                                         uint32_t regions) {
  if (regions < 3 || regions > kPresplitRegionsMax) {
    return absl::InvalidArgumentError(
        fmt::format("create table: expected 3 to {} regions, got {}: below the start, above the "
                    "end and between",
                    kPresplitRegionsMax, regions));
  }
  if (start.empty() || end <= start) {
    return absl::InvalidArgumentError(
        fmt::format("create table from {} to {}: expected a start, and an end above it",
                    QuoteForMessage(start), QuoteForMessage(end)));
  }
  if (regions == 3) return std::vector{std::string(start), std::string(end)};
  return SplitBytes(start, end, /*counts_end=*/false, regions - 3);
}

absl::StatusOr<std::vector<std::string>> SaltKeys(const Layout& layout) {
  if (layout.salt_width == 0 || layout.fields.empty() || layout.fields[0] != RowField::kSalt) {
    return absl::InvalidArgumentError(
        "pre-split by salt: expected a layout whose row keys begin with a salt");
  }
  if (layout.salt_buckets < 2 || layout.salt_buckets > kPresplitRegionsMax) {
    return absl::InvalidArgumentError(
        fmt::format("pre-split by salt: expected 2 to {} buckets, got {}", kPresplitRegionsMax,
                    layout.salt_buckets));
  }
  std::vector<std::string> keys;
  for (uint32_t bucket = 1; bucket < layout.salt_buckets; ++bucket)
    AppendSalt(layout, bucket, &keys.emplace_back());
  return keys;
}

absl::StatusOr<std::vector<std::string>> PartitionKeys(uint32_t partitions) {
  if (partitions < 2 || partitions > kPresplitRegionsMax) {
    return absl::InvalidArgumentError(fmt::format(
        "pre-split by partition: expected 2 to {}, got {}", kPresplitRegionsMax, partitions));
  }
  std::vector<std::string> keys;
  for (uint32_t partition = 1; partition < partitions; ++partition)
    AppendBigEndian(partition, 8, &keys.emplace_back());
  return keys;
}

size_t RegionIndexOf(const std::vector<std::string>& split_keys, std::string_view row) {
  const auto above = std::upper_bound(split_keys.begin(), split_keys.end(), row);
  return static_cast<size_t>(above - split_keys.begin());
}

}  // namespace hourcell
