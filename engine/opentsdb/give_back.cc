#include "engine/opentsdb/give_back.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <absl/status/status.h>
#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "codec/cells/hbase_cells.h"
#include "codec/object_qualifier.h"
#include "codec/rows/row_key.h"
#include "codec/text/name.h"
#include "engine/adoption_admin.h"
#include "engine/rows/annotation_cell.h"

namespace hourcell {
namespace {

constexpr size_t kNamesAtOnce = 1000;
// Rows per batch; both versions of each row are in memory.
constexpr size_t kRowsAtOnce = 500;
constexpr size_t kBytesAtOnce = size_t{4} << 20;

using Rows = std::map<std::string, OpenTsdbRow>;

const OpenTsdbColumn* ColumnOf(const Rows& rows,
                               const std::string& key,
                               std::string_view family,
                               std::string_view qualifier) {
  const auto row = rows.find(key);
  if (row == rows.end()) return nullptr;
  for (const OpenTsdbColumn& column : row->second.columns) {
    if (column.family == family && column.qualifier == qualifier) return &column;
  }
  return nullptr;
}

bool HasPoints(const OpenTsdbColumn& column) {
  const HBaseCellKind kind = ClassifyHBaseCell(column.qualifier);
  return kind == HBaseCellKind::kPoint || kind == HBaseCellKind::kCompacted ||
         kind == HBaseCellKind::kAppend;
}

struct StoredName {
  std::string name;  // as stored
  std::string uid;
};

Layout WrittenLayout(Layout layout, const GiveBackOptions& options) {
  layout.salt_width = options.salt_width;
  layout.salt_buckets = options.salt_buckets;
  layout.fields = Layout().fields;
  return layout;
}

class GiveBackRun {
 public:
  GiveBackRun(Tsdb* store, OpenTsdbTables* tables, const GiveBackOptions& options)
      : store_(*store),
        tables_(*tables),
        options_(options),
        stored_keys_(store->layout()),
        written_keys_(WrittenLayout(store->layout(), options)) {}

  absl::StatusOr<GiveBackProgress> Run() {
    HOURCELL_RETURN_IF_ERROR(ValidateLayout(written_keys_.layout()));
    HOURCELL_RETURN_IF_ERROR(tables_.CreateMissing());
    for (const UidKind kind : kUidKinds)
      HOURCELL_RETURN_IF_ERROR(WriteNames(kind));
    HOURCELL_RETURN_IF_ERROR(WritePoints());
    absl::Status noted =
        store_.annotations().Visit([this](const Annotation& note) { return AddAnnotation(note); });
    HOURCELL_RETURN_IF_ERROR(noted);
    HOURCELL_RETURN_IF_ERROR(WriteBatch());
    return done_;
  }

 private:
  absl::Status CheckGoOn() const {
    if (!options_.progress || options_.progress(done_)) return absl::OkStatus();
    return absl::CancelledError("ended; what is written stays");
  }

  absl::Status WriteNames(UidKind kind) {
    std::vector<StoredName> names;
    absl::Status fault;
    HOURCELL_RETURN_IF_ERROR(store_.names().GrepUids(kind, "", false, [&](UidRow row) {
      absl::StatusOr<std::string> stored = EncodeName(row.name, NameEncoding::kLatin1);
      if (!stored.ok()) {
        fault = absl::FailedPreconditionError(
            fmt::format("{} name '{}': {}", KindName(kind), row.name, MessageOf(stored.status())));
        return false;
      }
      names.push_back({.name = *std::move(stored), .uid = std::move(row.uid_bytes)});
      if (names.size() < kNamesAtOnce) return true;
      fault = WriteSomeNames(kind, names);
      names.clear();
      return fault.ok();
    }));
    HOURCELL_RETURN_IF_ERROR(fault);
    HOURCELL_RETURN_IF_ERROR(WriteSomeNames(kind, names));
    return WriteCounter(kind);
  }

