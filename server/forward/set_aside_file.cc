#include "server/forward/set_aside_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include <fmt/format.h>

#include "codec/text/number.h"
#include "codec/text/point_text.h"
#include "server/histograms/histogram_line.h"

namespace hourcell {
namespace {

std::string LineOf(const PointView& point, std::string_view cell) {
  if (!cell.empty()) {
    std::string histogram;
    AppendHistogramLine(point, cell, &histogram);
    return histogram + '\n';
  }
  std::string line = fmt::format("{} ", point.metric);
  AppendTimestamp(point.timestamp, &line);
  line += ' ';
  if (point.value.is_integer()) {
    line += fmt::to_string(point.value.integer());
  } else {
    AppendJavaDouble(point.value.floating(), &line);
  }
  for (const TagView& tag : point.tags)
    line += fmt::format(" {}={}", tag.key, tag.value);
  return line + '\n';
}

}  // namespace

absl::Status SetAsideFile::Add(const PointView& point, std::string_view cell) const {
  const auto fault = [this](std::string_view what) {
    return absl::UnavailableError(
        fmt::format("{} {}: {}", what, path_, std::generic_category().message(errno)));
  };
  const int file = open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (file < 0) return fault("open");
  const std::string line = LineOf(point, cell);
  absl::Status status;
  struct stat found{};
  if (fstat(file, &found) != 0) {
    status = fault("stat");
  } else if (static_cast<uint64_t>(found.st_size) + line.size() > bytes_max_) {
    status =
        absl::ResourceExhaustedError(fmt::format("{}: it has {} bytes; expected at most {}. Send "
                                                 "its points with hourcell import, and remove it",
                                                 path_, found.st_size, bytes_max_));
  } else if (write(file, line.data(), line.size()) != static_cast<ssize_t>(line.size())) {
    status = fault("write");
  } else if (fdatasync(file) != 0) {
    status = fault("sync");
  }
  close(file);
  return status;
}

}  // namespace hourcell
