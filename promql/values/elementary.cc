#include "promql/values/elementary.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numbers>
#include <span>

namespace hourcell::promql {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kLn2 = std::numbers::ln2;

// Coefficients from the highest power to the lowest.
double Polynomial(double x, std::span<const double> coefficients) {
  double value = coefficients.front();
  for (const double coefficient : coefficients.subspan(1))
    value = value * x + coefficient;
  return value;
}

bool IsOddInteger(double x) {
  double whole = 0;
  if (std::abs(x) >= 9007199254740992 || std::modf(x, &whole) != 0) return false;
  return (static_cast<int64_t>(whole) & 1) != 0;
}

// x ^ y where x is 0 or either is infinite.
double PowerAtLimit(double x, double y) {
  if (std::isinf(y) && std::abs(x) == 1) return 1;
  const bool grows = (std::abs(x) > 1) == (y > 0);
  const double size = grows ? kInfinity : 0;
  return std::signbit(x) && IsOddInteger(y) ? -size : size;
}

// factor * x ^ y for a whole y, by squares of the fraction of x. With the sign -1, its reciprocal.
double PowerBySquares(double x, uint64_t y, double factor, int sign) {
  int x_exponent = 0;
  double square = std::frexp(x, &x_exponent);
  int64_t square_exponent = x_exponent;
  int64_t exponent = 0;
  for (; y != 0; y >>= 1) {
    if (square_exponent < -4096 || square_exponent > 4096) {
      exponent += square_exponent;  // far beyond the range of doubles
      break;
    }
    if ((y & 1) != 0) {
      factor *= square;
      exponent += square_exponent;
    }
    square *= square;
    square_exponent *= 2;
    if (square < 0.5) {
      square += square;
      --square_exponent;
    }
  }
  // The reciprocal before the exponent: a subnormal has fewer digits.
  if (sign < 0) return std::ldexp(1 / factor, static_cast<int>(-exponent));
  return std::ldexp(factor, static_cast<int>(exponent));
}

// An angle as a count of eighths of a turn, even and modulo 8, and the rest in [-pi/4, pi/4].
struct Octant {
  uint64_t count = 0;
  double rest = 0;
};

// REQUIRES: 0 <= angle < kSmallAngles.
constexpr double kSmallAngles = 1 << 29;
Octant ReduceSmall(double angle) {
  // pi/4 in three parts: the products with the first two are exact.
  constexpr double kHigh = 7.85398125648498535156e-1;
  constexpr double kMiddle = 3.77489470793079817668e-8;
  constexpr double kLow = 2.69515142907905952645e-15;
  auto count = static_cast<uint64_t>(angle * (4 / std::numbers::pi));
  count += count & 1;
  const auto y = static_cast<double>(count);
  return {count & 7, ((angle - y * kHigh) - y * kMiddle) - y * kLow};
}

__extension__ using Uint128 = unsigned __int128;

// 64 bits of 4/pi from the bit `offset` on; the word of the integer part is the first.
uint64_t BitsOf4OverPi(unsigned offset) {
  constexpr std::array<uint64_t, 20> kWords{
      0x0000000000000001, 0x45f306dc9c882a53, 0xf84eafa3ea69bb81, 0xb6c52b3278872083,
      0xfca2c757bd778ac3, 0x6e48dc74849ba5c0, 0x0c925dd413a32439, 0xfc3bd63962534e7d,
      0xd1046bea5d768909, 0xd338e04d68befc82, 0x7323ac7306a673e9, 0x3908bf177bf25076,
      0x3ff12fffbc0b301f, 0xde5e2316b414da3e, 0xda6cfd9e4f96136e, 0x9e8c7ecd3cbfd45a,
      0xea4f758fd7cbe2f6, 0x7a0e73ef14a525d4, 0xd7f6bf623f1aba10, 0xac06608df8f6d757};
  const size_t word = offset / 64;
  const unsigned shift = offset % 64;
  if (shift == 0) return kWords[word];
  return (kWords[word] << shift) | (kWords[word + 1] >> (64 - shift));
}

// By Payne and Hanek: of angle * 4/pi, only bits that decide the result are calculated, not those
// of multiples of 8 and of 2^-125. REQUIRES: kSmallAngles <= angle, finite.
Octant ReduceLarge(double angle) {
  int exponent = 0;
  const auto digits = static_cast<uint64_t>(std::ldexp(std::frexp(angle, &exponent), 53));
  const auto offset = static_cast<unsigned>(exponent - 53 + 61);
  Uint128 product = Uint128{BitsOf4OverPi(offset) * digits} << 64;
  product += Uint128{BitsOf4OverPi(offset + 64)} * digits;
  product += (Uint128{BitsOf4OverPi(offset + 128)} * digits) >> 64;
  auto count = static_cast<uint64_t>(product >> 125);
  // The first 53 digits of the fraction, without rounding. Go does not shift the lower word by 3.
  const auto high = static_cast<uint64_t>(product >> 61);
  const auto low = static_cast<uint64_t>(product);
  const int zeros = std::min(std::countl_zero(high), 62);
  const uint64_t mantissa = ((high << (zeros + 1)) | (low >> (63 - zeros))) >> 12;
  double fraction = std::ldexp(1 + std::ldexp(static_cast<double>(mantissa), -52), -(zeros + 1));
  if ((count & 1) != 0) {
    ++count;
    fraction -= 1;
  }
  return {count & 7, fraction * (std::numbers::pi / 4)};
}

Octant Reduce(double angle) {
  return angle < kSmallAngles ? ReduceSmall(angle) : ReduceLarge(angle);
}

double SineOfRest(double z) {
  constexpr double kCoefficients[] = {1.58962301576546568060e-10, -2.50507477628578072866e-8,
                                      2.75573136213857245213e-6,  -1.98412698295895385996e-4,
                                      8.33333333332211858878e-3,  -1.66666666666666307295e-1};
  const double square = z * z;
  return z + z * square * Polynomial(square, kCoefficients);
}

double CosineOfRest(double z) {
  constexpr double kCoefficients[] = {-1.13585365213876817300e-11, 2.08757008419747316778e-9,
                                      -2.75573141792967388112e-7,  2.48015872888517045348e-5,
                                      -1.38888888888730564116e-3,  4.16666666666665929218e-2};
  const double square = z * z;
  return 1.0 - 0.5 * square + square * square * Polynomial(square, kCoefficients);
}

// The arc tangent of x in [0, 0.66].
double ArcTangentNearZero(double x) {
  constexpr double kNumerator[] = {-8.750608600031904122785e-01, -1.615753718733365076637e+01,
                                   -7.500855792314704667340e+01, -1.228866684490136173410e+02,
                                   -6.485021904942025371773e+01};
  constexpr double kDenominator[] = {1.0,
                                     2.485846490142306297962e+01,
                                     1.650270098316988542046e+02,
                                     4.328810604912902668951e+02,
                                     4.853903996359136964868e+02,
                                     1.945506571482613964425e+02};
  const double square = x * x;
  const double quotient =
      square * Polynomial(square, kNumerator) / Polynomial(square, kDenominator);
  return x * quotient + x;
}

// The arc tangent of x > 0.
double ArcTangentOfPositive(double x) {
  constexpr double kTan3Pi8 = 2.41421356237309504880;
  constexpr double kMoreBits = 6.123233995736765886130e-17;  // beyond those of pi / 2
  if (x <= 0.66) return ArcTangentNearZero(x);
  if (x > kTan3Pi8) return std::numbers::pi / 2 - ArcTangentNearZero(1 / x) + kMoreBits;
  return std::numbers::pi / 4 + ArcTangentNearZero((x - 1) / (x + 1)) + 0.5 * kMoreBits;
}

}  // namespace

