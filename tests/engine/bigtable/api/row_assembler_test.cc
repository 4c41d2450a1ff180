#include "engine/bigtable/api/row_assembler.h"

#include <google/protobuf/text_format.h>

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/bigtable/row_chunks.h"
#include "tests/support/status_matchers.h"

namespace hourcell::row_assembler_test {
namespace {

namespace api = google::bigtable::v2;
using testing::ElementsAre;
using testing::HasSubstr;

api::ReadRowsResponse Message(const std::string& text) {
  api::ReadRowsResponse message;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &message)) << text;
  return message;
}

// "row/qualifier@micros=value row/..."
std::string TextOf(const std::vector<BigtableRow>& rows) {
  std::string text;
  for (const BigtableRow& row : rows) {
    for (const BigtableCell& cell : row.cells) {
      text += (text.empty() ? "" : " ") + row.key + "/" + cell.qualifier + "@" +
              std::to_string(cell.timestamp_micros) + "=" + cell.value;
    }
  }
  return text;
}

struct Vector {
  std::string name;
  std::string chunks;  // of one message
  std::string rows;    // those that are complete
  std::string fault;   // a part of the error; empty: no error
};

const std::string kFirst = R"(family_name { value: "h" } qualifier { value: "q" })";

std::vector<Vector> Vectors() {
  const auto first = [](const std::string& key, const std::string& rest) {
    return "chunks { row_key: '" + key + "' " + kFirst + " " + rest + " } ";
  };
  const std::string commit = "commit_row: true";
  return {
      {"one cell", first("a", "timestamp_micros: 5 value: 'v' " + commit), "a/q@5=v", ""},
      {"an empty value", first("a", commit), "a/q@0=", ""},
      {"an empty qualifier",
       "chunks { row_key: 'a' family_name { value: 'h' } qualifier {} value: 'v' " + commit + "}",
       "a/@0=v", ""},
      {"two versions",
       first("a", "timestamp_micros: 5 value: 'v'") + "chunks { timestamp_micros: 4 value: 'w' " +
           commit + " }",
       "a/q@5=v a/q@4=w", ""},
      {"two qualifiers",
       first("a", "value: 'v'") + "chunks { qualifier { value: 'r' } value: 'w' " + commit + " }",
       "a/q@0=v a/r@0=w", ""},
      {"a commit of its own, with an empty cell",
       first("a", "value: 'v'") +
           "chunks { qualifier "
           "{ value: 'r' } " +
           commit + " }",
       "a/q@0=v a/r@0=", ""},
      {"two rows", first("a", "value: 'v' " + commit) + first("b", "value: 'w' " + commit),
       "a/q@0=v b/q@0=w", ""},
      {"a value in three parts",
       first("a", "timestamp_micros: 5 value: 'x' value_size: 3") +
           "chunks { value: 'y' value_size: 3 } chunks { value: 'z' " + commit + " }",
       "a/q@5=xyz", ""},
      {"a row that is void and comes again",
       first("a", "value: 'v'") + "chunks { reset_row: true } " +
           first("a", "value: 'w' " + commit),
       "a/q@0=w", ""},
      {"a row that is void within a value",
       first("a", "value: 'v' value_size: 9") + "chunks { reset_row: true } " +
           first("b", "value: 'w' " + commit),
       "b/q@0=w", ""},
      {"no key", "chunks { " + kFirst + commit + " }", "", "no key"},
      {"no family", "chunks { row_key: 'a' qualifier { value: 'q' } }", "", "no family"},
      {"no qualifier", "chunks { row_key: 'a' family_name { value: 'h' } }", "", "no qualifier"},
      {"the same row twice", first("a", commit) + first("a", commit), "a/q@0=", "out of order"},
      {"rows that descend", first("b", commit) + first("a", commit), "b/q@0=", "out of order"},
      {"a row within another", first("a", "") + first("b", commit), "", "another row's key"},
      {"a reset before a row", "chunks { reset_row: true }", "", "reset before its start"},
      {"a commit within a value", first("a", "value: 'v' value_size: 2 " + commit), "",
       "commit within a value"},
      {"a cell within a value",
       first("a", "value: 'v' value_size: 2") + "chunks { qualifier { value: 'r' } }", "",
       "new cell within a value"},
      {"a family without a qualifier", first("a", "") + "chunks { family_name { value: 'h' } }", "",
       "family without"},
      {"a value of -1 bytes", first("a", "value_size: -1"), "", "less than no bytes"},
      {"a scanned key within a row", first("a", "") + "last_scanned_row_key: 'c'", "",
       "a scanned key"},
      {"a scanned key that was passed", first("b", commit) + "last_scanned_row_key: 'a'",
       "b/q@0=", "out of order"},
      {"an end within a row", first("a", ""), "", "an end"},
      {"an end within a value", first("a", "value_size: 2"), "", "an end"},
  };
}

