#include "engine/documents/saved_view_store.h"

#include <algorithm>
#include <cstddef>

#include <fmt/format.h>

#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "engine/saved_views.h"

namespace hourcell {
namespace {

constexpr char kDeleteCharacter = '\x7F';

bool IsControl(char c) {
  return (c >= 0 && c < ' ') || c == kDeleteCharacter;
}

// A name is one part of a path: a client would resolve "." and "..", and a "/" would end it.
absl::Status CheckViewName(std::string_view name) {
  const auto refuse = [name](std::string_view expected) {
    return absl::InvalidArgumentError(
        fmt::format("view name {}: expected {}", QuoteForMessage(name), expected));
  };
  if (name.empty() || name.size() > kSavedViewNameBytesMax) {
    return refuse(fmt::format("1 to {} bytes, got {}", kSavedViewNameBytesMax, name.size()));
  }
  if (!IsUtf8(name)) return refuse("UTF-8");
  if (std::ranges::any_of(name, IsControl)) return refuse("no control characters");
  if (name.find('/') != std::string_view::npos) return refuse("no \"/\"");
  if (name.front() == ' ' || name.back() == ' ') return refuse("no blank at either end");
  if (name == "." || name == "..") return refuse("more than dots");
  return absl::OkStatus();
}

}  // namespace

absl::Status SavedViewStore::CheckRoom() const {
  size_t views = 0;
  HOURCELL_RETURN_IF_ERROR(rows_.Visit([&views](std::string_view, std::string_view) {
    ++views;
    return true;
  }));
  if (views < kSavedViewsMax) return absl::OkStatus();
  return absl::ResourceExhaustedError(
      fmt::format("views: expected at most {} in a store; delete one", kSavedViewsMax));
}

absl::StatusOr<std::optional<std::string>> SavedViewStore::Find(std::string_view name) const {
  HOURCELL_RETURN_IF_ERROR(CheckViewName(name));
  return rows_.Find(name);
}

absl::Status SavedViewStore::Change(std::string_view name, const DocumentChange& change) {
  using Text = std::optional<std::string>;
  HOURCELL_RETURN_IF_ERROR(CheckViewName(name));
  return rows_.Change(name, [&](const Text& before) -> absl::StatusOr<Text> {
    HOURCELL_ASSIGN_OR_RETURN(Text after, change(before));
    if (after.has_value() && !before.has_value()) HOURCELL_RETURN_IF_ERROR(CheckRoom());
    return after;
  });
}

absl::Status SavedViewStore::Visit(
    const std::function<bool(std::string_view name, std::string_view text)>& visit) const {
  absl::Status checked;
  HOURCELL_RETURN_IF_ERROR(rows_.Visit([&](std::string_view name, std::string_view text) {
    checked = CheckViewName(name);
    return checked.ok() && visit(name, text);
  }));
  if (checked.ok()) return absl::OkStatus();
  return absl::DataLossError(fmt::format("meta: {}", MessageOf(checked)));
}

}  // namespace hourcell