double Exp(double x) {
  constexpr double kLn2High = 0.69314718055966295651160180568695068359375;
  constexpr double kLn2Low = 0.28235290563031577122588448175013436025525412068e-12;
  constexpr double kTaylor[] = {2.4801587301587301587e-5,
                                1.9841269841269841270e-4,
                                1.3888888888888888889e-3,
                                8.3333333333333333333e-3,
                                4.1666666666666666667e-2,
                                1.6666666666666666667e-1,
                                0.5,
                                1.0};
  if (std::isnan(x)) return x;
  if (x > 7.09782712893384e+02) return kInfinity;
  if (x < -746) return 0;
  const double exponent = std::nearbyint(x * std::numbers::log2e);
  double rest = std::fma(-exponent, kLn2High, x);
  rest = std::fma(-exponent, kLn2Low, rest) * 0.0625;
  double series = kTaylor[0];
  for (const double coefficient : std::span(kTaylor).subspan(1)) {
    series = std::fma(series, rest, coefficient);
  }
  // e^rest - 1, then the same of its square, four times: (1 + y)^2 - 1 = y (2 + y).
  double y = rest * series;
  for (int i = 0; i < 3; ++i)
    y = y * (y + 2.0);
  return std::ldexp(std::fma(y, y + 2.0, 1.0), static_cast<int>(exponent));
}

