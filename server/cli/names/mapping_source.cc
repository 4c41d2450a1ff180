#include "server/cli/names/mapping_source.h"

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <simdjson.h>

#include "codec/base/bytes.h"
#include "codec/base/json_writer.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "server/cli/names/mapping_line.h"

namespace hourcell {
namespace {

constexpr int kHttpNoContent = 204;
constexpr int kHttpBadRequest = 400;
constexpr int kHttpNotFound = 404;

absl::Status OfName(const absl::Status& status, std::string_view name) {
  if (!absl::IsInvalidArgument(status)) return status;
  return absl::InvalidArgumentError(NameFaultText(name, MessageOf(status)));
}

class StoreMappings : public MappingSource {
 public:
  explicit StoreMappings(Tsdb* tsdb) : tsdb_(*tsdb) {}

  absl::Status Grep(UidKind kind,
                    std::string_view expression,
                    bool ignore_case,
                    const std::function<bool(UidRow row)>& visit) override {
    return tsdb_.names().GrepUids(kind, expression, ignore_case, visit);
  }
  absl::StatusOr<UidRow> FindUid(UidKind kind, std::string_view name) override {
    return tsdb_.names().FindUid(kind, name);
  }
  absl::StatusOr<UidRow> FindName(UidKind kind, Uid uid) override {
    return tsdb_.names().FindName(kind, uid);
  }
  absl::StatusOr<UidRow> Assign(UidKind kind, std::string_view name) override {
    absl::StatusOr<UidRow> row = tsdb_.names().AssignUid(kind, name);
    if (!row.ok()) return OfName(row.status(), name);
    return row;
  }
  absl::Status Rename(UidKind kind, std::string_view name, std::string_view new_name) override {
    return OfName(tsdb_.names().RenameUid(kind, name, new_name), new_name);
  }
  absl::Status Delete(UidKind kind, std::string_view name) override {
    return tsdb_.names().DeleteUid(kind, name);
  }

 private:
  Tsdb& tsdb_;
};

// The kinds in the order of UidKind, as OpenTSDB's endpoints name them.
constexpr std::array<std::string_view, 3> kUidFields = {"metric", "tagk", "tagv"};

std::string_view UidField(UidKind kind) {
  return kUidFields[static_cast<size_t>(kind)];
}

class ServerMappings : public MappingSource {
 public:
  explicit ServerMappings(const HttpUrl& url) : client_(url) {}

  absl::Status Grep(UidKind kind,
                    std::string_view expression,
                    bool ignore_case,
                    const std::function<bool(UidRow row)>& visit) override {
    return Find(kind, "&grep=" + EscapeParam(expression) + (ignore_case ? "&ignore_case=true" : ""),
                visit);
  }
  absl::StatusOr<UidRow> FindUid(UidKind kind, std::string_view name) override {
    return FindOne(kind, "&name=" + EscapeParam(name));
  }
  absl::StatusOr<UidRow> FindName(UidKind kind, Uid uid) override {
    return FindOne(kind, fmt::format("&uid={}", uid));
  }

  absl::StatusOr<UidRow> Assign(UidKind kind, std::string_view name) override {
    std::string body;
    JsonWriter json(&body);
    json.OpenObject();
    json.Key(UidField(kind));
    json.OpenArray();
    json.Value(name);
    json.CloseArray();
    json.CloseObject();
    HOURCELL_ASSIGN_OR_RETURN(const HttpReply reply, client_.Post("/api/uid/assign", body));
    if (reply.status != kHttpOk && reply.status != kHttpBadRequest) return Refused(reply);
    return ReadAssigned(kind, name, reply);
  }

  absl::Status Rename(UidKind kind, std::string_view name, std::string_view new_name) override {
    std::string body;
    JsonWriter json(&body);
    json.OpenObject();
    json.Field(UidField(kind), name);
    json.Field("name", new_name);
    json.CloseObject();
    HOURCELL_ASSIGN_OR_RETURN(const HttpReply reply, client_.Post("/api/uid/rename", body));
    if (reply.status == kHttpOk) return absl::OkStatus();
    simdjson::dom::parser parser;
    simdjson::dom::object object;
    std::string_view error;
    if (parser.parse(reply.body).get(object) || object["result"].error() ||
        object["error"].get(error)) {
      return Refused(reply);
    }
    return absl::InvalidArgumentError(std::string(error));
  }

  absl::Status Delete(UidKind kind, std::string_view name) override {
    HOURCELL_ASSIGN_OR_RETURN(const HttpReply reply,
                              client_.Delete(fmt::format("/api/admin/uid?kind={}&name={}",
                                                         KindName(kind), EscapeParam(name))));
    return reply.status == kHttpNoContent ? absl::OkStatus() : Refused(reply);
  }

