#include "server/log/log.h"

#include <pthread.h>

#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <spdlog/logger.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include "codec/base/json_writer.h"
#include "server/log/log_ring.h"

namespace hourcell {
namespace {

constexpr char kTextPattern[] = "%Y-%m-%dT%H:%M:%S.%eZ %l %v";
constexpr char kJsonPattern[] = R"({"time":"%Y-%m-%dT%H:%M:%S.%eZ","level":"%l","message":%v})";

spdlog::level::level_enum SpdlogLevel(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return spdlog::level::debug;
    case LogLevel::kInfo:
      return spdlog::level::info;
    case LogLevel::kWarning:
      return spdlog::level::warn;
    case LogLevel::kError:
      return spdlog::level::err;
  }
  return spdlog::level::err;
}

// For the messages from now on; the logger's pattern has the rest of the format.
std::atomic<bool> is_json = false;

spdlog::logger& Logger() {
  static const std::shared_ptr<spdlog::logger> logger = [] {
    auto made = std::make_shared<spdlog::logger>("hourcell",
                                                 std::make_shared<spdlog::sinks::stderr_sink_mt>());
    made->set_pattern(kTextPattern, spdlog::pattern_time_type::utc);
    return made;
  }();
  return *logger;
}

// Never destroyed: threads may log until the process ends.
LogRing& Recent() {
  static auto* const ring = new LogRing(kRecentLogLines);
  return *ring;
}

std::string ThreadName() {
  std::array<char, 16> name{};  // the most that Linux keeps
  pthread_getname_np(pthread_self(), name.data(), name.size());
  return name.data();
}

int64_t NowS() {
  const auto now = spdlog::log_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::seconds>(now).count();
}

}  // namespace

void SetLogFormat(LogFormat format) {
  is_json = format == LogFormat::kJson;
  Logger().set_pattern(is_json ? kJsonPattern : kTextPattern, spdlog::pattern_time_type::utc);
}

void LogMessage(LogLevel level, std::string_view message) {
  const spdlog::level::level_enum spdlog_level = SpdlogLevel(level);
  if (!Logger().should_log(spdlog_level)) return;
  std::string line(message);
  for (char& c : line) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7F) c = ' ';
  }
  Recent().Add({.time_s = NowS(), .level = level, .thread = ThreadName(), .message = line});
  if (is_json) {
    std::string quoted;
    AppendJsonString(line, &quoted);
    line = std::move(quoted);
  }
  Logger().log(spdlog_level, spdlog::string_view_t(line.data(), line.size()));
}

std::vector<LogLine> RecentLog() {
  return Recent().Newest();
}

}  // namespace hourcell
