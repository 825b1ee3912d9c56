// SPDX-License-Identifier: Apache-2.0
// Every elementwise op on every type and instruction set, compared with the reference kernels. Buffers are between
// guard pages.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <random>

#include "hilo/backend/cpu/emit/accuracy.h"
#include "hilo/backend/cpu/emit/elementwise_kernel.h"
#include "hilo/hlo/ir/instruction.h"
#include "hilo/types/narrow_float.h"
#include "tests/support/guarded_buffer.h"

namespace hilo::cpu {
namespace {

using hilo::testing::GuardedBuffer;
using hilo::testing::Snug;
using hlo::Opcode;

constexpr ElementType kTypes[] = {ElementType::kPred, ElementType::kS8,  ElementType::kS16,  ElementType::kS32,
                                  ElementType::kS64,  ElementType::kU8,  ElementType::kU16,  ElementType::kU32,
                                  ElementType::kU64,  ElementType::kF16, ElementType::kBf16, ElementType::kF32,
                                  ElementType::kF64};
/// One-byte types that are widened for computation. Each op runs on one instruction set, in rotation.
constexpr ElementType kNarrowTypes[] = {ElementType::kS2,         ElementType::kS4,         ElementType::kU2,
                                        ElementType::kU4,         ElementType::kF8E5M2,     ElementType::kF8E4M3Fn,
                                        ElementType::kF8E4M3,     ElementType::kF8E3M4,     ElementType::kF8E4M3B11Fnuz,
                                        ElementType::kF8E5M2Fnuz, ElementType::kF8E4M3Fnuz, ElementType::kF8E8M0Fnu,
                                        ElementType::kF4E2M1Fn};
constexpr std::int64_t kValues = 480;

template <typename T>
T special_value(std::size_t i) {
  if constexpr (std::is_same_v<T, bool>) {
    return i % 2 == 0;
  } else if constexpr (is_narrow_integer_twin<T>) {
    return T(static_cast<int>(i));
  } else if constexpr (is_narrow_float_twin<T>) {
    T value;
    // Every code within 256 elements; f4e2m1fn has 16 codes.
    value.bits = static_cast<uint8_t>(T::kFormat.specials == Specials::kNone ? i % 16 : i * 37);
    return value;
  } else if constexpr (std::is_integral_v<T>) {
    const T values[] = {0,
                        1,
                        2,
                        3,
                        7,
                        static_cast<T>(-1),
                        static_cast<T>(-2),
                        static_cast<T>(-7),
                        std::numeric_limits<T>::min(),
                        std::numeric_limits<T>::max(),
                        static_cast<T>(std::numeric_limits<T>::min() + 1),
                        sizeof(T) * 8,
                        sizeof(T) * 8 - 1,
                        100};
    return values[i % std::size(values)];
  } else {
    const double values[] = {0.0,           -0.0,         1.0,    -1.0,    INFINITY, -INFINITY, NAN,     0.5,
                             -0.5,          1.5,          2.5,    -2.5,    3.0,      65519.0,   65520.0, -1e30,
                             1e-6,          3e-8,         6e-5,   127.5,   128.0,    -129.0,    255.9,   2147483648.0,
                             -2147483649.0, 4294967296.0, 9.3e18, -9.3e18, 1.9e19,   0.3};
    const double value = values[i % std::size(values)];
    if constexpr (std::is_same_v<T, double>) return value;
    else return static_cast<T>(static_cast<float>(value));
  }
}

template <typename T>
T random_value(std::mt19937_64& random) {
  if constexpr (std::is_same_v<T, bool>) {
    return random() % 2 == 0;
  } else if constexpr (is_integral_element<T>) {
    return static_cast<T>(random() >> (random() % 64));
  } else {
    const double unit = static_cast<double>(random() >> 11) * 0x1p-53;
    const double value = (random() % 3 == 0 ? 40.0 : 3.0) * (2.0 * unit - 1.0);
    if constexpr (std::is_same_v<T, double>) return value;
    else return static_cast<T>(static_cast<float>(value));
  }
}

/// Special values in all combinations (the period differs between operands), then random values.
template <typename T>
Literal make_values(int operand) {
  Literal literal(Shape::array(element_type_of<T>, {kValues}));
  auto data = literal.data<T>();
  std::mt19937_64 random(static_cast<std::uint64_t>(operand + 1));
  for (std::size_t i = 0; i < data.size(); ++i) {
    const std::size_t special = operand == 0 ? i : i / 14 + i * static_cast<std::size_t>(operand);
    data[i] = i < data.size() / 2 ? special_value<T>(special) : random_value<T>(random);
  }
  return literal;
}

Literal values_of(ElementType type, int operand) {
  return visit_array_type(
      type,
      [&]<typename T>() -> Literal {
        if constexpr (std::is_arithmetic_v<T> || computes_in_float<T> || is_narrow_integer_twin<T>) {
          return make_values<T>(operand);
        } else {
          return Literal();
        }
      },
      [] { return Literal(); });
}

struct Case {
  Opcode opcode;
  std::vector<ElementType> operands;
  ElementType result;
  std::shared_ptr<const hlo::Attributes> attributes;
};

std::string name_of(const Case& c, Isa isa) {
  std::string text(hlo::opcode_name(c.opcode));
  for (ElementType type : c.operands) text += std::string(" ") + std::string(element_type_name(type));
  return text + " -> " + std::string(element_type_name(c.result)) + " on " + std::string(isa_name(isa));
}

StatusOr<Literal> reference(const Case& c, const std::vector<Literal>& inputs) {
  hlo::Instruction instruction;
  instruction.opcode = c.opcode;
  instruction.shape = Shape::array(c.result, {kValues});
  instruction.attributes = c.attributes;
  std::vector<const Literal*> operands;
  for (const Literal& literal : inputs) operands.push_back(&literal);
  const std::function<StatusOr<Literal>(const hlo::Computation&, std::span<const Literal* const>)> run;
  return hlo::op_def(c.opcode).evaluate({instruction, operands, run});
}

/// The allowed difference from the reference in ulp. The reference itself has a rounding error.
double tolerance(Opcode opcode, ElementType type) {
  for (const Accuracy& row : kAccuracy) {
    if (row.opcode != opcode) continue;
    const double ulp = type == ElementType::kF64 ? row.f64_ulp : row.f32_ulp;
    if (ulp <= 0.5) return 0.0;
    return is_floating(type) && element_type_info(type).bits < 32 ? 1.0 : ulp + 2.0;
  }
  return 0.0;
}

/// Reads a number whose bits are a sign and a magnitude. Its place among all numbers of its type is the magnitude with
/// the sign.
template <typename Bits>
std::int64_t place_of(const std::byte* p) {
  Bits bits;
  std::memcpy(&bits, p, sizeof(bits));
  return bits < 0 ? std::int64_t{std::numeric_limits<Bits>::min()} - bits : std::int64_t{bits};
}

std::int64_t place_in(ElementType type, const std::byte* p) {
  if (is_narrow_float(type)) {
    const int sign = type == ElementType::kF8E8M0Fnu ? 0x100 : type == ElementType::kF4E2M1Fn ? 0x8 : 0x80;
    const int code = static_cast<int>(*p);
    return (code & sign) != 0 ? sign - code : code;
  }
  if (type == ElementType::kF64) return place_of<std::int64_t>(p);
  return type == ElementType::kF32 ? place_of<std::int32_t>(p) : place_of<std::int16_t>(p);
}

/// The number of representable values between two values of a float type.
double distance(ElementType type, const std::byte* a, const std::byte* b) {
  const std::int64_t x = place_in(type, a), y = place_in(type, b);
  const bool same_sign = (x < 0) == (y < 0);  // otherwise the difference may overflow
  return std::fabs(same_sign ? static_cast<double>(x - y) : static_cast<double>(x) - static_cast<double>(y));
}

bool agree(const Case& c, const Literal& want, const std::byte* got, std::int64_t i) {
  const auto size = static_cast<std::size_t>(element_size_bytes(c.result));
  const std::byte* wanted = want.bytes().data() + static_cast<std::size_t>(i) * size;
  if (!is_floating(c.result)) return std::memcmp(wanted, got, size) == 0;
  Literal one = Literal::from_bytes(Shape::array(c.result, {1}), {got, size});
  const double a = element_as_double(want, i);
  const double b = element_as_double(one, 0);
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  const double allowed = tolerance(c.opcode, c.operands.back());
  if (allowed == 0.0) return std::memcmp(wanted, got, size) == 0;
  return distance(c.result, wanted, got) <= allowed;
}

void run_case(const Case& c, Isa isa) {
  const std::string name = name_of(c, isa);
  std::vector<Literal> inputs;
  for (std::size_t k = 0; k < c.operands.size(); ++k) inputs.push_back(values_of(c.operands[k], static_cast<int>(k)));
  auto want = reference(c, inputs);
  ASSERT_TRUE(want.ok()) << name << ": " << want.status().to_string();
  auto kernel = compile_elementwise_kernel({c.opcode, c.operands, c.result, c.attributes.get()}, isa);
  ASSERT_TRUE(kernel.ok()) << name << ": " << kernel.status().to_string();
  const auto size = static_cast<std::size_t>(element_size_bytes(c.result));
  // All values in one call, then every tail length at varying offsets.
  for (std::int64_t count = -1; count <= 17; ++count) {
    const std::int64_t start = count < 0 ? 0 : count * 23;
    const std::int64_t length = count < 0 ? kValues : count;
    const Snug snug = count % 2 == 0 ? Snug::kBegin : Snug::kEnd;
    std::vector<std::unique_ptr<GuardedBuffer>> buffers;
    std::vector<const void*> pointers;
    for (const Literal& input : inputs) {
      const auto bytes = static_cast<std::size_t>(element_size_bytes(input.shape().element_type()));
      buffers.push_back(std::make_unique<GuardedBuffer>(bytes * static_cast<std::size_t>(length), snug));
      std::memcpy(buffers.back()->data(), input.bytes().data() + static_cast<std::size_t>(start) * bytes,
                  bytes * static_cast<std::size_t>(length));
      pointers.push_back(buffers.back()->data());
    }
    GuardedBuffer output(size * static_cast<std::size_t>(length), snug);
    kernel->function(pointers.data(), output.data(), length);
    for (std::int64_t i = 0; i < length; ++i) {
      const std::byte* got = output.data() + static_cast<std::size_t>(i) * size;
      if (agree(c, *want, got, start + i)) continue;
      std::string operands;
      for (const Literal& input : inputs) operands += " " + std::to_string(element_as_double(input, start + i));
      ADD_FAILURE() << name << ": element " << start + i << " of" << operands << ": got "
                    << element_to_string(c.result, got) << ", wanted "
                    << element_to_string(c.result, want->bytes().data() + static_cast<std::size_t>(start + i) * size);
      return;
    }
  }
}

void run_everywhere(const Case& c) {
  for (Isa isa : supported_isas()) run_case(c, isa);
}

/// Runs the case on one instruction set, chosen by `turn`.
void run_somewhere(const Case& c, std::size_t turn) {
  const std::vector<Isa> isas = supported_isas();
  run_case(c, isas[turn % isas.size()]);
}

bool has_own_test(Opcode opcode) {
  return opcode == Opcode::kCompare || opcode == Opcode::kConvert || opcode == Opcode::kComplex ||
         opcode == Opcode::kSelect || opcode == Opcode::kReducePrecision;
}

void run_ops(int first, int last) {
  for (int k = first; k < last; ++k) {
    const auto opcode = static_cast<Opcode>(k);
    if (has_own_test(opcode)) continue;
    const hlo::OpDef& def = hlo::op_def(opcode);
    for (ElementType type : kTypes) {
      if (!hlo::contains(def.operand_types, type)) continue;
      const ElementType result = opcode == Opcode::kIsFinite ? ElementType::kPred : type;
      run_everywhere({opcode, std::vector<ElementType>(static_cast<std::size_t>(def.arity), type), result, nullptr});
    }
  }
}

TEST(EmitElementwise, AbsToCosh) { run_ops(0, static_cast<int>(Opcode::kDivide)); }
TEST(EmitElementwise, DivideToMultiply) {
  run_ops(static_cast<int>(Opcode::kDivide), static_cast<int>(Opcode::kNegate));
}
TEST(EmitElementwise, NegateToXor) { run_ops(static_cast<int>(Opcode::kNegate), hlo::kElementwiseOpcodeCount); }

TEST(EmitElementwise, NarrowTypesGiveWhatTheReferenceGives) {
  std::size_t turn = 0;
  for (int k = 0; k < hlo::kElementwiseOpcodeCount; ++k) {
    const auto opcode = static_cast<Opcode>(k);
    if (has_own_test(opcode)) continue;
    const hlo::OpDef& def = hlo::op_def(opcode);
    for (ElementType type : kNarrowTypes) {
      if (!hlo::contains(def.operand_types, type)) continue;
      const ElementType result = opcode == Opcode::kIsFinite ? ElementType::kPred : type;
      run_somewhere({opcode, std::vector<ElementType>(static_cast<std::size_t>(def.arity), type), result, nullptr},
                    turn++);
    }
  }
}

TEST(EmitElementwise, NarrowTypesConvertFromAndToAll) {
  std::size_t turn = 0;
  for (ElementType narrow : kNarrowTypes) {
    for (ElementType type : kTypes) {
      run_somewhere({Opcode::kConvert, {narrow}, type, nullptr}, turn++);
      run_somewhere({Opcode::kConvert, {type}, narrow, nullptr}, turn++);
    }
    for (ElementType other : kNarrowTypes) run_somewhere({Opcode::kConvert, {narrow}, other, nullptr}, turn++);
  }
}

TEST(EmitElementwise, NarrowTypesSelectCompareAndReducePrecision) {
  std::size_t turn = 0;
  for (ElementType type : kNarrowTypes) {
    run_somewhere({Opcode::kSelect, {ElementType::kPred, type, type}, type, nullptr}, turn++);
    for (auto direction : {hlo::ComparisonDirection::kEq, hlo::ComparisonDirection::kLt}) {
      auto attributes = std::make_shared<hlo::CompareAttributes>();
      attributes->direction = direction;
      if (is_floating(type) && direction == hlo::ComparisonDirection::kLt)
        attributes->type = hlo::ComparisonType::kTotalOrder;
      run_somewhere({Opcode::kCompare, {type, type}, ElementType::kPred, attributes}, turn++);
    }
    if (!is_floating(type)) continue;
    auto precision = std::make_shared<hlo::ReducePrecisionAttributes>();
    precision->exponent_bits = 4;
    precision->mantissa_bits = 1;
    run_somewhere({Opcode::kReducePrecision, {type}, type, precision}, turn++);
  }
}

TEST(EmitElementwise, SelectPicksByLane) {
  for (ElementType type : kTypes) run_everywhere({Opcode::kSelect, {ElementType::kPred, type, type}, type, nullptr});
}

TEST(EmitElementwise, ConvertsBetweenAllTypes) {
  for (ElementType from : kTypes) {
    for (ElementType to : kTypes) run_everywhere({Opcode::kConvert, {from}, to, nullptr});
  }
}

TEST(EmitElementwise, ComparesInEveryDirection) {
  using hlo::ComparisonDirection;
  for (ElementType type : kTypes) {
    for (auto direction : {ComparisonDirection::kEq, ComparisonDirection::kNe, ComparisonDirection::kGe,
                           ComparisonDirection::kGt, ComparisonDirection::kLe, ComparisonDirection::kLt}) {
      auto attributes = std::make_shared<hlo::CompareAttributes>();
      attributes->direction = direction;
      run_everywhere({Opcode::kCompare, {type, type}, ElementType::kPred, attributes});
      if (!is_floating(type)) continue;
      auto total = std::make_shared<hlo::CompareAttributes>(*attributes);
      total->type = hlo::ComparisonType::kTotalOrder;
      run_everywhere({Opcode::kCompare, {type, type}, ElementType::kPred, total});
    }
  }
}

TEST(EmitElementwise, ReducesPrecisionToOtherFormats) {
  for (ElementType type : {ElementType::kF16, ElementType::kBf16, ElementType::kF32, ElementType::kF64}) {
    for (auto [exponent, mantissa] :
         {std::pair{8, 7}, std::pair{5, 10}, std::pair{5, 2}, std::pair{11, 52}, std::pair{4, 3}}) {
      auto attributes = std::make_shared<hlo::ReducePrecisionAttributes>();
      attributes->exponent_bits = exponent;
      attributes->mantissa_bits = mantissa;
      run_everywhere({Opcode::kReducePrecision, {type}, type, attributes});
    }
  }
}

TEST(EmitElementwise, EveryLaneCountGivesTheSame) {
  for (Isa isa : supported_isas()) {
    for (int lanes : {1, 2, 4, 8, 16, 32}) {
      ElementwiseKernelSpec spec{Opcode::kTanh, {ElementType::kF32}, ElementType::kF32, nullptr, lanes};
      auto kernel = compile_elementwise_kernel(spec, isa);
      ASSERT_TRUE(kernel.ok()) << kernel.status().to_string();
      auto natural = compile_elementwise_kernel({Opcode::kTanh, {ElementType::kF32}, ElementType::kF32}, isa);
      ASSERT_TRUE(natural.ok());
      const Literal input = values_of(ElementType::kF32, 0);
      const void* pointer = input.bytes().data();
      std::vector<float> got(kValues), want(kValues);
      kernel->function(&pointer, got.data(), kValues);
      natural->function(&pointer, want.data(), kValues);
      EXPECT_EQ(std::memcmp(got.data(), want.data(), got.size() * 4), 0) << lanes << " lanes on " << isa_name(isa);
    }
  }
}

TEST(EmitElementwise, WritesOverItsOwnInput) {
  auto kernel = compile_elementwise_kernel({Opcode::kNegate, {ElementType::kF32}, ElementType::kF32}, host_isa());
  ASSERT_TRUE(kernel.ok());
  std::vector<float> data(37);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<float>(i);
  const void* pointer = data.data();
  kernel->function(&pointer, data.data(), 37);
  for (std::size_t i = 0; i < data.size(); ++i) EXPECT_EQ(data[i], -static_cast<float>(i));
}

void expect_refusal(const ElementwiseKernelSpec& spec, StatusCode code, const std::string& text) {
  auto kernel = compile_elementwise_kernel(spec, supported_isas().front());
  ASSERT_FALSE(kernel.ok());
  EXPECT_EQ(kernel.status().code(), code);
  EXPECT_NE(kernel.status().message().find(text), std::string::npos) << kernel.status().to_string();
}

TEST(EmitElementwise, RefusesWhatItCannotDo) {
  expect_refusal({Opcode::kAdd, {ElementType::kToken, ElementType::kToken}, ElementType::kToken},
                 StatusCode::kUnimplemented, "add: the CPU engine has no arithmetic on token");
  expect_refusal({Opcode::kReduce, {ElementType::kF32}, ElementType::kF32}, StatusCode::kInternal,
                 "reduce: not an elementwise op");
  expect_refusal({Opcode::kCompare, {ElementType::kF32, ElementType::kF32}, ElementType::kPred}, StatusCode::kInternal,
                 "compare: its attributes are missing");
}

}  // namespace
}  // namespace hilo::cpu
