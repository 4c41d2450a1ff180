#include "server/cli/lab/html_report.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "server/plot/compose.h"
#include "server/plot/output/svg.h"

namespace hourcell {
namespace {

constexpr std::string_view kHead =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<meta name=\"color-scheme\" content=\"light dark\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" "
    "content=\"default-src 'none'; style-src 'unsafe-inline'\">\n";

// The style finds marks of a chart by their roles (scene.h).
constexpr std::string_view kStyle = R"(<style>
:root { --ground: #fff; --ink: #202020; --note: #606060; --grid: #ddd; --blank: #eee;
        --warn: #a33b00 }
@media (prefers-color-scheme: dark) {
  :root { --ground: #15181b; --ink: #dcdfe3; --note: #a0a6ad; --grid: #353a40;
          --blank: #22262b; --warn: #ff9a5c }
}
body { margin: 0 auto; max-width: 78rem; padding: 1rem 1.5rem 3rem; background: var(--ground);
       color: var(--ink); font: 15px/1.45 system-ui, "DejaVu Sans", Verdana, sans-serif }
h1 { font-size: 1.6rem; margin: .5rem 0 } h2 { font-size: 1.25rem; margin: 2.2rem 0 .4rem }
p { margin: .3rem 0 .8rem; color: var(--note) }
li.warning { color: var(--warn) }
.wide { overflow-x: auto }
table { border-collapse: collapse; margin: 1rem 0; font-size: .86rem;
        font-variant-numeric: tabular-nums }
caption { text-align: left; color: var(--note); padding-bottom: .3rem }
th, td { padding: .15rem .7rem .15rem 0; text-align: right; white-space: nowrap }
th { border-bottom: 1px solid var(--grid); font-weight: 600 }
.text { text-align: left } td.text { font-family: ui-monospace, "DejaVu Sans Mono", monospace }
svg { max-width: 100%; height: auto; margin: .6rem 0 }
svg .background { fill: var(--ground) } svg .ground { fill: var(--blank) }
svg .title, svg .legend, svg .x-label, svg .y-label, svg .y2-label, svg .axis-title,
svg .color-label { fill: var(--ink) }
svg .note, svg .value { fill: var(--note) } svg .grid { stroke: var(--grid) }
svg .axis, svg .tick { stroke: var(--ink) }
@media print { section { break-inside: avoid } }
</style>
)";

class HtmlWriter {
 public:
  absl::StatusOr<std::string> Page(std::string_view title,
                                   std::string_view intro,
                                   const std::vector<HtmlSection>& sections) {
    out_ += kHead;
    Add("<title>", title, "</title>\n");
    out_ += kStyle;
    out_ += "</head>\n<body>\n";
    Add("<h1>", title, "</h1>\n");
    AddIntro(intro);
    for (const HtmlSection& section : sections)
      HOURCELL_RETURN_IF_ERROR(AddSection(section));
    out_ += "</body>\n</html>\n";
    return std::move(out_);
  }

 private:
  // Adds a text between markup, escaped.
  void Add(std::string_view before, std::string_view text, std::string_view after) {
    out_.append(before).append(EscapeMarkup(text)).append(after);
  }

  void AddIntro(std::string_view intro) {
    if (!intro.empty()) Add("<p>", intro, "</p>\n");
  }

  absl::Status AddSection(const HtmlSection& section) {
    out_ += "<section>\n";
    Add("<h2>", section.title, "</h2>\n");
    AddIntro(section.intro);
    if (!section.notes.empty()) out_ += "<ul>\n";
    for (const HtmlNote& note : section.notes) {
      out_ += note.is_warning ? "<li class=\"warning\">" : "<li>";
      Add("", note.text, "</li>\n");
    }
    if (!section.notes.empty()) out_ += "</ul>\n";
    for (const plot::Figure& figure : section.figures) {
      HOURCELL_ASSIGN_OR_RETURN(const plot::Scene scene, plot::Compose(figure));
      out_ += plot::SvgText(scene);
    }
    for (const HtmlTable& table : section.tables)
      AddTable(table);
    out_ += "</section>\n";
    return absl::OkStatus();
  }

  void AddRow(const std::vector<std::string>& cells, std::string_view element, size_t texts) {
    out_ += "<tr>";
    for (size_t i = 0; i < cells.size(); ++i) {
      fmt::format_to(std::back_inserter(out_), "<{0}{1}>{2}</{0}>", element,
                     i < texts ? " class=\"text\"" : "", EscapeMarkup(cells[i]));
    }
    out_ += "</tr>\n";
  }

  void AddTable(const HtmlTable& table) {
    out_ += "<div class=\"wide\"><table>\n";
    if (!table.caption.empty()) Add("<caption>", table.caption, "</caption>\n");
    AddRow(table.heads, "th", table.texts);
    for (const std::vector<std::string>& row : table.rows)
      AddRow(row, "td", table.texts);
    out_ += "</table></div>\n";
  }

  std::string out_;
};

}  // namespace

absl::StatusOr<std::string> HtmlPage(std::string_view title,
                                     std::string_view intro,
                                     const std::vector<HtmlSection>& sections) {
  return HtmlWriter().Page(title, intro, sections);
}

absl::Status WriteHtml(const std::string& page, const std::string& path) {
  errno = 0;
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << page;
  file.close();
  if (file.good()) return absl::OkStatus();
  return absl::UnavailableError(
      fmt::format("write {}: {}", path, errno != 0 ? std::strerror(errno) : "failed"));
}

}  // namespace hourcell
