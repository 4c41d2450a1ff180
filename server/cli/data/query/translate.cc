#include "server/cli/data/query/translate.h"

#include <memory>
#include <optional>
#include <string_view>

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "codec/base/json_writer.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "promql/text/literals.h"
#include "server/cli/command_line.h"
#include "server/cli/data/import/line_reader.h"
#include "server/translate/grafana/dashboard.h"
#include "server/translate/grafana/json_tree.h"
#include "server/translate/m_translation.h"
#include "server/translate/promql_translation.h"

namespace hourcell {
namespace {

constexpr std::string_view kTranslateCommand = "translate";

class TranslationPrinter {
 public:
  TranslationPrinter(const TranslateOptions& options, Terminal* terminal)
      : to_m_(options.to_m), as_json_(options.json), terminal_(*terminal) {}

  void Print(std::string_view query) {
    const absl::StatusOr<Translation> translation =
        to_m_ ? TranslateToM(query) : TranslateToPromql(query);
    if (as_json_) {
      PrintJson(query, translation);
    } else if (translation.ok()) {
      PrintLines(*translation);
    }
    if (translation.ok()) return;
    has_failed_ = true;
    if (as_json_) return;
    // So that the message comes after the translations before it.
    std::fflush(terminal_.out);
    PrintTo(terminal_.err, "hourcell {}: {}: {}\n", kTranslateCommand, QuoteForMessage(query),
            MessageOf(translation.status()));
  }

  int exit_code() const { return has_failed_ ? kExitFailure : kExitOk; }

 private:
  // The comments are those of PromQL, so that all lines together are an expression.
  void PrintLines(const Translation& translation) {
    std::string text = translation.text + '\n';
    if (translation.step_ms > 0) {
      text += "# step: ";
      promql::AppendDuration(translation.step_ms, &text);
      text += ", from a multiple of it\n";
    }
    for (const std::string& condition : translation.conditions)
      text += fmt::format("# if: {}\n", condition);
    PrintText(terminal_.out, text);
  }

  void PrintJson(std::string_view query, const absl::StatusOr<Translation>& translation) {
    std::string text;
    JsonWriter json(&text);
    json.OpenObject();
    json.Field("query", query);
    if (translation.ok()) {
      json.Field("translation", translation->text);
      json.Field("stepMs", translation->step_ms);
      json.Key("conditions");
      json.OpenArray();
      for (const std::string& condition : translation->conditions)
        json.Value(condition);
      json.CloseArray();
    } else {
      json.Field("error", MessageOf(translation.status()));
    }
    json.CloseObject();
    PrintTo(terminal_.out, "{}\n", text);
  }

