#include "server/put/put_json_fast.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "codec/text/number.h"
#include "codec/text/put_line.h"
#include "server/put/put_json.h"
#include "server/text/json_scalar.h"

namespace hourcell {
namespace {

// The size of the table of known tags, by the size of the body.
constexpr size_t kBytesPerKnown = 128;
constexpr size_t kKnownMin = 16;
constexpr size_t kKnownMax = 1024;
// Bytes that the fast copy of a name may write after its end.
constexpr size_t kCopyBytes = 16;
// An estimate of the bytes of one point in a body, to reserve memory.
constexpr size_t kScannedPerPoint = 100;

constexpr unsigned kMetricBit = 1;
constexpr unsigned kTimestampBit = 2;
constexpr unsigned kValueBit = 4;
constexpr unsigned kTagsBit = 8;
constexpr unsigned kAllBits = 15;

[[gnu::always_inline]] inline const char* SkipSpace(const char* at) {
  while (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t') [[unlikely]]
    ++at;
  return at;
}

// The start of the value after a key that ends at `at`.
[[gnu::always_inline]] inline const char* SkipColon(const char* at) {
  at = SkipSpace(at);
  return *at == ':' ? SkipSpace(at + 1) : nullptr;
}

// The start of the value of the field at `at`, if the field has that key, given in quotes.
template <size_t kSize>
[[gnu::always_inline]] inline const char* ValueOf(const char (&key)[kSize],
                                                  const char* at,
                                                  const char* end) {
  constexpr size_t kKeyBytes = kSize - 1;
  if (static_cast<size_t>(end - at) < kKeyBytes) return nullptr;
  return std::memcmp(at, key, kKeyBytes) == 0 ? SkipColon(at + kKeyBytes) : nullptr;
}

// Marks a field. False if it was marked.
[[gnu::always_inline]] inline bool MarkField(unsigned bit, unsigned* fields) {
  const bool is_first = (*fields & bit) == 0;
  *fields |= bit;
  return is_first;
}

// Whether a name of the usual kind ends before `c`, for example a quote.
[[gnu::always_inline]] inline bool EndsName(char c) {
  return c == '"' || c == '\\' || c == '=' || static_cast<signed char>(c) <= ' ';
}

// Copies the name at `at` to `*out`, where it may write kCopyBytes beyond the name, and returns the
// name's end, which is a quote if the name is of the usual kind.
[[gnu::always_inline]] inline const char* CopyName(const char* at, const char* end, char** out) {
#ifdef __SSE2__
  for (; end - at >= 16; at += 16, *out += 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(*out), bytes);
    const __m128i quote = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('"'));
    const __m128i backslash = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'));
    const __m128i equals = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('='));
    const __m128i low = _mm_cmplt_epi8(bytes, _mm_set1_epi8('!'));  // signed: beyond ASCII, too
    const int found =
        _mm_movemask_epi8(_mm_or_si128(_mm_or_si128(quote, backslash), _mm_or_si128(equals, low)));
    if (found == 0) continue;
    const int size = std::countr_zero(static_cast<unsigned>(found));
    *out += size;
    return at + size;
  }
#endif
  while (at < end && !EndsName(*at))
    *(*out)++ = *at++;
  return at;
}

// Copies a name in quotes.
[[gnu::always_inline]] inline const char* CopyString(const char* at, const char* end, char** out) {
  if (*at != '"') return nullptr;
  const char* const close = CopyName(at + 1, end, out);
  return *close == '"' && close != at + 1 ? close + 1 : nullptr;
}

[[gnu::always_inline]] inline const char* ScanValue(const char* at, const char* end, Value* value) {
  const bool is_text = *at == '"';
  const char* const begin = at + (is_text ? 1 : 0);
  const char* const stop = ScanPlainValue(begin, end, value);
  if (stop == nullptr) return nullptr;
  if (is_text) return *stop == '"' ? stop + 1 : nullptr;
  // All digits without a leading zero are valid JSON; other numbers may not be.
  const char first = *begin == '-' ? begin[1] : *begin;
  if (value->is_integer() && first != '0') return stop;
  return IsJsonNumber({begin, static_cast<size_t>(stop - begin)}) ? stop : nullptr;
}

uint64_t LoadWord(const char* at) {
  uint64_t word = 0;
  std::memcpy(&word, at, sizeof word);
  return word;
}

}  // namespace

bool PutJsonFast::Scan(const std::string& body, size_t tags_max) {
  points_.clear();
  points_.reserve(body.size() / kScannedPerPoint + 1);
  known_.assign(std::bit_ceil(std::clamp(body.size() / kBytesPerKnown, kKnownMin, kKnownMax)), {});
  // Tags take less space as text than as JSON.
  if (text_capacity_ < body.size() + kCopyBytes) {
    text_capacity_ = body.size() + kCopyBytes;
    text_ = std::make_unique_for_overwrite<char[]>(text_capacity_);
  }
  text_end_ = text_.get();
  end_ = body.data() + body.size();
  tags_max_ = std::min(tags_max, kTagsMax);
  return ScanBody(SkipSpace(body.data()));
}

