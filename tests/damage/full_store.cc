#include "tests/damage/full_store.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "codec/base/bytes.h"
#include "codec/base/check.h"
#include "engine/query/last_query.h"
#include "engine/region_admin.h"
#include "tests/support/builders.h"

namespace hourcell {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kHour = 1356998400;  // 2013-01-01 00:00:00
constexpr int64_t kEnd = kHour + 10 * 3600;
constexpr int kHosts = 24;
const char* const kRocksLog = "rocksdb.log";

constexpr const char* kMetrics[] = {"cpu.user", "disk.free", "net.late", "many", "mem.renamed"};

void Check(const absl::Status& status) {
  if (!status.ok()) ADD_FAILURE() << status.ToString();
  HOURCELL_CHECK(status.ok());
}

void Put(Tsdb* tsdb, const std::string& metric, int host, Timestamp time, Value value) {
  OwnedPoint point(metric, fmt::format("host=h{:02} dc={}", host, host % 3 == 0 ? "lga" : "fra"),
                   time, value);
  Check(tsdb->points().Put(point.view()));
}

Timestamp Seconds(int64_t s) {
  return {.ms = s * 1000, .is_ms = false};
}

void PutHours(Tsdb* tsdb) {
  for (int host = 0; host < kHosts; ++host) {
    for (int i = 0; i < 3 * 60; ++i) {
      const int64_t s = kHour + 60 * i;
      Put(tsdb, "cpu.user", host, Seconds(s), Value::Integer((i * 37 + host * 11) % 101));
      if (i % 2 == 0) {
        // Of which little can be left out, so that there are some blocks of rows.
        Put(tsdb, "disk.free", host, Seconds(s), Value::Float(std::sqrt(7.0 * i + host)));
      }
      if (i % 6 == 0) {
        Put(tsdb, "mem.user", host, {.ms = s * 1000 + 125, .is_ms = true}, Value::Integer(i));
      }
      if (i % 30 == 0) Put(tsdb, "net.late", host, Seconds(s), Value::Integer(i));
    }
  }
  for (int i = 0; i < 200; ++i) {
    OwnedPoint point("many", fmt::format("id=i{:03}", i), kHour, i);
    Check(tsdb->points().Put(point.view()));
  }
}

void PutLate(Tsdb* tsdb) {
  for (int host = 0; host < kHosts; ++host) {
    for (int i = 0; i < 12; ++i) {
      const Timestamp time = Seconds(kHour + 300 * i + 7);
      Put(tsdb, "net.late", host, time, Value::Integer(1000 + i));
    }
  }
}

void PutNotes(Tsdb* tsdb) {
  std::vector<AnnotationEdit> edits;
  for (int i = 0; i < 20; ++i) {
    // Of the series cpu.user host=h00 dc=lga, whose names came first.
    const char* const tsuid = i % 2 == 0 ? "000001000001000001000002000002" : "";
    edits.push_back({.tsuid = tsuid,
                     .start_time = kHour + 61 * i,
                     .end_time = kHour + 61 * i + 5,
                     .description = fmt::format("note {}", i),
                     .notes = "of the test"});
  }
  const auto done = tsdb->annotations().Put(edits, AnnotationWrite::kReplace);
  Check(done.status());
}

std::string Text(const QueryResult& result) {
  std::string text;
  for (const ResultSeries& series : result.series) {
    text += series.metric;
    for (const auto& [key, value] : series.tags)
      text += fmt::format(" {}={}", key, value);
    text += fmt::format(" {}", fmt::join(series.aggregate_tags, ","));
    for (const Annotation& note : series.annotations)
      text += fmt::format(" [{} {}]", note.start_time, note.description);
    for (const ResultPoint& point : series.points)
      text += point.value.is_integer() ? fmt::format(" {}:{}", point.ms, point.value.integer())
                                       : fmt::format(" {}:{}", point.ms, point.value.floating());
    text += '\n';
  }
  return text;
}

std::string NameAndTags(std::string_view metric, std::span<const TagView> tags) {
  std::string text(metric);
  for (const TagView& tag : tags)
    text += fmt::format(" {}={}", tag.key, tag.value);
  return text;
}

class Questions {
 public:
  explicit Questions(Tsdb* tsdb) : tsdb_(*tsdb) {}

