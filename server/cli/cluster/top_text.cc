#include "server/cli/cluster/top_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <iterator>
#include <tuple>

#include <fmt/format.h>

#include "codec/base/json_writer.h"

namespace hourcell {
namespace {

constexpr std::string_view kPrefix = "hourcell_";
constexpr std::string_view kTotal = "_total";
constexpr double kCountMax = 4611686018427387904.0;  // 2^62

// Values and rates of two samples.
class Figures {
 public:
  Figures(const TopSample* before, const TopSample& now) : before_(before), now_(now) {}

  double Of(const std::string& name) const { return ValueIn(now_, name); }
  // Clamped to 0 to 2^62, so that it fits a signed number. Real counters are smaller.
  uint64_t Count(const std::string& name) const {
    return static_cast<uint64_t>(std::clamp(Of(name), 0.0, kCountMax));
  }
  std::optional<double> Rate(const std::string& name) const {
    if (before_ == nullptr || now_.at_ms <= before_->at_ms) return std::nullopt;
    const double now = Of(name);
    const double before = ValueIn(*before_, name);
    const double grown = now < before ? now : now - before;
    const double rate = grown * 1000 / static_cast<double>(now_.at_ms - before_->at_ms);
    if (!std::isfinite(rate)) return std::nullopt;
    return rate;
  }

 private:
  static double ValueIn(const TopSample& sample, const std::string& name) {
    const auto it = sample.values.find(name);
    return it == sample.values.end() ? 0 : it->second;
  }

  const TopSample* before_;
  const TopSample& now_;
};

bool CountsErrors(std::string_view name) {
  const std::string_view base = name.substr(0, name.find('{'));
  return base.starts_with(kPrefix) && base.ends_with(kTotal) &&
         (base.find("error") != std::string_view::npos ||
          base.find("refused") != std::string_view::npos ||
          base.find("data_loss") != std::string_view::npos);
}

std::vector<TopView::Errors> ErrorsOf(const TopSample& now, const Figures& figures) {
  std::vector<TopView::Errors> errors;
  for (const auto& [name, value] : now.values) {
    if (value <= 0 || !CountsErrors(name)) continue;
    std::string shown = name.substr(kPrefix.size());
    shown.erase(shown.find(kTotal), kTotal.size());
    errors.push_back(
        {.name = std::move(shown), .count = figures.Count(name), .per_s = figures.Rate(name)});
  }
  std::ranges::sort(errors, [](const TopView::Errors& a, const TopView::Errors& b) {
    const double a_rate = a.per_s.value_or(0);
    const double b_rate = b.per_s.value_or(0);
    return std::tie(b_rate, a.name) < std::tie(a_rate, b.name);
  });
  return errors;
}

std::string BytesText(uint64_t bytes) {
  constexpr std::array<std::string_view, 5> kUnits = {"B", "KiB", "MiB", "GiB", "TiB"};
  auto amount = static_cast<double>(bytes);
  size_t unit = 0;
  while (amount >= 1024 && unit + 1 < kUnits.size()) {
    amount /= 1024;
    ++unit;
  }
  return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.1f} {}", amount, kUnits[unit]);
}

std::string RateText(std::optional<double> rate) {
  return rate.has_value() ? fmt::format("{:.{}f}", *rate, *rate < 100 ? 1 : 0) : "-";
}

std::string AgeText(int64_t seconds) {
  return fmt::format("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
}

// Uses strftime: fmt/chrono.h costs three seconds of compile time.
std::string DateText(int64_t unix_s) {
  const auto time = static_cast<std::time_t>(unix_s);
  std::tm parts = {};
  gmtime_r(&time, &parts);
  std::array<char, 32> text = {};
  return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S", &parts)};
}

// Builds lines, cut at the terminal's width, up to its height.
class Lines {
 public:
  explicit Lines(const TopSize& size) : size_(size) {}

  template <typename... Args>
  void Add(fmt::format_string<Args...> format, Args&&... args) {
    if (rows_ == size_.rows) return;
    std::string line = fmt::format(format, std::forward<Args>(args)...);
    // Control characters in a client's text must not move the cursor.
    std::ranges::replace_if(
        line, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }, '?');
    size_t shown = 0;
    size_t end = 0;
    // Continuation bytes of UTF-8 do not count as characters.
    while (end < line.size()) {
      if ((static_cast<unsigned char>(line[end]) & 0xC0U) != 0x80U && shown++ == size_.width) {
        break;
      }
      ++end;
    }
    text_.append(line, 0, end);
    text_ += '\n';
    ++rows_;
  }
  bool has_room() const { return rows_ < size_.rows; }
  std::string Take() { return std::move(text_); }

 private:
  const TopSize size_;
  std::string text_;
  size_t rows_ = 0;
};

void AddQueries(const TopView& view, Lines* lines) {
  lines->Add("");
  lines->Add("{:>8}  {:<12}{:<22}{:>9}{:>10}{:>12}{:>11}  QUERY ({} run, {} wait)", "ID", "USER",
             "CLIENT", "AGE", "ROWS", "POINTS", "MEMORY", view.queries_running,
             view.queries_waiting);
  for (const TopQuery& query : view.queries) {
    if (!lines->has_room()) return;
    lines->Add("{:>8}  {:<12}{:<22}{:>8.1f}s{:>10}{:>12}{:>11}  {}", query.id,
               query.user.empty() ? "-" : query.user, query.client,
               static_cast<double>(query.age_ms) / 1000, query.rows, query.points,
               BytesText(query.memory), query.text);
  }
}

void AddRegions(const TopView& view, Lines* lines) {
  if (view.busy_regions.empty()) return;
  lines->Add("");
  lines->Add("{:>8}{:>14}{:>12}  FROM KEY", "REGION", "POINTS/S", "SIZE");
  for (const TopRegion& region : view.busy_regions) {
    if (!lines->has_room()) return;
    lines->Add("{:>8}{:>14.1f}{:>12}  {}", region.id, region.points_per_s, BytesText(region.bytes),
               region.start.empty() ? "(the first)" : region.start);
  }
}

void AddRate(std::string_view key, std::optional<double> rate, JsonWriter* json) {
  json->Key(key);
  *json->RawValue() += rate.has_value() ? fmt::format("{:.3f}", *rate) : "null";
}

}  // namespace

