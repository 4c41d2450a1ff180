#include "server/inputs/prometheus/prom_write_request.h"

#include <algorithm>
#include <exception>
#include <utility>

#include <fmt/format.h>
#include <protozero/pbf_reader.hpp>
#include <protozero/varint.hpp>

#include "codec/base/strings.h"
#include "codec/limits.h"
#include "server/inputs/protobuf_fields.h"

namespace hourcell {
namespace {

using protozero::pbf_reader;

constexpr std::string_view kMetricLabel = "__name__";

// The fields of the two schemas.
constexpr uint32_t kSeriesOf1 = BytesField(1);
constexpr uint32_t kMetadataOf1 = BytesField(3);
constexpr uint32_t kSymbolOf2 = BytesField(4);
constexpr uint32_t kSeriesOf2 = BytesField(5);

TagView ReadLabel(pbf_reader label) {
  TagView read;
  while (label.next()) {
    switch (label.tag_and_type()) {
      case BytesField(1):
        read.key = ViewOf(label.get_view());
        break;
      case BytesField(2):
        read.value = ViewOf(label.get_view());
        break;
      default:
        label.skip();
    }
  }
  return read;
}

// The same in both versions.
PromSample ReadSample(pbf_reader sample) {
  PromSample read;
  while (sample.next()) {
    switch (sample.tag_and_type()) {
      case Fixed64Field(1):
        read.value = sample.get_double();
        break;
      case VarintField(2):
        read.ms = sample.get_int64();
        break;
      default:
        sample.skip();
    }
  }
  return read;
}

}  // namespace

// Keeps the first fault. `make` returns its text.
template <typename Make>
void PromWriteRequest::SetFault(const Make& make) {
  if (fault_.empty()) fault_ = wants_text_ ? make() : std::string("?");
}

PromWriteRequest::PromWriteRequest(std::string_view message, PromWriteVersion version)
    : rest_(message), version_(version) {
  if (version_ == PromWriteVersion::k2) ReadSymbols(message);
}

// Symbols may follow the series that use them.
void PromWriteRequest::ReadSymbols(std::string_view message) {
  try {
    pbf_reader reader(DataOf(message));
    while (reader.next()) {
      if (reader.tag_and_type() != kSymbolOf2) {
        reader.skip();
        continue;
      }
      if (symbols_.size() == kPromSymbolsMax) {
        error_ = fmt::format("expected at most {} symbols, got more", kPromSymbolsMax);
        return;
      }
      symbols_.push_back(ViewOf(reader.get_view()));
    }
  } catch (const std::exception& exception) {
    error_ = fmt::format("expected a whole protobuf message, got {} in the table of symbols",
                         exception.what());
  }
  if (error_.empty() && !symbols_.empty() && !symbols_.front().empty()) {
    error_ = fmt::format("expected the empty one, got {} as the first symbol",
                         QuoteForMessage(symbols_.front()));
  }
}

bool PromWriteRequest::Next(bool wants_text) {
  wants_text_ = wants_text;
  if (!error_.empty()) return false;
  const uint32_t field = version_ == PromWriteVersion::k1 ? kSeriesOf1 : kSeriesOf2;
  try {
    pbf_reader reader(DataOf(rest_));
    while (reader.next()) {
      if (reader.tag_and_type() == kMetadataOf1 && version_ == PromWriteVersion::k1) {
        ReadMetadataOf1(ViewOf(reader.get_view()));
        continue;
      }
      if (reader.tag_and_type() != field) {
        reader.skip();
        continue;
      }
      const std::string_view series = ViewOf(reader.get_view());
      rest_ = ViewOf(reader.data());
      ReadSeries(series);
      return true;
    }
    rest_ = {};
  } catch (const std::exception& exception) {
    error_ = fmt::format("expected a whole protobuf message, got {} at series {}", exception.what(),
                         number_ + 1);
  }
  return false;
}

void PromWriteRequest::ReadMetadataOf1(std::string_view message) {
  MetricMetadata read;
  pbf_reader reader(DataOf(message));
  while (reader.next()) {
    switch (reader.tag_and_type()) {
      case VarintField(1):
        read.type = MetadataTypeOf(reader.get_uint64());
        break;
      case BytesField(2):
        read.metric = ViewOf(reader.get_view());
        break;
      case BytesField(4):
        read.help = ViewOf(reader.get_view());
        break;
      case BytesField(5):
        read.unit = ViewOf(reader.get_view());
        break;
      default:
        reader.skip();
    }
  }
  // The rest is in the next message.
  if (metadata_.size() < kMetadataAtOnce) metadata_.push_back(read);
}

MetricMetadata PromWriteRequest::ReadMetadataOf2(std::string_view message) {
  MetricMetadata read;
  const auto symbol = [this](uint64_t number) {
    return number < symbols_.size() ? symbols_[number] : std::string_view();
  };
  pbf_reader reader(DataOf(message));
  while (reader.next()) {
    switch (reader.tag_and_type()) {
      case VarintField(1):
        read.type = MetadataTypeOf(reader.get_uint64());
        break;
      case VarintField(3):
        read.help = symbol(reader.get_uint64());
        break;
      case VarintField(4):
        read.unit = symbol(reader.get_uint64());
        break;
      default:
        reader.skip();
    }
  }
  return read;
}

void PromWriteRequest::ReadSeries(std::string_view message) {
  fault_.clear();
  labels_.clear();
  samples_.clear();
  histograms_.clear();
  buckets_ = 0;
  series_ = {};
  if (version_ == PromWriteVersion::k1) {
    ReadSeriesOf1(message);
  } else {
    ReadSeriesOf2(message);
  }
  if (series_.name.empty())
    SetFault([&] { return std::string("expected the name of the metric, got no label __name__"); });
  if (series_.metadata.has_value()) {
    series_.metadata->metric = FamilyOf(series_.name, series_.metadata->type);
    if (series_.metadata->says_nothing()) series_.metadata.reset();
  }
  series_.labels = labels_;
  series_.samples = samples_;
  series_.histograms = histograms_;
  ++number_;
}

void PromWriteRequest::ReadSeriesOf1(std::string_view message) {
  pbf_reader reader(DataOf(message));
  while (reader.next()) {
    switch (reader.tag_and_type()) {
      case BytesField(1):
        AddLabel(ReadLabel(reader.get_message()));
        break;
      case BytesField(2):
        AddSample(ReadSample(reader.get_message()));
        break;
      case BytesField(3):
        ++series_.exemplars;
        reader.skip();
        break;
      case BytesField(4):
        AddHistogram(ReadPromHistogram(ViewOf(reader.get_view())));
        break;
      default:
        reader.skip();
    }
  }
}

void PromWriteRequest::ReadSeriesOf2(std::string_view message) {
  pbf_reader reader(DataOf(message));
  while (reader.next()) {
    switch (reader.tag_and_type()) {
      case BytesField(1):
        AddLabelsBySymbol(ViewOf(reader.get_view()));
        break;
      case BytesField(2):
        AddSample(ReadSample(reader.get_message()));
        break;
      case BytesField(3):
        AddHistogram(ReadPromHistogram(ViewOf(reader.get_view())));
        break;
      case BytesField(4):
        ++series_.exemplars;
        reader.skip();
        break;
      case BytesField(5):
        series_.metadata = ReadMetadataOf2(ViewOf(reader.get_view()));
        break;
      default:
        reader.skip();
    }
  }
}

// Reads pairs of packed symbol numbers.
void PromWriteRequest::AddLabelsBySymbol(std::string_view packed) {
  const char* at = packed.data();
  const char* const end = at + packed.size();
  const auto symbol = [&]() -> const std::string_view* {
    const uint64_t number = protozero::decode_varint(&at, end);
    if (number < symbols_.size()) return &symbols_[number];
    SetFault([&] {
      return fmt::format("expected one of {}, got the symbol {}", symbols_.size(), number);
    });
    return nullptr;
  };
  while (at != end) {
    const std::string_view* const name = symbol();
    if (at == end)
      return SetFault([&] {
        return std::string("expected a name and a value each, got an odd number of symbols");
      });
    const std::string_view* const value = symbol();
    if (name == nullptr || value == nullptr) return;
    AddLabel({*name, *value});
  }
}

void PromWriteRequest::AddLabel(const TagView& label) {
  if (label.value.empty()) return;
  if (label.key.empty())
    return SetFault([&] { return std::string("expected a name, got an empty name of a label"); });
  if (label.key.size() > kNameBytesMax || label.value.size() > kNameBytesMax) {
    return SetFault([&] {
      return fmt::format("label {}: expected at most {} of a name or a value, got {} bytes",
                         QuoteForMessage(label.key), kNameBytesMax,
                         std::max(label.key.size(), label.value.size()));
    });
  }
  if (label.key == kMetricLabel) {
    if (!series_.name.empty()) {
      return SetFault([] { return std::string("expected it once, got the label __name__ twice"); });
    }
    series_.name = label.value;
  } else if (labels_.size() == kTagsMax) {
    SetFault([&] { return fmt::format("expected at most {} labels, got more", kTagsMax); });
  } else {
    labels_.push_back(label);
  }
}

void PromWriteRequest::AddSample(const PromSample& sample) {
  if (samples_.size() < kPromSamplesMax) return samples_.push_back(sample);
  SetFault([&] { return fmt::format("expected at most {} samples, got more", kPromSamplesMax); });
}

void PromWriteRequest::AddHistogram(PromHistogram histogram) {
  buckets_ += histogram.buckets();
  if (histograms_.size() < kPromHistogramsMax && buckets_ <= kPromBucketsMax) {
    return histograms_.push_back(std::move(histogram));
  }
  SetFault([&] {
    return fmt::format("expected at most {} native histograms with {} buckets, got more",
                       kPromHistogramsMax, kPromBucketsMax);
  });
}

}  // namespace hourcell
