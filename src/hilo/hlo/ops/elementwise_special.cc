// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "hilo/hlo/ops/elementwise_rows.h"

namespace hilo::hlo {
namespace {

using rows::Compute;

/// Maps floats to integers in the order -NaN < -inf < ... < -0 < +0 < ... < inf < NaN.
template <typename T>
auto order_key_of(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    using Key = std::conditional_t<sizeof(T) == 4, int32_t, int64_t>;
    const Key bits = std::bit_cast<Key>(value);
    return bits < 0 ? static_cast<Key>(bits ^ std::numeric_limits<Key>::max()) : bits;
  } else {
    return value;
  }
}

/// Reinterprets an integer's bits with the other signedness.
template <typename T>
auto other_sign(T value, int bits) {
  const auto code = static_cast<uint64_t>(static_cast<int64_t>(value)) << (64 - bits);
  if constexpr (is_signed_element<T>) return code;
  else return static_cast<int64_t>(code);
}

template <typename T, typename Order>
void compare_all(const EvaluateInput& input, Literal& out, Order order) {
  const auto x = input.operands[0]->data<T>();
  const auto y = input.operands[1]->data<T>();
  const std::span<bool> result = out.data<bool>();
  if (is_of_other_sign(attributes_of<CompareAttributes>(input.instruction),
                       input.operands[0]->shape().element_type())) {
    if constexpr (is_integral_element<T>) {
      const int bits = element_type_info(input.operands[0]->shape().element_type()).bits;
      for (size_t i = 0; i < result.size(); ++i) {
        result[i] =
            order(other_sign(static_cast<Compute<T>>(x[i]), bits), other_sign(static_cast<Compute<T>>(y[i]), bits));
      }
      return;
    }
  }
  const bool total = attributes_of<CompareAttributes>(input.instruction).type == ComparisonType::kTotalOrder;
  if constexpr (!is_integral_element<T>) {
    if (total) {
      for (size_t i = 0; i < result.size(); ++i) {
        result[i] = order(order_key_of(static_cast<Compute<T>>(x[i])), order_key_of(static_cast<Compute<T>>(y[i])));
      }
      return;
    }
  }
  for (size_t i = 0; i < result.size(); ++i)
    result[i] = order(static_cast<Compute<T>>(x[i]), static_cast<Compute<T>>(y[i]));
}

template <typename T>
void compare_by_direction(const EvaluateInput& input, Literal& out) {
  const ComparisonDirection direction = attributes_of<CompareAttributes>(input.instruction).direction;
  if (direction == ComparisonDirection::kEq) return compare_all<T>(input, out, [](auto x, auto y) { return x == y; });
  if (direction == ComparisonDirection::kNe) return compare_all<T>(input, out, [](auto x, auto y) { return x != y; });
  if constexpr (!kernels::is_complex<T>) {
    if (direction == ComparisonDirection::kGe) return compare_all<T>(input, out, [](auto x, auto y) { return x >= y; });
    if (direction == ComparisonDirection::kGt) return compare_all<T>(input, out, [](auto x, auto y) { return x > y; });
    if (direction == ComparisonDirection::kLe) return compare_all<T>(input, out, [](auto x, auto y) { return x <= y; });
    if (direction == ComparisonDirection::kLt) return compare_all<T>(input, out, [](auto x, auto y) { return x < y; });
  }
}

/// min(max(value, low), high): high takes precedence over low, and NaN over both.
template <typename T>
void clamp_all(const EvaluateInput& input, Literal& out) {
  const auto low = input.operands[0]->data<T>();
  const auto value = input.operands[1]->data<T>();
  const auto high = input.operands[2]->data<T>();
  const size_t low_step = input.operands[0]->shape().rank() == 0 ? 0 : 1;
  const size_t high_step = input.operands[2]->shape().rank() == 0 ? 0 : 1;
  using C = Compute<T>;
  const std::span<T> result = out.data<T>();
  for (size_t i = 0; i < result.size(); ++i) {
    const C raised = kernels::maximum<C>(static_cast<C>(value[i]), static_cast<C>(low[i * low_step]));
    result[i] = static_cast<T>(kernels::minimum<C>(raised, static_cast<C>(high[i * high_step])));
  }
}

/// An IEEE format by its widths.
struct Format {
  int exponent_bits, mantissa_bits;
};

/// Rounds `bits` (of `source`) to the precision and exponent range of `target`. Results below its normal range become
/// zero, too large ones infinity. NaN stays NaN.
template <typename U>
U reduce_bits(U bits, Format source, int64_t exponent_bits, int64_t mantissa_bits) {
  const U sign_mask = static_cast<U>(U{1} << (source.exponent_bits + source.mantissa_bits));
  const U mantissa_mask = static_cast<U>((U{1} << source.mantissa_bits) - 1);
  const U infinity = static_cast<U>((sign_mask - 1) & ~mantissa_mask);
  const U sign = static_cast<U>(bits & sign_mask);
  U magnitude = static_cast<U>(bits & ~sign_mask);
  if (magnitude > infinity) {  // keeps a bit of the payload, so that it doesn't become infinity
    return static_cast<U>(bits | (U{1} << (source.mantissa_bits - 1)));
  }
  if (mantissa_bits < source.mantissa_bits) {
    const int dropped = source.mantissa_bits - static_cast<int>(mantissa_bits);
    const U last = static_cast<U>(U{1} << dropped);
    const U bias = static_cast<U>((last >> 1) - 1 + ((magnitude >> dropped) & 1));
    magnitude = static_cast<U>((magnitude + bias) & ~static_cast<U>(last - 1));
  }
  if (exponent_bits < source.exponent_bits) {
    const U source_bias = static_cast<U>((U{1} << (source.exponent_bits - 1)) - 1);
    const U target_bias = static_cast<U>((U{1} << (exponent_bits - 1)) - 1);
    const U exponent = static_cast<U>(magnitude >> source.mantissa_bits);
    if (exponent > static_cast<U>(source_bias + target_bias)) magnitude = infinity;
    else if (exponent <= static_cast<U>(source_bias - target_bias)) magnitude = 0;
  }
  return static_cast<U>(sign | magnitude);
}

template <typename U>
void reduce_all(const EvaluateInput& input, Literal& out, Format source) {
  const auto& attributes = attributes_of<ReducePrecisionAttributes>(input.instruction);
  const auto from = input.operands[0]->data<U>();
  const std::span<U> to = out.data<U>();
  for (size_t i = 0; i < to.size(); ++i) {
    to[i] = reduce_bits<U>(from[i], source, attributes.exponent_bits, attributes.mantissa_bits);
  }
}

/// Floats of 8 bits and fewer are reduced as float and rounded back.
void reduce_narrow(const EvaluateInput& input, Literal& out) {
  const auto& attributes = attributes_of<ReducePrecisionAttributes>(input.instruction);
  visit_array_type(
      out.shape().element_type(),
      [&]<typename T>() {
        if constexpr (computes_in_float<T>) {
          const auto from = input.operands[0]->data<T>();
          const std::span<T> to = out.data<T>();
          for (size_t i = 0; i < to.size(); ++i) {
            const uint32_t bits = std::bit_cast<uint32_t>(static_cast<float>(from[i]));
            to[i] = T(std::bit_cast<float>(
                reduce_bits<uint32_t>(bits, {8, 23}, attributes.exponent_bits, attributes.mantissa_bits)));
          }
        }
      },
      [] {});
}

template <typename T>
void join_parts(const EvaluateInput& input, Literal& out) {
  const auto real = input.operands[0]->data<T>();
  const auto imag = input.operands[1]->data<T>();
  const auto result = out.data<std::complex<T>>();
  for (size_t i = 0; i < result.size(); ++i) result[i] = std::complex<T>(real[i], imag[i]);
}

StatusOr<Literal> result_of(const EvaluateInput& input) {
  return Literal::make(input.instruction.shape.with_default_layout());
}

}  // namespace

