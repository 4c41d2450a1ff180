#include "tests/server/monitor/metrics_parser.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include <absl/strings/ascii.h>
#include <fmt/format.h>

namespace hourcell {
namespace {

// [a-zA-Z_:][a-zA-Z0-9_:]*; of labels without the colon.
bool IsName(std::string_view text, bool with_colon) {
  if (text.empty() || absl::ascii_isdigit(static_cast<unsigned char>(text[0]))) return false;
  return std::ranges::all_of(text, [&](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' ||
           (c == ':' && with_colon);
  });
}

bool ReadNumber(std::string_view text, double* value) {
  if (text.starts_with('+')) text.remove_prefix(1);
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, *value);
  return error == std::errc() && stop == end;
}

class PageParser {
 public:
  PageParser(std::string_view page, MetricsFormat format) : rest_(page), format_(format) {}

  ParsedMetrics Parse() {
    while (!rest_.empty()) {
      ++line_;
      const size_t end = rest_.find('\n');
      if (end == std::string_view::npos) Fault("does not end with a line end");
      ParseLine(rest_.substr(0, end));
      rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
    }
    if (is_open_metrics() && !has_ended_) Fault("no # EOF");
    for (const ParsedFamily& family : metrics_.families)
      CheckFamily(family);
    return std::move(metrics_);
  }

 private:
  bool is_open_metrics() const { return format_ == MetricsFormat::kOpenMetrics; }
  void Fault(std::string_view what) {
    metrics_.faults.push_back(fmt::format("line {}: {}", line_, what));
  }

  void ParseLine(std::string_view line) {
    if (has_ended_) Fault("comes after # EOF");
    if (line == "# EOF") {
      has_ended_ = true;
      if (!is_open_metrics()) Fault("# EOF is OpenMetrics' only");
    } else if (line.starts_with("# HELP ")) {
      ParseHelp(line.substr(7));
    } else if (line.starts_with("# TYPE ")) {
      ParseType(line.substr(7));
    } else if (line.empty() || line[0] == '#') {
      Fault("is empty, or a comment of no kind");
    } else {
      ParseSample(line);
    }
  }

  void ParseHelp(std::string_view text) {
    const size_t blank = text.find(' ');
    if (blank == std::string_view::npos || blank + 1 == text.size()) return Fault("no help text");
    ParsedFamily& family = metrics_.families.emplace_back();
    family.name = text.substr(0, blank);
    family.help = text.substr(blank + 1);
    if (!IsName(family.name, true)) Fault("no name");
    if (!names_.insert(family.name).second) Fault(family.name + " comes twice");
  }

  void ParseType(std::string_view text) {
    const size_t blank = text.find(' ');
    if (metrics_.families.empty() || blank == std::string_view::npos ||
        metrics_.families.back().name != text.substr(0, blank) ||
        !metrics_.families.back().type.empty()) {
      return Fault("TYPE without its HELP in front of it");
    }
    const std::string_view type = text.substr(blank + 1);
    if (type != "counter" && type != "gauge" && type != "histogram") Fault("no type");
    metrics_.families.back().type = type;
  }

  void ParseSample(std::string_view line) {
    ParsedSample sample;
    const size_t name_end = line.find_first_of("{ ");
    sample.name = line.substr(0, name_end);
    if (!IsName(sample.name, true) || name_end == std::string_view::npos) return Fault("no name");
    line.remove_prefix(name_end);
    if (line[0] == '{' && !ParseLabels(&line, &sample)) return;
    if (!line.starts_with(' ')) return Fault("no blank in front of the value");
    const std::string_view value = line.substr(1);
    if (value.find(' ') != std::string_view::npos || !ReadNumber(value, &sample.value)) {
      return Fault("no value");
    }
    if (metrics_.families.empty() || metrics_.families.back().type.empty()) {
      return Fault("a sample without HELP and TYPE");
    }
    ParsedFamily& family = metrics_.families.back();
    if (!IsOf(family, sample.name)) Fault(sample.name + " is not of " + family.name);
    if (!samples_.insert({sample.name, sample.labels}).second) Fault(sample.name + " comes twice");
    family.samples.push_back(std::move(sample));
  }

