#include "server/cli/admin/doctor.h"

#include <sys/resource.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <fmt/format.h>

#include "codec/base/json_writer.h"
#include "codec/base/strings.h"
#include "engine/tsdb.h"
#include "server/cli/admin/doctor_server.h"
#include "server/cli/command_line.h"
#include "server/cli/store_flags.h"
#include "server/config/config.h"
#include "server/http/http_client.h"

namespace hourcell {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kDoctorCommand = "doctor";
constexpr uint64_t kMiB = 1 << 20;
// Sockets of a few hundred clients, in addition to the files of the store.
constexpr uint64_t kDescriptorsForClients = 1024;
// docs/overload.md: memory that settings do not control, names, and the process itself.
constexpr uint64_t kMemoryOfNoSetting = (210 + 46 + 50) * kMiB;
// On another machine's disk, files may be a little newer than this clock.
constexpr int64_t kClockSlackMs = 60'000;
// A server that does not answer within this time is a finding.
constexpr int64_t kServerPatienceMs = 20'000;

DoctorFinding Fine(std::string text) {
  return {.is_change = false, .text = std::move(text)};
}

DoctorFinding Change(std::string text) {
  return {.is_change = true, .text = std::move(text)};
}

DoctorFinding JudgeStore(const DoctorFacts& facts) {
  if (!facts.has_store) {
    return Fine(
        fmt::format("no store in {} yet; `serve` or `import` creates one", facts.directory));
  }
  if (facts.is_in_use) {
    return Fine(fmt::format("{}; hourcell doctor --url looks at that server",
                            facts.store_fault.substr(0, facts.store_fault.find('\n'))));
  }
  if (!facts.store_fault.empty()) {
    return Change(fmt::format("the store does not open: {}", facts.store_fault));
  }
  return Fine(
      fmt::format("the store in {} opens; hourcell fsck checks its content", facts.directory));
}

DoctorFinding JudgeJournal(const DoctorFacts& facts) {
  const uint64_t mib = facts.journal_bytes / kMiB;
  if (facts.journal_bytes <= facts.journal_limit) {
    return Fine(fmt::format("the journal has {} MiB, which a start replays", mib));
  }
  return Change(
      fmt::format("the journal has {} MiB, more than the {} MiB of tsd.storage.journal; "
                  "run hourcell store flush",
                  mib, facts.journal_limit / kMiB));
}

DoctorFinding JudgeDescriptors(const DoctorFacts& facts) {
  const uint64_t want = facts.open_files + kDescriptorsForClients;
  if (facts.descriptors >= want) {
    return Fine(fmt::format("{} file descriptors may be open", facts.descriptors));
  }
  return Change(
      fmt::format("only {} file descriptors may be open; raise the limit to at least {} "
                  "(LimitNOFILE= of the unit, or ulimit -n)",
                  facts.descriptors, want));
}

DoctorFinding JudgeDisk(const DoctorFacts& facts) {
  // A full journal, and the files that a flush of all memtables and a merge write.
  const uint64_t want = facts.journal_limit + 8 * facts.write_buffer;
  if (facts.disk_free >= want) {
    return Fine(fmt::format("the disk has {} MiB free", facts.disk_free / kMiB));
  }
  return Change(
      fmt::format("the disk has {} MiB free; the journal and flushes may need {} MiB: free "
                  "space, or lower tsd.storage.ttl",
                  facts.disk_free / kMiB, want / kMiB));
}

DoctorFinding JudgeFileSystem(const DoctorFacts& facts) {
  if (facts.filesystem == "tmpfs") {
    return Change("the store is in memory (tmpfs) and is lost with the machine; move it to a disk");
  }
  for (const std::string_view remote : {"nfs", "cifs", "fuse"}) {
    if (facts.filesystem != remote) continue;
    return Change(
        fmt::format("the store is on {}, where a sync may not reach a disk; move it to a "
                    "local file system",
                    remote));
  }
  return Fine("the file system is a local one");
}

DoctorFinding JudgeMemory(const DoctorFacts& facts) {
  const uint64_t sum = facts.memory_sum / kMiB;
  const uint64_t memory = facts.memory / kMiB;
  if (facts.memory == 0 || facts.memory_sum <= facts.memory) {
    return Fine(fmt::format("the settings allow {} MiB of memory", sum));
  }
  return Change(
      fmt::format("the settings allow {} MiB of memory and the machine has {} MiB; lower "
                  "tsd.query.memory, tsd.storage.block_cache or tsd.storage.open_hours",
                  sum, memory));
}

DoctorFinding JudgeClock(const DoctorFacts& facts) {
  if (facts.newest_file_ms <= facts.now_ms + kClockSlackMs) {
    return Fine("the clock is not earlier than the store's files");
  }
  return Change(
      fmt::format("the clock is {} s earlier than a file of the store; set it by NTP: "
                  "points expire, and hours are sealed, by the clock",
                  (facts.newest_file_ms - facts.now_ms) / 1000));
}

uint64_t DescriptorLimit() {
  rlimit limit = {};
  return getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : 0;
}

// The machine's memory, or the limit of the control group if that is less.
uint64_t MemoryOfMachine() {
  const auto pages = static_cast<uint64_t>(std::max(sysconf(_SC_PHYS_PAGES), 0L));
  const auto page_bytes = static_cast<uint64_t>(std::max(sysconf(_SC_PAGESIZE), 0L));
  const uint64_t machine = pages * page_bytes;
  std::ifstream file("/sys/fs/cgroup/memory.max");
  uint64_t group = 0;
  return file >> group && group < machine ? group : machine;
}

uint64_t MemorySum(const Config& config) {
  const auto size = [&config](std::string_view key) {
    return static_cast<uint64_t>(config.integer(key));
  };
  return size("tsd.storage.open_hours") + size("tsd.storage.series_cache") +
         size("tsd.query.memory") + size("tsd.http.request.memory") +
         size("tsd.storage.block_cache") + 6 * size("tsd.storage.write_buffer") +
         kMemoryOfNoSetting;
}

int64_t ModifiedMs(const fs::directory_entry& file) {
  std::error_code error;
  const fs::file_time_type time = file.last_write_time(error);
  if (error) return 0;
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::file_clock::to_sys(time).time_since_epoch())
      .count();
}