  std::vector<StoreAnswer> Ask() {
    Rows();
    for (const char* const metric : kMetrics)
      Queries(metric);
    Names();
    Series();
    Notes();
    Regions();
    return std::move(answers_);
  }

 private:
  void Add(std::string question, absl::Status status, std::string text) {
    answers_.push_back({std::move(question), std::move(status), std::move(text)});
  }

  void Rows() {
    std::string text;
    const absl::Status status = tsdb_.queries().Scan({}, [&](const ScannedRow& row) {
      text += fmt::format("{} {} {} {}\n", ToHex(row.key), NameAndTags(row.metric, row.tags),
                          ToHex(row.qualifiers), ToHex(row.values));
      return true;
    });
    Add("rows", status, std::move(text));
  }

  void Query(std::string what, const QuerySpec& spec) {
    const absl::StatusOr<QueryResult> result = tsdb_.queries().Query(spec);
    Add(std::move(what), result.status(), result.ok() ? Text(*result) : "");
  }

  void Queries(const std::string& metric) {
    const auto filter = [](const char* tagk, FilterType type, const char* text) {
      return TagFilterSpec{.tagk = tagk, .type = type, .filter = text, .group_by = true};
    };
    Query(metric + " all", MakeQuery(Aggregator::kNone, metric, {}, kHour, kEnd));
    Query(metric + " dc",
          MakeQuery(Aggregator::kSum, metric, {filter("dc", FilterType::kLiteralOr, "lga|fra")},
                    kHour, kEnd));
    Query(metric + " host", MakeQuery(Aggregator::kNone, metric,
                                      {filter("host", FilterType::kWildcard, "*")}, kHour, kEnd));
    Query(metric + " h03",
          MakeQuery(Aggregator::kNone, metric, {filter("host", FilterType::kLiteralOr, "h03")},
                    kHour, kHour + 3600));
    QuerySpec hours = MakeQuery(Aggregator::kNone, metric, {}, kHour, kEnd);
    hours.queries[0].downsample = DownsampleSpec{.interval_ms = 3'600'000,
                                                 .function = Aggregator::kSum,
                                                 .count = 1,
                                                 .unit = DurationUnit::kHour};
    Query(metric + " hours", hours);

    std::string text;
    const absl::Status status = tsdb_.queries().LastPoints(
        {.queries = {{.metric = metric}}, .resolve = true},
        [&](const LastPoint& last) {
          text += fmt::format("{} {}\n", ToHex(last.series.tsuid), last.ms);
        },
        nullptr);
    Add(metric + " last", status, std::move(text));
  }

  void Names() {
    for (const UidKind kind : kUidKinds) {
      std::string text;
      const absl::Status found =
          tsdb_.names().GrepUids(kind, ".", /*ignore_case=*/false, [&text](const UidRow& row) {
            text += fmt::format("{} {}\n", row.name, ToHex(row.uid_bytes));
            return true;
          });
      if (!found.ok()) text.clear();
      Add(fmt::format("uids {}", KindName(kind)), found, std::move(text));
      const auto names = tsdb_.names().Suggest(kind, "", 1000);
      Add(fmt::format("suggest {}", KindName(kind)), names.status(),
          names.ok() ? fmt::format("{}", fmt::join(*names, " ")) : "");
    }
    const auto ttls = tsdb_.retention().MetricTtls();
    std::string text;
    if (ttls.ok()) {
      for (const MetricTtl& ttl : *ttls)
        text += fmt::format("{} {}\n", ttl.metric, ttl.ttl_s);
    }
    Add("ttls", ttls.status(), std::move(text));
  }

  void Series() {
    std::vector<std::string> found;
    const auto count = tsdb_.queries().LookupSeries(
        {.metric = "*"},
        [&](const FoundSeries& series) {
          found.push_back(
              fmt::format("{} {}\n", ToHex(series.tsuid), NameAndTags(series.metric, series.tags)));
          return true;
        },
        nullptr);
    std::ranges::sort(found);
    Add("series", count.status(), fmt::format("{}", fmt::join(found, "")));
  }

