#include "tests/support/query_store.h"

#include <cstdint>
#include <functional>
#include <map>

#include <simdjson.h>

#include "codec/base/check.h"

namespace hourcell {
namespace {

constexpr int64_t kStartS = 1356998400;  // 2013-01-01 00:00:00, of OpenTSDB's BaseTsdbTest

using Store = std::vector<StoredSeries>;
using TimedValues = std::vector<std::pair<Timestamp, Value>>;

Timestamp Seconds(int64_t seconds) {
  return {.ms = seconds * 1000, .is_ms = false};
}
Timestamp Milliseconds(int64_t ms) {
  return {.ms = ms, .is_ms = true};
}

Value Up(int64_t i) {
  return Value::Integer(i);
}
Value Down(int64_t i) {
  return Value::Integer(301 - i);
}
Value UpBy25(int64_t i) {
  return Value::Float(1.0 + 0.25 * static_cast<double>(i));
}
Value DownBy25(int64_t i) {
  return Value::Float(75.25 - 0.25 * static_cast<double>(i));
}

Timestamp Every30S(int64_t i) {
  return Seconds(kStartS + 30 * i);
}
Timestamp Every30SLate(int64_t i) {
  return Seconds(kStartS + 15 + 30 * i);
}
Timestamp Every500Ms(int64_t i) {
  return Milliseconds(kStartS * 1000 + 500 * i);
}

StoredSeries Host(std::string_view name, TimedValues points) {
  return {
      .metric = "sys.cpu.user", .tags = {{"host", std::string(name)}}, .points = std::move(points)};
}

TimedValues For300(Timestamp (*timestamp)(int64_t), Value (*value)(int64_t)) {
  TimedValues points;
  for (int64_t i = 1; i <= 300; ++i)
    points.emplace_back(timestamp(i), value(i));
  return points;
}

Store LongSeconds() {
  return {Host("web01", For300(Every30S, Up)), Host("web02", For300(Every30S, Down))};
}
Store LongMs() {
  return {Host("web01", For300(Every500Ms, Up)), Host("web02", For300(Every500Ms, Down))};
}
Store FloatSeconds() {
  return {Host("web01", For300(Every30S, UpBy25)), Host("web02", For300(Every30S, DownBy25))};
}
Store FloatMs() {
  return {Host("web01", For300(Every500Ms, UpBy25)), Host("web02", For300(Every500Ms, DownBy25))};
}
Store LongOffset() {
  return {Host("web01", For300(Every30S, Up)), Host("web02", For300(Every30SLate, Down))};
}
Store FloatOffset() {
  return {Host("web01", For300(Every30S, UpBy25)), Host("web02", For300(Every30SLate, DownBy25))};
}

Store MissingData() {
  TimedValues web01;
  TimedValues web02;
  for (int64_t i = 0; i < 300; ++i) {
    const Timestamp timestamp = Seconds(kStartS + 10 * i);
    if (i % 3 != 0) web01.emplace_back(timestamp, Value::Integer(i + 1));
    if ((300 - i) % 2 == 1) web02.emplace_back(timestamp, Value::Integer(300 - i));
  }
  return {Host("web01", web01), Host("web02", web02)};
}

Store SevenSeries() {
  Store store;
  for (int h = 0; h < 7; ++h) {
    StoredSeries series{.metric = "m", .tags = {{"h", std::to_string(h)}}, .points = {}};
    for (const int64_t s : {0, 7, 10, 15, 20, 25, 30, 35, 40, 45, 50}) {
      series.points.emplace_back(Seconds(kStartS + s), Value::Float(1.0));
    }
    store.push_back(std::move(series));
  }
  return store;
}

Store KnownColo() {
  Store store = LongSeconds();
  store.push_back({.metric = "sys.cpu.nice",
                   .tags = {{"colo", "lga"}},
                   .points = {{Seconds(kStartS + 30), Value::Integer(1)}}});
  return store;
}

Store HostsAndOwners() {
  const auto point = [](int64_t value) {
    return TimedValues{{Seconds(kStartS + 30), Value::Integer(value)}};
  };
  return {{.metric = "m", .tags = {{"host", "web01"}}, .points = point(1)},
          {.metric = "m", .tags = {{"host", "web01"}, {"owner", "gina"}}, .points = point(2)},
          {.metric = "m", .tags = {{"owner", "gina"}}, .points = point(4)}};
}

const std::map<std::string_view, Store (*)(), std::less<>>& GeneratedStores() {
  static const auto* stores = new std::map<std::string_view, Store (*)(), std::less<>>{
      {"metric sys.cpu.user; host=web01: for i=1..300 put ts=1356998400+30*i value=i (integer); "
       "host=web02: same 300 timestamps, value=301-i (integer)",
       &LongSeconds},
      {"metric sys.cpu.user; host=web01: for i=1..300 ts_ms=1356998400000+500*i value=i; "
       "host=web02: same timestamps value=301-i (integers, ms timestamps)",
       &LongMs},
      {"metric sys.cpu.user; host=web01: for i=1..300 ts=1356998400+30*i value=1.0+0.25*i (always "
       "written with a decimal point, i.e. floating point even when whole); host=web02: same "
       "timestamps value=75.25-0.25*i (floating point)",
       &FloatSeconds},
      {"metric sys.cpu.user; host=web01: for i=1..300 ts_ms=1356998400000+500*i value=1.0+0.25*i "
       "(float); host=web02 same timestamps value=75.25-0.25*i (float)",
       &FloatMs},
      {"metric sys.cpu.user; host=web01: for i=1..300 ts=1356998400+30*i value=i; host=web02: for "
       "k=1..300 ts=1356998415+30*k value=301-k (all integers)",
       &LongOffset},
      {"metric sys.cpu.user; host=web01: for i=1..300 ts=1356998400+30*i value=1.0+0.25*i "
       "(float); host=web02: for k=1..300 ts=1356998415+30*k value=75.25-0.25*k (float)",
       &FloatOffset},
      {"metric sys.cpu.user; host=web01: for i=0..299 with i%3!=0: ts=1356998400+10*i value=i+1; "
       "host=web02: for k=0..299 with (300-k) odd: ts=1356998400+10*k value=300-k (integers)",
       &MissingData},
      {"7 series h=0..6 of metric m, each value 1.0 at seconds "
       "1356998400+{0,7,10,15,20,25,30,35,40,45,50}",
       &SevenSeries},
      {"metric sys.cpu.user; host=web01: for i=1..300 put ts=1356998400+30*i value=i (integer); "
       "host=web02: same 300 timestamps, value=301-i (integer); names colo / lga are known UIDs "
       "(used by another metric)",
       &KnownColo},
      {"metric m, one point at 1356998430 each: (a) host=web01 value 1; (b) host=web01,owner=gina "
       "value 2; (c) owner=gina value 4",
       &HostsAndOwners},
  };
  return *stores;
}

// [[time, number], ...]
TimedValues PointsOf(simdjson::dom::element array, Timestamp (*timestamp)(int64_t)) {
  TimedValues points;
  for (const simdjson::dom::element point : simdjson::dom::array(array)) {
    const simdjson::dom::element number = point.at(1);
    points.emplace_back(timestamp(int64_t(point.at(0))), number.is_int64()
                                                             ? Value::Integer(int64_t(number))
                                                             : Value::Float(double(number)));
  }
  return points;
}

simdjson::dom::element ParseJson(simdjson::dom::parser* parser, std::string_view text) {
  simdjson::dom::element element;
  const auto error = parser->parse(simdjson::padded_string(text)).get(element);
  HOURCELL_CHECK(!error);
  return element;
}

// [{"metric": ..., "tags": {...}, "points_ms": [[ms, number], ...]}, ...]
Store StoreFromJson(std::string_view text) {
  simdjson::dom::parser parser;
  Store store;
  for (const simdjson::dom::element element : simdjson::dom::array(ParseJson(&parser, text))) {
    StoredSeries series;
    series.metric = std::string_view(element["metric"]);
    for (const auto& [key, value] : simdjson::dom::object(element["tags"])) {
      series.tags.emplace_back(std::string(key), std::string(std::string_view(value)));
    }
    series.points = PointsOf(element["points_ms"], Milliseconds);
    store.push_back(std::move(series));
  }
  return store;
}

}  // namespace

std::optional<Store> MakeStore(std::string_view description) {
  if (const auto found = GeneratedStores().find(description); found != GeneratedStores().end()) {
    return found->second();
  }
  if (description.starts_with("[{")) return StoreFromJson(description);
  constexpr std::string_view kListPrefix = "sys.cpu.user host=web01 (sec,value): ";
  if (description.starts_with(kListPrefix)) {
    simdjson::dom::parser parser;
    const auto list = ParseJson(&parser, description.substr(kListPrefix.size()));
    return Store{Host("web01", PointsOf(list, Seconds))};
  }
  return std::nullopt;
}

}  // namespace hourcell