 private:
  absl::Status Refused(const HttpReply& reply) const {
    const std::string text = fmt::format("{}: {}", client_.address(), HttpErrorText(reply));
    return reply.status == kHttpNotFound ? absl::NotFoundError(text) : absl::UnavailableError(text);
  }

  absl::Status Unexpected(std::string_view answer) const {
    return absl::UnavailableError(fmt::format("{}: unexpected answer from the server: {}",
                                              client_.address(), QuoteForMessage(answer)));
  }

  // The error for an invalid line of an answer.
  absl::Status FaultOf(const absl::Status& status, std::string_view line) const {
    if (!absl::IsUnavailable(status)) return Unexpected(line);
    return absl::UnavailableError(fmt::format("{}: {}", client_.address(), MessageOf(status)));
  }

  absl::StatusOr<UidRow> MakeRow(UidKind kind, std::string_view name, std::string_view hex) const {
    absl::StatusOr<std::string> bytes = FromHex(hex);
    if (!bytes.ok()) return Unexpected(hex);
    return UidRow{.kind = kind, .name = std::string(name), .uid_bytes = *std::move(bytes)};
  }

  // OpenTSDB's endpoint reports a name that already has a UID as an error; its text contains the
  // UID.
  absl::StatusOr<UidRow> ReadAssigned(UidKind kind,
                                      std::string_view name,
                                      const HttpReply& reply) const {
    constexpr std::string_view kKnown = "Name already exists with UID: ";
    simdjson::dom::parser parser;
    simdjson::dom::element document;
    std::string_view text;
    if (parser.parse(reply.body).get(document)) return Unexpected(reply.body);
    simdjson::dom::element uids;
    if (!document[UidField(kind)].get(uids) && !uids[name].get(text)) {
      return MakeRow(kind, name, text);
    }
    simdjson::dom::element errors;
    if (document[fmt::format("{}_errors", UidField(kind))].get(errors) || errors[name].get(text)) {
      return Refused(reply);
    }
    if (text.starts_with(kKnown)) return MakeRow(kind, name, text.substr(kKnown.size()));
    return absl::InvalidArgumentError(std::string(text));
  }

  absl::StatusOr<UidRow> FindOne(UidKind kind, const std::string& what) {
    std::optional<UidRow> found;
    HOURCELL_RETURN_IF_ERROR(Find(kind, what, [&found](UidRow row) {
      found = std::move(row);
      return true;
    }));
    if (!found.has_value()) return Unexpected("no mapping");
    return *std::move(found);
  }

  absl::Status Find(UidKind kind,
                    const std::string& what,
                    const std::function<bool(UidRow row)>& visit) {
    MappingLine mapping(kind);
    absl::Status fault;
    bool is_complete = false;
    const auto take = [&](std::string_view line) {
      absl::StatusOr<std::optional<UidRow>> row = mapping.Read(line);
      if (!row.ok()) {
        fault = FaultOf(row.status(), line);
        return false;
      }
      is_complete = !row->has_value() || !visit(**std::move(row));
      return !is_complete;
    };
    HOURCELL_ASSIGN_OR_RETURN(
        const HttpReply reply,
        client_.GetLines(fmt::format("/api/admin/uid?kind={}{}", KindName(kind), what), take));
    HOURCELL_RETURN_IF_ERROR(fault);
    if (reply.status != kHttpOk) return Refused(reply);
    return is_complete ? absl::OkStatus() : Unexpected("an answer without an end");
  }

  HttpClient client_;
};

}  // namespace

std::string NameFaultText(std::string_view name, std::string_view fault) {
  constexpr std::string_view kIllegal = "illegal character: ";
  if (!fault.starts_with(kIllegal)) return fmt::format("name {}: {}", QuoteForMessage(name), fault);
  const std::string_view character = fault.substr(kIllegal.size());
  const bool is_escaped = character.size() > 1 && character.starts_with('\\');
  return fmt::format("name {}: illegal character {}", QuoteForMessage(name),
                     is_escaped ? fmt::format("\"{}\"", character) : QuoteForMessage(character));
}

std::unique_ptr<MappingSource> MappingsOf(Tsdb* tsdb) {
  return std::make_unique<StoreMappings>(tsdb);
}

std::unique_ptr<MappingSource> MappingsOf(const HttpUrl& url) {
  return std::make_unique<ServerMappings>(url);
}

}  // namespace hourcell
