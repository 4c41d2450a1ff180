// TreeSeriesReader: series as the rules of trees read them: their names, and the fields that users
// attached to them.
//
// Thread-compatible.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/trees/tree_mapper.h"
#include "engine/tsdb.h"
#include "server/names/document_map.h"
#include "server/names/meta_fields.h"

namespace hourcell {

class TreeSeriesReader {
 public:
  // Borrowed. `fields` null: without fields.
  TreeSeriesReader(const Layout& layout, const DocumentMap* fields)
      : layout_(layout), fields_(fields) {}

  // The result lives until the next call. nullopt: one of its UIDs lacks a name.
  std::optional<TreeSeries> Read(const FoundSeries& series);
  // The same of a series that was read with its fields.
  TreeSeries Read(const SeriesMeta& meta);

 private:
  const CustomFields* FieldsOf(UidKind kind, std::string_view uid) const;

  const Layout& layout_;
  const DocumentMap* const fields_;
  std::string tsuid_;
  std::vector<TreeTag> tags_;
};

}  // namespace hourcell