double Log(double x) {
  constexpr double kLn2High = 6.93147180369123816490e-01;
  constexpr double kLn2Low = 1.90821492927058770002e-10;
  constexpr double kOdd[] = {1.479819860511658591e-01, 1.818357216161805012e-01,
                             2.857142874366239149e-01, 6.666666666666735130e-01};
  constexpr double kEven[] = {1.531383769920937332e-01, 2.222219843214978396e-01,
                              3.999999999940941908e-01};
  if (std::isnan(x) || x == kInfinity) return x;
  if (x < 0) return kNan;
  if (x == 0) return -kInfinity;
  int exponent = 0;
  double fraction = std::frexp(x, &exponent);
  if (fraction < std::numbers::sqrt2 / 2) {
    fraction *= 2;
    --exponent;
  }
  const double f = fraction - 1;
  const double k = exponent;
  const double s = f / (2 + f);
  const double s2 = s * s;
  const double s4 = s2 * s2;
  const double rest = s2 * Polynomial(s4, kOdd) + s4 * Polynomial(s4, kEven);
  const double half_square = 0.5 * f * f;
  return k * kLn2High - ((half_square - (s * (half_square + rest) + k * kLn2Low)) - f);
}

double Log2(double x) {
  if (!(x > 0) || std::isinf(x)) return Log(x);
  int exponent = 0;
  const double fraction = std::frexp(x, &exponent);
  if (fraction == 0.5) return exponent - 1;  // exact for powers of 2
  return Log(fraction) * std::numbers::log2e + exponent;
}

double Log10(double x) {
  return Log(x) * std::numbers::log10e;
}

double Power(double x, double y) {
  if (y == 0 || x == 1) return 1;
  if (y == 1) return x;
  if (std::isnan(x) || std::isnan(y)) return kNan;
  if (x == 0 || std::isinf(x) || std::isinf(y)) return PowerAtLimit(x, y);
  if (y == 0.5) return std::sqrt(x);
  if (y == -0.5) return 1 / std::sqrt(x);
  double whole = 0;
  double fraction = std::modf(std::abs(y), &whole);
  if (fraction != 0 && x < 0) return kNan;
  if (whole >= 9223372036854775808.0) {
    if (x == -1) return 1;
    return (std::abs(x) < 1) == (y > 0) ? 0 : kInfinity;
  }
  double factor = 1;
  if (fraction != 0) {
    if (fraction > 0.5) {
      --fraction;
      ++whole;
    }
    factor = Exp(fraction * Log(x));
  }
  return PowerBySquares(x, static_cast<uint64_t>(whole), factor, y < 0 ? -1 : 1);
}

double Sine(double x) {
  if (x == 0) return x;  // keeps the sign
  if (!std::isfinite(x)) return kNan;
  const auto [count, rest] = Reduce(std::abs(x));
  const double size = (count & 3) == 2 ? CosineOfRest(rest) : SineOfRest(rest);
  return (count > 3) != (x < 0) ? -size : size;
}

double Cosine(double x) {
  if (!std::isfinite(x)) return kNan;
  const auto [count, rest] = Reduce(std::abs(x));
  const double size = (count & 3) == 2 ? SineOfRest(rest) : CosineOfRest(rest);
  return count == 2 || count == 4 ? -size : size;
}

double Tangent(double x) {
  constexpr double kNumerator[] = {-1.30936939181383734205e4, 1.15351664838587416140e6,
                                   -1.79565251976484877988e7};
  constexpr double kDenominator[] = {1.0, 1.36812963470692954678e4, -1.32089234440210967447e6,
                                     2.50083801823357915839e7, -5.38695755929454629881e7};
  if (x == 0) return x;  // keeps the sign
  if (!std::isfinite(x)) return kNan;
  const auto [count, rest] = Reduce(std::abs(x));
  const double square = rest * rest;
  double size = rest;
  if (square > 1e-14) {
    size += rest * (square * Polynomial(square, kNumerator) / Polynomial(square, kDenominator));
  }
  if ((count & 2) != 0) size = -1 / size;
  return x < 0 ? -size : size;
}

double ArcSine(double x) {
  if (x == 0) return x;
  const double size = std::abs(x);
  if (!(size <= 1)) return kNan;
  const double root = std::sqrt(1 - size * size);
  const double angle = size > 0.7 ? std::numbers::pi / 2 - ArcTangentOfPositive(root / size)
                                  : ArcTangentOfPositive(size / root);
  return x < 0 ? -angle : angle;
}

