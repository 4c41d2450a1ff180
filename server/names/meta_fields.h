// MetaFields: the fields of OpenTSDB's UIDMeta and TSMeta that users set, and their JSON:
//
//   {"displayName":"CPU","description":"","notes":"","created":0,"custom":{"owner":"ann"},
//    "units":"%","dataType":"","retention":30,"max":100.0,"min":"NaN"}
//
// A UID has the first five, a series all. Stored documents and bodies have this form. Unknown
// fields of a body are ignored; numbers may be text. As in OpenTSDB, a field with its default is
// not set. "custom" is set unless it is null.
//
// Pure; thread-safe.

#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/statusor.h>
#include <simdjson.h>

#include "codec/base/json_writer.h"
#include "engine/tsdb.h"
#include "server/http/http_message.h"

namespace hourcell {

enum class MetaOf : uint8_t { kUid, kSeries };

struct MetaFields {
  std::string display_name = {};
  std::string description = {};
  std::string notes = {};
  int64_t created = 0;  // seconds; 0: unknown
  std::optional<std::map<std::string, std::string>> custom = {};
  // Of series.
  std::string units = {};
  std::string data_type = {};
  int64_t retention = 0;
  double max = std::numeric_limits<double>::quiet_NaN();
  double min = std::numeric_limits<double>::quiet_NaN();

  // True if all fields have their defaults.
  bool is_empty() const;
};

// kInvalidArgument: a field of another type; "Unable to parse 'retention' value".
absl::StatusOr<MetaFields> ParseMetaFields(simdjson::dom::object object);
// The parameters display_name, description, notes, created, units, data_type, retention, max and
// min. Errors as above.
absl::StatusOr<MetaFields> MetaFieldsOfParams(const HttpRequest& request);

// The text of a stored document, and back. kDataLoss: not such a text.
std::string PrintMetaDocument(const MetaFields& fields, MetaOf of);
absl::StatusOr<MetaFields> ParseMetaDocument(std::string_view text);

// The fields after a write: those of `edit` over `stored`, or over the defaults if it `replaces`
// them. `created` is the earlier one that is set.
MetaFields MergeMeta(const MetaFields& stored, const MetaFields& edit, bool replaces);

// "METRIC", "TAGK", "TAGV".
std::string_view MetaTypeName(UidKind kind);
// metric, metrics, tagk or tagv, in any case.
std::optional<UidKind> ParseMetaType(std::string_view text);

// {"uid":"000001","type":"METRIC","name":"cpu",...}
struct UidMeta {
  std::optional<UidKind> kind = {};
  std::string uid = {};  // in hex
  std::string name = {};
  MetaFields fields = {};
};
void AppendUidMeta(const UidMeta& meta, std::string* out);

// {"tsuid":"000001...","metric":{...},"tags":[{...},{...}],...}: a key and its value follow each
// other.
struct SeriesMeta {
  std::string tsuid = {};  // in hex
  UidMeta metric = {};
  std::vector<UidMeta> tags = {};
  MetaFields fields = {};
  int64_t last_received_s = 0;  // 0: unknown
};
void AppendSeriesMeta(const SeriesMeta& meta, std::string* out);

}  // namespace hourcell