  void Notes() {
    std::string text;
    const absl::Status status = tsdb_.annotations().Visit([&](const Annotation& note) {
      text += fmt::format("{} {} {}\n", note.tsuid, note.start_time, note.description);
      return absl::OkStatus();
    });
    Add("annotations", status, std::move(text));
    const auto global = tsdb_.annotations().Global(kHour * 1000, kEnd * 1000);
    std::string notes;
    if (global.ok()) {
      for (const Annotation& note : *global)
        notes += fmt::format("{} {}\n", note.start_time, note.description);
    }
    Add("global annotations", global.status(), std::move(notes));
  }

  void Regions() {
    const auto list = tsdb_.maintenance().regions()->List("data", ListDetail::kPlain);
    std::string text;
    if (list.ok()) {
      for (const ListedRegion& region : *list)
        text += fmt::format("{} {} {}\n", region.id, region.start, region.end);
    }
    Add("regions", list.status(), std::move(text));
  }

  Tsdb& tsdb_;
  std::vector<StoreAnswer> answers_;
};

std::unique_ptr<Tsdb> MustOpen(const std::string& path) {
  absl::StatusOr<std::unique_ptr<Tsdb>> opened = Tsdb::Open(FullStoreOptions(path));
  Check(opened.status());
  return *std::move(opened);
}

}  // namespace

Options FullStoreOptions(const std::string& path) {
  Options options = TinyOptions(path);
  options.seal_in_background = false;
  options.lanes = 2;
  options.query_threads = 1;
  return options;
}

void MakeFullStore(const std::string& path) {
  {
    const std::unique_ptr<Tsdb> tsdb = MustOpen(path);
    PutHours(tsdb.get());
    PutNotes(tsdb.get());
    Check(tsdb->names().RenameUid(UidKind::kMetric, "mem.user", "mem.renamed"));
    Check(tsdb->retention().SetMetricTtl("mem.renamed", 0));
    Check(tsdb->maintenance().Compact());
    const auto regions = tsdb->maintenance().regions()->List("data", ListDetail::kPlain);
    Check(regions.status());
    const auto split = tsdb->maintenance().regions()->Split(
        {.region = fmt::format("{}", regions->front().id), .into = 3});
    Check(split.status());
    Check(tsdb->Close());
  }
  // The manifest of this session has further edits after its initial contents.
  const std::unique_ptr<Tsdb> tsdb = MustOpen(path);
  PutLate(tsdb.get());
  Check(tsdb->maintenance().Flush());
  const auto deleted = tsdb->points().DeletePoints(
      MakeQuery(Aggregator::kNone, "disk.free", {}, kHour + 60, kHour + 600));
  Check(deleted.status());
  Check(tsdb->maintenance().Flush());
  PutLate(tsdb.get());
  Check(tsdb->Close());
}

std::vector<StoreAnswer> AskAll(Tsdb* tsdb) {
  return Questions(tsdb).Ask();
}

std::vector<std::string> WrongAnswers(const std::vector<StoreAnswer>& whole,
                                      const std::vector<StoreAnswer>& answers) {
  HOURCELL_CHECK(whole.size() == answers.size());
  std::vector<std::string> wrong;
  for (size_t i = 0; i < whole.size(); ++i) {
    if (answers[i].status.ok() && answers[i].text != whole[i].text) {
      wrong.push_back(fmt::format("{}: expected {} bytes, got {}", whole[i].question,
                                  whole[i].text.size(), answers[i].text.size()));
    }
  }
  return wrong;
}

void LinkStore(const std::string& from, const std::string& to) {
  fs::remove_all(to);
  fs::create_directories(to);
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(from)) {
    const fs::path target = to / entry.path().lexically_relative(from);
    if (entry.is_directory()) {
      fs::create_directories(target);
    } else if (entry.path().filename() != kRocksLog) {
      fs::create_hard_link(entry.path(), target);
    }
  }
}

void ReplaceFile(const std::string& path, std::string_view content) {
  fs::remove(path);
  std::ofstream out(path, std::ios::binary);
  out.write(content.data(), static_cast<std::streamsize>(content.size()));
  HOURCELL_CHECK(out.good());
}

std::vector<std::string> StoreFiles(const std::string& path) {
  std::vector<std::string> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(path)) {
    if (entry.is_regular_file() && entry.path().filename() != kRocksLog) {
      files.push_back(entry.path().lexically_relative(path).string());
    }
  }
  std::ranges::sort(files);
  return files;
}

}  // namespace hourcell