TopView MakeTopView(const TopSample* before,
                    const TopSample& now,
                    std::string_view server,
                    int64_t now_ms) {
  const Figures figures(before, now);
  TopView view{
      .server = std::string(server),
      .now_ms = now_ms,
      .points_per_s = figures.Rate("hourcell_datapoints_added_total{type=\"all\"}"),
      .lines_per_s = figures.Rate("hourcell_rpc_received_total{type=\"telnet\"}"),
      .requests_per_s = figures.Rate("hourcell_rpc_received_total{type=\"http\"}"),
      .cpu = figures.Rate("process_cpu_seconds_total"),
      .memory = figures.Count("process_resident_memory_bytes"),
      .query_memory = figures.Count("hourcell_query_memory_bytes"),
      .journal_bytes = figures.Count("hourcell_journal_bytes"),
      .open_hours = figures.Count("hourcell_open_rows"),
      .disk_free = figures.Count("hourcell_storage_disk_free_bytes"),
      .regions = figures.Count("hourcell_regions{table=\"data\"}"),
      .queries_running = figures.Count("hourcell_query_queries{type=\"running\"}"),
      .queries_waiting = figures.Count("hourcell_query_queries{type=\"waiting\"}"),
      .errors = ErrorsOf(now, figures),
      .queries = now.queries,
      .busy_regions = now.regions,
  };
  view.up_s = std::max<int64_t>(
      0, now_ms / 1000 - static_cast<int64_t>(figures.Count("process_start_time_seconds")));
  std::erase_if(view.busy_regions, [](const TopRegion& r) { return r.points_per_s <= 0; });
  return view;
}

std::string TopText(const TopView& view, const TopSize& size) {
  Lines lines(size);
  lines.Add("hourcell at {}   up {}   {} UTC", view.server, AgeText(view.up_s),
            DateText(view.now_ms / 1000));
  lines.Add("points/s {}   lines/s {}   requests/s {}   processors {}", RateText(view.points_per_s),
            RateText(view.lines_per_s), RateText(view.requests_per_s), RateText(view.cpu));
  lines.Add("memory {}   of queries {}   journal {}   open hours {}   regions {}   disk free {}",
            BytesText(view.memory), BytesText(view.query_memory), BytesText(view.journal_bytes),
            view.open_hours, view.regions, BytesText(view.disk_free));
  std::string errors;
  for (const TopView::Errors& error : view.errors) {
    fmt::format_to(std::back_inserter(errors), "   {} {} ({}/s)", error.name, error.count,
                   RateText(error.per_s));
  }
  lines.Add("errors{}", errors.empty() ? " none" : errors);
  AddQueries(view, &lines);
  AddRegions(view, &lines);
  return lines.Take();
}

std::string TopJson(const TopView& view) {
  std::string text;
  JsonWriter json(&text);
  json.OpenObject();
  json.Field("server", view.server);
  json.Field("time_ms", view.now_ms);
  json.Field("up_s", view.up_s);
  AddRate("points_per_s", view.points_per_s, &json);
  AddRate("lines_per_s", view.lines_per_s, &json);
  AddRate("requests_per_s", view.requests_per_s, &json);
  AddRate("processors", view.cpu, &json);
  json.Field("memory", view.memory);
  json.Field("query_memory", view.query_memory);
  json.Field("journal_bytes", view.journal_bytes);
  json.Field("open_hours", view.open_hours);
  json.Field("disk_free", view.disk_free);
  json.Field("regions", view.regions);
  json.Field("queries_running", view.queries_running);
  json.Field("queries_waiting", view.queries_waiting);
  json.Key("errors");
  json.OpenObject();
  for (const TopView::Errors& error : view.errors)
    json.Field(error.name, error.count);
  json.CloseObject();
  json.Key("queries");
  json.OpenArray();
  for (const TopQuery& query : view.queries) {
    json.OpenObject();
    json.Field("id", query.id);
    json.Field("user", query.user);
    json.Field("client", query.client);
    json.Field("age_ms", query.age_ms);
    json.Field("rows", query.rows);
    json.Field("points", query.points);
    json.Field("memory", query.memory);
    json.Field("query", query.text);
    json.CloseObject();
  }
  json.CloseArray();
  json.Key("busy_regions");
  json.OpenArray();
  for (const TopRegion& region : view.busy_regions) {
    json.OpenObject();
    json.Field("id", region.id);
    json.Field("start", region.start);
    AddRate("points_per_s", region.points_per_s, &json);
    json.Field("bytes", region.bytes);
    json.CloseObject();
  }
  json.CloseArray();
  json.CloseObject();
  return text;
}

}  // namespace hourcell
