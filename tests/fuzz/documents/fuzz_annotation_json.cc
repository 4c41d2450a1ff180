#include <string>
#include <string_view>

#include <absl/status/status.h>

#include "codec/base/check.h"
#include "server/query/annotation_json.h"
#include "tests/fuzz/fuzz_input.h"

// Any body is refused, or its annotation, printed and read again, sets the same fields.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hourcell;
  const std::string body(InputText(data, size));
  const auto range = ParseAnnotationRangeJson(body);
  HOURCELL_CHECK(range.ok() || absl::IsInvalidArgument(range.status()));
  const auto edits = ParseAnnotationsJson(body);
  HOURCELL_CHECK(edits.ok() || absl::IsInvalidArgument(edits.status()));
  const auto edit = ParseAnnotationJson(body);
  if (!edit.ok()) {
    HOURCELL_CHECK(absl::IsInvalidArgument(edit.status()));
    return 0;
  }
  const Annotation annotation{.tsuid = edit->tsuid,
                              .start_time = edit->start_time,
                              .end_time = edit->end_time.value_or(0),
                              .description = edit->description.value_or(""),
                              .notes = edit->notes.value_or(""),
                              .custom = edit->custom.value_or(decltype(Annotation::custom)())};
  std::string text;
  AppendAnnotation(annotation, &text);
  const auto again = ParseAnnotationJson(text);
  HOURCELL_CHECK(again.ok());
  HOURCELL_CHECK(again->tsuid == edit->tsuid && again->start_time == edit->start_time);
  HOURCELL_CHECK(again->end_time == edit->end_time && again->notes == edit->notes);
  HOURCELL_CHECK(again->description == edit->description);
  HOURCELL_CHECK(!again->custom || again->custom == edit->custom);
  return 0;
}
