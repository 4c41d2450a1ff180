// Real numbers are in units of 2^-16 here. A double is made at the end, by one division or
// multiplication: a compiler may contract a product and a sum into one rounding, and then another
// machine would give other bits.

#include "tests/support/values/value_kinds.h"

#include <array>
#include <bit>

namespace hourcell {
namespace {

constexpr int64_t kOne = 1 << 16;

// About normal, with a deviation of 1: the sum of twelve uniform numbers.
int64_t Normal(Random* random) {
  int64_t sum = 0;
  for (int i = 0; i < 3; ++i) {
    for (uint64_t bits = random->Next(), j = 0; j < 4; ++j, bits >>= 16)
      sum += static_cast<int64_t>(bits & 0xFFFF);
  }
  return sum - 6 * (kOne - 1);
}

// About exponential, with a mean of 1.5: a geometric integer, and a uniform fraction.
int64_t Exponential(Random* random) {
  const uint64_t bits = random->Next();
  return std::countl_zero(bits) * kOne + static_cast<int64_t>(bits & 0xFFFF);
}

// The integer below a number.
int64_t Floor(int64_t number) {
  return number >> 16;
}

bool IsOneOf(uint64_t cases, Random* random) {
  return random->Below(cases) == 0;
}

// A walk between 0 and `top`, which reflect it.
class Walk {
 public:
  explicit Walk(int64_t top) : top_(top), at_(top / 2) {}

  int64_t Step(int64_t step) {
    at_ += step;
    if (at_ < 0) at_ = -at_;
    if (at_ > top_) at_ = 2 * top_ - at_;
    return at_;
  }

