#include "tests/tidy/word_checks.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <string_view>

#include <absl/strings/ascii.h>
#include <fmt/format.h>

namespace hourcell::tidy {
namespace {

// A test cannot read a sentence, so it cannot tell one meaning from another. It can tell where a
// word stands: a file that works on regions may say "trim", and one that works on the journal may
// not. That is coarse, and it is enough to catch the second meaning when it comes back.
struct WordOfOneMeaning {
  std::string_view stem;     // in lower case; longer words that begin with it count, too
  std::string_view home;     // prefixes of paths, separated by blanks
  std::string_view phrases;  // in lower case, separated by |: fixed terms, allowed in every file
  std::string_view instead;
};

constexpr std::array kWordsOfOneMeaning = {
    WordOfOneMeaning{"behind", "", "behind a proxy|behind-a-proxy",
                     "\"after\" for an order; \"lags\" for a region that does not keep up"},
    WordOfOneMeaning{
        "lane",
        "engine/hours/ engine/write/ engine/series/ engine/read/ engine/scan/row_scanner.cc "
        "engine/store/ engine/role/ engine/deletion/ engine/rollups/ engine/options.h "
        "engine/README.md tests/engine/hours/ "
        "tests/engine/write/ tests/engine/series/ tests/engine/read/ tests/model/ "
        "tests/fuzz/engine/ tests/damage/ "
        "bench/ingest_parts_bench.cc bench/README.md ARCHITECTURE.md CHANGELOG.md "
        "docs/benchmarks.md docs/decisions/",
        "", "\"worker\" of a scan, \"element\" of a vector; a lane is a part of ingest"},
    WordOfOneMeaning{
        "trim",
        "engine/rocks/ engine/regions/ engine/table/ engine/bigtable/bigtable_table_store. "
        "engine/store/write_side. engine/fsck/ "
        "engine/README.md bench/lab/ bench/split_bench.cc tests/engine/rocks/ "
        "tests/engine/regions/ tests/engine/table/ tests/engine/fsck/ tests/http/crash/ "
        "tests/support/ docs/decisions/0011 docs/fsck.md docs/regions.md docs/reliability.md "
        "ARCHITECTURE.md CHANGELOG.md",
        "malloc_trim|string.trim",
        "\"delete\" for the journal, \"cut\" for a result, \"strip\" for text; only regions are "
        "trimmed"},
    WordOfOneMeaning{
        "column",
        "codec/ engine/days/ engine/expressions/ engine/hidden/ engine/histograms/ engine/hours/ "
        "engine/query/ "
        "engine/read/ engine/rollups/ engine/write/ "
        "engine/scan/ engine/series/ engine/store/ engine/virtuals/ engine/deletion/ engine/fsck/ "
        "engine/bigtable/ "
        "engine/opentsdb/ tests/support/bigtable/ bench/ promql/ tests/promql/ server/promql/ "
        "tests/server/promql/ tests/http/inputs/promql_test.cc "
        "tests/http/inputs/native_series.h "
        "server/inputs/influx/influx_handler.cc tests/server/inputs/influx/influx_handler_test.cc "
        "tests/codec/ tests/engine/ tests/fuzz/ "
        "tests/damage/ tests/model/ tests/lab/layouts/ tests/server/cli/data/scan/row_text_test.cc "
        "engine/README.md engine/options.h docs/decisions/ docs/reliability.md ARCHITECTURE.md "
        "CHANGELOG.md",
        "column famil|columnfamil|column_famil|column_options|csv-column|csv_column",
        "\"HBase cell\", \"field\" of a printed table, \"step\", \"character\"; a column is an "
        "array "
        "of times or of values"},
    WordOfOneMeaning{"table file", "", "", "\"SST file\"; a table is a key space"},
    WordOfOneMeaning{"tablefile", "", "", "\"SstFile\"; a table is a key space"},
    WordOfOneMeaning{"table_file", "", "", "\"sst_file\"; a table is a key space"},
};

// Parts of messages in older forms, with the new form.
constexpr std::string_view kExpectedGot = "write \"subject: problem; expected X, got Y\"";
constexpr std::array<std::string_view, 7> kOldErrorForms = {
    "\"want ", "; want ", ": want ", ", want ", "; must be ", "got {}; expected ", "got nothing; "};

// True if the word at `at` is not the end of a longer one, as the lane in "plane": `text` is as it
// was written, and a capital begins a word.
bool BeginsAWord(std::string_view text, size_t at) {
  const auto is_letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; };
  return at == 0 || !is_letter(text[at - 1]) ||
         std::isupper(static_cast<unsigned char>(text[at])) != 0;
}

bool HasStem(std::string_view text, const WordOfOneMeaning& word) {
  std::string left(text);
  absl::AsciiStrToLower(&left);
  for (std::string_view rest = word.phrases; !rest.empty();) {
    const std::string_view phrase = rest.substr(0, rest.find('|'));
    rest.remove_prefix(std::min(rest.size(), phrase.size() + 1));
    for (size_t at = left.find(phrase); at != std::string::npos; at = left.find(phrase, at))
      left.replace(at, phrase.size(), phrase.size(), ' ');
  }
  for (size_t at = left.find(word.stem); at != std::string::npos;
       at = left.find(word.stem, at + 1)) {
    if (BeginsAWord(text, at)) return true;
  }
  return false;
}

}  // namespace

std::vector<Finding> CheckMeanings(const SourceFile& file) {
  std::vector<Finding> findings;
  // The checks and the page that names the words may use them; recorded data has words of others.
  if (StartsWithAny(file.path, "tests/tidy/ tests/data/ CONTRIBUTING.md")) return findings;
  if (!file.IsCpp() && !file.IsMarkdown()) return findings;

  size_t number = 0;
  for (const std::string_view line : Lines(file.text)) {
    ++number;
    for (const WordOfOneMeaning& word : kWordsOfOneMeaning) {
      if (StartsWithAny(file.path, word.home) || !HasStem(line, word)) continue;
      findings.push_back({file.path, number, fmt::format("{}: write {}", word.stem, word.instead)});
    }
  }
  return findings;
}

std::vector<Finding> CheckErrorForm(const SourceFile& file) {
  std::vector<Finding> findings;
  if (!file.IsCpp() || !StartsWithAny(file.path, "bench/ codec/ engine/ server/ uid/"))
    return findings;
  size_t number = 0;
  for (const std::string_view line : Lines(file.text)) {
    ++number;
    if (line.find('"') == line.npos || line.find("//") < line.find('"')) continue;
    for (const std::string_view form : kOldErrorForms) {
      if (line.find(form) == line.npos) continue;
      findings.push_back({file.path, number, std::string(kExpectedGot)});
      break;
    }
  }
  return findings;
}

}  // namespace hourcell::tidy