StatusOr<Literal> evaluate_compare(const EvaluateInput& input) {
  const ElementType type = input.operands[0]->shape().element_type();
  HILO_ASSIGN_OR_RETURN(Literal out, result_of(input));
  const bool done = visit_array_type(
      type,
      [&]<typename T>() {
        compare_by_direction<T>(input, out);
        return true;
      },
      [] { return false; });
  if (!done) return no_kernel(input, type);
  return out;
}

StatusOr<Literal> evaluate_select(const EvaluateInput& input) {
  const Literal& predicate = *input.operands[0];
  const auto choose = predicate.data<bool>();
  if (predicate.shape().rank() == 0) return choose[0] ? *input.operands[1] : *input.operands[2];
  HILO_ASSIGN_OR_RETURN(Literal out, result_of(input));
  const size_t size = element_size_bytes(out.shape().element_type());
  const std::byte* on_true = input.operands[1]->bytes().data();
  const std::byte* on_false = input.operands[2]->bytes().data();
  std::byte* result = out.mutable_bytes().data();
  for (size_t i = 0; i < choose.size(); ++i)
    std::memcpy(result + i * size, (choose[i] ? on_true : on_false) + i * size, size);
  return out;
}

StatusOr<Literal> evaluate_clamp(const EvaluateInput& input) {
  const ElementType type = input.instruction.shape.element_type();
  HILO_ASSIGN_OR_RETURN(Literal out, result_of(input));
  const bool done = visit_array_type(
      type,
      [&]<typename T>() {
        if constexpr (kernels::is_complex<T>) {
          return false;
        } else {
          clamp_all<T>(input, out);
          return true;
        }
      },
      [] { return false; });
  if (!done) return no_kernel(input, type);
  return out;
}

StatusOr<Literal> evaluate_complex(const EvaluateInput& input) {
  HILO_ASSIGN_OR_RETURN(Literal out, result_of(input));
  if (out.shape().element_type() == ElementType::kC64) join_parts<float>(input, out);
  else join_parts<double>(input, out);
  return out;
}

StatusOr<Literal> evaluate_reduce_precision(const EvaluateInput& input) {
  const ElementType type = input.instruction.shape.element_type();
  HILO_ASSIGN_OR_RETURN(Literal out, result_of(input));
  if (type == ElementType::kF32) reduce_all<uint32_t>(input, out, {8, 23});
  else if (type == ElementType::kF64) reduce_all<uint64_t>(input, out, {11, 52});
  else if (type == ElementType::kBf16) reduce_all<uint16_t>(input, out, {8, 7});
  else if (type == ElementType::kF16) reduce_all<uint16_t>(input, out, {5, 10});
  else reduce_narrow(input, out);
  return out;
}

}  // namespace hilo::hlo
