#include "server/histograms/histogram_codecs.h"

#include <array>
#include <bitset>
#include <fstream>
#include <iterator>
#include <ranges>
#include <string_view>

#include <absl/status/status.h>
#include <fmt/format.h>
#include <simdjson.h>

#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "codec/histograms/exponential_histogram.h"

namespace hourcell {
namespace {

constexpr std::string_view kCodecsKey = "tsd.core.histograms.config";
constexpr int64_t kCodecIdMax = 255;
constexpr std::array<std::string_view, 3> kSimpleNames = {
    "net.opentsdb.core.SimpleHistogramDecoder", "SimpleHistogramDecoder", "simple"};

absl::Status WrongCodecs(std::string_view fault) {
  return absl::InvalidArgumentError(fmt::format("{}: {}", kCodecsKey, fault));
}

absl::StatusOr<std::string> CodecsText(const std::string& setting) {
  if (!setting.ends_with(".json")) return setting;
  std::ifstream file(setting);
  if (!file) {
    return absl::NotFoundError(
        fmt::format("{}: {}: not a file", kCodecsKey, QuoteForMessage(setting)));
  }
  return std::string(std::istreambuf_iterator<char>(file), {});
}

}  // namespace

absl::StatusOr<HistogramCodecs> ParseHistogramCodecs(const std::string& setting) {
  HistogramCodecs codecs;
  if (setting.empty()) return codecs;
  HOURCELL_ASSIGN_OR_RETURN(const std::string text, CodecsText(setting));
  simdjson::dom::parser parser;
  simdjson::dom::object object;
  if (parser.parse(text).get(object)) {
    return WrongCodecs(
        "expected a JSON object of codecs and their IDs, or the path of a .json file");
  }
  std::bitset<kCodecIdMax + 1> used;
  for (const auto [name, value] : object) {
    int64_t id = 0;
    if (value.get(id) || id < 0 || id > kCodecIdMax) {
      return WrongCodecs(fmt::format("{}: expected an ID of 0 to {}, got {}", QuoteForMessage(name),
                                     kCodecIdMax, simdjson::to_string(value)));
    }
    if (used.test(static_cast<size_t>(id))) {
      return WrongCodecs(fmt::format("{}: the ID {} occurs twice", QuoteForMessage(name), id));
    }
    used.set(static_cast<size_t>(id));
    if (id == kExponentialHistogramId) {
      return WrongCodecs(
          fmt::format("{}: expected another ID than {}, which is that of exponential histograms",
                      QuoteForMessage(name), id));
    }
    if (std::ranges::find(kSimpleNames, name) == kSimpleNames.end()) {
      return WrongCodecs(fmt::format("expected the codec {}, got {}", kSimpleNames.front(),
                                     QuoteForMessage(name)));
    }
    codecs.simple = static_cast<uint8_t>(id);
  }
  return codecs;
}

}  // namespace hourcell
