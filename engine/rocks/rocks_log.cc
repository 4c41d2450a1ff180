#include "engine/rocks/rocks_log.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include <rocksdb/env.h>

#include "codec/base/clock.h"

// Why RocksDB's logger is not used: it keeps an error of its file, and Debian's build then ends the
// process at the next line, so that a full disk ended the server. A lost line matters less than the
// process.

namespace hourcell {
namespace {

constexpr uintmax_t kLogBytesKept = 1 << 20;
constexpr size_t kLineBytesMax = 1024;

class RocksLog : public rocksdb::Logger {
 public:
  explicit RocksLog(int file) : Logger(rocksdb::InfoLogLevel::WARN_LEVEL), file_(file) {}
  ~RocksLog() override {
    if (file_ >= 0) close(file_);
  }

  using Logger::Logv;
  void Logv(const char* format, va_list values) override {
    std::array<char, kLineBytesMax> line{};
    const auto now_ms = static_cast<long long>(Clock::System()->NowMs());
    int size = std::snprintf(line.data(), line.size(), "%lld ", now_ms);
    size += std::max(
        std::vsnprintf(line.data() + size, line.size() - static_cast<size_t>(size), format, values),
        0);
    // Truncated to the buffer; the last byte becomes the newline.
    const size_t bytes = std::min(static_cast<size_t>(size), line.size() - 2);
    line[bytes] = '\n';
    [[maybe_unused]] const ssize_t written = write(file_, line.data(), bytes + 1);
  }

 private:
  const int file_;  // -1: the file could not be opened
};

}  // namespace

std::shared_ptr<rocksdb::Logger> OpenRocksLog(const std::string& path) {
  std::error_code error;
  const uintmax_t bytes = std::filesystem::file_size(path, error);
  if (!error && bytes > kLogBytesKept) std::filesystem::rename(path, path + ".old", error);
  return std::make_shared<RocksLog>(
      open(path.c_str(), O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0644));
}

}  // namespace hourcell
