// Java's properties format, the format of OpenTSDB's configuration files.
//
//   key=value   key: value   key value      blanks around key and separator do not count
//   # comment   ! comment
//   a \                                     a line that ends in an odd number of \ continues in the
//       b                                   next line, whose leading blanks are skipped
//
// Escapes: \t \n \r \f, \uXXXX (becomes UTF-8), \c for any other c. Every text is a valid
// properties file. Unlike Java, bytes are not decoded, and trailing blanks of a value are dropped.

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace hourcell {

struct Property {
  std::string key;
  std::string value;
  size_t line = 0;  // its first line, from 1
};

// Thread-compatible. `text` is borrowed for the reader's life.
class PropertiesReader {
 public:
  explicit PropertiesReader(std::string_view text) : rest_(text) {}

  // The next property in the order of the text; nothing at its end.
  std::optional<Property> Next();

 private:
  std::string_view TakeLine();

  std::string_view rest_;
  size_t lines_taken_ = 0;
};

}  // namespace hourcell
