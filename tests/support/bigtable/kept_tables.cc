#include "tests/support/bigtable/kept_tables.h"

#include <bigtable_proto/bigtable.pb.h>

#include <fmt/format.h>
#include <rocksdb/db.h>

#include "codec/base/check.h"

// Keys of the RocksDB: 't' table name, whose value is a google.bigtable.v2.Row with the table's
// families; and 'r' table name, byte 0, row key, whose value is such a row.

namespace hourcell {
namespace {

void CheckKept(const rocksdb::Status& status) {
  if (!status.ok()) fmt::print(stderr, "the tables cannot be kept: {}\n", status.ToString());
  HOURCELL_CHECK(status.ok());
}

rocksdb::DB* OpenKept(const std::string& directory) {
  rocksdb::Options options;
  options.create_if_missing = true;
  rocksdb::DB* db = nullptr;
  CheckKept(rocksdb::DB::Open(options, directory, &db));
  return db;
}

std::string EncodeRow(const FakeRow& row) {
  google::bigtable::v2::Row message;
  for (const auto& [name, versions] : row) {
    if (message.families().empty() || message.families().rbegin()->name() != name.family) {
      message.add_families()->set_name(name.family);
    }
    auto& column = *message.mutable_families()->rbegin()->add_columns();
    column.set_qualifier(name.qualifier);
    for (const auto& [micros, value] : versions) {
      google::bigtable::v2::Cell& cell = *column.add_cells();
      cell.set_timestamp_micros(micros);
      cell.set_value(value);
    }
  }
  return message.SerializeAsString();
}

FakeRow DecodeRow(const std::string& bytes) {
  google::bigtable::v2::Row message;
  HOURCELL_CHECK(message.ParseFromString(bytes));
  FakeRow row;
  for (const auto& family : message.families()) {
    for (const auto& column : family.columns()) {
      for (const auto& cell : column.cells())
        row[{family.name(), column.qualifier()}][cell.timestamp_micros()] = cell.value();
    }
  }
  return row;
}

}  // namespace

KeptTables::KeptTables(const std::string& directory) : db_(OpenKept(directory)) {}

KeptTables::~KeptTables() = default;

FakeTables KeptTables::Load(FakeFamilies* families) const {
  FakeTables tables;
  const std::unique_ptr<rocksdb::Iterator> row(db_->NewIterator({}));
  for (row->SeekToFirst(); row->Valid(); row->Next()) {
    const std::string name = row->key().ToString().substr(1);
    if (row->key()[0] == 't') {
      tables.try_emplace(name);
      google::bigtable::v2::Row message;
      HOURCELL_CHECK(message.ParseFromString(row->value().ToString()));
      for (const auto& family : message.families())
        (*families)[name].insert(family.name());
      continue;
    }
    const size_t end = name.find('\0');
    tables[name.substr(0, end)][name.substr(end + 1)] = DecodeRow(row->value().ToString());
  }
  CheckKept(row->status());
  return tables;
}

void KeptTables::KeepTable(const std::string& name, const std::set<std::string>& families) {
  google::bigtable::v2::Row message;
  for (const std::string& family : families)
    message.add_families()->set_name(family);
  CheckKept(db_->Put({}, "t" + name, message.SerializeAsString()));
}

void KeptTables::KeepRow(const std::string& table, const std::string& key, const FakeRow& row) {
  const std::string name = "r" + table + '\0' + key;
  CheckKept(row.empty() ? db_->Delete({}, name) : db_->Put({}, name, EncodeRow(row)));
}

}  // namespace hourcell