bool PutJsonFast::ScanBody(const char* at) {
  if (*at != '[') {
    at = ScanObject(at);
    return at != nullptr && SkipSpace(at) == end_;
  }
  do {
    if (points_.size() == kPutPointsMax) return false;
    at = ScanObject(SkipSpace(at + 1));
    if (at == nullptr) return false;
    at = SkipSpace(at);
  } while (*at == ',');
  return *at == ']' && SkipSpace(at + 1) == end_;
}

const char* PutJsonFast::ScanObject(const char* at) {
  if (*at != '{') return nullptr;
  LinePoint& point = points_.emplace_back();
  unsigned fields = 0;
  do {
    at = ScanField(SkipSpace(at + 1), &fields, &point);
    if (at == nullptr) return nullptr;
    at = SkipSpace(at);
  } while (*at == ',');
  return *at == '}' && fields == kAllBits ? at + 1 : nullptr;
}

const char* PutJsonFast::ScanField(const char* at, unsigned* fields, LinePoint* point) {
  if (const char* const metric = ValueOf("\"metric\"", at, end_)) {
    // Copied to unused space, and not kept there.
    char* scratch = text_end_;
    const char* const end = CopyString(metric, end_, &scratch);
    if (end == nullptr || !MarkField(kMetricBit, fields)) return nullptr;
    point->metric = {metric + 1, static_cast<size_t>(end - metric) - 2};
    return end;
  }
  if (const char* const timestamp = ValueOf("\"timestamp\"", at, end_)) {
    if (*timestamp == '0' || !MarkField(kTimestampBit, fields)) return nullptr;
    return ScanTimestamp(timestamp, end_, &point->timestamp);
  }
  if (const char* const value = ValueOf("\"value\"", at, end_)) {
    return MarkField(kValueBit, fields) ? ScanValue(value, end_, &point->value) : nullptr;
  }
  const char* const tags = ValueOf("\"tags\"", at, end_);
  return tags != nullptr && MarkField(kTagsBit, fields) ? ScanTags(tags, &point->tags) : nullptr;
}

const char* PutJsonFast::ScanTags(const char* at, std::string_view* line) {
  const std::string_view rest(at, static_cast<size_t>(end_ - at));
  Known& known = known_[KnownIndex(at)];
  // Bytes equal to known tags, from the opening brace to the closing one, have the same result.
  if (!known.json.empty() && rest.starts_with(known.json)) {
    *line = known.line;
    return at + known.json.size();
  }
  at = ReadTags(at, line);
  if (at != nullptr)
    known = {.json = rest.substr(0, rest.size() - static_cast<size_t>(end_ - at)), .line = *line};
  return at;
}

// Hashes bytes that differ between hosts if the host is the first tag, as it mostly is; otherwise
// tags replace each other in the table, and are parsed again.
size_t PutJsonFast::KnownIndex(const char* at) const {
  constexpr size_t kBytes = 32;
  if (static_cast<size_t>(end_ - at) < kBytes) return 0;
  uint64_t hash = 0;
  for (size_t i = 0; i < kBytes; i += sizeof hash)
    hash = (hash ^ LoadWord(at + i)) * 0x9E3779B97F4A7C15;
  return hash >> (64 - std::countr_zero(known_.size()));
}

const char* PutJsonFast::ReadTags(const char* at, std::string_view* line) {
  if (*at != '{') return nullptr;
  key_count_ = 0;
  key_marks_ = 0;
  char* const begin = text_end_;
  char* out = begin;
  do {
    const char* const key = SkipSpace(at + 1);
    const char* const value = CopyString(key, end_, &out);
    if (value == nullptr) return nullptr;
    if (!AddKey({key + 1, static_cast<size_t>(value - key - 2)})) return nullptr;
    *out++ = '=';
    at = SkipColon(value);
    if (at == nullptr) return nullptr;
    at = CopyString(at, end_, &out);
    if (at == nullptr) return nullptr;
    *out++ = ' ';
    at = SkipSpace(at);
  } while (*at == ',');
  if (*at != '}') return nullptr;
  text_end_ = out;
  *line = {begin, static_cast<size_t>(out - begin - 1)};
  return at + 1;
}

// False if the key is repeated, or the limit of tags is reached.
bool PutJsonFast::AddKey(std::string_view key) {
  if (key_count_ == tags_max_) return false;
  const auto byte = [&key](size_t i) { return static_cast<size_t>(static_cast<uint8_t>(key[i])); };
  const uint64_t mark = uint64_t{1}
                        << ((byte(0) + 5 * byte(key.size() - 1) + 11 * key.size()) % 64);
  const auto keys = std::span(keys_).first(key_count_);
  if ((key_marks_ & mark) != 0 && std::ranges::find(keys, key) != keys.end()) return false;
  key_marks_ |= mark;
  keys_[key_count_++] = key;
  return true;
}

}  // namespace hourcell
