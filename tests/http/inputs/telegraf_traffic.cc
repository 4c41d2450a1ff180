#include "tests/http/inputs/telegraf_traffic.h"

#include <numeric>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "codec/base/random.h"

// The points are made next to the text and not read from it, because a second parser would have to
// be right, too. Names that the rule of docs/inputs.md changes are given both ways.

namespace hourcell {
namespace {

constexpr int64_t kIntervalMs = 10'000;

// As in the line, and as stored.
struct Tag {
  std::string_view key;
  std::string text;
  std::string stored = text;
};

// Writes one line, a field at a time.
class Line {
 public:
  Line(TelegrafBatch* batch, std::string_view measurement, std::vector<Tag> tags, int64_t ms)
      : batch_(batch), measurement_(measurement), ms_(ms), text_(measurement) {
    std::map<std::string_view, std::string> sorted;
    for (const Tag& tag : tags) {
      text_ += fmt::format(",{}={}", tag.key, tag.text);
      sorted[tag.key] = tag.stored;
    }
    for (const auto& [key, value] : sorted)
      tags_ += fmt::format("{}{}={}", tags_.empty() ? "" : ",", key, value);
  }
  ~Line() { batch_->lines.push_back(fmt::format("{} {}\n", text_, ms_ * 1'000'000)); }
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;

  void Float(std::string_view key, double value) { Add(key, fmt::format("{}", value), value); }
  void Integer(std::string_view key, uint64_t value) {
    Add(key, fmt::format("{}i", value), static_cast<int64_t>(value));
  }
  void Boolean(std::string_view key, bool value) {
    Add(key, value ? "true" : "false", int64_t{value});
  }
  void String(std::string_view key, std::string_view value) {
    text_ += fmt::format("{}{}=\"{}\"", separator(), key, value);
    ++batch_->strings;
  }

 private:
  char separator() { return std::exchange(separator_, ','); }
  void Add(std::string_view key, std::string_view text, std::variant<int64_t, double> value) {
    text_ += fmt::format("{}{}={}", separator(), key, text);
    batch_->points[{fmt::format("{}_{}{{{}}}", measurement_, key, tags_), ms_}] = value;
  }

  TelegrafBatch* const batch_;
  const std::string_view measurement_;
  const int64_t ms_;
  std::string text_;
  std::string tags_;
  char separator_ = ' ';
};

// One machine at one time.
class Machine {
 public:
  Machine(Random* random, TelegrafBatch* batch, std::string host, int64_t ms)
      : random_(random), batch_(batch), host_(std::move(host)), ms_(ms) {}

  void Gather() {
    for (const std::string_view cpu : {"cpu0", "cpu1", "cpu2", "cpu3", "cpu-total"})
      Cpu(cpu);
    Memory();
    Disk("sda1", "/", "/");
    Disk("sdb1", R"(/srv/old\ data)", "/srv/old data");
    Disks();
    Networks();
    System();
    Processes();
    Smart();
  }

 private:
  uint64_t Counter() { return random_->Next() >> 16; }
  double Percent() { return 100 * random_->Fraction(); }

  void Cpu(std::string_view cpu) {
    Line line(batch_, "cpu", {{"cpu", std::string(cpu)}, {"host", host_}}, ms_);
    for (const std::string_view field : {"user", "system", "idle", "nice", "iowait", "irq",
                                         "softirq", "steal", "guest", "guest_nice"})
      line.Float(fmt::format("usage_{}", field), random_->Below(4) == 0 ? 0 : Percent());
  }
  void Memory() {
    Line line(batch_, "mem", {{"host", host_}}, ms_);
    for (const std::string_view field : {"active", "available", "buffered", "cached", "free",
                                         "inactive", "slab", "total", "used", "write_back"})
      line.Integer(field, Counter());
    line.Float("available_percent", Percent());
    line.Float("used_percent", Percent());
  }
  void Disk(std::string_view device, std::string_view path, std::string_view stored) {
    Line line(batch_, "disk",
              {{"device", std::string(device)},
               {"fstype", "ext4"},
               {"host", host_},
               {"mode", "rw"},
               {"path", std::string(path), std::string(stored)}},
              ms_);
    for (const std::string_view field :
         {"free", "inodes_free", "inodes_total", "inodes_used", "total", "used"})
      line.Integer(field, Counter());
    line.Float("used_percent", Percent());
  }
  void Disks() {
    for (const std::string_view name : {"sda", "sdb"}) {
      Line line(batch_, "diskio", {{"host", host_}, {"name", std::string(name)}}, ms_);
      for (const std::string_view field : {"io_time", "iops_in_progress", "merged_reads",
                                           "read_bytes", "reads", "write_bytes", "writes"})
        line.Integer(field, Counter());
    }
  }
  void Networks() {
    for (const std::string_view interface : {"eth0", "wlan0", "docker0"}) {
      Line line(batch_, "net", {{"host", host_}, {"interface", std::string(interface)}}, ms_);
      for (const std::string_view field : {"bytes_recv", "bytes_sent", "drop_in", "drop_out",
                                           "err_in", "err_out", "packets_recv", "packets_sent"})
        line.Integer(field, Counter());
    }
  }
  // As telegraf's input has it: three lines of one series and time.
  void System() {
    {
      Line line(batch_, "system", {{"host", host_}}, ms_);
      line.Float("load1", Percent() / 20);
      line.Float("load5", Percent() / 20);
      line.Float("load15", Percent() / 20);
      line.Integer("n_cpus", 4);
    }
    Line(batch_, "system", {{"host", host_}}, ms_).Integer("uptime", Counter());
    Line(batch_, "system", {{"host", host_}}, ms_)
        .String("uptime_format", R"(9 days,  1:07, load \"high\" x=1)");
  }
  void Processes() {
    Line line(batch_, "processes", {{"host", host_}}, ms_);
    for (const std::string_view field : {"blocked", "dead", "idle", "running", "sleeping", "total"})
      line.Integer(field, random_->Below(300));
  }
  void Smart() {
    Line line(batch_, "smart_device",
              {{"device", "sda"},
               {"host", host_},
               {"model", R"(WDC\ WD40\,EFRX\=68)", "WDC WD40,EFRX=68"}},
              ms_);
    line.Boolean("health_ok", random_->Below(8) > 0);
    line.Integer("temp_c", 20 + random_->Below(30));
    line.String("wwn", "5:0014ee:20c8e1f6b");
  }

  Random* const random_;
  TelegrafBatch* const batch_;
  const std::string host_;
  const int64_t ms_;
};

}  // namespace

std::string TelegrafBatch::text() const {
  return std::accumulate(lines.begin(), lines.end(), std::string(),
                         [](std::string&& all, const std::string& line) { return all + line; });
}

TelegrafBatch TelegrafTraffic(uint64_t seed, int hosts, int rounds, int64_t begin_ms) {
  Random random(seed);
  TelegrafBatch batch;
  for (int round = 0; round < rounds; ++round) {
    for (int host = 0; host < hosts; ++host) {
      Machine(&random, &batch, fmt::format("web{:02}", host), begin_ms + round * kIntervalMs + host)
          .Gather();
    }
  }
  return batch;
}

}  // namespace hourcell
