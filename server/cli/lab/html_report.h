// HtmlReport: a page of tables and charts in one file, for mail or for storage with a design. The
// page loads no other files: charts are inline SVG, it uses no script, and its
// Content-Security-Policy enforces this. It follows the reader's light or dark setting, and can be
// printed. All text is escaped.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "server/plot/figure.h"

namespace hourcell {

struct HtmlTable {
  std::string caption = {};
  std::vector<std::string> heads = {};
  std::vector<std::vector<std::string>> rows = {};  // each with heads.size() cells
  size_t texts = 1;  // the first cells of a row, left-aligned; the others are numbers
};

struct HtmlNote {
  std::string text = {};
  bool is_warning = false;
};

struct HtmlSection {
  std::string title = {};
  std::string intro = {};  // may be empty
  std::vector<HtmlNote> notes = {};
  std::vector<plot::Figure> figures = {};
  std::vector<HtmlTable> tables = {};
};

// kInvalidArgument: a figure cannot be drawn.
absl::StatusOr<std::string> HtmlPage(std::string_view title,
                                     std::string_view intro,
                                     const std::vector<HtmlSection>& sections);

// Replaces the file at `path`. kUnavailable: it cannot be written.
absl::Status WriteHtml(const std::string& page, const std::string& path);

}  // namespace hourcell