// Whatever messages the chunks come in.
TEST(RowAssemblerTest, Vectors) {
  for (const Vector& vector : Vectors()) {
    const api::ReadRowsResponse whole = Message(vector.chunks);
    for (int per_message = 1; per_message <= whole.chunks_size() + 1; ++per_message) {
      SCOPED_TRACE(vector.name + " by " + std::to_string(per_message));
      RowAssembler assembler(/*reversed=*/false);
      std::vector<BigtableRow> rows;
      absl::Status status;
      for (int from = 0; from < whole.chunks_size() && status.ok(); from += per_message) {
        api::ReadRowsResponse part;
        for (int i = from; i < std::min(whole.chunks_size(), from + per_message); ++i)
          *part.add_chunks() = whole.chunks(i);
        if (from + per_message >= whole.chunks_size()) {
          part.set_last_scanned_row_key(whole.last_scanned_row_key());
        }
        status = assembler.Add(part, &rows);
      }
      status.Update(status.ok() ? assembler.Finish() : absl::OkStatus());
      EXPECT_EQ(TextOf(rows), vector.rows);
      if (vector.fault.empty()) {
        EXPECT_OK(status);
      } else {
        EXPECT_THAT(status, StatusIs(absl::StatusCode::kInternal, HasSubstr(vector.fault)));
      }
    }
  }
}

TEST(RowAssemblerTest, KnowsUpToWhereRowsWereSent) {
  RowAssembler assembler(/*reversed=*/false);
  std::vector<BigtableRow> rows;
  EXPECT_EQ(assembler.last_key(), "");

  ASSERT_OK(
      assembler.Add(Message("chunks { row_key: 'b' " + kFirst + " commit_row: true }"), &rows));
  EXPECT_EQ(assembler.last_key(), "b");
  ASSERT_OK(assembler.Add(Message("last_scanned_row_key: 'd'"), &rows));

  EXPECT_EQ(assembler.last_key(), "d");
}

TEST(RowAssemblerTest, AReversedReadDescends) {
  const api::ReadRowsResponse descending =
      Message("chunks { row_key: 'b' " + kFirst + " commit_row: true } chunks { row_key: 'a' " +
              kFirst + " commit_row: true }");
  RowAssembler assembler(/*reversed=*/true);
  std::vector<BigtableRow> rows;

  ASSERT_OK(assembler.Add(descending, &rows));

  EXPECT_EQ(TextOf(rows), "b/q@0= a/q@0=");
}

// The fake sends only responses that the service may send, so the two are tested together.
TEST(RowAssemblerTest, PutsTogetherWhatIsCutAnywhere) {
  const std::vector<FakeCell> cells = {{.qualifier = "p", .timestamp_micros = 2000, .value = "abc"},
                                       {.qualifier = "p", .timestamp_micros = 1000, .value = ""},
                                       {.qualifier = "q", .timestamp_micros = 1000, .value = "z"}};
  for (size_t bytes = 0; bytes < 5; ++bytes) {
    std::vector<api::ReadRowsResponse::CellChunk> chunks;
    AppendChunks("row", cells, bytes, &chunks);
    api::ReadRowsResponse message;
    for (const auto& chunk : chunks)
      *message.add_chunks() = chunk;
    RowAssembler assembler(/*reversed=*/false);
    std::vector<BigtableRow> rows;
    ASSERT_OK(assembler.Add(message, &rows));
    EXPECT_EQ(TextOf(rows), "row/p@2000=abc row/p@1000= row/q@1000=z");
  }
}

}  // namespace
}  // namespace hourcell::row_assembler_test
