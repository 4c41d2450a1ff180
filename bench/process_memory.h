// The memory of another process, from /proc.

#pragma once

#include <sys/types.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace hourcell {

// A field of /proc/<pid>/status such as "VmRSS:" or "VmHWM:", in MiB; 0 if it is missing.
inline double ProcessMib(pid_t pid, std::string_view field) {
  std::ifstream status(fmt::format("/proc/{}/status", pid));
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(field))
      return static_cast<double>(std::strtoll(line.c_str() + field.size(), nullptr, 10)) / 1024;
  }
  return 0;
}

}  // namespace hourcell
