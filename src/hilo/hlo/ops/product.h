// SPDX-License-Identifier: Apache-2.0
// hlo/ops/product.h -- common parts of dot and convolution: types, precision, and the type of sums.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <complex>

#include "hilo/hlo/ir/op_def.h"
#include "hilo/hlo/ops/element_access.h"
#include "hilo/hlo/ops/elementwise.h"
#include "hilo/hlo/ops/elementwise_kernels.h"
#include "hilo/types/twins.h"

namespace hilo::hlo {

/// Checks operand_precision: empty, or two words of default, high, highest. dot_general_c11, convolution_c24
Status check_precision(const StringList& precision);

/// Returns the result's element type: the declared one, or the operands', whose widths may differ as in XLA.
StatusOr<ElementType> product_type(const Shape& lhs, const Shape& rhs, const Shape* declared);

/// Returns the type in which sums are stored before conversion to the result: the result's type, or the operands' if
/// that can't hold the sums.
StatusOr<ElementType> sum_type(const Shape& lhs, const Shape& rhs, ElementType result);

namespace kernels {

/// Sums pairwise in this type: floats in double, so that f32 and narrower types round once; integers in the result's
/// type, where they wrap; pred with or.
template <typename R>
struct AccumulatorOf {
  using Type =
      std::conditional_t<is_complex<R>, std::complex<double>, std::conditional_t<std::is_integral_v<R>, R, double>>;
};
template <int kWidth, bool kSigned>
struct AccumulatorOf<NarrowInteger<kWidth, kSigned>> {
  // Wrapping once at the end gives the same result as at each step.
  using Type = typename NarrowInteger<kWidth, kSigned>::Byte;
};
template <typename R>
using Accumulator = typename AccumulatorOf<R>::Type;

/// Sums few products as XLA does, including its rounding: in the type itself and in ascending order. Real products use
/// fused multiply-add; complex ones are four real sums of rounded products.
template <typename T>
class ShortSum {
 public:
  void take(T x, T y) { sum_ = std::fma(x, y, sum_); }
  T value() const { return sum_; }

 private:
  T sum_ = 0;
};
template <typename T>
class ShortSum<std::complex<T>> {
 public:
  void take(const std::complex<T>& x, const std::complex<T>& y) {
    sums_ += Lanes{x.real(), x.imag(), x.real(), x.imag()} * Lanes{y.real(), y.imag(), y.imag(), y.real()};
  }
  std::complex<T> value() const { return {sums_[0] - sums_[1], sums_[2] + sums_[3]}; }

 private:
  // A vector instead of four numbers: g++ 12.2 reads two numbers past the end if it vectorizes the loop itself.
  typedef T Lanes __attribute__((vector_size(4 * sizeof(T))));
  Lanes sums_{};
};

/// As above, for a vector times a matrix (not a matrix times a vector): complex products are rounded, then added.
template <typename T>
class ShortVectorSum : public ShortSum<T> {};
template <typename T>
class ShortVectorSum<std::complex<T>> {
 public:
  void take(const std::complex<T>& x, const std::complex<T>& y) {
    real_ += x.real() * y.real() - x.imag() * y.imag();
    imaginary_ += x.real() * y.imag() + x.imag() * y.real();
  }
  std::complex<T> value() const { return {real_, imaginary_}; }

 private:
  T real_ = 0, imaginary_ = 0;
};

/// Sums of at most this many products are short: their rounding errors are small.
inline constexpr int64_t kMaxShortSum = 128;

template <typename A, typename T>
A widen(T value) {
  if constexpr (is_complex<T> && is_complex<A>) return A(value);
  else if constexpr (is_complex<T>) return A(value.real());
  else if constexpr (is_complex<A>) return A(static_cast<double>(value));
  else return static_cast<A>(value);
}

template <typename R, typename A>
R narrow(const A& sum) {
  if constexpr (computes_in_float<R>) return R(static_cast<float>(sum));
  else return static_cast<R>(sum);
}

/// Converts all elements to accumulators.
/// Errors    UNIMPLEMENTED for types without a C++ equivalent
template <typename A>
StatusOr<std::vector<A>> widened(std::string_view op, const Literal& literal) {
  std::vector<A> values;
  values.reserve(literal.shape().element_count());
  const bool native = visit_array_type(
      literal.shape().element_type(),
      [&]<typename T>() {
        for (const T& value : literal.data<T>()) values.push_back(widen<A>(value));
        return true;
      },
      [] { return false; });
  if (!native) {
    return unimplemented(std::string(op) + " of " + literal.shape().to_string() +
                         " is not implemented in this version");
  }
  return values;
}

}  // namespace kernels

/// Returns the result of dot or convolution. kernel.operator()<S>(sums) fills an array of type S = sum_type with the
/// sums.
/// Errors    UNIMPLEMENTED for results without a C++ equivalent, and those of the kernel
template <typename Kernel>
StatusOr<Literal> evaluate_product(const EvaluateInput& input, const Kernel& kernel) {
  const Shape shape = literal_shape(input.instruction.shape);
  HILO_ASSIGN_OR_RETURN(const ElementType type,
                        sum_type(input.operands[0]->shape(), input.operands[1]->shape(), shape.element_type()));
  HILO_ASSIGN_OR_RETURN(Literal sums, Literal::make(shape.with_element_type(type)));
  HILO_RETURN_IF_ERROR(visit_array_type(
      type, [&]<typename S>() { return kernel.template operator()<S>(sums); },
      [&] {
        return unimplemented(fmt::format("{} with result {} is not implemented in this version",
                                         input.instruction.def().name, input.instruction.shape.to_string()));
      }));
  return convert_literal(std::move(sums), shape.element_type());
}

}  // namespace hilo::hlo