  const bool to_m_;
  const bool as_json_;
  Terminal& terminal_;
  bool has_failed_ = false;
};

absl::Status PrintLinesOf(const std::string& input, TranslationPrinter* printer) {
  HOURCELL_ASSIGN_OR_RETURN(const std::unique_ptr<LineReader> reader, LineReader::Open(input));
  Line line;
  while (true) {
    HOURCELL_ASSIGN_OR_RETURN(const bool more, reader->Next(&line));
    if (!more) return absl::OkStatus();
    if (line.too_long) {
      return absl::InvalidArgumentError(
          fmt::format("{}:{}: line too long; expected at most {} bytes", reader->name(),
                      line.number, kLineBytesMax));
    }
    if (!line.text.empty() && line.text.front() != '#') printer->Print(line.text);
  }
}

// One line for each query: whether it is translated, and under which conditions.
std::string PartLine(const DashboardPart& part) {
  std::string text;
  switch (part.kind) {
    case DashboardPart::Kind::kTarget:
      text = fmt::format("panel {} {}", QuoteForMessage(part.name), part.ref_id);
      break;
    case DashboardPart::Kind::kVariable:
      text = fmt::format("variable {}", part.name);
      break;
    case DashboardPart::Kind::kAnnotation:
      text = fmt::format("annotation {}", QuoteForMessage(part.name));
      break;
  }
  if (!part.error.empty()) return fmt::format("{}: not translated: {}", text, part.error);
  if (part.conditions.empty()) return text + ": translated";
  return fmt::format("{}: translated, if {}", text, fmt::join(part.conditions, "; "));
}

std::string PartJson(const DashboardPart& part) {
  std::string text;
  JsonWriter json(&text);
  json.OpenObject();
  switch (part.kind) {
    case DashboardPart::Kind::kTarget:
      json.Field("panel", part.name);
      json.Field("refId", part.ref_id);
      break;
    case DashboardPart::Kind::kVariable:
      json.Field("variable", part.name);
      break;
    case DashboardPart::Kind::kAnnotation:
      json.Field("annotation", part.name);
      break;
  }
  if (part.error.empty()) {
    json.Field("translation", part.translation);
    json.Key("conditions");
    json.OpenArray();
    for (const std::string& condition : part.conditions)
      json.Value(condition);
    json.CloseArray();
  } else {
    json.Field("error", part.error);
  }
  json.CloseObject();
  return text;
}

absl::StatusOr<std::string> ReadDashboard(const std::string& path) {
  HOURCELL_ASSIGN_OR_RETURN(const std::unique_ptr<LineReader> reader,
                            LineReader::Open(path, kJsonTreeBytesMax));
  std::string text;
  Line line;
  while (true) {
    HOURCELL_ASSIGN_OR_RETURN(const bool more, reader->Next(&line));
    if (!more) return text;
    if (line.too_long || text.size() + line.text.size() > kJsonTreeBytesMax) {
      return absl::InvalidArgumentError(
          fmt::format("{}: too long; expected a dashboard of at most {} bytes, got more",
                      reader->name(), kJsonTreeBytesMax));
    }
    text += line.text;
    text.push_back('\n');
  }
}

int PrintDashboard(const TranslateOptions& options, Terminal& terminal) {
  const absl::StatusOr<std::string> json = ReadDashboard(options.dashboard);
  if (!json.ok()) return Fail(terminal, kTranslateCommand, json.status());
  const absl::StatusOr<DashboardTranslation> made = TranslateDashboard(*json, options.data_source);
  if (!made.ok()) return Fail(terminal, kTranslateCommand, made.status());
  PrintText(terminal.out, made->text);
  std::fflush(terminal.out);
  int code = kExitOk;
  for (const DashboardPart& part : made->parts) {
    PrintTo(terminal.err, "{}\n", options.json ? PartJson(part) : PartLine(part));
    if (!part.error.empty()) code = kExitFailure;
  }
  return code;
}

absl::Status TakeLanguage(const std::string& language, TranslateOptions* options) {
  options->to_m = language == "m";
  if (options->to_m || language == "promql") return absl::OkStatus();
  return absl::InvalidArgumentError(
      fmt::format("--to: expected promql or m, got {}", QuoteForMessage(language)));
}

}  // namespace

int RunTranslate(const TranslateOptions& options, Terminal& terminal) {
  if (!options.dashboard.empty()) return PrintDashboard(options, terminal);
  TranslationPrinter printer(options, &terminal);
  for (const std::string& query : options.queries)
    printer.Print(query);
  if (options.queries.empty()) {
    const absl::Status status = PrintLinesOf(options.input, &printer);
    if (!status.ok()) return Fail(terminal, kTranslateCommand, status);
  }
  return printer.exit_code();
}

int TranslateMain(const std::vector<std::string>& args, Terminal& terminal) {
  TranslateOptions options;
  CommandLine line(kTranslateCommand,
                   "Prints queries of m= as PromQL that gives the same values, or the reverse.");
  line.AddTaken(
      "--to", [&options](const std::string& language) { return TakeLanguage(language, &options); },
      "LANGUAGE", "promql (the default) or m");
  line.AddFlag("--json", &options.json, "print one object per query");
  line.AddOption("--dashboard", &options.dashboard, "FILE",
                 "print this dashboard of Grafana with PromQL (- is the standard input)");
  line.AddOption(
      "--data-source", &options.data_source, "UID",
      "Grafana's Prometheus source in the dashboard (default: you choose it during the import)");
  line.AddWords(
      "QUERY", &options.queries,
      "queries in the other language, in quotes (default: the lines of the standard input)");
  line.set_footer(
      "Each translation is followed by comments: the step of the range query, and the\n"
      "conditions under which the values are the same. Without conditions they always are.\n"
      "A query that the language cannot express is refused with the reason. docs/promql.md has "
      "the\n"
      "rules of names and times.\n"
      "--dashboard keeps queries without a translation, and lists all on standard error.\n"
      "\nExamples:\n"
      "  hourcell translate 'sum:1m-avg-nan:sys.cpu.user{host=*}{dc=lga}'\n"
      "  hourcell translate --to m 'sum by (host) (max_over_time(cpu[59s999ms] offset "
      "-59s999ms))'\n"
      "  hourcell translate --json < queries.txt\n"
      "  hourcell translate --dashboard opentsdb.json > prometheus.json\n");
  if (const std::optional<int> code = line.Parse(args, terminal)) return *code;
  if (!options.dashboard.empty() && (options.to_m || !options.queries.empty())) {
    return FailUsage(terminal, kTranslateCommand,
                     "--dashboard: expected no QUERY and --to promql, got another");
  }
  if (options.dashboard.empty() && !options.data_source.empty())
    return FailUsage(terminal, kTranslateCommand,
                     "--data-source: expected with --dashboard, got no dashboard");
  return RunTranslate(options, terminal);
}

}  // namespace hourcell
