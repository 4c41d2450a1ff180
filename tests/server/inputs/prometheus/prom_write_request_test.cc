#include "server/inputs/prometheus/prom_write_request.h"

#include <cstddef>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <protozero/pbf_writer.hpp>

#include "codec/limits.h"
#include "tests/codec/allocation_count.h"
#include "tests/server/inputs/prometheus/prom_messages.h"

namespace hourcell::prom_write_request_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr PromWriteVersion kVersions[] = {PromWriteVersion::k1, PromWriteVersion::k2};

std::string Said(const PromSeries& series) {
  std::string text = fmt::format("{}{{", series.name);
  for (const TagView& label : series.labels)
    text += fmt::format("{}={};", label.key, label.value);
  text += "}";
  for (const PromSample& sample : series.samples)
    text += fmt::format(" {}@{}", sample.value, sample.ms);
  return text + fmt::format(" {}h {}e", series.histograms.size(), series.exemplars);
}

// The content of each series, or "!" and its fault; then "error" and the fault of the message.
std::vector<std::string> Read(const std::string& message, PromWriteVersion version) {
  std::vector<std::string> lines;
  PromWriteRequest request(message, version);
  while (request.Next()) {
    lines.push_back(request.fault().empty() ? Said(request.series()) : "!" + request.fault());
    EXPECT_EQ(request.number(), lines.size());
  }
  if (!request.error().empty()) lines.push_back("error " + request.error());
  return lines;
}

TEST(PromWriteRequestTest, ReadsSeriesOfBothVersions) {
  const std::vector<PromTestSeries> series = {
      {.labels = {{"__name__", "up"}, {"instance", "a:9090"}, {"job", "p"}},
       .samples = {{1, 1000}, {-0.5, -7}}},
      {.labels = {{"job", "up"}, {"__name__", "up"}, {"empty", ""}},
       .histograms = 2,
       .exemplars = 1}};
  for (const PromWriteVersion version : kVersions) {
    EXPECT_THAT(
        Read(PromMessage(version, series), version),
        ElementsAre("up{instance=a:9090;job=p;} 1@1000 -0.5@-7 0h 0e", "up{job=up;} 2h 1e"));
  }
}

TEST(PromWriteRequestTest, AnEmptyMessageHasNoSeries) {
  for (const PromWriteVersion version : kVersions) {
    EXPECT_THAT(Read("", version), IsEmpty());
    EXPECT_THAT(Read(PromMessage(version, {}), version), IsEmpty());
  }
}

TEST(PromWriteRequestTest, ReadsLabelsInEachFormOfProtobuf) {
  const std::string long_value(200, 'v');
  std::string message;
  protozero::pbf_writer writer(message);
  {
    protozero::pbf_writer series(writer, 1);
    const auto add = [&series](const std::vector<std::pair<uint32_t, std::string>>& fields) {
      protozero::pbf_writer label(series, 1);
      for (const auto& [field, text] : fields)
        label.add_string(field, text);
    };
    add({{1, "__name__"}, {2, "m"}});
    add({{2, "value first"}, {1, "a"}});
    add({{1, "b"}, {2, long_value}});
    add({{1, "c"}, {2, "1"}, {2, "the last one counts"}});
    add({{1, "d"}, {3, "unknown"}, {2, "2"}});
    add({{1, "e"}, {2, ""}});
    add({{1, "f"}});
    add({{1, "g"}, {2, std::string(127, 'g')}});
    add({{1, "h"}, {2, std::string(128, 'h')}});
  }
  EXPECT_THAT(
      Read(message, PromWriteVersion::k1),
      ElementsAre(fmt::format("m{{a=value first;b={};c=the last one counts;d=2;g={};h={};}} 0h 0e",
                              long_value, std::string(127, 'g'), std::string(128, 'h'))));
}

TEST(PromWriteRequestTest, ASampleWithoutFieldsIsZeroAtZero) {
  std::string message;
  protozero::pbf_writer writer(message);
  {
    protozero::pbf_writer series(writer, 1);
    {
      protozero::pbf_writer label(series, 1);
      label.add_string(1, "__name__");
      label.add_string(2, "m");
    }
    series.add_message(2, std::string());
  }
  EXPECT_THAT(Read(message, PromWriteVersion::k1), ElementsAre("m{} 0@0 0h 0e"));
}

