#include "server/names/search_writer.h"

#include "codec/text/number.h"

namespace hourcell {

SearchWriter::SearchWriter(MonotonicClock* clock, BodyWriter* body)
    : clock_(*clock), body_(*body), json_(&body->buffer()), start_ms_(clock->MonotonicMs()) {}

void SearchWriter::Begin(std::string_view type,
                         const std::function<void(JsonWriter* json)>& add_query) {
  json_.OpenObject();
  json_.Field("type", type);
  add_query(&json_);
  json_.Key("time");
  time_at_ = json_.RawValue()->size();
  json_.Key("results");
  json_.OpenArray();
}

bool SearchWriter::Offer() {
  if (body_.buffer().size() >= kBodyPieceBytes) InsertTime();
  status_ = body_.Offer();
  return status_.ok();
}

void SearchWriter::Finish(uint64_t start_index, uint64_t total) {
  InsertTime();
  json_.CloseArray();
  json_.Field("startIndex", start_index);
  json_.Field("totalResults", total);
  json_.CloseObject();
}

// Inserts the elapsed time before the results. A long answer has the time to its first piece.
void SearchWriter::InsertTime() {
  if (!time_at_.has_value()) return;
  std::string text;
  AppendJavaDouble(static_cast<double>(clock_.MonotonicMs() - start_ms_), &text);
  body_.buffer().insert(*time_at_, text);
  time_at_.reset();
}

}  // namespace hourcell
