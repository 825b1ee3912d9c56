// SPDX-License-Identifier: Apache-2.0
// tests/rules/slope_functions.h -- the functions of tests/golden/slopes.npz, by their names there.
#pragma once

#include "hilo/hilo.h"

namespace hilo::tests {

struct UnarySlope {
  const char* name;
  Array (*f)(const Array& x);
};
struct BinarySlope {
  const char* name;
  Array (*f)(const Array& x, const Array& y);
};

#define HILO_ONE(name, expression)                           \
  UnarySlope {                                               \
    name, [](const Array& x) -> Array { return expression; } \
  }
#define HILO_TWO(name, expression)                                           \
  BinarySlope {                                                              \
    name, [](const Array& x, const Array& y) -> Array { return expression; } \
  }

inline const UnarySlope kUnarySlopes[] = {
    HILO_ONE("arccos", numpy::arccos(x)),
    HILO_ONE("arccosh", numpy::arccosh(x)),
    HILO_ONE("arcsin", numpy::arcsin(x)),
    HILO_ONE("arcsinh", numpy::arcsinh(x)),
    HILO_ONE("arctan", numpy::arctan(x)),
    HILO_ONE("arctanh", numpy::arctanh(x)),
    HILO_ONE("cbrt", numpy::cbrt(x)),
    HILO_ONE("celu", nn::celu(x)),
    HILO_ONE("cos", numpy::cos(x)),
    HILO_ONE("cosh", numpy::cosh(x)),
    HILO_ONE("dawsn", scipy::special::dawsn(x)),
    HILO_ONE("digamma", scipy::special::digamma(x)),
    HILO_ONE("elu", nn::elu(x)),
    HILO_ONE("entr", scipy::special::entr(x)),
    HILO_ONE("erf", scipy::special::erf(x)),
    HILO_ONE("erfc", scipy::special::erfc(x)),
    HILO_ONE("erfcx", scipy::special::erfcx(x)),
    HILO_ONE("erfinv", scipy::special::erfinv(x)),
    HILO_ONE("exp", numpy::exp(x)),
    HILO_ONE("exp1", scipy::special::exp1(x)),
    HILO_ONE("exp2", numpy::exp2(x)),
    HILO_ONE("expi", scipy::special::expi(x)),
    HILO_ONE("expm1", numpy::expm1(x)),
    HILO_ONE("gammaln", scipy::special::gammaln(x)),
    HILO_ONE("gelu", nn::gelu(x, {.approximate = false})),
    HILO_ONE("gelu_tanh", nn::gelu(x)),
    HILO_ONE("i0", scipy::special::i0(x)),
    HILO_ONE("i0e", scipy::special::i0e(x)),
    HILO_ONE("i1", scipy::special::i1(x)),
    HILO_ONE("i1e", scipy::special::i1e(x)),
    HILO_ONE("integer_pow_-3", lax::integer_pow(x, -3)),
    HILO_ONE("integer_pow_3", lax::integer_pow(x, 3)),
    HILO_ONE("log", numpy::log(x)),
    HILO_ONE("log10", numpy::log10(x)),
    HILO_ONE("log1mexp", nn::log1mexp(x)),
    HILO_ONE("log1p", numpy::log1p(x)),
    HILO_ONE("log2", numpy::log2(x)),
    HILO_ONE("log_ndtr", scipy::special::log_ndtr(x)),
    HILO_ONE("log_sigmoid", nn::log_sigmoid(x)),
    HILO_ONE("logit", scipy::special::logit(x)),
    HILO_ONE("mish", nn::mish(x)),
    HILO_ONE("ndtr", scipy::special::ndtr(x)),
    HILO_ONE("ndtri", scipy::special::ndtri(x)),
    HILO_ONE("power_-1.5", numpy::power(x, -1.5)),
    HILO_ONE("power_0.1", numpy::power(x, 0.1)),
    HILO_ONE("power_2.5", numpy::power(x, 2.5)),
    HILO_ONE("reciprocal", numpy::reciprocal(x)),
    HILO_ONE("rsqrt", lax::rsqrt(x)),
    HILO_ONE("selu", nn::selu(x)),
    HILO_ONE("sigmoid", nn::sigmoid(x)),
    HILO_ONE("silu", nn::silu(x)),
    HILO_ONE("sin", numpy::sin(x)),
    HILO_ONE("sinc", numpy::sinc(x)),
    HILO_ONE("sinh", numpy::sinh(x)),
    HILO_ONE("soft_sign", nn::soft_sign(x)),
    HILO_ONE("softplus", nn::softplus(x)),
    HILO_ONE("spence", scipy::special::spence(x)),
    HILO_ONE("sqrt", numpy::sqrt(x)),
    HILO_ONE("square", numpy::square(x)),
    HILO_ONE("squareplus", nn::squareplus(x)),
    HILO_ONE("tan", numpy::tan(x)),
    HILO_ONE("tanh", numpy::tanh(x)),
    HILO_ONE("xlogx", scipy::special::xlogy(x, x)),
};

inline Array size_of(const Array& x, const Array& y) { return numpy::abs(lax::complex(x, y)); }

inline const BinarySlope kBinarySlopes[] = {
    HILO_TWO("angle", numpy::angle(lax::complex(x, y))),
    HILO_TWO("arctan2", numpy::arctan2(x, y)),
    HILO_TWO("divide", x / y),
    HILO_TWO("hypot", numpy::hypot(x, y)),
    HILO_TWO("kl_div", scipy::special::kl_div(x, y)),
    HILO_TWO("log1p_abs", numpy::log1p(size_of(x, y))),
    HILO_TWO("log_abs", numpy::log(size_of(x, y))),
    HILO_TWO("logaddexp", numpy::logaddexp(x, y)),
    HILO_TWO("logaddexp2", numpy::logaddexp2(x, y)),
    HILO_TWO("multiply", x* y),
    HILO_TWO("power", numpy::power(x, y)),
    HILO_TWO("rel_entr", scipy::special::rel_entr(x, y)),
    HILO_TWO("sqrt_abs", numpy::sqrt(size_of(x, y))),
    HILO_TWO("xlog1py", scipy::special::xlog1py(x, y)),
    HILO_TWO("xlogy", scipy::special::xlogy(x, y)),
};

inline const UnarySlope kComplexSlopes[] = {
    HILO_ONE("arccos", numpy::arccos(x)),
    HILO_ONE("arccosh", numpy::arccosh(x)),
    HILO_ONE("arcsin", numpy::arcsin(x)),
    HILO_ONE("arcsinh", numpy::arcsinh(x)),
    HILO_ONE("arctan", numpy::arctan(x)),
    HILO_ONE("arctanh", numpy::arctanh(x)),
    HILO_ONE("cos", numpy::cos(x)),
    HILO_ONE("cosh", numpy::cosh(x)),
    HILO_ONE("exp", numpy::exp(x)),
    HILO_ONE("expm1", numpy::expm1(x)),
    HILO_ONE("log", numpy::log(x)),
    HILO_ONE("log1p", numpy::log1p(x)),
    HILO_ONE("power_-2", numpy::power(x, -2)),
    HILO_ONE("power_2.5", numpy::power(x, 2.5)),
    HILO_ONE("power_3", numpy::power(x, 3)),
    HILO_ONE("reciprocal", numpy::reciprocal(x)),
    HILO_ONE("rsqrt", lax::rsqrt(x)),
    HILO_ONE("sigmoid", nn::sigmoid(x)),
    HILO_ONE("sin", numpy::sin(x)),
    HILO_ONE("sinh", numpy::sinh(x)),
    HILO_ONE("sqrt", numpy::sqrt(x)),
    HILO_ONE("square", numpy::square(x)),
    HILO_ONE("tan", numpy::tan(x)),
    HILO_ONE("tanh", numpy::tanh(x)),
};
#undef HILO_ONE
#undef HILO_TWO

}  // namespace hilo::tests
