#include "server/trees/branch_handler.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/functional/function_ref.h>
#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <absl/strings/ascii.h>
#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/json_writer.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "codec/rows/tsuid.h"
#include "engine/trees/branch_finder.h"
#include "engine/trees/branch_id.h"
#include "engine/trees/tree_mapper.h"
#include "server/http/body/body_writer.h"
#include "server/http/http_error.h"
#include "server/names/document_map.h"
#include "server/names/meta_fields.h"
#include "server/names/meta_reader.h"
#include "server/trees/stored_trees.h"
#include "server/trees/tree_fields.h"
#include "server/trees/tree_json.h"
#include "server/trees/tree_series.h"

namespace hourcell {
namespace {

HttpResponse BranchFailure(const absl::Status& status) {
  if (absl::IsNotFound(status)) return HttpError(404, status);
  return absl::IsInvalidArgument(status) ? HttpError(400, status) : QueryError(status);
}

std::string ListedTree(std::string_view type, uint16_t tree) {
  return fmt::format(R"({{"type":"{}","treeId":{}}})", type, tree);
}

// A request that reads all series by the rules of a tree.
struct TreeReading {
  Tree tree;
  TreeMapper mapper;
  int64_t deadline_ms = 0;
};

absl::StatusOr<std::shared_ptr<const TreeReading>> BeginReading(const HttpRequest& request,
                                                                uint16_t id,
                                                                Tsdb* tsdb) {
  HOURCELL_ASSIGN_OR_RETURN(Tree tree, FindTree(tsdb, id));
  HOURCELL_ASSIGN_OR_RETURN(TreeMapper mapper, TreeMapper::Compile(tree));
  return std::make_shared<const TreeReading>(
      TreeReading{std::move(tree), std::move(mapper), request.deadline_ms});
}

using PlaceVisit = absl::FunctionRef<absl::Status(const TreeSeries& series, const TreePath& path)>;

// Visits all series, ascending by tsuid, with their places; none if the tree is not enabled.
absl::Status VisitPlaces(const TreeReading& reading,
                         Tsdb* tsdb,
                         QueryControl* control,
                         PlaceVisit visit) {
  if (!reading.tree.enabled) return absl::OkStatus();
  std::optional<DocumentMap> fields;
  if (reading.mapper.needs_fields()) {
    HOURCELL_ASSIGN_OR_RETURN(fields, DocumentMap::Read(tsdb, control));
  }
  TreeSeriesReader reader(tsdb->layout(), fields.has_value() ? &*fields : nullptr);
  LookupQuery all;
  all.deadline_ms = reading.deadline_ms;
  absl::Status visited;
  const auto each = [&](const FoundSeries& found) {
    const std::optional<TreeSeries> series = reader.Read(found);
    if (series.has_value()) visited = visit(*series, reading.mapper.PathOf(*series));
    return visited.ok();
  };
  const absl::Status read = tsdb->queries().LookupSeries(all, each, control).status();
  HOURCELL_RETURN_IF_ERROR(visited);
  return read;
}

// The id of the branch, of the parameter or of the root.
absl::StatusOr<std::string> WantedBranch(const TreeFields& fields) {
  HOURCELL_ASSIGN_OR_RETURN(const uint16_t tree, fields.TreeId());
  const std::string hex = fields.Text("branch").value_or("");
  if (!hex.empty()) return ParseBranchId(hex);
  if (tree == 0) return absl::InvalidArgumentError("Missing or invalid branch and tree IDs");
  return RootBranchId(tree);
}

absl::Status PrintBranch(const TreeReading& reading,
                         const std::string& id,
                         Tsdb* tsdb,
                         QueryControl* control,
                         BodyWriter* body) {
  const std::unique_ptr<MemoryAccount> account = tsdb->queries().LeaseQueryMemory(control);
  BranchFinder finder(id, account.get());
  HOURCELL_RETURN_IF_ERROR(VisitPlaces(
      reading, tsdb, control,
      [&](const TreeSeries& series, const TreePath& path) { return finder.Add(series, path); }));
  const std::optional<TreeBranch> branch = std::move(finder).Finish();
  if (!branch.has_value()) {
    return absl::NotFoundError(
        fmt::format("Unable to locate branch '{}' for tree '{}'", ToUpperHex(id), reading.tree.id));
  }
  JsonWriter json(&body->buffer());
  AppendBranch(reading.tree.id, *branch, &json);
  return absl::OkStatus();
}

// A tree and series.
struct SeriesRequest {
  uint16_t tree = 0;
  std::vector<std::string> tsuids = {};  // upper-case hex
};

absl::StatusOr<SeriesRequest> ReadSeriesRequest(const HttpRequest& request, Tsdb* tsdb) {
  HOURCELL_ASSIGN_OR_RETURN(const TreeFields fields, TreeFields::Read(request));
  SeriesRequest read;
  HOURCELL_ASSIGN_OR_RETURN(read.tree, fields.RequiredTreeId());
  for (const std::string& hex : fields.tsuids()) {
    HOURCELL_ASSIGN_OR_RETURN(const std::string tsuid, FromHex(hex));
    HOURCELL_RETURN_IF_ERROR(ParseTsuid(tsdb->layout(), tsuid).status());
    read.tsuids.push_back(absl::AsciiStrToUpper(hex));
  }
  return read;
}

void AddMessages(const std::vector<std::string>& messages, JsonWriter* json) {
  json->Key("messages");
  json->OpenArray();
  for (const std::string& message : messages)
    json->Value(message);
  json->CloseArray();
}

void AddFailedTest(std::string message, JsonWriter* json) {
  json->OpenObject();
  AddMessages({std::move(message)}, json);
  for (const std::string_view key : {"meta", "branch"}) {
    json->Key(key);
    json->RawValue()->append("null");
  }
  json->CloseObject();
}

absl::Status AddTest(const TreeReading& reading,
                     const std::string& hex,
                     Tsdb* tsdb,
                     JsonWriter* json) {
  HOURCELL_ASSIGN_OR_RETURN(const std::string tsuid, FromHex(hex));
  const MetaReader reader(tsdb);
  const absl::StatusOr<SeriesMeta> meta = reader.OfTsuid(tsuid);
  if (absl::IsNotFound(meta.status())) {
    AddFailedTest(fmt::format("TSUID was missing a UID name: {}", MessageOf(meta.status())), json);
    return absl::OkStatus();
  }
  HOURCELL_RETURN_IF_ERROR(meta.status());
  HOURCELL_ASSIGN_OR_RETURN(const bool has_series, reader.HasSeries(tsuid));
  if (!has_series) {
    AddFailedTest("Unable to locate TSUID meta data", json);
    return absl::OkStatus();
  }
  TreeSeriesReader series_reader(tsdb->layout(), /*fields=*/nullptr);
  const TreeSeries series = series_reader.Read(*meta);
  std::vector<std::string> messages;
  const TreePath path = reading.mapper.PathOf(series, &messages);
  json->OpenObject();
  AddMessages(messages, json);
  json->Key("meta");
  AppendSeriesMeta(*meta, json->RawValue());
  json->Key("branch");
  AppendPath(reading.tree.id, path, TreeLeafOf(series, path.leaf), json);
  json->CloseObject();
  return absl::OkStatus();
}

absl::Status PrintTests(const TreeReading& reading,
                        const std::vector<std::string>& tsuids,
                        Tsdb* tsdb,
                        QueryControl* control,
                        BodyWriter* body) {
  JsonWriter json(&body->buffer());
  json.OpenObject();
  for (const std::string& tsuid : tsuids) {
    if (control->is_cancelled()) return absl::CancelledError("the test was cancelled");
    json.Key(tsuid);
    HOURCELL_RETURN_IF_ERROR(AddTest(reading, tsuid, tsdb, &json));
    HOURCELL_RETURN_IF_ERROR(body->Offer());
  }
  json.CloseObject();
  return absl::OkStatus();
}

// The entry of a series in a list of failures; empty: none.
using FailureOf =
    absl::FunctionRef<absl::StatusOr<std::string>(const TreeSeries& series, const TreePath& path)>;

absl::Status PrintFailures(const TreeReading& reading,
                           const std::set<std::string>& wanted,
                           FailureOf failure_of,
                           Tsdb* tsdb,
                           QueryControl* control,
                           BodyWriter* body) {
  JsonWriter json(&body->buffer());
  json.OpenObject();
  const auto add = [&](const TreeSeries& series, const TreePath& path) -> absl::Status {
    HOURCELL_ASSIGN_OR_RETURN(const std::string failure, failure_of(series, path));
    const std::string tsuid(series.tsuid);
    if (failure.empty() || (!wanted.empty() && !wanted.contains(tsuid))) return absl::OkStatus();
    json.Field(tsuid, failure);
    return body->Offer();
  };
  if (reading.tree.store_failures) {
    HOURCELL_RETURN_IF_ERROR(VisitPlaces(reading, tsdb, control, add));
  }
  json.CloseObject();
  return absl::OkStatus();
}

absl::Status PrintCollisions(const TreeReading& reading,
                             const std::set<std::string>& wanted,
                             Tsdb* tsdb,
                             QueryControl* control,
                             BodyWriter* body) {
  const std::unique_ptr<MemoryAccount> account = tsdb->queries().LeaseQueryMemory(control);
  CollisionFinder finder(account.get());
  const auto failure_of = [&](const TreeSeries& series, const TreePath& path) {
    return finder.Add(series, path);
  };
  return PrintFailures(reading, wanted, failure_of, tsdb, control, body);
}

absl::Status PrintNotMatched(const TreeReading& reading,
                             const std::set<std::string>& wanted,
                             Tsdb* tsdb,
                             QueryControl* control,
                             BodyWriter* body) {
  const auto failure_of = [](const TreeSeries& /*series*/,
                             const TreePath& path) -> absl::StatusOr<std::string> {
    return path.is_placed ? std::string() : path.missed;
  };
  return PrintFailures(reading, wanted, failure_of, tsdb, control, body);
}

using PrintFailureList = absl::Status (*)(const TreeReading& reading,
                                          const std::set<std::string>& wanted,
                                          Tsdb* tsdb,
                                          QueryControl* control,
                                          BodyWriter* body);

HttpResponse AnswerFailures(std::string_view type,
                            PrintFailureList print,
                            const HttpRequest& request,
                            const QueryService& service) {
  absl::StatusOr<SeriesRequest> read = ReadSeriesRequest(request, service.tsdb);
  if (!read.ok()) return BranchFailure(read.status());
  const auto reading = BeginReading(request, read->tree, service.tsdb);
  if (!reading.ok()) return BranchFailure(reading.status());
  std::set<std::string> wanted(read->tsuids.begin(), read->tsuids.end());
  return ListedResponse(
      service, request, ListedTree(type, read->tree),
      [tsdb = service.tsdb, print, reading = *reading, wanted = std::move(wanted)](
          QueryControl* control, BodyWriter* body) {
        return print(*reading, wanted, tsdb, control, body);
      },
      &BranchFailure);
}

}  // namespace

HttpResponse HandleTreeBranch(const HttpRequest& request, const QueryService& service) {
  const absl::StatusOr<TreeFields> fields = TreeFields::Read(request);
  if (!fields.ok()) return BranchFailure(fields.status());
  const absl::StatusOr<std::string> id = WantedBranch(*fields);
  if (!id.ok()) return BranchFailure(id.status());
  const auto reading = BeginReading(request, TreeOfBranchId(*id), service.tsdb);
  if (!reading.ok()) return BranchFailure(reading.status());
  return ListedResponse(
      service, request, ListedTree("TREE_BRANCH", (*reading)->tree.id),
      [tsdb = service.tsdb, reading = *reading, id = *id](QueryControl* control, BodyWriter* body) {
        return PrintBranch(*reading, id, tsdb, control, body);
      },
      &BranchFailure);
}

HttpResponse HandleTreeTest(const HttpRequest& request, const QueryService& service) {
  absl::StatusOr<SeriesRequest> read = ReadSeriesRequest(request, service.tsdb);
  if (!read.ok()) return BranchFailure(read.status());
  const auto reading = BeginReading(request, read->tree, service.tsdb);
  if (!reading.ok()) return BranchFailure(reading.status());
  if (read->tsuids.empty()) return HttpError(400, "Missing or empty TSUID list");
  std::ranges::sort(read->tsuids);
  read->tsuids.erase(std::ranges::unique(read->tsuids).begin(), read->tsuids.end());
  return ListedResponse(
      service, request, ListedTree("TREE_TEST", read->tree),
      [tsdb = service.tsdb, reading = *reading, tsuids = std::move(read->tsuids)](
          QueryControl* control, BodyWriter* body) {
        return PrintTests(*reading, tsuids, tsdb, control, body);
      },
      &BranchFailure);
}

HttpResponse HandleTreeCollisions(const HttpRequest& request, const QueryService& service) {
  return AnswerFailures("TREE_COLLISIONS", &PrintCollisions, request, service);
}

HttpResponse HandleTreeNotMatched(const HttpRequest& request, const QueryService& service) {
  return AnswerFailures("TREE_NOTMATCHED", &PrintNotMatched, request, service);
}

}  // namespace hourcell
