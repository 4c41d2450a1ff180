#include "bench/lab/simulate/input/md5_many.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <utility>

#include "codec/base/check.h"
#include "engine/regions/md5.h"

// Eight texts at a time: the steps of one MD5 depend on each other, those of several do not, and
// the simulator hashes a key for each of 10^8 puts. The code uses the compiler's vector types
// instead of intrinsics, so it builds for any processor.

namespace hourcell {
namespace {

// GCC and clang support this vector on every machine; two vectors hide each other's latency.
constexpr size_t kElements = 4;
using Vector = uint32_t __attribute__((vector_size(kElements * sizeof(uint32_t))));
constexpr size_t kTextsAtOnce = 2 * kElements;

constexpr size_t kSteps = 64;
constexpr size_t kBlockWords = 16;
constexpr size_t kManyBlockBytes = 64;
// A text whose end bit and length fit into the same block.
constexpr size_t kShortBytesMax = kManyBlockBytes - 9;

using Words = std::array<Vector, kBlockWords>;
using SineTable = std::array<uint32_t, kSteps>;

struct VectorState {
  Vector a;
  Vector b;
  Vector c;
  Vector d;
};

Vector Splat(uint32_t value) {
  return Vector{value, value, value, value};
}

VectorState InitialVectors() {
  return {Splat(0x67452301), Splat(0xEFCDAB89), Splat(0x98BADCFE), Splat(0x10325476)};
}

// The RFC's table T: the integer part of 2^32 |sin(i)| for i = 1 to 64.
SineTable MakeSineTable() {
  SineTable sines{};
  for (size_t i = 0; i < kSteps; ++i)
    sines[i] = static_cast<uint32_t>(std::abs(std::sin(static_cast<double>(i + 1))) * 0x1p32);
  return sines;
}

// The RFC's functions F, G, H, I of the four rounds.
template <size_t kRound>
Vector Mix(Vector b, Vector c, Vector d) {
  if constexpr (kRound == 0) return d ^ (b & (c ^ d));
  if constexpr (kRound == 1) return c ^ (d & (b ^ c));
  if constexpr (kRound == 2) return b ^ c ^ d;
  return c ^ (b | ~d);
}

// The word that a step uses, and its rotation.
template <size_t kStep>
constexpr size_t WordOf() {
  constexpr std::array<size_t, 4> kFactors = {1, 5, 3, 7};
  constexpr std::array<size_t, 4> kOffsets = {0, 1, 5, 0};
  return (kFactors[kStep / 16] * kStep + kOffsets[kStep / 16]) % kBlockWords;
}

template <size_t kStep>
constexpr uint32_t RotationOf() {
  constexpr std::array<std::array<uint32_t, 4>, 4> kRotationsByRound = {
      {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}}};
  return kRotationsByRound[kStep / 16][kStep % 4];
}

template <size_t kStep>
void Step(const Words& words, const SineTable& sines, VectorState* state) {
  constexpr uint32_t kRotation = RotationOf<kStep>();
  const Vector sum = state->a + Mix<kStep / 16>(state->b, state->c, state->d) +
                     words[WordOf<kStep>()] + Splat(sines[kStep]);
  state->a = state->d;
  state->d = state->c;
  state->c = state->b;
  state->b += (sum << kRotation) | (sum >> (32 - kRotation));
}

template <size_t... kStep>
void AddBlocks(const std::array<Words, 2>& words,
               const SineTable& sines,
               std::array<VectorState, 2>* states,
               std::index_sequence<kStep...> /*steps*/) {
  VectorState first = (*states)[0];
  VectorState second = (*states)[1];
  ((Step<kStep>(words[0], sines, &first), Step<kStep>(words[1], sines, &second)), ...);
  for (const auto& [state, added] :
       {std::pair(&(*states)[0], &first), std::pair(&(*states)[1], &second)}) {
    state->a += added->a;
    state->b += added->b;
    state->c += added->c;
    state->d += added->d;
  }
}

// The one block of a short text, as words: the text, one bit, zeros, the length in bits.
void SetElement(std::string_view text, size_t element, Words* words) {
  char block[kManyBlockBytes] = {};
  std::memcpy(block, text.data(), text.size());
  block[text.size()] = '\x80';
  const size_t bits = 8 * text.size();
  block[kManyBlockBytes - 8] = static_cast<char>(bits & 0xFF);
  block[kManyBlockBytes - 7] = static_cast<char>(bits >> 8);
  for (size_t i = 0; i < kBlockWords; ++i) {
    uint32_t word = 0;
    for (size_t byte = 4; byte-- > 0;)
      word = (word << 8) | static_cast<uint8_t>(block[4 * i + byte]);
    (*words)[i][element] = word;
  }
}

void GetElement(const VectorState& state, size_t element, Md5Digest* digest) {
  const std::array<uint32_t, 4> words = {state.a[element], state.b[element], state.c[element],
                                         state.d[element]};
  for (size_t i = 0; i < digest->size(); ++i)
    (*digest)[i] = static_cast<uint8_t>(words[i / 4] >> (8 * (i % 4)));
}

// REQUIRES: kTextsAtOnce short texts.
void HashShort(const std::string_view* texts, const SineTable& sines, Md5Digest* digests) {
  std::array<Words, 2> words;
  for (size_t i = 0; i < kTextsAtOnce; ++i)
    SetElement(texts[i], i % kElements, &words[i / kElements]);
  std::array<VectorState, 2> states = {InitialVectors(), InitialVectors()};
  AddBlocks(words, sines, &states, std::make_index_sequence<kSteps>());
  for (size_t i = 0; i < kTextsAtOnce; ++i)
    GetElement(states[i / kElements], i % kElements, &digests[i]);
}

}  // namespace

void Md5Many(std::span<const std::string_view> texts, std::span<Md5Digest> digests) {
  HOURCELL_CHECK(texts.size() == digests.size());
  static const SineTable sines = MakeSineTable();
  size_t i = 0;
  for (; i + kTextsAtOnce <= texts.size(); i += kTextsAtOnce) {
    const auto eight = texts.subspan(i, kTextsAtOnce);
    const bool are_short = std::all_of(eight.begin(), eight.end(), [](std::string_view text) {
      return text.size() <= kShortBytesMax;
    });
    if (are_short) {
      HashShort(eight.data(), sines, &digests[i]);
      continue;
    }
    for (size_t j = i; j < i + kTextsAtOnce; ++j)
      digests[j] = Md5(texts[j]);
  }
  for (; i < texts.size(); ++i)
    digests[i] = Md5(texts[i]);
}

}  // namespace hourcell