  // Writes reverse rows first, so that after a crash each UID in a forward row has a name.
  absl::Status WriteSomeNames(UidKind kind, const std::vector<StoredName>& names) {
    std::vector<std::string> keys;
    for (const StoredName& name : names) {
      keys.push_back(name.name);
      keys.push_back(name.uid);
    }
    HOURCELL_ASSIGN_OR_RETURN(const Rows there, ReadRows(OpenTsdbTable::kUid, std::move(keys)));
    std::vector<OpenTsdbRowWrite> reverse;
    std::vector<OpenTsdbRowWrite> forward;
    for (const StoredName& name : names) {
      HOURCELL_RETURN_IF_ERROR(
          AddName(kind, there, kOpenTsdbNameFamily, name.uid, name.name, &reverse));
      HOURCELL_RETURN_IF_ERROR(
          AddName(kind, there, kOpenTsdbIdFamily, name.name, name.uid, &forward));
    }
    done_.names += names.size();
    HOURCELL_RETURN_IF_ERROR(tables_.Write(OpenTsdbTable::kUid, reverse));
    HOURCELL_RETURN_IF_ERROR(tables_.Write(OpenTsdbTable::kUid, forward));
    return CheckGoOn();
  }

  absl::Status AddName(UidKind kind,
                       const Rows& there,
                       std::string_view family,
                       const std::string& key,
                       const std::string& value,
                       std::vector<OpenTsdbRowWrite>* writes) {
    const OpenTsdbColumn* const found = ColumnOf(there, key, family, KindName(kind));
    if (found != nullptr && found->value == value) return absl::OkStatus();
    if (found != nullptr) {
      return absl::FailedPreconditionError(
          fmt::format("{}: row {} of the names has {} in {}:{}; the store has {}", tables_.name(),
                      ToHex(key), ToHex(found->value), family, KindName(kind), ToHex(value)));
    }
    writes->push_back({.key = key,
                       .set = {{.family = std::string(family),
                                .qualifier = std::string(KindName(kind)),
                                .value = value}}});
    return absl::OkStatus();
  }

  absl::Status WriteCounter(UidKind kind) {
    const std::string key(kOpenTsdbCounterRow);
    HOURCELL_ASSIGN_OR_RETURN(const Rows there, ReadRows(OpenTsdbTable::kUid, {key}));
    const OpenTsdbColumn* const found = ColumnOf(there, key, kOpenTsdbIdFamily, KindName(kind));
    const Uid before = found != nullptr && found->value.size() == 8
                           ? LoadBigEndian(found->value.data(), 8)
                           : kNoUid;
    const Uid highest = store_.maintenance().adoption()->HighestUid(kind);
    if (highest <= before) return absl::OkStatus();
    OpenTsdbColumn column = {.family = std::string(kOpenTsdbIdFamily),
                             .qualifier = std::string(KindName(kind))};
    AppendBigEndian(highest, 8, &column.value);
    return tables_.Write(OpenTsdbTable::kUid, {{.key = key, .set = {std::move(column)}}});
  }

  absl::StatusOr<Rows> ReadRows(OpenTsdbTable table, std::vector<std::string> keys) {
    std::ranges::sort(keys);
    keys.erase(std::ranges::unique(keys).begin(), keys.end());
    Rows rows;
    if (keys.empty()) return rows;
    HOURCELL_ASSIGN_OR_RETURN(std::vector<OpenTsdbRow> read,
                              tables_.ReadKeys(table, std::move(keys)));
    for (OpenTsdbRow& row : read) {
      std::string key = row.key;
      rows.emplace(std::move(key), std::move(row));
    }
    return rows;
  }

  absl::Status WritePoints() {
    absl::Status status;
    HOURCELL_RETURN_IF_ERROR(store_.queries().Scan({}, [&](const ScannedRow& row) {
      status = AddRow(row);
      return status.ok();
    }));
    HOURCELL_RETURN_IF_ERROR(status);
    return WriteBatch();
  }

  absl::Status AddRow(const ScannedRow& row) {
    HOURCELL_ASSIGN_OR_RETURN(const RowKeyView parsed, stored_keys_.Parse(row.key));
    std::string tsuid;
    RowKeyCodec::AppendTsuid(parsed, &tsuid);
    std::string key;
    written_keys_.Append(tsuid, row.base_time_s, &key);
    ++done_.rows;
    done_.points += row.times.size();
    return Add(std::move(key), row.qualifiers, row.values);
  }