// Skips files that disappear meanwhile.
void LookAtFiles(DoctorFacts* facts) {
  std::error_code error;
  for (fs::recursive_directory_iterator file(facts->directory, error), end; !error && file != end;
       file.increment(error)) {
    std::error_code gone;
    if (!file->is_regular_file(gone) || gone) continue;
    facts->newest_file_ms = std::max(facts->newest_file_ms, ModifiedMs(*file));
    if (file->path().parent_path().filename() != "journal") continue;
    const uint64_t bytes = file->file_size(gone);
    if (!gone) facts->journal_bytes += bytes;
  }
}

// Reads the directory's disk, or that of its nearest existing parent.
void LookAtDisk(DoctorFacts* facts) {
  std::error_code error;
  fs::path path = fs::absolute(facts->directory, error);
  while (!fs::exists(path, error) && path.has_relative_path())
    path = path.parent_path();
  const fs::space_info space = fs::space(path, error);
  facts->disk_free = error ? 0 : space.available;
  struct statfs info = {};
  if (statfs(path.c_str(), &info) == 0) {
    facts->filesystem = FileSystemName(static_cast<uint64_t>(info.f_type));
  }
}

DoctorFacts Gather(const Config& config, WallClock* clock) {
  DoctorFacts facts;
  facts.directory = config.text("tsd.storage.directory");
  facts.has_store = HasStore(config);
  facts.now_ms = clock->NowMs();
  facts.descriptors = DescriptorLimit();
  facts.open_files = static_cast<uint64_t>(config.integer("tsd.storage.open_files"));
  facts.journal_limit = static_cast<uint64_t>(config.integer("tsd.storage.journal"));
  facts.write_buffer = static_cast<uint64_t>(config.integer("tsd.storage.write_buffer"));
  facts.memory = MemoryOfMachine();
  facts.memory_sum = MemorySum(config);
  LookAtFiles(&facts);
  LookAtDisk(&facts);
  if (!facts.has_store) return facts;
  absl::StatusOr<std::unique_ptr<Tsdb>> tsdb = OpenStore(config, StoreUse::kExisting);
  const absl::Status status = tsdb.ok() ? (*tsdb)->Close() : tsdb.status();
  facts.store_fault = StatusText(status);
  facts.is_in_use = IsInUse(status);
  return facts;
}

