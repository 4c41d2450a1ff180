#include "server/text/json_fields.h"

#include <string>

#include <gmock/gmock.h>

#include "codec/limits.h"
#include "server/query/query_request.h"
#include "tests/support/status_matchers.h"

namespace hourcell::json_fields_test {
namespace {

using testing::HasSubstr;

class JsonFieldsTest : public testing::Test {
 protected:
  simdjson::dom::element Value(std::string_view text) {
    return parser_.parse(std::string("[") + std::string(text) + "]").at(0).value();
  }
  simdjson::dom::parser parser_;
};

TEST_F(JsonFieldsTest, ABodyIsAnObject) {
  simdjson::dom::parser parser;
  EXPECT_OK(ParseJsonObject("{}", &parser));
  const auto fault_of = [&parser](const std::string& body) {
    return std::string(ParseJsonObject(body, &parser).status().message());
  };
  EXPECT_EQ(fault_of(""), "Missing message content");
  EXPECT_THAT(fault_of("[]"), HasSubstr("Unable to parse the given JSON: "));
  EXPECT_THAT(fault_of("{"), HasSubstr("Unable to parse the given JSON: "));
  EXPECT_THAT(fault_of(std::string(kQueryBodyBytesMax + 1, ' ')), HasSubstr("too long"));
}

TEST_F(JsonFieldsTest, TextIsAStringOrAScalar) {
  EXPECT_THAT(JsonText("f", Value("\"a\"")), IsOkAndHolds("a"));
  EXPECT_THAT(JsonText("f", Value("12")), IsOkAndHolds("12"));
  EXPECT_THAT(JsonText("f", Value("true")), IsOkAndHolds("true"));
  EXPECT_THAT(JsonText("f", Value("null")), IsOkAndHolds(""));
  EXPECT_THAT(JsonText("f", Value("{}")),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "Unable to parse the given JSON: f: not a string"));
}

TEST_F(JsonFieldsTest, BoolsMayBeTextsAndNumbers) {
  EXPECT_THAT(JsonBool("f", Value("true")), IsOkAndHolds(true));
  EXPECT_THAT(JsonBool("f", Value("\"false\"")), IsOkAndHolds(false));
  EXPECT_THAT(JsonBool("f", Value("1")), IsOkAndHolds(true));
  EXPECT_THAT(JsonBool("f", Value("null")), IsOkAndHolds(false));
  EXPECT_THAT(JsonBool("f", Value("\"yes\"")), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(JsonBool("f", Value("[]")), StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST_F(JsonFieldsTest, IntegersMayBeTexts) {
  EXPECT_THAT(JsonInteger("f", Value("-3")), IsOkAndHolds(-3));
  EXPECT_THAT(JsonInteger("f", Value("\"25\"")), IsOkAndHolds(25));
  EXPECT_THAT(JsonInteger("f", Value("null")), IsOkAndHolds(0));
  EXPECT_THAT(JsonInteger("f", Value("1.5")), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(JsonInteger("f", Value("\"x\"")),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("f: not an integer")));
}

}  // namespace
}  // namespace hourcell::json_fields_test
