#include "server/cli/cluster/cluster.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <fmt/format.h>
#include <simdjson.h>

#include "codec/base/strings.h"
#include "server/cli/command_line.h"
#include "server/cli/store_flags.h"

namespace hourcell {
namespace {

constexpr std::string_view kClusterCommand = "cluster";
constexpr std::string_view kClusterTarget = "/api/cluster";

struct NodeRow {
  std::string_view address;
  std::string_view role;
  int64_t quiet_ms = 0;
};

struct ClusterAnswer {
  std::string_view engine;
  std::vector<NodeRow> nodes;
  uint64_t journal_blocks = 0;
  uint64_t journal_bytes = 0;
};

// nullopt: the document is not such an answer. The texts are views into `document`.
std::optional<ClusterAnswer> ReadAnswer(const simdjson::dom::element& document) {
  ClusterAnswer answer;
  simdjson::dom::array nodes;
  if (document["engine"].get(answer.engine) != simdjson::SUCCESS ||
      document["nodes"].get(nodes) != simdjson::SUCCESS ||
      document["journal"]["blocks"].get(answer.journal_blocks) != simdjson::SUCCESS ||
      document["journal"]["bytes"].get(answer.journal_bytes) != simdjson::SUCCESS) {
    return std::nullopt;
  }
  for (const simdjson::dom::element node : nodes) {
    NodeRow& row = answer.nodes.emplace_back();
    if (node["address"].get(row.address) != simdjson::SUCCESS ||
        node["role"].get(row.role) != simdjson::SUCCESS ||
        node["quiet_ms"].get(row.quiet_ms) != simdjson::SUCCESS) {
      return std::nullopt;
    }
  }
  return answer;
}

void PrintAnswer(const ClusterAnswer& answer, Terminal& terminal) {
  size_t width = std::string_view("address").size();
  for (const NodeRow& node : answer.nodes)
    width = std::max(width, node.address.size());
  PrintTo(terminal.out, "{:<{}}  {:<7}  last seen\n", "address", width, "role");
  for (const NodeRow& node : answer.nodes) {
    const std::string seen =
        node.role == "writer"
            ? "now"
            : fmt::format("{}.{} s ago", node.quiet_ms / 1000, node.quiet_ms % 1000 / 100);
    PrintTo(terminal.out, "{:<{}}  {:<7}  {}\n", node.address, width, node.role, seen);
  }
  PrintTo(terminal.out, "engine {}; journal: {} blocks, {} bytes\n", answer.engine,
          answer.journal_blocks, answer.journal_bytes);
}

}  // namespace

int RunCluster(const ClusterOptions& options, Terminal& terminal) {
  if (options.words.size() != 1 || options.words[0] != "status") {
    return FailWords(terminal, kClusterCommand, options.words, "status");
  }
  if (options.url.empty()) {
    return FailUsage(terminal, kClusterCommand,
                     "expected --url with the address of a running server, got no --url");
  }
  const absl::StatusOr<HttpUrl> url = ParseHttpUrl(options.url, options.trust);
  if (!url.ok()) return FailUsage(terminal, kClusterCommand, StatusText(url.status()));
  HttpClient client(*url);
  const absl::StatusOr<HttpReply> reply = client.Get(kClusterTarget);
  if (!reply.ok()) return Fail(terminal, kClusterCommand, reply.status());
  if (reply->status != kHttpOk) {
    return Fail(terminal, kClusterCommand, absl::UnavailableError(HttpErrorText(*reply)));
  }
  simdjson::dom::parser parser;
  simdjson::dom::element document;
  const bool is_json = parser.parse(reply->body).get(document) == simdjson::SUCCESS;
  const std::optional<ClusterAnswer> answer = is_json ? ReadAnswer(document) : std::nullopt;
  if (!answer.has_value()) {
    return Fail(terminal, kClusterCommand,
                absl::UnavailableError(fmt::format(
                    "unexpected answer from the server: {}; expected the nodes of a cluster",
                    QuoteForMessage(reply->body))));
  }
  if (options.json) {
    PrintTo(terminal.out, "{}\n", reply->body);
  } else {
    PrintAnswer(*answer, terminal);
  }
  return kExitOk;
}

int ClusterMain(const std::vector<std::string>& args, Terminal& terminal) {
  CommandLine line("cluster", "Lists the processes that share the store of a running server.");
  ClusterOptions options;
  AddUrl(&line, &options.url, &options.trust);
  line.AddFlag("--json", &options.json, "print the JSON of /api/cluster");
  line.AddWords("status", &options.words, "the only subcommand");
  line.set_footer(
      "Subcommands:\n"
      "  status   list the processes and their roles, and the size of the journal\n"
      "Of the processes that share a store on Cloud Bigtable, one writes; the others pass their\n"
      "clients' connections on to it, and take over when it ends. Every process answers this\n"
      "command. A standby without heartbeats for a minute is no longer listed.\n"
      "\nExamples:\n"
      "  hourcell cluster status --url http://localhost:4242\n"
      "  hourcell cluster status --url http://localhost:4242 --json\n");
  if (const std::optional<int> code = line.Parse(args, terminal)) return *code;
  return RunCluster(options, terminal);
}

}  // namespace hourcell
