#include "engine/regions/region_name.h"

#include <charconv>

#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "engine/regions/md5.h"

// Why HBase's names, with an MD5 at the end: operators and tools know them. Regions are not sorted
// by this text, because "aa1!" sorts before "aa1," (HBASE-24376); table, start and id are compared
// instead.

namespace hourcell {
namespace {

constexpr size_t kEncodedDigits = 32;
constexpr size_t kIdDigitsMax = 19;

bool IsPlain(char c) {
  return c >= ' ' && c <= '~' && c != '\\';
}

absl::Status BadName(std::string_view name, std::string_view why) {
  return absl::InvalidArgumentError(fmt::format(
      "region name {}: {}; expected <table>,<start>,<id>.<md5>.", QuoteForMessage(name), why));
}

absl::StatusOr<RegionId> ParseId(std::string_view name, std::string_view digits) {
  uint64_t value = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, value);
  const bool leads_with_zero = digits.size() > 1 && digits.front() == '0';
  if (error != std::errc() || stop != end || digits.size() > kIdDigitsMax || leads_with_zero) {
    return BadName(name, fmt::format("id {} is no number", QuoteForMessage(digits)));
  }
  return RegionId{.value = value};
}

// "<table>,<start>,<id>": the input of the encoded name's hash.
std::string HashedPart(std::string_view table, std::string_view start, RegionId id) {
  return fmt::format("{},{},{}", table, start, id.value);
}

}  // namespace

std::string ToStringBinary(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) {
    if (IsPlain(c)) {
      text += c;
    } else {
      text += "\\x";
      text += ToUpperHex({&c, 1});
    }
  }
  return text;
}

std::string RangeText(const RegionRange& range) {
  return fmt::format("[{}, {})", ToStringBinary(range.start), ToStringBinary(range.end));
}

absl::StatusOr<std::string> FromStringBinary(std::string_view text) {
  std::string bytes;
  while (!text.empty()) {
    if (IsPlain(text.front())) {
      bytes += text.front();
      text.remove_prefix(1);
      continue;
    }
    const auto byte = text.starts_with("\\x") && text.size() >= 4 ? FromHex(text.substr(2, 2))
                                                                  : absl::StatusOr<std::string>("");
    if (!byte.ok() || byte->empty()) {
      return absl::InvalidArgumentError(fmt::format(
          "bytes as text: expected printable ASCII or \\xNN, got {}", QuoteForMessage(text)));
    }
    bytes += *byte;
    text.remove_prefix(4);
  }
  return bytes;
}

std::string EncodedRegionName(std::string_view table, std::string_view start, RegionId id) {
  return Md5Hex(HashedPart(table, start, id));
}

std::string RegionName(std::string_view table, std::string_view start, RegionId id) {
  const std::string hashed = HashedPart(table, start, id);
  return fmt::format("{}.{}.", hashed, Md5Hex(hashed));
}

std::string PrintableRegionName(std::string_view table, std::string_view start, RegionId id) {
  return ToStringBinary(RegionName(table, start, id));
}

absl::StatusOr<RegionNameParts> ParseRegionName(std::string_view name) {
  constexpr size_t kTailBytes = kEncodedDigits + 2;  // ".<md5>."
  if (name.size() < kTailBytes || name.back() != '.' || name[name.size() - kTailBytes] != '.') {
    return BadName(name, "no encoded name at its end");
  }
  const std::string_view hashed = name.substr(0, name.size() - kTailBytes);
  const std::string_view encoded = name.substr(hashed.size() + 1, kEncodedDigits);
  const size_t first = hashed.find(',');
  const size_t last = hashed.rfind(',');
  if (first == std::string_view::npos || first == last) return BadName(name, "fewer than 2 commas");
  if (first == 0) return BadName(name, "empty table");
  HOURCELL_ASSIGN_OR_RETURN(const RegionId id, ParseId(name, hashed.substr(last + 1)));

  const std::string want = Md5Hex(hashed);
  if (encoded != want) {
    return BadName(
        name, fmt::format("encoded name {}, but its hash is {}", QuoteForMessage(encoded), want));
  }
  return RegionNameParts{.table = std::string(hashed.substr(0, first)),
                         .start = std::string(hashed.substr(first + 1, last - first - 1)),
                         .id = id};
}

absl::StatusOr<RegionNameParts> ParsePrintableRegionName(std::string_view text) {
  HOURCELL_ASSIGN_OR_RETURN(const std::string name, FromStringBinary(text));
  return ParseRegionName(name);
}

}  // namespace hourcell
