#include "server/documents/stored_view.h"

#include <algorithm>
#include <cstddef>
#include <optional>

#include <absl/status/status.h>
#include <fmt/format.h>

#include "codec/base/crc32c.h"
#include "codec/base/json_writer.h"
#include "codec/base/strings.h"
#include "server/text/json_cursor.h"

namespace hourcell {
namespace {

absl::Status DamagedView(std::string_view line) {
  return absl::DataLossError(
      fmt::format("view: expected a line about its last change, got {}", QuoteForMessage(line)));
}

}  // namespace

std::string PrintStoredView(const StoredView& view) {
  std::string text;
  JsonWriter json(&text);
  json.OpenObject();
  json.Field("changed", view.changed_ms);
  json.Field("by", view.by);
  json.CloseObject();
  text += '\n';
  text += view.document;
  return text;
}

absl::StatusOr<StoredView> ParseStoredView(std::string_view text) {
  const size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  StoredView view{.document = std::string(text.substr(std::min(end + 1, text.size())))};
  std::optional<uint64_t> changed_ms;
  try {
    JsonCursor json(line);
    std::string buffer;
    json.Object([&](std::string_view key) {
      if (key == "changed") {
        changed_ms = ParseUnsigned(json.Scalar());
      } else if (key == "by") {
        view.by = json.String(&buffer);
      } else {
        json.Skip();
      }
    });
    json.End();
  } catch (const JsonSyntaxFault&) {
    return DamagedView(line);
  }
  if (!changed_ms.has_value() || *changed_ms > uint64_t{INT64_MAX}) return DamagedView(line);
  view.changed_ms = static_cast<int64_t>(*changed_ms);
  return view;
}

std::string EntityTagOf(const StoredView& view) {
  return fmt::format("\"{:x}-{:08x}\"", view.changed_ms, Crc32c(view.document));
}

}  // namespace hourcell
