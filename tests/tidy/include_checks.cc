// CheckIncludes: the layers of the tree as a table.

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "tests/tidy/file_checks.h"

namespace hourcell::tidy {
namespace {

// What the files of one folder may include of ours: prefixes of paths, separated by blanks. The
// first layer whose folder a file is in counts, so the deeper folder stands first.
struct Layer {
  std::string_view folder;
  std::string_view may_include;
};

// The engine's whole interface for the layers above it.
#define HOURCELL_ENGINE_API                                                                 \
  "engine/tsdb.h engine/options.h engine/query.h engine/stats.h engine/query/query_spec.h " \
  "engine/query/query_result.h engine/query/query_time.h engine/region_admin.h "            \
  "engine/salt_admin.h engine/backup_admin.h engine/backup_set.h engine/backup_restore.h "  \
  "engine/fsck.h engine/fsck_admin.h"

constexpr std::array kLayers = {
    Layer{"codec/base/", "codec/base/"},
    Layer{"codec/", "codec/"},
    Layer{"uid/", "codec/ uid/"},
    Layer{"engine/query/", "codec/ engine/query/"},
    Layer{"engine/plot/", "codec/base/ engine/plot/"},
    Layer{"engine/regions/", "codec/ engine/regions/"},
    Layer{"engine/simulate/", "codec/ engine/regions/ engine/simulate/"},
    Layer{"engine/", "codec/ uid/ engine/"},
    Layer{"server/main.cc", "codec/ server/ " HOURCELL_ENGINE_API},
    Layer{"server/cli/lab/simulate",
          "codec/ server/ engine/simulate/ engine/plot/ "
          "bench/lab/simulate/engine_run.h " HOURCELL_ENGINE_API},
    Layer{"server/cli/", "codec/ server/ engine/layouts/ " HOURCELL_ENGINE_API},
    Layer{"server/", "codec/ server/ " HOURCELL_ENGINE_API},
};

// A header that is not ours, or not everybody's, and the only files that include it.
struct Confined {
  std::string_view header;   // prefix of the target, with its bracket
  std::string_view folders;  // prefixes of paths, separated by blanks
  std::string_view headers;  // those of them that may be .h files
};

constexpr std::string_view kAnyHeader = "bench/ codec/ engine/ server/ tests/ uid/";
constexpr std::string_view kNoHeader = "";

constexpr std::array kConfined = {
    Confined{"<rocksdb/", "bench/ engine/rocks_ engine/journal/journal tests/", kAnyHeader},
    Confined{"<boost/", "server/ tests/", "server/net/asio.h"},
    Confined{"\"server/net/asio.h\"", "server/ tests/server/", kNoHeader},
    Confined{"<CLI/", "server/cli/command_line.cc", kNoHeader},
    Confined{"<spdlog/", "server/log/log.cc", kNoHeader},
    Confined{"<simdjson", "server/ tests/", kAnyHeader},
    Confined{"<zlib", "server/ tests/", kNoHeader},
    Confined{"<openssl/", "server/ tests/", kNoHeader},
    Confined{"<libdeflate", "server/ tests/", kNoHeader},
    Confined{"<re2/", "uid/ engine/ tests/", kNoHeader},
    Confined{"<pcre2", "engine/query/ tests/", kNoHeader},
    Confined{"<cairo", "engine/plot/", kNoHeader},
    Confined{"<roaring/", "engine/ tests/", kNoHeader},
    Confined{"<utf8proc", "codec/ engine/query/ tests/", kNoHeader},
    Confined{"<gtest/", "tests/", kAnyHeader},
    Confined{"<gmock/", "tests/", kAnyHeader},
    Confined{"<benchmark/", "bench/", kAnyHeader},
    Confined{"<iostream>", "server/main.cc tests/ bench/", kNoHeader},
    Confined{"<regex>", "nowhere", kNoHeader},
    // Codec is pure: no threads, no clock, no files. Its base wraps the first two.
    Confined{"<mutex>", "codec/base/mutex.h uid/ engine/ server/ tests/ bench/", kAnyHeader},
    Confined{"<thread>", "uid/ engine/ server/ tests/ bench/", kAnyHeader},
    Confined{"<chrono>", "codec/base/ uid/ engine/ server/ tests/ bench/", kAnyHeader},
    Confined{"<fstream>", "engine/ server/ tests/ bench/", kAnyHeader},
    Confined{"<filesystem>", "engine/ server/ tests/ bench/", kAnyHeader},
};

const Layer* LayerOf(std::string_view path) {
  for (const Layer& layer : kLayers) {
    if (path.starts_with(layer.folder)) return &layer;
  }
  return nullptr;
}

}  // namespace

std::vector<Finding> CheckIncludes(const SourceFile& file) {
  std::vector<Finding> findings;
  if (!file.IsCpp()) return findings;

  const Layer* const layer = LayerOf(file.path);
  for (const Include& include : Includes(file)) {
    const std::string_view target = include.target;
    if (target.starts_with('"') && layer != nullptr &&
        !StartsWithAny(target.substr(1), layer->may_include)) {
      findings.push_back({file.path, include.line,
                          fmt::format("{}: files of {} include only {}", target, layer->folder,
                                      layer->may_include)});
    }
    // What is below the program knows nothing of its commands.
    if (target.starts_with("\"server/cli/") &&
        !StartsWithAny(file.path, "server/cli/ server/main.cc tests/")) {
      findings.push_back({file.path, include.line, fmt::format("{}: only for main.cc", target)});
    }
    for (const Confined& confined : kConfined) {
      if (!target.starts_with(confined.header)) continue;
      const bool fits = StartsWithAny(file.path, confined.folders) &&
                        (!file.IsHeader() || StartsWithAny(file.path, confined.headers));
      if (!fits) {
        findings.push_back(
            {file.path, include.line,
             fmt::format("{}: only in {}; headers that may: {}", target, confined.folders,
                         confined.headers.empty() ? "none" : confined.headers)});
      }
    }
  }
  return findings;
}

}  // namespace hourcell::tidy
