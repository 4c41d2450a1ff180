#include "server/cli/data/java_text.h"

#include <chrono>
#include <cstdint>
#include <iterator>
#include <span>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "codec/base/check.h"
#include "codec/point.h"

namespace hourcell {

void AppendJavaBytes(std::string_view bytes, std::string* out) {
  out->push_back('[');
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (i > 0) out->append(", ");
    const fmt::format_int number(static_cast<int>(static_cast<signed char>(bytes[i])));
    out->append(number.data(), number.size());
  }
  out->push_back(']');
}

void AppendUtcDate(int64_t ms, std::string* out) {
  HOURCELL_CHECK(ms >= 0);
  const std::chrono::sys_seconds instant{std::chrono::seconds(ms / 1000)};
  const auto day = std::chrono::floor<std::chrono::days>(instant);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss time(instant - day);
  fmt::format_to(std::back_inserter(*out), "({:04}-{:02}-{:02} {:02}:{:02}:{:02} UTC)",
                 static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                 static_cast<unsigned>(date.day()), time.hours().count(), time.minutes().count(),
                 time.seconds().count());
}

void AppendJavaTags(std::span<const TagView> tags, std::string* out) {
  out->push_back('{');
  for (size_t i = 0; i < tags.size(); ++i) {
    if (i > 0) out->append(", ");
    out->append(tags[i].key);
    out->push_back('=');
    out->append(tags[i].value);
  }
  out->push_back('}');
}

}  // namespace hourcell
