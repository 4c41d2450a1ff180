// RocksDB's log of warnings, which survives write errors.
//
// RocksDB's logger keeps an error of its file, and Debian's build then ends the process at the next
// line: a full disk would end the server. This logger drops lines that it cannot write.

#pragma once

#include <memory>
#include <string>

namespace rocksdb {
class Logger;
}

namespace hourcell {

// Appends warnings and errors to the file at `path`. First renames a file of more than 1 MiB to
// `path`.old. If the file cannot be opened, lines are dropped. Thread-safe.
std::shared_ptr<rocksdb::Logger> OpenRocksLog(const std::string& path);

}  // namespace hourcell