  // Takes {name="value",...}, with \\, \" and \n in values.
  bool ParseLabels(std::string_view* line, ParsedSample* sample) {
    const auto fail = [&](std::string_view what) {
      Fault(what);
      return false;
    };
    do {
      line->remove_prefix(1);
      const size_t equals = line->find("=\"");
      if (equals == std::string_view::npos) return fail("a label without a value");
      const std::string name(line->substr(0, equals));
      if (!IsName(name, false)) return fail("no name of a label: " + name);
      line->remove_prefix(equals + 2);
      std::string value;
      while (!line->empty() && line->front() != '"') {
        if (line->front() == '\\') {
          line->remove_prefix(1);
          if (line->empty() || std::string_view("\\\"n").find(line->front()) == line->npos) {
            return fail("no escape");
          }
        }
        value += line->front();
        line->remove_prefix(1);
      }
      if (line->empty()) return fail("a value that does not end");
      line->remove_prefix(1);
      if (!sample->labels.emplace(name, value).second) return fail("a label twice");
    } while (line->starts_with(','));
    if (!line->starts_with('}')) return fail("labels that do not end");
    line->remove_prefix(1);
    return true;
  }

  bool IsOf(const ParsedFamily& family, std::string_view name) const {
    if (family.type == "histogram") {
      return name == family.name + "_bucket" || name == family.name + "_sum" ||
             name == family.name + "_count";
    }
    const bool adds_total = is_open_metrics() && family.type == "counter";
    return name == family.name + (adds_total ? "_total" : "");
  }

  void CheckFamily(const ParsedFamily& family) {
    line_ = 0;
    if (family.samples.empty()) Fault(family.name + " has no samples");
    const bool ends_total = family.name.ends_with("_total");
    const bool must_end = family.type == "counter" && !is_open_metrics();
    if (ends_total != must_end) Fault(family.name + ": _total is for counters");
    if (family.type == "histogram") CheckHistogram(family);
  }

  // Buckets ascend and end with +Inf, which is the count.
  void CheckHistogram(const ParsedFamily& family) {
    std::optional<std::pair<double, double>> before;  // le, value
    for (const ParsedSample& sample : family.samples) {
      if (sample.name.ends_with("_bucket")) {
        double le = 0;
        if (!ReadNumber(sample.labels.at("le"), &le)) Fault("no le");
        if (before && (le <= before->first || sample.value < before->second)) {
          Fault(family.name + ": buckets do not ascend");
        }
        before = {le, sample.value};
      } else if (sample.name.ends_with("_count")) {
        if (!before || before->second != sample.value) Fault(family.name + ": no such count");
        if (!before || before->first < 1e300) Fault(family.name + ": no +Inf");
        before.reset();
      }
    }
  }

  std::string_view rest_;
  const MetricsFormat format_;
  size_t line_ = 0;
  bool has_ended_ = false;
  std::set<std::string> names_;
  std::set<std::pair<std::string, std::map<std::string, std::string>>> samples_;
  ParsedMetrics metrics_;
};

}  // namespace

const ParsedFamily* ParsedMetrics::Family(std::string_view name) const {
  const auto found = std::ranges::find(families, name, &ParsedFamily::name);
  return found == families.end() ? nullptr : &*found;
}

double ParsedMetrics::Value(std::string_view name,
                            const std::map<std::string, std::string>& labels) const {
  for (const ParsedFamily& family : families) {
    for (const ParsedSample& sample : family.samples) {
      if (sample.name == name && sample.labels == labels) return sample.value;
    }
  }
  return -1;
}

ParsedMetrics ParseMetrics(std::string_view page, MetricsFormat format) {
  return PageParser(page, format).Parse();
}

}  // namespace hourcell