TEST(PromWriteRequestTest, SaysWhatIsWrongWithASeries) {
  const std::string longest(kNameBytesMax, 'n');
  for (const PromWriteVersion version : kVersions) {
    const auto read = [&](const PromTestSeries& series) {
      return Read(PromMessage(version, {series, {.labels = {{"__name__", "good"}}}}), version);
    };
    const auto expect_fault = [&](const PromTestSeries& series, const std::string& fault) {
      EXPECT_THAT(read(series), ElementsAre("!" + fault, "good{} 0h 0e"));
    };
    expect_fault({}, "expected the name of the metric, got no label __name__");
    expect_fault({.labels = {{"__name__", ""}}},
                 "expected the name of the metric, got no label __name__");
    expect_fault({.labels = {{"__name__", "m"}, {"a", "b"}, {"__name__", "n"}}},
                 "expected it once, got the label __name__ twice");
    expect_fault({.labels = {{"__name__", "m"}, {"", "x"}}},
                 "expected a name, got an empty name of a label");
    EXPECT_THAT(read({.labels = {{"__name__", longest}, {longest, longest}}})[0], HasSubstr("{nn"));
    expect_fault({.labels = {{"__name__", "m"}, {"a", longest + "n"}}},
                 "label \"a\": expected at most 1024 of a name or a value, got 1025 bytes");
    PromTestSeries many{.labels = {{"__name__", "m"}}};
    for (size_t i = 0; i <= kTagsMax; ++i)
      many.labels.emplace_back(fmt::format("l{}", i), "v");
    expect_fault(many, "expected at most 64 labels, got more");
    expect_fault(
        {.labels = {{"__name__", "m"}}, .samples = std::vector<PromSample>(kPromSamplesMax + 1)},
        "expected at most 100000 samples, got more");
  }
}

// Bytes as a sender could write them: a message of one series whose labels are these numbers.
std::string OfNumbers(const std::vector<uint32_t>& numbers, const std::string& first = "") {
  std::string bytes;
  protozero::pbf_writer message(bytes);
  message.add_string(4, first);
  message.add_string(4, "__name__");
  message.add_string(4, "m");
  protozero::pbf_writer series(message, 5);
  series.add_packed_uint32(1, numbers.begin(), numbers.end());
  return bytes;
}

TEST(PromWriteRequestTest, SymbolsAreLookedUpWithinTheirTable) {
  const auto read = [](const std::string& bytes) { return Read(bytes, PromWriteVersion::k2); };
  EXPECT_THAT(read(OfNumbers({1, 2})), ElementsAre("m{} 0h 0e"));
  EXPECT_THAT(read(OfNumbers({1, 3})), ElementsAre("!expected one of 3, got the symbol 3"));
  EXPECT_THAT(read(OfNumbers({1, 2, 1})),
              ElementsAre("!expected a name and a value each, got an odd number of symbols"));
  EXPECT_THAT(read(OfNumbers({std::numeric_limits<uint32_t>::max(), 2})),
              ElementsAre("!expected one of 3, got the symbol 4294967295"));
  EXPECT_THAT(read(OfNumbers({1, 2}, "x")),
              ElementsAre("error expected the empty one, got \"x\" as the first symbol"));

  std::string too_many;
  for (size_t i = 0; i <= kPromSymbolsMax; ++i)
    too_many += std::string("\x22\x00", 2);
  EXPECT_THAT(read(too_many),
              ElementsAre(HasSubstr("error expected at most 1048576 symbols, got more")));
}

TEST(PromWriteRequestTest, AMessageThatIsCutIsAnError) {
  const std::vector<PromTestSeries> series = {
      {.labels = {{"__name__", "up"}, {"job", "p"}}, .samples = {{1, 1000}}}};
  for (const PromWriteVersion version : kVersions) {
    const std::string message = PromMessage(version, series);
    size_t errors = 0;
    for (size_t size = 1; size < message.size(); ++size) {
      PromWriteRequest request(std::string_view(message).substr(0, size), version);
      while (request.Next()) {
      }
      if (!request.error().empty()) ++errors;
      EXPECT_FALSE(request.Next());
    }
    EXPECT_GT(errors, message.size() / 2);
  }
  EXPECT_THAT(Read("no protobuf", PromWriteVersion::k1),
              ElementsAre(HasSubstr("error expected a whole protobuf message, got ")));
}

TEST(PromWriteRequestTest, AllocatesNothingPerSeries) {
  const std::vector<PromTestSeries> series(
      1000, {.labels = {{"__name__", "up"}, {"job", "p"}}, .samples = {{1, 1000}}});
  for (const PromWriteVersion version : kVersions) {
    const std::string message = PromMessage(version, series);
    const size_t before = AllocationCount();
    PromWriteRequest request(message, version);
    while (request.Next()) {
    }
    EXPECT_LT(AllocationCount() - before, 20U);
    EXPECT_EQ(request.number(), 1000U);
  }
}

}  // namespace
}  // namespace hourcell::prom_write_request_test
