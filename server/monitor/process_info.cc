#include "server/monitor/process_info.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "codec/base/json_writer.h"
#include "server/config/version.h"

namespace hourcell {
namespace {

template <typename Number>
bool ReadNumber(std::string_view text, Number* number) {
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, *number);
  return read.ec == std::errc() && read.ptr == end;
}

// The fields after the name, which may have blanks and brackets: state, parent, ...
std::vector<std::string_view> SplitFields(std::string_view text) {
  std::vector<std::string_view> fields;
  while (!text.empty()) {
    const size_t end = std::min(text.find_first_of(" \n"), text.size());
    if (end > 0) fields.push_back(text.substr(0, end));
    text.remove_prefix(std::min(text.size(), end + 1));
  }
  return fields;
}

std::vector<ProcessThread> ListThreads() {
  std::vector<ProcessThread> threads;
  std::error_code error;
  for (std::filesystem::directory_iterator it("/proc/self/task", error), end; !error && it != end;
       it.increment(error)) {
    // A thread may end meanwhile.
    std::ifstream file(it->path() / "stat");
    std::ostringstream text;
    text << file.rdbuf();
    if (const auto thread = ParseThreadStat(text.str())) threads.push_back(*thread);
  }
  std::ranges::sort(threads, {}, &ProcessThread::id);
  return threads;
}

// As Java's Thread.State.
std::string_view StateName(char state) {
  if (state == 'R') return "RUNNABLE";
  if (state == 'D') return "BLOCKED";
  if (state == 'X' || state == 'Z') return "TERMINATED";
  return "WAITING";
}

// Java has 1 to 10, and 5 for a thread with the usual priority.
int64_t PriorityOf(int64_t nice) {
  return std::clamp<int64_t>(5 - nice / 4, 1, 10);
}

int64_t MachineMemoryBytes() {
  return static_cast<int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
}

void AddMemory(std::string_view name, int64_t used, int64_t max, JsonWriter* json) {
  json->Key(name);
  json->OpenObject();
  json->Field("init", 0);
  json->Field("used", used);
  json->Field("committed", used);
  json->Field("max", max);
  json->CloseObject();
}

void AddEmptyObject(std::string_view name, JsonWriter* json) {
  json->Key(name);
  json->OpenObject();
  json->CloseObject();
}

}  // namespace

std::optional<ProcessThread> ParseThreadStat(std::string_view text) {
  const size_t open = text.find(" (");
  const size_t close = text.rfind(") ");
  if (open == std::string_view::npos || close == std::string_view::npos || close < open + 2) {
    return std::nullopt;
  }
  ProcessThread thread;
  thread.name = text.substr(open + 2, close - open - 2);
  const std::vector<std::string_view> fields = SplitFields(text.substr(close + 2));
  constexpr size_t kNice = 16;  // the 19th field of the file
  if (fields.size() <= kNice || fields[0].size() != 1 ||
      !ReadNumber(text.substr(0, open), &thread.id) || !ReadNumber(fields[kNice], &thread.nice)) {
    return std::nullopt;
  }
  thread.state = fields[0].front();
  return thread;
}

int64_t ResidentBytes() {
  std::FILE* const file = std::fopen("/proc/self/statm", "re");
  if (file == nullptr) return 0;
  long long pages = 0;  // NOLINT(google-runtime-int): of scanf's format
  const bool is_read = std::fscanf(file, "%*s %lld", &pages) == 1;
  std::fclose(file);
  return is_read ? pages * sysconf(_SC_PAGESIZE) : 0;
}

HttpResponse ThreadStats() {
  HttpResponse response;
  JsonWriter json(&response.body);
  json.OpenArray();
  for (const ProcessThread& thread : ListThreads()) {
    json.OpenObject();
    json.Field("threadID", thread.id);
    json.Field("name", thread.name);
    json.Field("state", StateName(thread.state));
    json.Field("interrupted", false);
    json.Field("priority", PriorityOf(thread.nice));
    json.Key("stack");
    json.OpenArray();
    json.CloseArray();
    json.CloseObject();
  }
  json.CloseArray();
  return response;
}

HttpResponse JvmStats(int64_t started_ms, int64_t now_ms) {
  HttpResponse response;
  JsonWriter json(&response.body);
  json.OpenObject();
  json.Key("runtime");
  json.OpenObject();
  json.Field("startTime", started_ms);
  json.Field("uptime", std::max<int64_t>(0, now_ms - started_ms));
  json.Field("vmName", "hourcell");
  json.Field("vmVendor", "hourcell");
  json.Field("vmVersion", kHourcellVersion);
  json.CloseObject();
  json.Key("memory");
  json.OpenObject();
  AddMemory("heapMemoryUsage", ResidentBytes(), MachineMemoryBytes(), &json);
  AddMemory("nonHeapMemoryUsage", 0, -1, &json);
  json.Field("objectsPendingFinalization", 0);
  json.CloseObject();
  AddEmptyObject("gc", &json);
  AddEmptyObject("pools", &json);
  json.Key("os");
  json.OpenObject();
  double load = -1;
  if (getloadavg(&load, 1) != 1) load = -1;
  json.Key("systemLoadAverage");
  json.RawValue()->append(fmt::format("{:.2f}", load));
  json.CloseObject();
  json.CloseObject();
  return response;
}

HttpResponse RegionClientStats() {
  HttpResponse response;
  response.body = "[]";
  return response;
}

}  // namespace hourcell