void Print(const DoctorFinding& finding, bool as_json, Terminal& terminal) {
  if (!as_json) {
    PrintTo(terminal.out, "{:<8}{}\n", finding.is_change ? "change" : "ok", finding.text);
    return;
  }
  std::string object;
  JsonWriter json(&object);
  json.OpenObject();
  json.Field("change", finding.is_change);
  json.Field("text", finding.text);
  json.CloseObject();
  PrintTo(terminal.out, "{}\n", object);
}

int PrintAll(const std::vector<DoctorFinding>& findings, bool as_json, Terminal& terminal) {
  for (const DoctorFinding& finding : findings)
    Print(finding, as_json, terminal);
  return std::ranges::any_of(findings, &DoctorFinding::is_change) ? kExitFailure : kExitOk;
}

}  // namespace

std::string FileSystemName(uint64_t type) {
  constexpr std::pair<uint64_t, std::string_view> kTypes[] = {{0x6969, "nfs"},
                                                              {0xFF534D42, "cifs"},
                                                              {0xFE534D42, "cifs"},
                                                              {0x65735546, "fuse"},
                                                              {0x01021994, "tmpfs"}};
  for (const auto& [number, name] : kTypes) {
    if (number == type) return std::string(name);
  }
  return "other";
}

std::vector<DoctorFinding> JudgeFacts(const DoctorFacts& facts) {
  std::vector<DoctorFinding> findings = {JudgeStore(facts)};
  if (facts.has_store) findings.push_back(JudgeJournal(facts));
  findings.push_back(JudgeDescriptors(facts));
  findings.push_back(JudgeDisk(facts));
  findings.push_back(JudgeFileSystem(facts));
  findings.push_back(JudgeMemory(facts));
  findings.push_back(JudgeClock(facts));
  return findings;
}

int RunDoctor(const DoctorOptions& options, Terminal& terminal) {
  if (!options.url.empty()) {
    const absl::StatusOr<HttpUrl> url = ParseHttpUrl(options.url, options.trust);
    if (!url.ok()) return FailUsage(terminal, kDoctorCommand, StatusText(url.status()));
    HttpClient client(*url, kServerPatienceMs);
    return PrintAll(JudgeServer(GatherServerFacts(&client)), options.json, terminal);
  }
  const absl::StatusOr<Config> config = LoadConfig(options.store);
  if (!config.ok()) return FailStore(terminal, kDoctorCommand, config.status());
  return PrintAll(JudgeFacts(Gather(*config, terminal.clock)), options.json, terminal);
}

int DoctorMain(const std::vector<std::string>& args, Terminal& terminal) {
  CommandLine line("doctor",
                   "Checks the machine and a store, or a server, and recommends changes.");
  DoctorOptions options;
  std::vector<std::string> words;
  AddStoreOptions(&line, &options.store);
  AddUrl(&line, &options.url, &options.trust);
  line.AddFlag("--json", &options.json, "print each finding as a JSON object on a line");
  line.AddWords("DIR", &words, "directory of the store, as --data");
  line.set_footer(
      "Checks the limit of file descriptors, the disk's space and file system, the memory that\n"
      "the settings allow, the clock, the journal, and whether the store opens. A newer format\n"
      "is a finding; that a server has the store open is not. The store is opened and closed,\n"
      "as every command does it. Give the settings of the server with --config.\n"
      "With --url, checks a running server instead: its readiness (/readyz), points that\n"
      "tsd.forward has dropped or not sent, damage, failed writes, and unused UIDs.\n"
      "Exit 1 if it recommends a change.\n"
      "\nExamples:\n"
      "  hourcell doctor /var/lib/hourcell --config /etc/hourcell/hourcell.conf\n"
      "  hourcell doctor --url http://localhost:4242\n");
  if (const std::optional<int> code = line.Parse(args, terminal)) return *code;
  if (words.size() > 1) return FailWords(terminal, kDoctorCommand, words, "one directory");
  if (!words.empty() && !options.url.empty()) {
    return FailUsage(terminal, kDoctorCommand, "expected a directory or --url, got both");
  }
  if (!words.empty()) options.store.data = words[0];
  return RunDoctor(options, terminal);
}

}  // namespace hourcell
