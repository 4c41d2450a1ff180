#include "server/cluster/service_account.h"

#include <cerrno>
#include <cstddef>
#include <fstream>
#include <system_error>

#include <fmt/format.h>
#include <simdjson.h>

#include "codec/base/strings.h"

namespace hourcell {
namespace {

constexpr std::string_view kWanted = "the JSON key of a service account";
constexpr std::string_view kType = "service_account";
constexpr std::string_view kPem = "-----BEGIN ";

// A key has about 2,300 bytes.
constexpr size_t kFileBytesMax = 64 * 1024;

}  // namespace

absl::Status CheckServiceAccount(std::string_view text) {
  simdjson::dom::parser parser;
  simdjson::dom::element document;
  simdjson::dom::object key;
  if (parser.parse(text.data(), text.size()).get(document) != simdjson::SUCCESS ||
      document.get(key) != simdjson::SUCCESS) {
    return absl::InvalidArgumentError(
        fmt::format("expected {}, got {} bytes that are no JSON object", kWanted, text.size()));
  }
  for (const std::string_view field : {"type", "client_email", "private_key"}) {
    std::string_view value;
    if (key[field].get(value) != simdjson::SUCCESS || value.empty()) {
      return absl::InvalidArgumentError(
          fmt::format("{}: missing, or no text; expected {}", field, kWanted));
    }
    if (field == "type" && value != kType) {
      return absl::InvalidArgumentError(
          fmt::format("type: expected \"{}\", got {}", kType, QuoteForMessage(value)));
    }
    if (field == "private_key" && !value.starts_with(kPem)) {
      return absl::InvalidArgumentError(fmt::format(
          "private_key: expected {}, got text that does not begin with {}", kWanted, kPem));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> LoadServiceAccount(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    return absl::NotFoundError(fmt::format("{}: cannot be read: {}; expected {}", path,
                                           std::generic_category().message(errno), kWanted));
  }
  std::string text(kFileBytesMax + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad()) return absl::NotFoundError(fmt::format("{}: cannot be read", path));
  text.resize(static_cast<size_t>(file.gcount()));
  if (text.size() > kFileBytesMax) {
    return absl::InvalidArgumentError(
        fmt::format("{}: expected {}, got more than {} bytes", path, kWanted, kFileBytesMax));
  }
  const absl::Status checked = CheckServiceAccount(text);
  if (checked.ok()) return text;
  return absl::InvalidArgumentError(
      fmt::format("{}: {}", path, std::string(checked.message().data(), checked.message().size())));
}

}  // namespace hourcell
