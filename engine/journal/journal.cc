#include "engine/journal/journal.h"

namespace hourcell {

// Only a journal of files takes anything out.
const std::vector<JournalCut>& Journal::cuts() const {
  static const auto* const none = new std::vector<JournalCut>();
  return *none;
}

absl::StatusOr<std::vector<JournalCut>> Journal::UnseenCuts() const {
  return std::vector<JournalCut>();
}

absl::Status Journal::Acknowledge(const std::vector<JournalCut>& /*cuts*/) {
  return absl::OkStatus();
}

}  // namespace hourcell