  absl::Status AddAnnotation(const Annotation& note) {
    std::string key;
    const uint32_t base_time_s = kHourSpan.BaseS(MsOf(note.start_time));
    if (note.tsuid.empty()) {
      written_keys_.AppendGlobal(base_time_s, &key);
    } else {
      HOURCELL_ASSIGN_OR_RETURN(const std::string tsuid, UidBytesFromHex(note.tsuid, 0));
      written_keys_.Append(tsuid, base_time_s, &key);
    }
    std::string value;
    AppendAnnotationCell(note, &value);
    ++done_.annotations;
    return Add(std::move(key), OpenTsdbAnnotationQualifier(note.start_time), value);
  }

  static int64_t MsOf(int64_t start_time) {
    return start_time > int64_t{UINT32_MAX} ? start_time : start_time * 1000;
  }

  absl::Status Add(std::string key, std::string_view qualifier, std::string_view value) {
    batch_bytes_ += key.size() + qualifier.size() + value.size();
    batch_.push_back({.key = std::move(key),
                      .set = {{.family = std::string(kOpenTsdbDataFamily),
                               .qualifier = std::string(qualifier),
                               .value = std::string(value)}}});
    const bool is_full = batch_.size() >= kRowsAtOnce || batch_bytes_ >= kBytesAtOnce;
    return is_full ? WriteBatch() : absl::OkStatus();
  }

  // Each written row of points has all its points in one column.
  absl::Status WriteBatch() {
    std::vector<std::string> keys;
    for (const OpenTsdbRowWrite& write : batch_)
      keys.push_back(write.key);
    HOURCELL_ASSIGN_OR_RETURN(const Rows there, ReadRows(OpenTsdbTable::kData, std::move(keys)));
    std::vector<OpenTsdbRowWrite> writes;
    for (OpenTsdbRowWrite& write : batch_) {
      const OpenTsdbColumn& written = write.set.front();
      const OpenTsdbColumn* const same =
          ColumnOf(there, write.key, kOpenTsdbDataFamily, written.qualifier);
      const bool is_there = same != nullptr && same->value == written.value;
      if (HasPoints(written) && there.contains(write.key)) {
        for (const OpenTsdbColumn& column : there.at(write.key).columns) {
          if (!HasPoints(column) || (is_there && &column == same)) continue;
          write.removed.push_back({.family = column.family, .qualifier = column.qualifier});
        }
      }
      if (is_there && write.removed.empty()) continue;
      writes.push_back(std::move(write));
    }
    batch_.clear();
    batch_bytes_ = 0;
    done_.rows_written += writes.size();
    if (!writes.empty()) HOURCELL_RETURN_IF_ERROR(tables_.Write(OpenTsdbTable::kData, writes));
    return CheckGoOn();
  }

  Tsdb& store_;
  OpenTsdbTables& tables_;
  const GiveBackOptions& options_;
  const RowKeyCodec stored_keys_;
  const RowKeyCodec written_keys_;
  std::vector<OpenTsdbRowWrite> batch_;
  size_t batch_bytes_ = 0;
  GiveBackProgress done_;
};

}  // namespace

std::string OpenTsdbAnnotationQualifier(int64_t start_time) {
  if (start_time % 1000 == 0) start_time /= 1000;
  const bool is_ms = start_time > int64_t{UINT32_MAX};
  const int64_t hour = is_ms ? kHourSpan.ms() : int64_t{kHourSpan.seconds};
  const int64_t offset = start_time % hour;
  std::string bytes;
  AppendObjectQualifier({.type = kAnnotationType,
                         .offset_ms = static_cast<uint32_t>(is_ms ? offset : offset * 1000),
                         .is_ms = is_ms},
                        &bytes);
  return bytes;
}

absl::StatusOr<GiveBackProgress> GiveBackTables(Tsdb* store,
                                                OpenTsdbTables* tables,
                                                const GiveBackOptions& options) {
  return GiveBackRun(store, tables, options).Run();
}

}  // namespace hourcell
