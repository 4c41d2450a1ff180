// The version of a store's format: the row `format` of `meta`. It covers every row of every table,
// the names of the column families and the files around them. Whatever an older program would
// misread raises it, so that one row says whether a program may open a store.
//
//   1   every store without salt epochs
//   2   with the row salt_epochs (store_meta.h)

#pragma once

#include <string_view>

#include <absl/status/status.h>

namespace hourcell {

inline constexpr std::string_view kStoreFormatKey = "format";
inline constexpr std::string_view kStoreFormat = "1";
inline constexpr std::string_view kStoreFormatWithEpochs = "2";

// OK if this program reads a store at `path` whose row says `format`. kFailedPrecondition: a newer
// one, with what to do about it. kDataLoss: no format that ever was.
absl::Status CheckStoreFormat(std::string_view path, std::string_view format);

}  // namespace hourcell
