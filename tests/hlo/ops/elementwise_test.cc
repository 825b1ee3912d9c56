// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/ops/elementwise.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "hilo/types/twins.h"
#include "tests/hlo/ops/run_op.h"

namespace hilo::hlo {
namespace {

template <typename T>
constexpr T kMin = std::numeric_limits<T>::min();
template <typename T>
constexpr T kMax = std::numeric_limits<T>::max();
constexpr float kInf = std::numeric_limits<float>::infinity();
const float kNan = std::numeric_limits<float>::quiet_NaN();

template <typename T>
Literal vector_of(std::initializer_list<T> values) {
  return Literal::array<T>({static_cast<int64_t>(values.size())}, values);
}

/// Compares bit for bit, except that all NaNs are equal.
template <typename T>
void expect_values(const StatusOr<Literal>& result, std::initializer_list<T> wanted) {
  ASSERT_TRUE(result.ok()) << result.status().to_string();
  const Literal expected = vector_of<T>(wanted);
  ASSERT_EQ(result->shape(), expected.shape());
  for (size_t i = 0; i < wanted.size(); ++i) {
    const T got = result->data<T>()[i], want = expected.data<T>()[i];
    if constexpr (std::is_floating_point_v<T>) {
      if (std::isnan(want)) {
        EXPECT_TRUE(std::isnan(got)) << i << ": " << got;
        continue;
      }
    }
    EXPECT_EQ(std::memcmp(&got, &want, sizeof(T)), 0)
        << "element " << i << " of " << result->to_string() << ", wanted " << expected.to_string();
  }
}

template <typename T>
StatusOr<Literal> unary(Opcode op, std::initializer_list<T> x) {
  return run_op(op, {vector_of<T>(x)}, nullptr);
}
template <typename T>
StatusOr<Literal> binary(Opcode op, std::initializer_list<T> x, std::initializer_list<T> y) {
  return run_op(op, {vector_of<T>(x), vector_of<T>(y)}, nullptr);
}

template <typename T>
void expect_integer_division() {
  expect_values<T>(binary<T>(Opcode::kDivide, {7, 7, kMin<T>, kMax<T>}, {2, 0, 0, 0}),
                   {3, static_cast<T>(~T{0}), static_cast<T>(~T{0}), static_cast<T>(~T{0})});
  expect_values<T>(binary<T>(Opcode::kRemainder, {7, 7, kMin<T>, kMax<T>}, {2, 0, 0, 0}), {1, 7, kMin<T>, kMax<T>});
}

template <typename T>
void expect_signed_edges() {
  const T minus_one = static_cast<T>(-1);
  expect_values<T>(binary<T>(Opcode::kDivide, {kMin<T>, -7, 7}, {minus_one, 2, -2}), {kMin<T>, -3, -3});
  expect_values<T>(binary<T>(Opcode::kRemainder, {kMin<T>, -7, 7}, {minus_one, 2, -2}), {0, -1, 1});
  expect_values<T>(unary<T>(Opcode::kAbs, {kMin<T>, -5, 5}), {kMin<T>, 5, 5});
  expect_values<T>(unary<T>(Opcode::kNegate, {kMin<T>, -5, 5}), {kMin<T>, 5, -5});
  expect_values<T>(unary<T>(Opcode::kSign, {kMin<T>, 0, 5}), {-1, 0, 1});
  expect_values<T>(binary<T>(Opcode::kAdd, {kMax<T>}, {1}), {kMin<T>});
  expect_values<T>(binary<T>(Opcode::kSubtract, {kMin<T>}, {1}), {kMax<T>});
  expect_values<T>(binary<T>(Opcode::kPower, {1, -1, -1, 2, 0, 3}, {-5, -5, -4, -1, -1, 4}), {1, -1, 1, 0, 0, 81});
}

template <typename T>
void expect_shifts_past_the_width() {
  const T width = static_cast<T>(sizeof(T) * 8);
  const T high = static_cast<T>(~T{0});
  expect_values<T>(binary<T>(Opcode::kShiftLeft, {1, 1, 1}, {width, high, 3}), {0, 0, 8});
  expect_values<T>(binary<T>(Opcode::kShiftRightLogical, {high, high, 8}, {width, high, 3}), {0, 0, 1});
  expect_values<T>(binary<T>(Opcode::kShiftRightArithmetic, {high, 1, 8}, {width, width, 3}), {high, 0, 1});
}

TEST(Elementwise, DividesIntegersByZeroWithoutTrapping) {
  expect_integer_division<int8_t>();
  expect_integer_division<int16_t>();
  expect_integer_division<int32_t>();
  expect_integer_division<int64_t>();
  expect_integer_division<uint8_t>();
  expect_integer_division<uint16_t>();
  expect_integer_division<uint32_t>();
  expect_integer_division<uint64_t>();
}

TEST(Elementwise, WrapsSignedIntegers) {
  expect_signed_edges<int8_t>();
  expect_signed_edges<int16_t>();
  expect_signed_edges<int32_t>();
  expect_signed_edges<int64_t>();
}

TEST(Elementwise, ShiftsPastTheWidthGiveZeroOrTheSign) {
  expect_shifts_past_the_width<int8_t>();
  expect_shifts_past_the_width<int16_t>();
  expect_shifts_past_the_width<int32_t>();
  expect_shifts_past_the_width<int64_t>();
  expect_shifts_past_the_width<uint8_t>();
  expect_shifts_past_the_width<uint16_t>();
  expect_shifts_past_the_width<uint32_t>();
  expect_shifts_past_the_width<uint64_t>();
}

TEST(Elementwise, DividesAllPairsOfBytesAsTheWideFormulaSays) {
  std::vector<int8_t> x, y;
  for (int a = -128; a < 128; ++a) {
    for (int b = -128; b < 128; ++b) {
      x.push_back(static_cast<int8_t>(a));
      y.push_back(static_cast<int8_t>(b));
    }
  }
  const int64_t n = static_cast<int64_t>(x.size());
  const std::vector<Literal> operands = {Literal::array<int8_t>(std::span(&n, 1), x),
                                         Literal::array<int8_t>(std::span(&n, 1), y)};
  const StatusOr<Literal> quotient = run_op(Opcode::kDivide, operands, nullptr);
  const StatusOr<Literal> rest = run_op(Opcode::kRemainder, operands, nullptr);
  ASSERT_TRUE(quotient.ok() && rest.ok());
  for (size_t i = 0; i < x.size(); ++i) {
    ASSERT_EQ(quotient->data<int8_t>()[i], y[i] == 0 ? -1 : static_cast<int8_t>(x[i] / y[i]))
        << int{x[i]} << " / " << int{y[i]};
    ASSERT_EQ(rest->data<int8_t>()[i], y[i] == 0 ? x[i] : x[i] % y[i]);
  }
}

TEST(Elementwise, CountsBits) {
  expect_values<int8_t>(unary<int8_t>(Opcode::kPopcnt, {-1, 0, 5}), {8, 0, 2});
  expect_values<uint32_t>(unary<uint32_t>(Opcode::kClz, {0, 1, 0x80000000u}), {32, 31, 0});
  expect_values<int16_t>(unary<int16_t>(Opcode::kClz, {0, -1, 1}), {16, 0, 15});
  expect_values<int64_t>(unary<int64_t>(Opcode::kClz, {0, 1}), {64, 63});
}

TEST(Elementwise, MultipliesTheHighHalf) {
  expect_values<int8_t>(binary<int8_t>(Opcode::kMulhi, {100, -128, -1}, {100, -128, 1}), {39, 64, -1});
  expect_values<uint64_t>(binary<uint64_t>(Opcode::kMulhi, {kMax<uint64_t>}, {kMax<uint64_t>}), {kMax<uint64_t> - 1});
  expect_values<int64_t>(binary<int64_t>(Opcode::kMulhi, {kMin<int64_t>}, {2}), {-1});
}

TEST(Elementwise, AddsPredicatesAsOrAndMultipliesAsAnd) {
  expect_values<bool>(binary<bool>(Opcode::kAdd, {false, true, true}, {false, false, true}), {false, true, true});
  expect_values<bool>(binary<bool>(Opcode::kMultiply, {false, true, true}, {false, false, true}), {false, false, true});
  expect_values<bool>(binary<bool>(Opcode::kXor, {false, true, true}, {false, false, true}), {false, true, false});
  expect_values<bool>(unary<bool>(Opcode::kNot, {false, true}), {true, false});
  expect_values<bool>(binary<bool>(Opcode::kMaximum, {false, true}, {true, false}), {true, true});
}

TEST(Elementwise, PropagatesNanThroughMaximumAndMinimum) {
  expect_values<float>(binary<float>(Opcode::kMaximum, {kNan, 1, -0.0f, 0.0f, 2}, {1, kNan, 0.0f, -0.0f, 3}),
                       {kNan, kNan, 0.0f, 0.0f, 3});
  expect_values<float>(binary<float>(Opcode::kMinimum, {kNan, 1, -0.0f, 0.0f, 2}, {1, kNan, 0.0f, -0.0f, 3}),
                       {kNan, kNan, -0.0f, -0.0f, 2});
}

TEST(Elementwise, KeepsTheSignOfZeroAndNan) {
  expect_values<float>(unary<float>(Opcode::kSign, {0.0f, -0.0f, kNan, -3, kInf}), {0.0f, -0.0f, kNan, -1, 1});
  expect_values<float>(unary<float>(Opcode::kAbs, {-0.0f, -kInf}), {0.0f, kInf});
  expect_values<double>(unary<double>(Opcode::kNegate, {0.0, -2.0}), {-0.0, 2.0});
}

TEST(Elementwise, RoundsTiesBothWays) {
  expect_values<float>(unary<float>(Opcode::kRoundNearestEven, {0.5f, 1.5f, 2.5f, -0.5f, -2.5f, 2.4f, kInf}),
                       {0, 2, 2, -0.0f, -2, 2, kInf});
  expect_values<float>(unary<float>(Opcode::kRoundNearestAfz, {0.5f, 1.5f, 2.5f, -0.5f, -2.5f, 2.4f}),
                       {1, 2, 3, -1, -3, 2});
}

TEST(Elementwise, RoundsHalvesOnce) {
  const auto half = [](float v) { return float16(v); };
  const auto brain = [](float v) { return bfloat16(v); };
  // 2048 + 1 is between 2048 and 2050, and the tie rounds to even.
  expect_values<float16>(binary<float16>(Opcode::kAdd, {half(2048), half(65504)}, {half(1), half(65504)}),
                         {half(2048), half(kInf)});
  expect_values<bfloat16>(
      binary<bfloat16>(Opcode::kMultiply, {brain(3), brain(1.0078125f)}, {brain(5), brain(1.0078125f)}),
      {brain(15), brain(1.015625f)});
  expect_values<float16>(unary<float16>(Opcode::kSqrt, {half(2)}), {half(1.4142135f)});
}

TEST(Elementwise, ComputesTranscendentals) {
  expect_values<float>(unary<float>(Opcode::kLogistic, {0, -kInf, kInf}), {0.5f, 0, 1});
  expect_values<float>(unary<float>(Opcode::kRsqrt, {4, 0, kInf}), {0.5f, kInf, 0});
  expect_values<double>(unary<double>(Opcode::kLog1p, {0.0, -1.0}), {0.0, -std::numeric_limits<double>::infinity()});
  expect_values<double>(binary<double>(Opcode::kPower, {0.0, 2.0, 1.0}, {0.0, -1.0, 5.0}), {1.0, 0.5, 1.0});
  expect_values<float>(binary<float>(Opcode::kRemainder, {5.5f, -5.5f, 1}, {2, 2, 0}), {1.5f, -1.5f, kNan});
  expect_values<double>(binary<double>(Opcode::kAtan2, {0.0, 1.0}, {1.0, 0.0}), {0.0, std::atan2(1.0, 0.0)});
  expect_values<bool>(unary<float>(Opcode::kIsFinite, {1, kInf, kNan}), {true, false, false});
}

TEST(Elementwise, ComputesComplexNumbers) {
  using C = std::complex<float>;
  expect_values<C>(binary<C>(Opcode::kMultiply, {C(1, 2)}, {C(3, 4)}), {C(-5, 10)});
  expect_values<C>(binary<C>(Opcode::kDivide, {C(-5, 10)}, {C(3, 4)}), {C(1, 2)});
  expect_values<float>(unary<C>(Opcode::kAbs, {C(3, 4)}), {5});
  expect_values<float>(unary<C>(Opcode::kReal, {C(3, 4)}), {3});
  expect_values<float>(unary<C>(Opcode::kImag, {C(3, 4)}), {4});
  expect_values<C>(unary<C>(Opcode::kSign, {C(3, 4), C(0, 0)}), {C(0.6f, 0.8f), C(0, 0)});
  expect_values<C>(unary<C>(Opcode::kExpm1, {C(100, 0)}), {C(kInf, 0)});
  expect_values<C>(binary<C>(Opcode::kPower, {C(0, 0), C(2, 0)}, {C(0, 0), C(1, 0)}), {C(1, 0), C(2, 0)});
  expect_values<C>(run_op(Opcode::kComplex, {vector_of<float>({1}), vector_of<float>({2})}, nullptr), {C(1, 2)});
  expect_values<float>(unary<float>(Opcode::kImag, {3}), {0});
}

TEST(Elementwise, ComplexPowersOfZeroOneAndInfinityAreXlas) {
  using C = std::complex<double>;
  constexpr double kInfinity = std::numeric_limits<double>::infinity(),
                   kNone = std::numeric_limits<double>::quiet_NaN();
  const struct {
    C x, y, wanted;  // `wanted` is the result of jaxlib
  } rows[] = {{0, 0, 1},
              {0, 2, 0},
              {0, C(1, 1), C(kNone, kNone)},
              {C(kNone, 1), 0, 1},
              {1, C(kInfinity, 2), 1},
              {1, C(kNone, 0), 1},
              {kInfinity, 2, kInfinity},
              {kInfinity, -2, 0},
              {C(0, 1), C(0, kInfinity), C(kNone, kNone)},
              {-kInfinity, -1, C(kNone, kNone)}};
  for (const auto& row : rows) {
    const StatusOr<Literal> result = binary<C>(Opcode::kPower, {row.x}, {row.y});
    ASSERT_TRUE(result.ok()) << result.status().to_string();
    const C got = result->data<C>()[0];
    EXPECT_TRUE(got == row.wanted ||
                (std::isnan(got.real()) && std::isnan(got.imag()) && std::isnan(row.wanted.real())))
        << row.x << " to " << row.y << ": got " << got << "; wanted " << row.wanted;
  }
}

AttributesPtr comparison(ComparisonDirection direction, ComparisonType type = ComparisonType::kDefault) {
  auto attributes = std::make_shared<CompareAttributes>();
  attributes->direction = direction;
  attributes->type = type;
  return attributes;
}

TEST(Elementwise, ComparesWithIeeeOrder) {
  const std::vector<Literal> operands = {vector_of<float>({1, kNan, -0.0f, 2}), vector_of<float>({1, kNan, 0.0f, 1})};
  expect_values<bool>(run_op(Opcode::kCompare, operands, comparison(ComparisonDirection::kEq)),
                      {true, false, true, false});
  expect_values<bool>(run_op(Opcode::kCompare, operands, comparison(ComparisonDirection::kNe)),
                      {false, true, false, true});
  expect_values<bool>(run_op(Opcode::kCompare, operands, comparison(ComparisonDirection::kGe)),
                      {true, false, true, true});
  expect_values<bool>(run_op(Opcode::kCompare, operands, comparison(ComparisonDirection::kLt)),
                      {false, false, false, false});
}

TEST(Elementwise, ComparesWithTotalOrder) {
  const std::vector<Literal> operands = {vector_of<float>({-kNan, -kInf, -0.0f, kInf, kNan}),
                                         vector_of<float>({-kInf, -1, 0.0f, kNan, kNan})};
  const AttributesPtr less = comparison(ComparisonDirection::kLt, ComparisonType::kTotalOrder);
  expect_values<bool>(run_op(Opcode::kCompare, operands, less), {true, true, true, true, false});
  const AttributesPtr equal = comparison(ComparisonDirection::kEq, ComparisonType::kTotalOrder);
  expect_values<bool>(run_op(Opcode::kCompare, operands, equal), {false, false, false, false, true});
}

TEST(Elementwise, SelectsByScalarOrByElement) {
  const Literal a = vector_of<int32_t>({1, 2}), b = vector_of<int32_t>({3, 4});
  expect_values<int32_t>(run_op(Opcode::kSelect, {Literal::scalar(true), a, b}, nullptr), {1, 2});
  expect_values<int32_t>(run_op(Opcode::kSelect, {Literal::scalar(false), a, b}, nullptr), {3, 4});
  expect_values<int32_t>(run_op(Opcode::kSelect, {vector_of<bool>({false, true}), a, b}, nullptr), {3, 2});
}

TEST(Elementwise, ClampsTruthValuesWithFalseBelowTrue) {
  const Literal low = Literal::array<bool>({4}, {false, false, true, true});
  const Literal x = Literal::array<bool>({4}, {false, true, false, true});
  const Literal high = Literal::array<bool>({4}, {false, true, true, false});
  EXPECT_EQ(text_of(run_op(Opcode::kClamp, {low, x, high}, nullptr)), "pred[4] {false, true, true, false}");
}

TEST(Elementwise, ClampsSoThatTheUpperBoundWins) {
  const Literal x = vector_of<float>({-5, 0.5f, 5, kNan});
  expect_values<float>(run_op(Opcode::kClamp, {Literal::scalar(0.0f), x, Literal::scalar(1.0f)}, nullptr),
                       {0, 0.5f, 1, kNan});
  expect_values<float>(run_op(Opcode::kClamp, {Literal::scalar(3.0f), x, Literal::scalar(1.0f)}, nullptr),
                       {1, 1, 1, kNan});
  const Literal low = vector_of<float>({1, 1, 1, 1});
  expect_values<float>(run_op(Opcode::kClamp, {low, x, Literal::scalar(2.0f)}, nullptr), {1, 1, 2, kNan});
}

StatusOr<Literal> reduce_precision(const Literal& x, int64_t exponent_bits, int64_t mantissa_bits) {
  auto attributes = std::make_shared<ReducePrecisionAttributes>();
  attributes->exponent_bits = exponent_bits;
  attributes->mantissa_bits = mantissa_bits;
  return run_op(Opcode::kReducePrecision, {x}, attributes);
}

TEST(Elementwise, ReducesPrecision) {
  expect_values<float>(
      reduce_precision(vector_of<float>({1.0009765625f, 65536, 1e-6f, kNan, -kInf, 1.00048828125f}), 5, 10),
      {1.0009765625f, kInf, 0, kNan, -kInf, 1});
  expect_values<float>(reduce_precision(vector_of<float>({3.14159265f}), 8, 23), {3.14159265f});
  expect_values<double>(reduce_precision(vector_of<double>({-1e300, 1.0 / 3}), 8, 7),
                        {-std::numeric_limits<double>::infinity(), 0.333984375});
}

TEST(Elementwise, ErrorsNameTheShapes) {
  const Shape a = Shape::array(ElementType::kF32, {2, 3}), b = Shape::array(ElementType::kF32, {3, 2});
  const Shape c = Shape::array(ElementType::kS32, {2, 3}), p = Shape::array(ElementType::kPred, {2, 3});
  EXPECT_EQ(error_of(shape_of(Opcode::kAdd, {a, b}, nullptr)),
            "INVALID_ARGUMENT: operand shapes differ; got f32[2,3] and f32[3,2] (HLO does not broadcast implicitly). "
            "Hint: broadcast one operand first");
  EXPECT_EQ(error_of(shape_of(Opcode::kAdd, {a, c}, nullptr)),
            "INVALID_ARGUMENT: operand element types differ; got f32[2,3] and s32[2,3]. Hint: convert one operand");
  EXPECT_EQ(error_of(shape_of(Opcode::kAnd, {a, a}, nullptr)),
            "INVALID_ARGUMENT: operand 0 is f32[2,3]; this op doesn't take element type f32");
  EXPECT_EQ(error_of(shape_of(Opcode::kExp, {a, a}, nullptr)), "INVALID_ARGUMENT: got 2 operands, wanted 1");
  EXPECT_EQ(error_of(shape_of(Opcode::kSelect, {a, a, a}, nullptr)),
            "INVALID_ARGUMENT: operand 0 must be pred; got f32[2,3]");
  EXPECT_EQ(
      error_of(shape_of(Opcode::kSelect, {p, b, b}, nullptr)),
      "INVALID_ARGUMENT: operand 0 must be a scalar or have the dimensions of the others; got pred[2,3] for f32[3,2]");
  EXPECT_EQ(error_of(shape_of(Opcode::kClamp, {b, a, a}, nullptr)),
            "INVALID_ARGUMENT: bounds must be scalars or have the dimensions of the value; got f32[3,2] for f32[2,3]");
  EXPECT_EQ(error_of(shape_of(Opcode::kClamp, {a, a, c}, nullptr)),
            "INVALID_ARGUMENT: bounds must have the element type of the value; got s32[2,3] for f32[2,3]. Hint: "
            "convert one operand");
  const Shape h = Shape::array(ElementType::kF16, {2});
  EXPECT_EQ(error_of(shape_of(Opcode::kComplex, {h, h}, nullptr)),
            "INVALID_ARGUMENT: complex numbers have f32 or f64 parts; got f16[2]");
  const Shape z = Shape::array(ElementType::kC64, {2});
  EXPECT_EQ(error_of(shape_of(Opcode::kCompare, {z, z}, comparison(ComparisonDirection::kLt))),
            "INVALID_ARGUMENT: complex numbers have no order; got direction LT on c64[2], wanted EQ or NE");
  EXPECT_EQ(
      error_of(shape_of(Opcode::kCompare, {z, z}, comparison(ComparisonDirection::kEq, ComparisonType::kTotalOrder))),
      "INVALID_ARGUMENT: comparison type TOTALORDER doesn't apply to c64[2]");
  EXPECT_EQ(error_of(reduce_precision(vector_of<float>({1}), 0, 3)),
            "INVALID_ARGUMENT: reduce-precision 'op': exponent_bits must be at least 1; got 0");
  EXPECT_EQ(error_of(reduce_precision(vector_of<float>({1}), 1, -1)),
            "INVALID_ARGUMENT: reduce-precision 'op': mantissa_bits must not be negative; got -1");
}

/// Values of XLA:CPU (jaxlib 0.10.2) on s4 and u4.
TEST(Elementwise, NarrowIntegersWrapAtTheirWidth) {
  const auto s4 = [](std::initializer_list<int> values) {
    Literal literal(Shape::array(ElementType::kS4, {static_cast<int64_t>(values.size())}));
    std::ranges::transform(values, literal.data<int4>().begin(), [](int v) { return int4(v); });
    return literal;
  };
  const auto unary = [](Opcode opcode, const Literal& x) { return text_of(run_op(opcode, {x}, nullptr)); };
  const auto binary = [](Opcode opcode, const Literal& x, const Literal& y) {
    return text_of(run_op(opcode, {x, y}, nullptr));
  };
  const Literal x = s4({-4, -3, -2, -1, 0, 1, 2, 3}), back = s4({3, 2, 1, 0, -1, -2, -3, -4});
  EXPECT_EQ(binary(Opcode::kMultiply, x, x), "s4[8] {0, -7, 4, 1, 0, 1, 4, -7}");
  EXPECT_EQ(binary(Opcode::kDivide, x, back), "s4[8] {-1, -1, -2, -1, 0, 0, 0, 0}");
  EXPECT_EQ(binary(Opcode::kRemainder, x, back), "s4[8] {-1, -1, 0, -1, 0, 1, 2, 3}");
  EXPECT_EQ(binary(Opcode::kShiftLeft, x, x), "s4[8] {0, 0, 0, 0, 0, 2, -8, -8}");
  EXPECT_EQ(binary(Opcode::kShiftRightArithmetic, x, x), "s4[8] {-1, -1, -1, -1, 0, 0, 0, 0}");
  EXPECT_EQ(unary(Opcode::kClz, x), "s4[8] {0, 0, 0, 0, 4, 3, 2, 2}");
  EXPECT_EQ(unary(Opcode::kPopcnt, s4({-4, 0, 3, 7})), "s4[4] {2, 0, 2, 3}");
  EXPECT_EQ(unary(Opcode::kNegate, s4({-8, 7})), "s4[2] {-8, -7}");
  EXPECT_EQ(unary(Opcode::kAbs, s4({-8, -7})), "s4[2] {-8, 7}");
}

/// Values of XLA:CPU (jaxlib 0.10.2).
TEST(Elementwise, NarrowFloatsComputeInF32AndRoundOnce) {
  const auto text = [](Opcode opcode, ElementType type) {
    const Literal wide = Literal::array<float>({8}, {-4, -3, -2, -1, 0, 1, 2, 3});
    const StatusOr<Literal> x = run_op(Opcode::kConvert, {wide}, nullptr, Shape::array(type, {8}));
    EXPECT_TRUE(x.ok());
    return text_of(run_op(opcode, std::vector<Literal>(static_cast<size_t>(op_def(opcode).arity), *x), nullptr));
  };
  EXPECT_EQ(text(Opcode::kMultiply, ElementType::kF8E5M2), "f8e5m2[8] {16, 8, 4, 1, 0, 1, 4, 8}");
  EXPECT_EQ(text(Opcode::kMultiply, ElementType::kF8E3M4), "f8e3m4[8] {inf, 9, 4, 1, 0, 1, 4, 9}");
  EXPECT_EQ(text(Opcode::kMultiply, ElementType::kF4E2M1Fn), "f4e2m1fn[8] {6, 6, 4, 1, 0, 1, 4, 6}");
  EXPECT_EQ(text(Opcode::kNegate, ElementType::kF8E4M3Fnuz), "f8e4m3fnuz[8] {4, 3, 2, 1, 0, -1, -2, -3}");
  EXPECT_EQ(text(Opcode::kExp, ElementType::kF8E4M3Fn),
            "f8e4m3fn[8] {0.017578125, 0.05078125, 0.140625, 0.375, 1, 2.75, 7.5, 20}");
  EXPECT_EQ(text(Opcode::kAdd, ElementType::kF8E8M0Fnu), "f8e8m0fnu[8] {nan, nan, nan, nan, nan, 2, 4, 8}");
}

TEST(Elementwise, TakesShapesOfAnyLayout) {
  const Shape a = Shape::array(ElementType::kF32, {2, 3});
  const int64_t column_major[] = {0, 1};
  const StatusOr<Shape> shape = shape_of(Opcode::kAdd, {a, a.with_layout(column_major)}, nullptr);
  ASSERT_TRUE(shape.ok());
  EXPECT_EQ(*shape, a);
}

TEST(Elementwise, RunsOnEmptyArrays) {
  EXPECT_EQ(text_of(run_op(Opcode::kTanh, {Literal(Shape::array(ElementType::kF32, {0, 3}))}, nullptr)), "f32[0,3] {}");
}

}  // namespace
}  // namespace hilo::hlo
