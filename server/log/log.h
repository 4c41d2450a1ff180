// Log: one line per event, to stderr, with UTC time and level, as text or as a JSON object:
//
//   2026-01-31T12:00:00.000Z warning journal: ...
//   {"time":"2026-01-31T12:00:00.000Z","level":"warning","message":"journal: ..."}
//
// A facade, so that spdlog is compiled only once. The newest kRecentLogLines lines also stay in
// memory, for /logs.
//
// Thread-safe. Line ends and other control characters in a message become blanks: user text cannot
// forge a line.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace hourcell {

enum class LogLevel : uint8_t { kDebug, kInfo, kWarning, kError };

enum class LogFormat : uint8_t { kText, kJson };

// Initially kText.
void SetLogFormat(LogFormat format);

void LogMessage(LogLevel level, std::string_view message);

inline constexpr size_t kRecentLogLines = 1024;

struct LogLine {
  int64_t time_s = 0;  // since 1970
  LogLevel level = LogLevel::kInfo;
  std::string thread = {};   // the name of the thread that wrote it
  std::string message = {};  // without control characters
};

// The newest lines, newest first.
std::vector<LogLine> RecentLog();

template <typename... Args>
void LogInfo(fmt::format_string<Args...> format, Args&&... args) {
  LogMessage(LogLevel::kInfo, fmt::format(format, std::forward<Args>(args)...));
}
template <typename... Args>
void LogWarning(fmt::format_string<Args...> format, Args&&... args) {
  LogMessage(LogLevel::kWarning, fmt::format(format, std::forward<Args>(args)...));
}
template <typename... Args>
void LogError(fmt::format_string<Args...> format, Args&&... args) {
  LogMessage(LogLevel::kError, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace hourcell
