#include "server/inputs/prometheus/prom_histogram.h"

#include <bit>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include <absl/status/status.h>
#include <fmt/format.h>
#include <protozero/pbf_reader.hpp>

#include "codec/base/strings.h"
#include "codec/point.h"
#include "server/inputs/protobuf_fields.h"

namespace hourcell {
namespace {

using protozero::pbf_reader;

constexpr int32_t kCustomBuckets = -53;  // the schema
constexpr uint64_t kHintYes = 1;
constexpr uint64_t kHintGauge = 3;

struct PromSpan {
  int32_t offset = 0;
  uint32_t length = 0;
};

// The buckets of a sign, as sent.
struct PromBuckets {
  std::vector<PromSpan> spans;
  std::vector<int64_t> deltas;
  std::vector<double> counts;
};

// The fields of a message.
struct SentNative {
  bool is_float = false;
  uint64_t count = 0;
  double float_count = 0;
  uint64_t zero = 0;
  double float_zero = 0;
  double sum = 0;
  int32_t schema = 0;
  double zero_threshold = 0;
  uint64_t hint = 0;
  int64_t ms = 0;
  PromBuckets positive;
  PromBuckets negative;
};

PromSpan ReadSpan(pbf_reader message) {
  PromSpan span;
  while (message.next()) {
    switch (message.tag_and_type()) {
      case VarintField(1):
        span.offset = message.get_sint32();
        break;
      case VarintField(2):
        span.length = message.get_uint32();
        break;
      default:
        message.skip();
    }
  }
  return span;
}

// One more than the limit of a histogram is kept, so that it is refused.
template <typename Item>
void AddNative(Item item, std::vector<Item>* items) {
  if (items->size() <= kExponentialBucketsMax) items->push_back(item);
}

// Reads a field of buckets, whose first number is `first`. False: it is another field.
bool ReadNativeBuckets(uint32_t first, pbf_reader* message, PromBuckets* buckets) {
  const uint32_t field = message->tag_and_type();
  if (field == BytesField(first)) {
    AddNative(ReadSpan(message->get_message()), &buckets->spans);
  } else if (field == VarintField(first + 1)) {
    AddNative(message->get_sint64(), &buckets->deltas);
  } else if (field == BytesField(first + 1)) {
    for (const int64_t delta : message->get_packed_sint64())
      AddNative(delta, &buckets->deltas);
  } else if (field == Fixed64Field(first + 2)) {
    AddNative(message->get_double(), &buckets->counts);
  } else if (field == BytesField(first + 2)) {
    for (const double count : message->get_packed_double())
      AddNative(count, &buckets->counts);
  } else {
    return false;
  }
  return true;
}

// Reads a field of a single number.
void ReadNativeNumber(pbf_reader* message, SentNative* sent) {
  switch (message->tag_and_type()) {
    case VarintField(1):
      sent->count = message->get_uint64();
      sent->is_float = false;
      return;
    case Fixed64Field(2):
      sent->float_count = message->get_double();
      sent->is_float = true;
      return;
    case Fixed64Field(3):
      sent->sum = message->get_double();
      return;
    case VarintField(4):
      sent->schema = message->get_sint32();
      return;
    case Fixed64Field(5):
      sent->zero_threshold = message->get_double();
      return;
    case VarintField(6):
      sent->zero = message->get_uint64();
      return;
    case Fixed64Field(7):
      sent->float_zero = message->get_double();
      return;
    case VarintField(14):
      sent->hint = message->get_uint64();
      return;
    case VarintField(15):
      sent->ms = message->get_int64();
      return;
    default:
      message->skip();
  }
}

SentNative ReadSentNative(pbf_reader message) {
  constexpr uint32_t kNegative = 8;
  constexpr uint32_t kPositive = 11;
  SentNative sent;
  while (message.next()) {
    if (ReadNativeBuckets(kNegative, &message, &sent.negative)) continue;
    if (ReadNativeBuckets(kPositive, &message, &sent.positive)) continue;
    ReadNativeNumber(&message, &sent);
  }
  return sent;
}

// The counts of the buckets. False: a difference leaves the range of counts.
bool CountsOf(const PromBuckets& sent, bool is_float, std::vector<ExponentialCount>* counts) {
  if (is_float) {
    counts->assign(sent.counts.begin(), sent.counts.end());
    return true;
  }
  int64_t count = 0;
  for (const int64_t delta : sent.deltas) {
    if (__builtin_add_overflow(count, delta, &count)) return false;
    counts->push_back(static_cast<ExponentialCount>(count));
  }
  return true;
}

// Converts the buckets. Returns the fault, or "".
std::string TakeNativeBuckets(const PromBuckets& sent,
                              bool is_float,
                              std::vector<ExponentialBucket>* buckets) {
  std::vector<ExponentialCount> counts;
  if (!CountsOf(sent, is_float, &counts)) return "expected counts of 64 bits, got larger ones";
  uint64_t wanted = 0;
  for (const PromSpan& span : sent.spans)
    wanted += span.length;
  if (wanted != counts.size()) {
    return fmt::format("expected {} counts for the spans, got {}", wanted, counts.size());
  }
  int64_t index = -1;  // Prometheus' numbers are higher by 1
  auto count = counts.begin();
  for (size_t i = 0; i < sent.spans.size(); ++i) {
    if (i > 0 && sent.spans[i].offset < 0) {
      return fmt::format("expected an offset of 0 or more, got {}", sent.spans[i].offset);
    }
    index += sent.spans[i].offset;
    for (uint32_t left = sent.spans[i].length; left > 0; --left, ++index, ++count) {
      if (*count == 0) continue;
      if (index < std::numeric_limits<int32_t>::min() ||
          index > std::numeric_limits<int32_t>::max()) {
        return fmt::format("expected a bucket of 32 bits, got {}", index);
      }
      buckets->push_back({.index = static_cast<int32_t>(index), .count = *count});
    }
  }
  return "";
}

std::string TakeNative(const SentNative& sent, ExponentialHistogram* histogram) {
  if (sent.schema == kCustomBuckets) {
    return "expected exponential buckets, got custom ones (schema -53); send a classic histogram";
  }
  histogram->scale = sent.schema;
  histogram->has_float_counts = sent.is_float;
  histogram->is_cumulative = sent.hint != kHintGauge;
  histogram->begins_anew = sent.hint == kHintYes;
  histogram->zero_threshold = sent.zero_threshold;
  histogram->zero_count = sent.is_float ? static_cast<ExponentialCount>(sent.float_zero)
                                        : static_cast<ExponentialCount>(sent.zero);
  histogram->count = sent.is_float ? static_cast<ExponentialCount>(sent.float_count)
                                   : static_cast<ExponentialCount>(sent.count);
  histogram->sum = sent.sum;
  std::string fault = TakeNativeBuckets(sent.positive, sent.is_float, &histogram->positive);
  if (fault.empty()) {
    fault = TakeNativeBuckets(sent.negative, sent.is_float, &histogram->negative);
  }
  if (!fault.empty()) return fault;
  const absl::Status status = CheckExponentialHistogram(*histogram);
  return status.ok() ? "" : std::string(MessageOf(status));
}

}  // namespace

PromHistogram ReadPromHistogram(std::string_view message) {
  const SentNative sent = ReadSentNative(pbf_reader(DataOf(message)));
  PromHistogram read{.ms = sent.ms,
                     .is_stale = std::bit_cast<uint64_t>(sent.sum) == Value::kStaleMarkerBits,
                     .fault = ""};
  if (!read.is_stale) read.fault = TakeNative(sent, &read.histogram);
  return read;
}

}  // namespace hourcell
