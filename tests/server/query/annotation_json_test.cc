#include "server/query/annotation_json.h"

#include <string>

#include <gmock/gmock.h>

#include "tests/support/status_matchers.h"

namespace hourcell::annotation_json_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(AnnotationJsonTest, ReadsAllFieldsAndIgnoresOthers) {
  const auto edit = ParseAnnotationJson(
      R"({"startTime":1388450562,"tsuid":"0A","endTime":"1388450563500","more":[{}],)"
      R"("description":"d\n","notes":12,"custom":{"b":"2","a":1.5,"c":null,"d":true}})");

  ASSERT_OK(edit);
  EXPECT_EQ(edit->tsuid, "0A");
  EXPECT_EQ(edit->start_time, 1388450562);
  EXPECT_EQ(edit->end_time, 1388450563500);
  EXPECT_EQ(edit->description, "d\n");
  EXPECT_EQ(edit->notes, "12");
  using Entries = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(edit->custom, (Entries{{"b", "2"}, {"a", "1.5"}, {"c", ""}, {"d", "true"}}));
}

TEST(AnnotationJsonTest, DefaultsSetNothing) {
  for (const char* const body :
       {"{}", R"({"startTime":5})",
        R"({"tsuid":null,"startTime":"5","endTime":0,"description":"","notes":null,"custom":null})",
        R"({"notes":"n","notes":"","endTime":7,"endTime":""})"}) {
    const auto edit = ParseAnnotationJson(body);
    ASSERT_OK(edit) << body;
    EXPECT_TRUE(edit->sets_nothing()) << body;
  }
  const auto emptied = ParseAnnotationJson(R"({"custom":{}})");
  ASSERT_OK(emptied);
  EXPECT_FALSE(emptied->sets_nothing());
}

TEST(AnnotationJsonTest, ReadsArraysInOrder) {
  const auto edits = ParseAnnotationsJson(R"([{"startTime":2},{"startTime":1,"notes":"n"}])");
  ASSERT_OK(edits);
  EXPECT_THAT(*edits, ElementsAre(AnnotationEdit{.tsuid = "", .start_time = 2},
                                  AnnotationEdit{.tsuid = "", .start_time = 1, .notes = "n"}));
  EXPECT_THAT(ParseAnnotationsJson("[]"), IsOkAndHolds(std::vector<AnnotationEdit>()));
}

TEST(AnnotationJsonTest, ReadsRanges) {
  EXPECT_THAT(
      ParseAnnotationRangeJson(
          R"({"startTime":1388450560,"endTime":"1h-ago","tsuids":["00","x"],"global":true})"),
      IsOkAndHolds(AnnotationRange{
          .start = "1388450560", .end = "1h-ago", .tsuids = {"00", "x"}, .global = true}));
  EXPECT_THAT(
      ParseAnnotationRangeJson(R"({"startTime":null,"tsuids":null,"global":"false","x":1})"),
      IsOkAndHolds(AnnotationRange{}));
}

TEST(AnnotationJsonTest, RefusesWhatIsNotThat) {
  struct Case {
    const char* body;
    const char* says;
  };
  for (const auto& [body, says] :
       {Case{"", "Missing message content"}, Case{"Hello", "Unable to parse the given JSON"},
        Case{"[]", "not an object"}, Case{"{\"startTime\":1.5}", "startTime: not an integer"},
        Case{"{\"startTime\":\"1h-ago\"}", "startTime: not an integer"},
        Case{"{\"endTime\":18446744073709551615}", "endTime: not an integer"},
        Case{"{\"notes\":[]}", "notes: not a string"},
        Case{"{\"tsuid\":{}}", "tsuid: not a string"},
        Case{"{\"custom\":[]}", "custom: not an object"},
        Case{"{\"custom\":{\"a\":[]}}", "custom: not a string"},
        Case{"{\"notes\":\"\xff\"}", "Unable to parse the given JSON"}}) {
    EXPECT_THAT(ParseAnnotationJson(body),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(says)))
        << body;
  }
  EXPECT_THAT(ParseAnnotationJson(std::string(kAnnotationBodyBytesMax + 1, ' ')),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("too long")));
  EXPECT_THAT(ParseAnnotationsJson("{}"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("not an array")));
  EXPECT_THAT(ParseAnnotationsJson("[1]"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("not an object")));
  for (const char* const body : {"[]", R"({"tsuids":"x"})", R"({"tsuids":[[]]})",
                                 R"({"global":"yes"})", R"({"startTime":{}})"}) {
    EXPECT_THAT(ParseAnnotationRangeJson(body), StatusIs(absl::StatusCode::kInvalidArgument))
        << body;
  }
}

TEST(AnnotationJsonTest, PrintsEveryField) {
  std::string out;
  AppendAnnotation({.tsuid = "", .start_time = 1}, &out);
  EXPECT_EQ(out, R"({"tsuid":null,"startTime":1,"endTime":0,"description":"","notes":"",)"
                 R"("custom":null})");
  out.clear();
  AppendAnnotation({.tsuid = "0A",
                    .start_time = 1,
                    .end_time = 2,
                    .description = "\"",
                    .notes = "n",
                    .custom = {{"a", "1"}, {"b", "2"}}},
                   &out);
  EXPECT_EQ(out, R"({"tsuid":"0A","startTime":1,"endTime":2,"description":"\"","notes":"n",)"
                 R"("custom":{"a":"1","b":"2"}})");
}

}  // namespace
}  // namespace hourcell::annotation_json_test
