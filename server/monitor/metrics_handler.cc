#include "server/monitor/metrics_handler.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <ctime>
#include <string_view>
#include <tuple>
#include <utility>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "server/config/version.h"
#include "server/monitor/metric_names.h"
#include "server/monitor/process_info.h"

namespace hourcell {
namespace {

constexpr std::string_view kNoHelp = "A statistic of /api/stats.";

std::string_view HelpOf(const MetricName* row) {
  return row == nullptr ? kNoHelp : row->help;
}

struct NamedSample {
  std::string family;
  const MetricName* row = nullptr;
  StatSample sample;
};

struct NamedHistogram {
  std::string family;
  const MetricName* row = nullptr;
  HistogramSample sample;
};

// Sorts by family and labels, and keeps one of several gauges with the same name and tags.
template <typename Named>
void SortAndUnite(std::vector<Named>* all) {
  std::ranges::sort(*all, [](const Named& a, const Named& b) {
    return std::tie(a.family, a.sample.tags) < std::tie(b.family, b.sample.tags);
  });
  const auto again = std::ranges::unique(*all, [](const Named& a, const Named& b) {
    return a.family == b.family && a.sample.tags == b.sample.tags;
  });
  all->erase(again.begin(), again.end());
}

double ProcessorSeconds() {
  timespec spent{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &spent);
  return static_cast<double>(spent.tv_sec) + static_cast<double>(spent.tv_nsec) / 1e9;
}

void WriteProcess(int64_t started_ms, MetricsWriter* out) {
  out->Begin({"hourcell_build_info", MetricType::kGauge, "The version of the server; always 1."});
  out->Add({{"version", std::string(kHourcellVersion)}}, 1);
  out->Begin({"process_cpu_seconds", MetricType::kCounter, "Processor time of the process."});
  out->AddFloat({}, ProcessorSeconds());
  out->Begin({"process_resident_memory_bytes", MetricType::kGauge, "Resident memory."});
  out->Add({}, ResidentBytes());
  out->Begin({"process_start_time_seconds", MetricType::kGauge,
              "When the server started, in seconds since 1970."});
  out->AddFloat({}, static_cast<double>(started_ms) / 1e3);
}

// A statistic of each region.
struct RegionFigure {
  std::string_view family;
  std::string_view help;
  uint64_t ListedRegion::* field;
};
constexpr std::array kRegionFigures = {
    RegionFigure{"hourcell_region_file_bytes", "Size of a region's rows in files, about.",
                 &ListedRegion::file_bytes},
    RegionFigure{"hourcell_region_memory_bytes", "Memory of a region's rows not yet in files.",
                 &ListedRegion::memory_bytes},
    RegionFigure{"hourcell_region_files", "Files that have rows of a region.",
                 &ListedRegion::files},
};

}  // namespace

void WriteStats(const Stats& stats, MetricsWriter* out) {
  std::vector<NamedSample> samples;
  for (StatSample& sample : stats.Snapshot()) {
    const MetricName* const row = FindMetricName(sample.name, sample.kind);
    samples.push_back({FamilyName(sample.name, row), row, std::move(sample)});
  }
  SortAndUnite(&samples);
  std::string_view family;
  for (const NamedSample& named : samples) {
    if (named.family != family) {
      const bool is_counter = named.sample.kind == StatKind::kCounter;
      out->Begin({named.family, is_counter ? MetricType::kCounter : MetricType::kGauge,
                  HelpOf(named.row)});
      family = named.family;
    }
    out->Add(named.sample.tags, named.sample.value);
  }
  std::vector<NamedHistogram> histograms;
  for (HistogramSample& sample : stats.Histograms()) {
    const MetricName* const row = FindMetricName(sample.name, StatKind::kGauge);
    histograms.push_back({FamilyName(sample.name, row) + "_seconds", row, std::move(sample)});
  }
  SortAndUnite(&histograms);
  family = {};
  for (const NamedHistogram& named : histograms) {
    if (named.family != family) {
      out->Begin({named.family, MetricType::kHistogram, HelpOf(named.row)});
      family = named.family;
    }
    out->AddHistogram(named.sample);
  }
}

MetricsHandler::MetricsHandler(Tsdb* tsdb, Clock* clock, Settings settings)
    : tsdb_(tsdb), clock_(clock), settings_(settings), started_ms_(clock->NowMs()) {}

HttpResponse MetricsHandler::Handle(const HttpRequest& request) {
  const MetricsFormat format = PreferredFormat(request.header("accept"));
  MetricsWriter out(format);
  WriteStats(tsdb_->stats(), &out);
  WriteRegions(&out);
  WriteProcess(started_ms_, &out);
  HttpResponse response;
  response.content_type = ContentTypeOf(format);
  response.body = std::move(out).Finish();
  return response;
}

// Reads the store at most every kRegionFiguresMs, because the store inspects each region's files.
std::shared_ptr<const MetricsHandler::Figures> MetricsHandler::RegionFigures() {
  const int64_t now_ms = clock_->MonotonicMs();
  MutexLock lock(&mutex_);
  if (figures_ != nullptr && now_ms - figures_ms_ < kRegionFiguresMs) return figures_;
  auto figures = std::make_shared<Figures>();
  for (const StatSample& sample : tsdb_->stats().Snapshot()) {
    if (sample.name != "region.count" || sample.value > settings_.regions_max) continue;
    const std::string& table = sample.tags.front().second;
    absl::StatusOr<std::vector<ListedRegion>> regions =
        tsdb_->maintenance().regions()->List(table, ListDetail::kPlain);
    if (regions.ok()) figures->push_back({table, *std::move(regions)});
  }
  figures_ = std::move(figures);
  figures_ms_ = now_ms;
  return figures_;
}

void MetricsHandler::WriteRegions(MetricsWriter* out) {
  if (settings_.regions_max == 0) return;
  const std::shared_ptr<const Figures> figures = RegionFigures();
  if (figures->empty()) return;
  for (const RegionFigure& figure : kRegionFigures) {
    out->Begin({std::string(figure.family), MetricType::kGauge, figure.help});
    for (const TableFigures& table : *figures) {
      for (const ListedRegion& region : table.regions) {
        out->Add({{"table", table.table}, {"region", std::to_string(region.id)}},
                 static_cast<int64_t>(region.*figure.field));
      }
    }
  }
}

}  // namespace hourcell