 private:
  const int64_t top_;
  int64_t at_;
};

// `next` of each position of a walk from 0 to 100, with steps of deviation 1 / `step_divisor`.
template <typename Next>
std::vector<Value> WalkOf(size_t count, int64_t step_divisor, Random* random, const Next& next) {
  Walk walk(100 * kOne);
  std::vector<Value> values;
  values.reserve(count);
  for (size_t i = 0; i < count; ++i)
    values.push_back(next(walk.Step(Normal(random) / step_divisor)));
  return values;
}

Value Decimal(int64_t number, int64_t power) {
  return Value::Float(static_cast<double>(number) / static_cast<double>(power));
}

template <int64_t kPower, int64_t kStepDivisor = 1>
std::vector<Value> DecimalWalk(size_t count, Random* random) {
  return WalkOf(count, kStepDivisor, random,
                [](int64_t at) { return Decimal(Floor(at * kPower), kPower); });
}

std::vector<Value> NoiseAboutALevel(size_t count, Random* random) {
  std::vector<Value> values;
  for (size_t i = 0; i < count; ++i)
    values.push_back(Decimal(Floor(500 * kOne + 20 * Normal(random)), 10));
  return values;
}

// Four of five values are the one before.
std::vector<Value> RestingGauge(size_t count, Random* random) {
  Walk walk(100 * kOne);
  Value value = Decimal(5000, 100);
  std::vector<Value> values;
  for (size_t i = 0; i < count; ++i) {
    if (IsOneOf(5, random)) value = Decimal(Floor(walk.Step(Normal(random)) * 100), 100);
    values.push_back(value);
  }
  return values;
}

// 97 of 100 values are the one before.
std::vector<Value> ConstantGauge(size_t count, Random* random) {
  Walk walk(1000 * kOne);
  Value value = Value::Integer(500);
  std::vector<Value> values;
  for (size_t i = 0; i < count; ++i) {
    if (random->Below(100) < 3) value = Value::Integer(Floor(walk.Step(10 * Normal(random))));
    values.push_back(value);
  }
  return values;
}

std::vector<Value> PoissonCounter(size_t count, Random* random) {
  auto total = static_cast<int64_t>(random->Below(1'000'000'000));
  std::vector<Value> values;
  for (size_t i = 0; i < count; ++i) {
    total += Floor(100 * kOne + 10 * Normal(random));
    values.push_back(Value::Integer(total));
  }
  return values;
}

// Rests in 7 of 10 intervals.
std::vector<Value> BurstCounter(size_t count, Random* random) {
  auto total = static_cast<int64_t>(random->Below(1'000'000'000));
  std::vector<Value> values;
  for (size_t i = 0; i < count; ++i) {
    if (random->Below(10) < 3) total += Exponential(random) * 380'000 / kOne;
    values.push_back(Value::Integer(total));
  }
  return values;
}

std::vector<Value> CpuSeconds(size_t count, Random* random) {
  auto total = static_cast<int64_t>(random->Below(10'000'000));
  std::vector<Value> values;
  for (size_t i = 0; i < count; ++i) {
    total += Floor(300 * kOne + 14 * Normal(random));
    values.push_back(Decimal(total, 100));
  }
  return values;
}

std::vector<Value> MemoryInPages(size_t count, Random* random) {
  Walk walk(2'000'000 * kOne);
  std::vector<Value> values;
  for (size_t i = 0; i < count; ++i)
    values.push_back(Value::Integer(4096 * Floor(walk.Step(64 * Normal(random)))));
  return values;
}

// Seconds with six decimals, lognormal: the median is 20 ms, the deviation of the logarithm 0.5.
std::vector<Value> Latency(size_t count, Random* random) {
  std::vector<Value> values;
  for (size_t i = 0; i < count; ++i) {
    // e^x is about (1 + x / 1024)^1024; the C library's may differ in the last bit.
    double power =
        static_cast<double>(2048 * kOne + Normal(random)) / static_cast<double>(2048 * kOne);
    for (int j = 0; j < 10; ++j)
      power *= power;
    values.push_back(Decimal(static_cast<int64_t>(20'000 * power), 1'000'000));
  }
  return values;
}

// The double above a decimal in one of 360 values, as sums of decimals have it.
std::vector<Value> DecimalsWithNoise(size_t count, Random* random) {
  return WalkOf(count, 1, random, [random](int64_t at) {
    const Value value = Decimal(Floor(at * 100), 100);
    if (!IsOneOf(360, random)) return value;
    return Value::Float(std::bit_cast<double>(std::bit_cast<uint64_t>(value.floating()) + 1));
  });
}

// Milliseconds times 0.001, which is often not the double of three decimals.
std::vector<Value> Thousandths(size_t count, Random* random) {
  return WalkOf(count, 1, random, [](int64_t at) {
    return Value::Float(static_cast<double>(Floor(at * 1000)) * 0.001);
  });
}

std::vector<Value> MeanOfSixIntegers(size_t count, Random* random) {
  std::vector<Value> values;
  for (size_t i = 0; i < count; ++i) {
    uint64_t sum = 0;
    for (int j = 0; j < 6; ++j)
      sum += random->Below(101);
    values.push_back(Value::Float(static_cast<double>(sum) / 6));
  }
  return values;
}

// The used bytes of 16 GiB, with steps of 8 MiB.
std::vector<Value> PercentOfAPowerOfTwo(size_t count, Random* random) {
  constexpr int64_t kTotal = int64_t{16} << 30;
  Walk walk(kTotal);
  std::vector<Value> values;
  for (size_t i = 0; i < count; ++i) {
    const int64_t used = walk.Step(128 * Normal(random) + static_cast<int64_t>(random->Below(128)));
    values.push_back(Value::Float(static_cast<double>(100 * used) / static_cast<double>(kTotal)));
  }
  return values;
}

// A walk whose steps have all the bits of a double.
std::vector<Value> FullMantissa(size_t count, Random* random) {
  double at = 50;
  std::vector<Value> values;
  for (size_t i = 0; i < count; ++i) {
    double step = -6;
    for (int j = 0; j < 12; ++j)
      step += random->Fraction();
    at += step;
    if (at < 0 || at > 100) at -= 2 * step;
    values.push_back(Value::Float(at));
  }
  return values;
}

std::vector<Value> StillCounter(size_t count, Random* random) {
  return std::vector<Value>(count,
                            Value::Integer(static_cast<int64_t>(random->Below(1'000'000'000))));
}

constexpr std::array<ValueKind, 19> kValueKinds = {{
    {"integer walk", &IntegerWalk},
    {"1 decimal, step 1", &DecimalWalk<10>},
    {"2 decimals, step 1", &TwoDecimalWalk},
    {"3 decimals, step 1", &DecimalWalk<1000>},
    {"2 decimals, step 0.1", &DecimalWalk<100, 10>},
    {"1 decimal, noise about a level", &NoiseAboutALevel},
    {"gauge, 80 % repeats, 2 decimals", &RestingGauge},
    {"gauge, 97 % constant", &ConstantGauge},
    {"counter, steps about 100", &PoissonCounter},
    {"counter, 70 % idle, bursts", &BurstCounter},
    {"cpu seconds, 2 decimals", &CpuSeconds},
    {"memory in pages of 4,096", &MemoryInPages},
    {"latency, 6 decimals, lognormal", &Latency},
    {"2 decimals, 1 in 360 with noise", &DecimalsWithNoise},
    {"integer times 0.001", &Thousandths},
    {"mean of 6 integers", &MeanOfSixIntegers},
    {"percent of a power of two", &PercentOfAPowerOfTwo},
    {"full mantissa", &FullMantissa},
    {"counter that never moves", &StillCounter},
}};

}  // namespace

std::vector<Value> IntegerWalk(size_t count, Random* random) {
  return WalkOf(count, 1, random, [](int64_t at) { return Value::Integer(Floor(at)); });
}

std::vector<Value> TwoDecimalWalk(size_t count, Random* random) {
  return DecimalWalk<100>(count, random);
}

std::span<const ValueKind> ValueKinds() {
  return kValueKinds;
}

}  // namespace hourcell
