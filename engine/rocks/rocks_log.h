// RocksDB's own log of warnings, as a file that may fail.
//
// RocksDB's logger keeps an error of its file, and Debian's build of it ends the process with the
// next line: a full disk would take the store down. This one drops what it cannot write.

#pragma once

#include <memory>
#include <string>

namespace rocksdb {
class Logger;
}

namespace hourcell {

// Appends warnings and worse to the file at `path`. One that is larger than 1 MiB becomes
// `path`.old first. If the file cannot be opened, lines are dropped. Thread-safe.
std::shared_ptr<rocksdb::Logger> OpenRocksLog(const std::string& path);

}  // namespace hourcell
