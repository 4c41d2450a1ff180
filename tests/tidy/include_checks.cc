// CheckIncludes: the table of folders held against a file, and the headers of libraries.

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "tests/tidy/file_checks.h"
#include "tests/tidy/folder_rules.h"

namespace hourcell::tidy {
namespace {

// A header that is not ours, or not everybody's, and the only files that include it.
struct Confined {
  std::string_view header;   // prefix of the target, with its bracket
  std::string_view folders;  // prefixes of paths, separated by blanks
  std::string_view headers;  // those of them that may be .h files
};

constexpr std::string_view kAnyHeader = "bench/ codec/ engine/ promql/ server/ tests/ uid/";
constexpr std::string_view kNoHeader = "";

constexpr std::array kConfined = {
    Confined{"<rocksdb/", "bench/ engine/rocks/ engine/journal/ tests/", kAnyHeader},
    Confined{"<bigtable_proto/", "engine/bigtable/ tests/", kAnyHeader},
    Confined{"<google/", "engine/bigtable/ tests/", kAnyHeader},
    Confined{"<grpc", "engine/bigtable/ tests/", kAnyHeader},
    Confined{"<boost/", "server/ tests/", "server/net/asio.h"},
    Confined{"\"server/net/asio.h\"", "server/ tests/server/", kNoHeader},
    Confined{"<CLI/", "server/cli/command_line.cc", kNoHeader},
    Confined{"<curl/", "server/http/http_client.cc", kNoHeader},
    Confined{"<expat", "bench/lab/simulate/input/site_file.cc", kNoHeader},
    Confined{"<spdlog/", "server/log/log.cc", kNoHeader},
    Confined{"<simdjson", "server/ tests/", kAnyHeader},
    Confined{"<zlib", "server/ tests/", kNoHeader},
    Confined{"<openssl/", "server/ tests/", kNoHeader},
    Confined{"<libdeflate", "server/ tests/", kNoHeader},
    Confined{"<snappy", "server/http/ server/inputs/ bench/peers/ tests/", kNoHeader},
    Confined{"<protozero/", "server/inputs/ tests/", "server/inputs/protobuf_fields.h"},
    Confined{"<re2/", "uid/ engine/ promql/ server/inputs/ server/translate/ tests/",
             "tests/promql/list_source.h"},
    Confined{"<pcre2", "engine/query/stages/ tests/", kNoHeader},
    Confined{"<cairo", "server/plot/", kNoHeader},
    Confined{"<roaring/", "engine/ tests/", kNoHeader},
    Confined{"<utf8proc", "codec/ engine/query/ tests/", kNoHeader},
    Confined{"<gtest/", "tests/", kAnyHeader},
    Confined{"<gmock/", "tests/", kAnyHeader},
    Confined{"<benchmark/", "bench/", kAnyHeader},
    Confined{"<iostream>", "server/cli/main.cc tests/ bench/", kNoHeader},
    Confined{"<regex>", "nowhere", kNoHeader},
    // Codec is pure: no threads, no clock, no files. Its base wraps the first two.
    Confined{"<mutex>", "codec/base/mutex.h uid/ engine/ server/ tests/ bench/", kAnyHeader},
    Confined{"<thread>", "codec/base/ uid/ engine/ server/ tests/ bench/", kAnyHeader},
    // Rollups have rows of calendar months and years.
    Confined{"<chrono>", "codec/base/ codec/rollups/ uid/ engine/ server/ tests/ bench/",
             kAnyHeader},
    Confined{"<fstream>", "engine/ server/ tests/ bench/", kAnyHeader},
    Confined{"<filesystem>", "engine/ server/ tests/ bench/", kAnyHeader},
};

// The folders that have a row each: what is built into the product.
constexpr std::string_view kProduct = "codec/ uid/ engine/ promql/ server/ bench/lab/";

bool IsProduct(std::string_view path) {
  return StartsWithAny(path, kProduct);
}

// What is wrong with an include of ours; empty if nothing is.
std::string FolderFault(const SourceFile& file, std::string_view target) {
  if (!target.starts_with('"') || !IsProduct(file.path)) return "";
  const FolderRule* const rule = RuleOf(file.path);
  if (rule == nullptr) return "";  // reported once a file
  const std::string_view path = target.substr(1, target.size() - 2);
  if (MayInclude(*rule, path)) return "";
  return fmt::format("{}: {} may include {}", target, rule->folder,
                     rule->may_include.empty() ? "nothing else" : rule->may_include);
}

}  // namespace

std::vector<Finding> CheckIncludes(const SourceFile& file) {
  std::vector<Finding> findings;
  if (!file.IsCpp()) return findings;

  if (IsProduct(file.path) && RuleOf(file.path) == nullptr) {
    findings.push_back({file.path, 0, "its folder has no row in tests/tidy/folder_rules.cc"});
  }
  for (const Include& include : Includes(file)) {
    const std::string_view target = include.target;
    if (const std::string fault = FolderFault(file, target); !fault.empty()) {
      findings.push_back({file.path, include.line, fault});
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
