// Elementary functions by the algorithms of Go's library on x86-64, whose last digits differ from
// those of C's: Go's sin(pi) is 1.2246467991473515e-16, C's 1.2246467991473532e-16. A comparison
// that holds in Prometheus then holds here too.
//
// Sources: Cephes (sin, cos, tan, atan, tanh), FreeBSD's msun (log), Shibata's sleef (exp).
// Equal to Go's but for: the last digit of asinh, acosh and atanh; exp above 709.43, which is
// infinite in Go; log of subnormal numbers, which is wrong in Go.
//
// Pure functions.

#pragma once

namespace hourcell::promql {

double Exp(double x);
double Log(double x);
double Log2(double x);
double Log10(double x);
double Power(double x, double y);

double Sine(double x);
double Cosine(double x);
double Tangent(double x);
double ArcSine(double x);
double ArcCosine(double x);
double ArcTangent(double x);
double ArcTangent2(double y, double x);

double HyperbolicSine(double x);
double HyperbolicCosine(double x);
double HyperbolicTangent(double x);
double AreaSine(double x);     // asinh
double AreaCosine(double x);   // acosh
double AreaTangent(double x);  // atanh

// An infinity that decides the result counts more than NaN, and NaN more than any other value. The
// zero +0 is greater than -0.
double Maximum(double x, double y);
double Minimum(double x, double y);

}  // namespace hourcell::promql