double ArcCosine(double x) {
  return std::numbers::pi / 2 - ArcSine(x);
}

double ArcTangent(double x) {
  if (x == 0 || std::isnan(x)) return x;
  return x > 0 ? ArcTangentOfPositive(x) : -ArcTangentOfPositive(-x);
}

double ArcTangent2(double y, double x) {
  if (x == 0 || y == 0 || !std::isfinite(x) || !std::isfinite(y)) return std::atan2(y, x);
  const double angle = ArcTangent(y / x);
  if (x > 0) return angle;
  return angle <= 0 ? angle + std::numbers::pi : angle - std::numbers::pi;
}

double HyperbolicSine(double x) {
  constexpr double kNumerator[] = {
      -0.2630563213397497062819489e+2, -0.2894211355989563807284660366e+4,
      -0.8991272022039509355398013511e+5, -0.6307673640497716991184787251e+6};
  constexpr double kDenominator[] = {1.0, -0.173678953558233699533450911e+3,
                                     0.1521517378790019070696485176e+5,
                                     -0.6307673640497716991212077277e+6};
  const double size = std::abs(x);
  double value = 0;
  if (size > 21) {
    value = Exp(size) * 0.5;
  } else if (size > 0.5) {
    const double power = Exp(size);
    value = (power - 1 / power) * 0.5;
  } else {
    const double square = size * size;
    value = Polynomial(square, kNumerator) * size / Polynomial(square, kDenominator);
  }
  return std::signbit(x) ? -value : value;
}

double HyperbolicCosine(double x) {
  const double power = Exp(std::abs(x));
  return std::abs(x) > 21 ? power * 0.5 : (power + 1 / power) * 0.5;
}

double HyperbolicTangent(double x) {
  constexpr double kNumerator[] = {-9.64399179425052238628e-1, -9.92877231001918586564e1,
                                   -1.61468768441708447952e3};
  constexpr double kDenominator[] = {1.0, 1.12811678491632931402e2, 2.23548839060100448583e3,
                                     4.84406305325125486048e3};
  const double size = std::abs(x);
  if (size > 0.5 * 8.8029691931113054295988e+01) return x < 0 ? -1 : 1;
  if (size >= 0.625) {
    const double value = 1 - 2 / (Exp(2 * size) + 1);
    return x < 0 ? -value : value;
  }
  if (x == 0) return x;
  const double square = x * x;
  return x + x * square * Polynomial(square, kNumerator) / Polynomial(square, kDenominator);
}

double AreaSine(double x) {
  constexpr double kLarge = 1 << 28;
  if (x == 0 || !std::isfinite(x)) return x;
  const double size = std::abs(x);
  double value = size;
  if (size > kLarge) {
    value = Log(size) + kLn2;
  } else if (size > 2) {
    value = Log(2 * size + 1 / (std::sqrt(size * size + 1) + size));
  } else if (size >= 1 / kLarge) {
    value = std::log1p(size + size * size / (1 + std::sqrt(1 + size * size)));
  }
  return x < 0 ? -value : value;
}

double AreaCosine(double x) {
  constexpr double kLarge = 1 << 28;
  if (!(x >= 1)) return kNan;
  if (x == 1) return 0;
  if (x >= kLarge) return Log(x) + kLn2;
  if (x > 2) return Log(2 * x - 1 / (x + std::sqrt(x * x - 1)));
  const double t = x - 1;
  return std::log1p(t + std::sqrt(2 * t + t * t));
}

double AreaTangent(double x) {
  const double size = std::abs(x);
  if (!(size <= 1)) return kNan;
  double value = size;
  if (size == 1) {
    value = kInfinity;
  } else if (size >= 0.5) {
    value = 0.5 * std::log1p((size + size) / (1 - size));
  } else if (size >= 1.0 / (1 << 28)) {
    const double twice = size + size;
    value = 0.5 * std::log1p(twice + twice * size / (1 - size));
  }
  return std::signbit(x) ? -value : value;
}

double Maximum(double x, double y) {
  if (x == kInfinity || y == kInfinity) return kInfinity;
  if (std::isnan(x) || std::isnan(y)) return kNan;
  if (x == 0 && y == 0) return std::signbit(x) ? y : x;
  return x > y ? x : y;
}

double Minimum(double x, double y) {
  return -Maximum(-x, -y);
}

}  // namespace hourcell::promql
