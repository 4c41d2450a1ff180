#include "server/inputs/prometheus/prom_read_request.h"

#include <algorithm>
#include <array>
#include <exception>
#include <iterator>
#include <utility>

#include <absl/status/status.h>
#include <fmt/format.h>
#include <protozero/pbf_reader.hpp>

#include "codec/base/json_writer.h"
#include "server/inputs/protobuf_fields.h"
#include "server/query/query_registry.h"

namespace hourcell {
namespace {

using protozero::pbf_reader;

constexpr int64_t kSamples = 0;  // a ReadRequest.ResponseType

// Thrown where protozero throws, too: one way out of the nested messages.
class ReadFault : public std::exception {
 public:
  explicit ReadFault(std::string text) : text_(std::move(text)) {}
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  std::string text_;
};

PromMatcher ReadMatcher(pbf_reader message) {
  PromMatcher matcher;
  while (message.next()) {
    switch (message.tag_and_type()) {
      case VarintField(1): {
        const int32_t type = message.get_enum();
        if (type < 0 || type > 3)
          throw ReadFault(fmt::format("expected 0 to 3, got a matcher of type {}", type));
        matcher.type = static_cast<PromMatcher::Type>(type);
        break;
      }
      case BytesField(2):
        matcher.name = message.get_string();
        break;
      case BytesField(3):
        matcher.value = message.get_string();
        break;
      default:
        message.skip();
    }
  }
  return matcher;
}

bool IsRegexp(const PromMatcher& matcher) {
  return matcher.type == PromMatcher::Type::kRegexp ||
         matcher.type == PromMatcher::Type::kNotRegexp;
}

PromReadQuery ReadQuery(pbf_reader message) {
  PromReadQuery query;
  while (message.next()) {
    switch (message.tag_and_type()) {
      case VarintField(1):
        query.start_ms = message.get_int64();
        break;
      case VarintField(2):
        query.end_ms = message.get_int64();
        break;
      case BytesField(3):
        if (query.matchers.size() == kPromMatchersMax)
          throw ReadFault(fmt::format("expected at most {} matchers, got more", kPromMatchersMax));
        query.matchers.push_back(ReadMatcher(message.get_message()));
        break;
      default:
        message.skip();
    }
  }
  return query;
}

// The accepted response types; SAMPLES if none is named.
struct Accepted {
  bool any = false;
  bool samples = false;

  void Add(int64_t type) {
    any = true;
    samples = samples || type == kSamples;
  }
};

void ReadRequest(pbf_reader message, std::vector<PromReadQuery>* queries) {
  Accepted accepted;
  while (message.next()) {
    switch (message.tag_and_type()) {
      case BytesField(1):
        if (queries->size() == kPromQueriesMax)
          throw ReadFault(fmt::format("expected at most {} queries, got more", kPromQueriesMax));
        queries->push_back(ReadQuery(message.get_message()));
        break;
      case VarintField(2):
        accepted.Add(message.get_enum());
        break;
      case BytesField(2):
        for (const int32_t type : message.get_packed_enum())
          accepted.Add(type);
        break;
      default:
        message.skip();
    }
  }
  size_t regexps = 0;
  for (const PromReadQuery& query : *queries)
    regexps += static_cast<size_t>(std::ranges::count_if(query.matchers, &IsRegexp));
  if (regexps > kPromRegexpsMax)
    throw ReadFault(
        fmt::format("expected at most {} regular expressions, got {}", kPromRegexpsMax, regexps));
  if (accepted.any && !accepted.samples)
    throw ReadFault("expected SAMPLES among the response types");
}

// {__name__="up",job=~"a|b"}
std::string SelectorOf(std::span<const PromMatcher> matchers) {
  constexpr std::array<std::string_view, 4> kOperators = {"=", "!=", "=~", "!~"};
  std::string text = "{";
  for (const PromMatcher& matcher : matchers) {
    if (text.size() > 1) text.push_back(',');
    const bool is_cut = matcher.value.size() > kPromListedBytesMax;
    fmt::format_to(std::back_inserter(text), "{}{}\"{}{}\"",
                   std::string_view(matcher.name).substr(0, kPromListedBytesMax),
                   kOperators[static_cast<size_t>(matcher.type)],
                   std::string_view(matcher.value).substr(0, kPromListedBytesMax),
                   is_cut ? "..." : "");
  }
  return text + "}";
}

}  // namespace

absl::StatusOr<std::vector<PromReadQuery>> ParsePromRead(std::string_view message) {
  std::vector<PromReadQuery> queries;
  try {
    ReadRequest(pbf_reader(message.data(), message.size()), &queries);
  } catch (const ReadFault& fault) {
    return absl::InvalidArgumentError(fmt::format("body: {}", fault.what()));
  } catch (const std::exception& exception) {
    return absl::InvalidArgumentError(
        fmt::format("body: expected a whole protobuf message, got {}", exception.what()));
  }
  return queries;
}

std::string PromReadText(std::span<const PromReadQuery> queries) {
  std::string text = R"({"type":"REMOTE_READ","queries":[)";
  size_t listed = 0;
  for (; listed < queries.size() && text.size() < kListedQueryBytesMax; ++listed) {
    const PromReadQuery& query = queries[listed];
    if (listed > 0) text.push_back(',');
    fmt::format_to(std::back_inserter(text), R"({{"start":{},"end":{},"matchers":)", query.start_ms,
                   query.end_ms);
    AppendJsonString(SelectorOf(query.matchers), &text);
    text.push_back('}');
  }
  fmt::format_to(std::back_inserter(text), R"(],"queriesNotListed":{}}})", queries.size() - listed);
  return text;
}

}  // namespace hourcell
