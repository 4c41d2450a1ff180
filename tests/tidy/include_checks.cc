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
  "engine/query/query_result.h engine/query/query_time.h"

constexpr std::array kLayers = {
    Layer{"codec/base/", "codec/base/"},
    Layer{"codec/", "codec/"},
    Layer{"uid/", "codec/ uid/"},
    Layer{"engine/query/", "codec/ engine/query/"},
    Layer{"engine/", "codec/ uid/ engine/"},
    Layer{"server/main.cc", "codec/ server/ " HOURCELL_ENGINE_API},
    Layer{"server/cli/", "codec/ server/ " HOURCELL_ENGINE_API},
    Layer{"server/", "codec/ server/ " HOURCELL_ENGINE_API},
};

// A header that is not ours, or not everybody's, and the only files that include it.
struct Confined {
  std::string_view header;   // prefix of the target, with its bracket
  std::string_view folders;  // prefixes of paths, separated by blanks
  bool in_headers;           // may .h files include it
};

constexpr std::array kConfined = {
    Confined{"<rocksdb/", "engine/rocks_ tests/", true},
    Confined{"<boost/", "server/ tests/", false},
    Confined{"<CLI/", "server/main.cc", false},
    Confined{"<spdlog/", "server/log.cc", false},
    Confined{"<simdjson", "server/ tests/", true},
    Confined{"<zlib", "server/ tests/", false},
    Confined{"<libdeflate", "server/ tests/", false},
    Confined{"<re2/", "uid/ engine/ tests/", false},
    Confined{"<pcre2", "engine/query/ tests/", false},
    Confined{"<roaring/", "engine/ tests/", false},
    Confined{"<utf8proc", "codec/ tests/", false},
    Confined{"<gtest/", "tests/", true},
    Confined{"<gmock/", "tests/", true},
    Confined{"<benchmark/", "bench/", true},
    Confined{"<iostream>", "server/main.cc tests/ bench/", false},
    Confined{"<regex>", "nowhere", false},
    // Codec is pure: no threads, no clock, no files. Its base wraps the first two.
    Confined{"<mutex>", "codec/base/mutex.h uid/ engine/ server/ tests/ bench/", true},
    Confined{"<thread>", "uid/ engine/ server/ tests/ bench/", true},
    Confined{"<chrono>", "codec/base/ uid/ engine/ server/ tests/ bench/", true},
    Confined{"<fstream>", "engine/ server/ tests/ bench/", true},
    Confined{"<filesystem>", "engine/ server/ tests/ bench/", true},
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
      if (!StartsWithAny(file.path, confined.folders) ||
          (file.IsHeader() && !confined.in_headers)) {
        findings.push_back({file.path, include.line,
                            fmt::format("{}: only in {}{}", target, confined.folders,
                                        confined.in_headers ? "" : ", and in no header")});
      }
    }
  }
  return findings;
}

}  // namespace hourcell::tidy
