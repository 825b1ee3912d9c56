// SPDX-License-Identifier: Apache-2.0
#include "tests/support/elementwise_samples.h"

#include <cmath>
#include <limits>

#include "hilo/hlo/ops/elementwise.h"
#include "hilo/types/narrow_float.h"
#include "tests/support/elementwise_oracle.h"

namespace hilo::tests {
namespace {

using hlo::Opcode;

bool is_whole(ElementType type) { return type == ElementType::kPred || is_integer(type); }
/// Types that are computed in f32 and rounded once more.
bool is_half(ElementType type) { return is_floating(type) && element_type_info(type).bits < 32; }

// ---- arguments ------------------------------------------------------------------------------------------------------

Literal whole_edges(ElementType type) {
  if (type == ElementType::kPred) return Literal::array<bool>({2}, {false, true});
  const int bits = element_type_info(type).bits;
  const Whole top = Whole{1} << (is_signed_integer(type) ? bits - 1 : bits);
  const Whole low = is_signed_integer(type) ? -top : 0;
  const std::vector<Whole> values = {0, 1, 2, 3, 7, 100, -1, -2, -7, low, low + 1, top - 1, bits, bits - 1};
  return wholes(Shape::array(type, {static_cast<int64_t>(values.size())}),
                [&](int64_t i) { return values[static_cast<size_t>(i)]; });
}

/// The greatest number, the least normal and the least positive number of a float type.
struct Range {
  long double greatest, normal, least;
};
Range range_of(ElementType type) {
  if (is_narrow_float(type)) {
    const NarrowFormat f = narrow_format(type);
    return {narrow_largest(f), ldexpl(1, 1 - f.bias), ldexpl(1, 1 - f.bias - f.mantissa_bits)};
  }
  if (type == ElementType::kF16) return {65504.0L, 0x1p-14L, 0x1p-24L};
  if (type == ElementType::kBf16) return {0x1.fep127L, 0x1p-126L, 0x1p-133L};
  if (type == ElementType::kF32) return {std::numeric_limits<float>::max(), 0x1p-126L, 0x1p-149L};
  return {std::numeric_limits<double>::max(), 0x1p-1022L, 0x1p-1074L};
}

Literal float_edges(ElementType type) {
  const Range range = range_of(type);
  const long double inf = std::numeric_limits<long double>::infinity(),
                    nan = std::numeric_limits<long double>::quiet_NaN();
  const std::vector<long double> values = {0.0L,         -0.0L,      1.0L, -1.0L, 0.5L, -2.5L,          3.25L,
                                           0.1L,         inf,        -inf, nan,   1.5L, range.greatest, -range.greatest,
                                           range.normal, range.least};
  Literal literal(Shape::array(type, {static_cast<int64_t>(values.size())}));
  for (size_t i = 0; i < values.size(); ++i) store_wide(literal, static_cast<int64_t>(i), values[i]);
  return literal;
}

/// Numbers off the axes, where the branch cuts are, and off zero.
Literal complex_edges(ElementType type) {
  const std::vector<Wide> values = {{1, 0.5L},        {-1, 0.25L},   {0.5L, -2},      {-2.5L, -1.5L},
                                    {0.125L, 0.125L}, {3.25L, 1.5L}, {-0.75L, 2.25L}, {0.25L, -0.0625L}};
  Literal literal(Shape::array(type, {static_cast<int64_t>(values.size())}));
  for (size_t i = 0; i < values.size(); ++i) store_wide(literal, static_cast<int64_t>(i), values[i]);
  return literal;
}

}  // namespace

Literal edges_of(ElementType type) {
  return is_whole(type) ? whole_edges(type) : is_complex(type) ? complex_edges(type) : float_edges(type);
}

namespace {

/// All combinations of the types' edges; the last operand varies fastest. `n` >= 0 selects n of them, evenly spread.
std::vector<Literal> edge_arguments(const std::vector<ElementType>& types, int64_t n) {
  std::vector<Literal> edges;
  int64_t total = 1;
  for (ElementType type : types) {
    edges.push_back(edges_of(type));
    total *= edges.back().shape().element_count();
  }
  const int64_t count = n < 0 ? total : n;
  std::vector<Literal> arguments;
  int64_t below = total;
  for (const Literal& e : edges) {
    const int64_t extent = e.shape().element_count();
    below /= extent;
    Literal argument(Shape::array(e.shape().element_type(), {count}));
    for (int64_t i = 0; i < count; ++i) {
      const int64_t pairing = n < 0 ? i : (i * 7 + 3) % total;
      const int64_t from = pairing / below % extent;
      if (is_whole(e.shape().element_type())) store_whole(argument, i, whole_at(e, from));
      else store_wide(argument, i, wide_at(e, from));
    }
    arguments.push_back(std::move(argument));
  }
  return arguments;
}

/// Multiples of 1/128 in (0.25, 1), even ones for the first operand and odd ones for the others. So no two are equal
/// and no quotient is an integer. Arguments of acosh start at 1.
Literal smooth_argument(Opcode opcode, ElementType type, size_t operand, int64_t n) {
  Literal argument(Shape::array(type, {n}));
  for (int64_t i = 0; i < n; ++i) {
    const auto k = i + static_cast<int64_t>(operand) * 3;
    if (is_whole(type)) {
      store_whole(argument, i, operand == 0 ? 1 + k * 5 % 11 : 1 + k * 3 % 5);
      continue;
    }
    const int64_t place = operand == 0 ? 32 + k * 10 % 82 : 57 + k * 14 % 70;
    const long double real = static_cast<long double>(place) / 128 + (opcode == Opcode::kAcosh ? 1 : 0);
    store_wide(argument, i, is_complex(type) ? Wide(real, static_cast<long double>(9 + k * 4 % 40) / 64) : Wide(real));
  }
  return argument;
}

std::vector<Literal> arguments_of(Opcode opcode, const std::vector<ElementType>& types, int64_t n, Values values) {
  if (values == Values::kEdges) return edge_arguments(types, n);
  std::vector<Literal> arguments;
  for (size_t k = 0; k < types.size(); ++k) arguments.push_back(smooth_argument(opcode, types[k], k, n));
  return arguments;
}

// ---- ordinary rows --------------------------------------------------------------------------------------------------

/// Ops whose float result is one exact operation, rounded once.
bool is_exact(Opcode opcode) {
  const hlo::CostClass cost = hlo::op_def(opcode).cost;
  return cost == hlo::CostClass::kCheap || opcode == Opcode::kDivide || opcode == Opcode::kRemainder;
}

/// The C library is accurate to 2 ulp; complex functions multiply several of its results.
double ulps_of(Opcode opcode, ElementType type) {
  if (is_whole(type)) return 0;
  if (is_complex(type)) return opcode == Opcode::kPower || opcode == Opcode::kAtan2 ? 64 : 16;
  if (is_exact(opcode)) return 0;
  return is_half(type) ? 1 : 4;
}

void fill_expected(Sample& sample, ElementType type) {
  const std::vector<Literal>& x = sample.operands;
  const Opcode opcode = sample.opcode;
  for (int64_t i = 0; i < sample.expected.shape().element_count(); ++i) {
    const size_t last = x.size() - 1;
    if (is_whole(type)) {
      store_whole(sample.expected, i,
                  whole_oracle(opcode, element_type_info(type).bits, is_signed_integer(type), whole_at(x[0], i),
                               whole_at(x[last], i)));
    } else if (is_complex(type)) {
      store_wide(sample.expected, i, complex_oracle(opcode, wide_at(x[0], i), wide_at(x[last], i)));
    } else {
      store_wide(sample.expected, i, real_oracle(opcode, wide_at(x[0], i).real(), wide_at(x[last], i).real()));
    }
  }
}

Sample plain_sample(Opcode opcode, ElementType type, int64_t n, Values values) {
  const auto arity = static_cast<size_t>(hlo::op_def(opcode).arity);
  Sample sample;
  sample.opcode = opcode;
  sample.operands = arguments_of(opcode, std::vector<ElementType>(arity, type), n, values);
  const bool to_real = opcode == Opcode::kAbs || opcode == Opcode::kReal || opcode == Opcode::kImag;
  const ElementType result = opcode == Opcode::kIsFinite ? ElementType::kPred : to_real ? real_type_of(type) : type;
  sample.expected = Literal(sample.operands[0].shape().with_element_type(result));
  sample.ulps = ulps_of(opcode, type);
  fill_expected(sample, type);
  return sample;
}

// ---- rows with attributes or mixed types ----------------------------------------------------------------------------

/// -1, 0 or 1 for less, equal, greater; 2 if unordered.
int order_of(long double x, long double y, bool total) {
  if (total) {
    const auto rank = [](long double v) { return std::isnan(v) ? (std::signbit(v) ? -1 : 1) : 0; };
    if (rank(x) != rank(y)) return rank(x) < rank(y) ? -1 : 1;
    if (rank(x) != 0) return 0;
    if (x == 0 && y == 0) return static_cast<int>(std::signbit(y)) - static_cast<int>(std::signbit(x));
  }
  return x < y ? -1 : x > y ? 1 : x == y ? 0 : 2;
}

bool holds(hlo::ComparisonDirection direction, int order) {
  switch (direction) {
    case hlo::ComparisonDirection::kEq: return order == 0;
    case hlo::ComparisonDirection::kNe: return order != 0;
    case hlo::ComparisonDirection::kGe: return order == 0 || order == 1;
    case hlo::ComparisonDirection::kGt: return order == 1;
    case hlo::ComparisonDirection::kLe: return order == 0 || order == -1;
    case hlo::ComparisonDirection::kLt: return order == -1;
  }
  return false;
}

Sample compare_sample(ElementType type, hlo::ComparisonDirection direction, bool total, std::vector<Literal> operands) {
  auto attributes = std::make_shared<hlo::CompareAttributes>();
  attributes->direction = direction;
  if (total) attributes->type = hlo::ComparisonType::kTotalOrder;
  Sample sample{.opcode = Opcode::kCompare, .operands = std::move(operands), .attributes = attributes};
  const Literal &x = sample.operands[0], &y = sample.operands[1];
  sample.expected = wholes(x.shape().with_element_type(ElementType::kPred), [&](int64_t i) -> Whole {
    if (is_complex(type)) return holds(direction, wide_at(x, i) == wide_at(y, i) ? 0 : 2);
    return holds(direction, order_of(wide_at(x, i).real(), wide_at(y, i).real(), total));
  });
  return sample;
}

std::vector<Sample> compare_samples(ElementType type, int64_t n, Values values) {
  const std::vector<Literal> operands = arguments_of(Opcode::kCompare, {type, type}, n, values);
  std::vector<Sample> samples;
  for (uint8_t d = 0; d < std::size(hlo::kComparisonDirectionNames); ++d) {
    const auto direction = static_cast<hlo::ComparisonDirection>(d);
    if (is_complex(type) && direction != hlo::ComparisonDirection::kEq && direction != hlo::ComparisonDirection::kNe)
      continue;
    samples.push_back(compare_sample(type, direction, false, operands));
    if (is_floating(type)) samples.push_back(compare_sample(type, direction, true, operands));
  }
  return samples;
}

std::vector<Sample> select_samples(ElementType type, int64_t n, Values values) {
  const std::vector<Literal> arguments = arguments_of(Opcode::kSelect, {type, type}, n, values);
  const Shape shape = arguments[0].shape();
  const Literal mask = wholes(shape.with_element_type(ElementType::kPred), [](int64_t i) { return i * i % 3 == 1; });
  Sample by_element{.opcode = Opcode::kSelect, .operands = {mask, arguments[0], arguments[1]}};
  by_element.expected = Literal(shape);
  const auto size = static_cast<size_t>(element_size_bytes(type));
  for (size_t i = 0; i < static_cast<size_t>(shape.element_count()); ++i) {
    const Literal& from = i * i % 3 == 1 ? arguments[0] : arguments[1];
    std::copy_n(from.bytes().begin() + static_cast<int64_t>(i * size), size,
                by_element.expected.mutable_bytes().begin() + static_cast<int64_t>(i * size));
  }
  Sample by_scalar{.opcode = Opcode::kSelect,
                   .operands = {Literal::scalar<bool>(false), arguments[0], arguments[1]},
                   .expected = arguments[1]};
  return {by_element, by_scalar};
}

Literal clamped(const Literal& low, const Literal& x, const Literal& high) {
  Literal out(x.shape());
  for (int64_t i = 0; i < x.shape().element_count(); ++i) {
    const int64_t l = low.shape().rank() == 0 ? 0 : i, h = high.shape().rank() == 0 ? 0 : i;
    if (is_whole(x.shape().element_type())) {
      const Whole raised = std::max(whole_at(x, i), whole_at(low, l));
      store_whole(out, i, std::min(raised, whole_at(high, h)));
      continue;
    }
    const long double raised = real_oracle(Opcode::kMaximum, wide_at(x, i).real(), wide_at(low, l).real());
    store_wide(out, i, real_oracle(Opcode::kMinimum, raised, wide_at(high, h).real()));
  }
  return out;
}

std::vector<Sample> clamp_samples(ElementType type, int64_t n, Values values) {
  std::vector<Literal> arguments = arguments_of(Opcode::kClamp, {type, type}, n, values);
  const Literal x = arguments[0];
  const auto bound = [&](const Shape& shape, int numerator, int whole) {
    Literal literal(shape);
    for (int64_t i = 0; i < shape.element_count(); ++i) {
      if (is_whole(type)) store_whole(literal, i, whole);
      else store_wide(literal, i, static_cast<long double>(numerator) / 128);
    }
    return literal;
  };
  const Literal low = bound(x.shape(), 53, 3), high = bound(x.shape(), 83, 7);
  const Literal scalar_low = bound(Shape::scalar(type), 53, 3), scalar_high = bound(Shape::scalar(type), 83, 7);
  std::vector<Sample> samples = {
      {.opcode = Opcode::kClamp, .operands = {low, x, high}, .expected = clamped(low, x, high)},
      {.opcode = Opcode::kClamp, .operands = {scalar_low, x, scalar_high}, .expected = clamped(low, x, high)}};
  if (values == Values::kEdges) {  // bounds that are NaN, infinite or in the wrong order
    const Literal other = arguments[1];
    samples.push_back({.opcode = Opcode::kClamp, .operands = {other, x, high}, .expected = clamped(other, x, high)});
    samples.push_back({.opcode = Opcode::kClamp, .operands = {low, x, other}, .expected = clamped(low, x, other)});
  }
  return samples;
}

/// Saturates; NaN becomes 0.
Whole cut_off(long double value, ElementType type) {
  if (std::isnan(value)) return 0;
  const int bits = element_type_info(type).bits;
  const long double top = ldexpl(1, is_signed_integer(type) ? bits - 1 : bits);
  const long double low = is_signed_integer(type) ? -top : 0;
  if (value <= low) return static_cast<Whole>(low);
  if (value >= top) return static_cast<Whole>(top) - 1;
  return static_cast<Whole>(truncl(value));
}

/// The value that XLA converts to an integer. f4e2m1fn's largest number has an exponent of all ones, so XLA treats it
/// as infinite.
long double before_integers(const Literal& x, int64_t i) {
  const long double value = wide_at(x, i).real();
  const bool largest = x.shape().element_type() == ElementType::kF4E2M1Fn && std::fabs(value) == 6;
  return largest ? std::copysign(std::numeric_limits<long double>::infinity(), value) : value;
}

Literal converted_by_rule(const Literal& x, ElementType to) {
  const ElementType from = x.shape().element_type();
  Literal out(x.shape().with_element_type(to));
  for (int64_t i = 0; i < x.shape().element_count(); ++i) {
    if (is_whole(from)) store_whole(out, i, whole_at(x, i));
    else if (is_integer(to)) store_whole(out, i, cut_off(before_integers(x, i), to));
    else if (is_complex(to) || to == ElementType::kPred) store_wide(out, i, wide_at(x, i));
    else store_wide(out, i, wide_at(x, i).real());
  }
  return out;
}

std::vector<Sample> convert_samples(ElementType type, int64_t n, Values values) {
  const Literal x = arguments_of(Opcode::kConvert, {type}, n, values)[0];
  std::vector<Sample> samples;
  for (ElementType to : array_types()) {
    // Finite differences need a result type that retains the step.
    if (values == Values::kSmooth && to != (type == ElementType::kF32 ? ElementType::kF64 : ElementType::kF32))
      continue;
    Sample sample{.opcode = Opcode::kConvert, .operands = {x}, .declared = x.shape().with_element_type(to)};
    sample.expected = converted_by_rule(x, to);
    sample.ulps = is_half(to) ? 1 : 0;  // integers and f64 are converted with one more rounding
    sample.step = 0.125;
    samples.push_back(std::move(sample));
  }
  return samples;
}

std::vector<Sample> complex_samples(ElementType type, int64_t n, Values values) {
  Sample sample{.opcode = Opcode::kComplex, .operands = arguments_of(Opcode::kComplex, {type, type}, n, values)};
  sample.declared =
      sample.operands[0].shape().with_element_type(type == ElementType::kF64 ? ElementType::kC128 : ElementType::kC64);
  sample.expected = Literal(*sample.declared);
  for (int64_t i = 0; i < sample.expected.shape().element_count(); ++i) {
    store_wide(sample.expected, i, {wide_at(sample.operands[0], i).real(), wide_at(sample.operands[1], i).real()});
  }
  return {sample};
}

/// The nearest number with `mantissa` bits and an exponent of `exponent` bits. Denormals of the new format become 0,
/// larger numbers infinity. Denormals of the old format, below `normal`, are rounded to the precision of `normal`.
long double reduced(long double x, int64_t exponent, int64_t mantissa, bool narrower_exponent, long double normal) {
  if (x == 0 || !std::isfinite(x)) return x;
  // the last bit of the mantissa is 2^unit
  const int unit = ilogbl(std::max(fabsl(x), normal)) - static_cast<int>(mantissa);
  const long double rounded = ldexpl(real_oracle(Opcode::kRoundNearestEven, ldexpl(x, -unit), 0), unit);
  if (!narrower_exponent) return rounded;
  const int bias = (1 << (exponent - 1)) - 1;
  if (fabsl(rounded) >= ldexpl(1, bias + 1)) return copysignl(std::numeric_limits<long double>::infinity(), x);
  if (fabsl(rounded) < ldexpl(1, 1 - bias)) return copysignl(0, x);
  return rounded;
}

std::vector<Sample> reduce_precision_samples(ElementType type, int64_t n, Values values) {
  const Literal x = arguments_of(Opcode::kReducePrecision, {type}, n, values)[0];
  // Narrow floats are reduced as f32, then rounded back.
  const long double normal = range_of(is_narrow_float(type) ? ElementType::kF32 : type).normal;
  const int own_exponent = type == ElementType::kF16 ? 5 : type == ElementType::kF64 ? 11 : 8;
  const int own_mantissa = type == ElementType::kF16    ? 10
                           : type == ElementType::kBf16 ? 7
                           : type == ElementType::kF64  ? 52
                                                        : 23;
  std::vector<std::pair<int, int>> formats = {{5, 2}, {4, 3}, {5, 10}, {8, 7}};
  if (values == Values::kSmooth) formats = {{5, 20}};  // retains the steps of finite differences
  std::vector<Sample> samples;
  for (auto [exponent, mantissa] : formats) {
    auto attributes = std::make_shared<hlo::ReducePrecisionAttributes>();
    attributes->exponent_bits = exponent;
    attributes->mantissa_bits = mantissa;
    Sample sample{.opcode = Opcode::kReducePrecision, .operands = {x}, .attributes = attributes};
    sample.expected = Literal(x.shape());
    for (int64_t i = 0; i < x.shape().element_count(); ++i) {
      const int64_t kept = std::min(mantissa, own_mantissa);
      store_wide(sample.expected, i, reduced(wide_at(x, i).real(), exponent, kept, exponent < own_exponent, normal));
    }
    sample.step = 0.125;
    samples.push_back(std::move(sample));
  }
  return samples;
}

}  // namespace

std::vector<Sample> elementwise_samples(Opcode opcode, ElementType type, int64_t n, Values values) {
  switch (opcode) {
    case Opcode::kCompare: return compare_samples(type, n, values);
    case Opcode::kSelect: return select_samples(type, n, values);
    case Opcode::kClamp: return clamp_samples(type, n, values);
    case Opcode::kConvert: return convert_samples(type, n, values);
    case Opcode::kComplex: return complex_samples(type, n, values);
    case Opcode::kReducePrecision: return reduce_precision_samples(type, n, values);
    default: return {plain_sample(opcode, type, n, values)};
  }
}

}  // namespace hilo::tests
