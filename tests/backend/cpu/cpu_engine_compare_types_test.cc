// SPDX-License-Identifier: Apache-2.0
// Every comparison type for every element type and direction. Compares the reference evaluator and the engine on every
// instruction set with an order that the test computes.
#include <limits>

#include "tests/backend/cpu/engine_check.h"

namespace hilo::cpu {
namespace {

using hlo::ComparisonDirection;
using hlo::ComparisonType;

constexpr ElementType kTypes[] = {
    ElementType::kPred, ElementType::kS4,  ElementType::kS8,  ElementType::kS16, ElementType::kS32,  ElementType::kS64,
    ElementType::kU4,   ElementType::kU8,  ElementType::kU16, ElementType::kU32, ElementType::kU64,  ElementType::kF16,
    ElementType::kBf16, ElementType::kF32, ElementType::kF64, ElementType::kC64, ElementType::kC128,
};
constexpr ComparisonType kComparisons[] = {ComparisonType::kDefault, ComparisonType::kFloat,
                                           ComparisonType::kTotalOrder, ComparisonType::kSigned,
                                           ComparisonType::kUnsigned};
constexpr ComparisonDirection kDirections[] = {ComparisonDirection::kEq, ComparisonDirection::kNe,
                                               ComparisonDirection::kGe, ComparisonDirection::kGt,
                                               ComparisonDirection::kLe, ComparisonDirection::kLt};

/// A special value by its kind and by its bits.
struct Special {
  double number;
  uint64_t bits;
};

std::vector<Special> specials(ElementType type) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN(), kInf = std::numeric_limits<double>::infinity();
  const int bits = element_type_info(type).bits;
  std::vector<Special> all;
  if (is_floating(type) || is_complex(type)) {
    for (const double x : {-kNan, -kInf, -1.5, -0.0, 0.0, 0.25, 1.5, kInf, kNan}) all.push_back({x, 0});
    return all;
  }
  const uint64_t mask = bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1, top = uint64_t{1} << (bits - 1);
  for (const uint64_t x : {uint64_t{0}, uint64_t{1}, top - 1, top, top + 1, mask - 1, mask})
    if (type != ElementType::kPred || x <= 1) all.push_back({0, x & mask});
  return all;
}

void store(Literal& literal, size_t place, const Special& value) {
  const ElementType type = literal.shape().element_type();
  switch (type) {
    case ElementType::kF16: literal.data<float16>()[place] = float16(static_cast<float>(value.number)); return;
    case ElementType::kBf16: literal.data<bfloat16>()[place] = bfloat16(static_cast<float>(value.number)); return;
    case ElementType::kF32: literal.data<float>()[place] = static_cast<float>(value.number); return;
    case ElementType::kF64: literal.data<double>()[place] = value.number; return;
    case ElementType::kC64: literal.data<std::complex<float>>()[place] = {static_cast<float>(value.number), 1}; return;
    case ElementType::kC128: literal.data<std::complex<double>>()[place] = {value.number, 1}; return;
    default: break;
  }
  const auto size = static_cast<size_t>(element_size_bytes(type));
  uint64_t bits = value.bits;
  if (type == ElementType::kS4 && bits >= 8) bits |= 0xf0;  // sign-extends to the whole byte
  std::memcpy(literal.mutable_bytes().data() + place * size, &bits, size);
}

/// -1, 0 or 1; 2 if the values are unordered.
int order_of(const Special& x, const Special& y, ElementType type, ComparisonType by) {
  const auto sign = [](auto a, auto b) { return a < b ? -1 : a > b ? 1 : 0; };
  if (is_floating(type) || is_complex(type)) {
    if (by != ComparisonType::kTotalOrder)
      return x.number != x.number || y.number != y.number ? 2 : sign(x.number, y.number);
    const auto rank = [](double v) {  // the rank of each value of specials()
      const double magnitude = v != v ? 1e9 : std::isinf(v) ? 1e6 : std::abs(v) + 1;
      return std::signbit(v) ? -magnitude : magnitude;
    };
    return sign(rank(x.number), rank(y.number));
  }
  const int bits = element_type_info(type).bits;
  const bool is_signed = by == ComparisonType::kSigned     ? is_integer(type)
                         : by == ComparisonType::kUnsigned ? false
                                                           : is_signed_integer(type);
  if (!is_signed) return sign(x.bits, y.bits);
  return sign(static_cast<int64_t>(x.bits << (64 - bits)), static_cast<int64_t>(y.bits << (64 - bits)));
}

bool holds(int order, ComparisonDirection direction) {
  switch (direction) {
    case ComparisonDirection::kEq: return order == 0;
    case ComparisonDirection::kNe: return order != 0;
    case ComparisonDirection::kGe: return order == 0 || order == 1;
    case ComparisonDirection::kGt: return order == 1;
    case ComparisonDirection::kLe: return order == 0 || order == -1;
    case ComparisonDirection::kLt: return order == -1;
  }
  return false;
}

bool is_comparison(ElementType type, ComparisonType by, ComparisonDirection direction) {
  const bool ordered = direction != ComparisonDirection::kEq && direction != ComparisonDirection::kNe;
  return !is_complex(type) || (!ordered && by != ComparisonType::kTotalOrder);
}

/// All pairs of special values of one type.
struct Pairs {
  Literal x, y;
  std::vector<std::pair<Special, Special>> values;
};

Pairs pairs_of(ElementType type) {
  const std::vector<Special> all = specials(type);
  const Shape shape = Shape::array(type, {std::ssize(all) * std::ssize(all)});
  Pairs pairs{Literal(shape), Literal(shape), {}};
  for (const Special& a : all) {
    for (const Special& b : all) {
      store(pairs.x, pairs.values.size(), a);
      store(pairs.y, pairs.values.size(), b);
      pairs.values.emplace_back(a, b);
    }
  }
  return pairs;
}

InstructionId add_comparison(Builder& b, InstructionId x, InstructionId y, ComparisonType by,
                             ComparisonDirection direction) {
  auto attributes = std::make_shared<hlo::CompareAttributes>();
  attributes->type = by;
  attributes->direction = direction;
  return must(b.add(Opcode::kCompare, {x, y}, std::move(attributes)));
}

/// All comparisons of a type, with arguments or constants as operands, and the expected results.
struct Table {
  hlo::Module module;
  std::vector<std::vector<bool>> wanted;
};

Table table_of(ElementType type, const Pairs& pairs, bool constants) {
  Builder b("main");
  const InstructionId x = constants ? b.constant(pairs.x) : b.parameter(pairs.x.shape());
  const InstructionId y = constants ? b.constant(pairs.y) : b.parameter(pairs.y.shape());
  std::vector<InstructionId> results;
  Table table;
  for (const ComparisonType by : kComparisons) {
    for (const ComparisonDirection direction : kDirections) {
      if (!is_comparison(type, by, direction)) continue;
      results.push_back(add_comparison(b, x, y, by, direction));
      std::vector<bool>& wanted = table.wanted.emplace_back();
      for (const auto& [p, q] : pairs.values) wanted.push_back(holds(order_of(p, q, type, by), direction));
    }
  }
  const InstructionId root = b.tuple(results);
  table.module = module_of(std::move(b), root, std::string(element_type_name(type)));
  return table;
}

void expect_wanted(const Table& table, const std::vector<Literal>& got, const std::string& where) {
  ASSERT_EQ(got.size(), table.wanted.size()) << where;
  for (size_t k = 0; k < got.size(); ++k) {
    const std::span<const bool> bits = got[k].data<bool>();
    EXPECT_EQ(std::vector<bool>(bits.begin(), bits.end()), table.wanted[k])
        << table.module.name << " " << where << ": result " << k;
  }
}

TEST(CompareTypes, SayHowElementsOfEveryTypeAreOrdered) {
  for (const ElementType type : kTypes) {
    const Pairs pairs = pairs_of(type);
    for (const bool constants : {false, true}) {
      const Table table = table_of(type, pairs, constants);
      const std::vector<Literal> arguments = constants ? std::vector<Literal>() : std::vector{pairs.x, pairs.y};
      const StatusOr<Literal> reference = hlo::evaluate(table.module, arguments);
      ASSERT_TRUE(reference.ok()) << reference.status().to_string();
      expect_wanted(table, {reference->elements().begin(), reference->elements().end()}, "reference");
      on_every_isa([&](Isa isa) {
        auto executable = tests::cpu_client()->compile(table.module, {}, nullptr);
        ASSERT_TRUE(executable.ok()) << executable.status().to_string();
        expect_wanted(table, run(**executable, arguments), std::string(isa_name(isa)));
      });
    }
  }
}

/// Sorts, minima and maxima use their comparator's type, even if it isn't the element type.
TEST(CompareTypes, CountInComparatorsReducersAndConditions) {
  check_text(R"(HloModule sorts
before { x = s8[] parameter(0)
 y = s8[] parameter(1)
 ROOT r = pred[] compare(x, y), direction=LT, type=UNSIGNED }
ENTRY main { x = s8[100] parameter(0)
 ROOT r = s8[100] sort(x), dimensions={0}, to_apply=before }
)");
  check_text(R"(HloModule zeros
before { x = f32[] parameter(0)
 y = f32[] parameter(1)
 z = f32[] constant(0)
 p = pred[] compare(x, z), direction=EQ, type=TOTALORDER
 q = pred[] compare(y, z), direction=EQ, type=TOTALORDER
 a = f32[] select(p, z, x)
 b = f32[] select(q, z, y)
 ROOT r = pred[] compare(a, b), direction=LT, type=TOTALORDER }
ENTRY main { x = f32[4] constant({0, -0, 0, -0})
 ROOT r = f32[4] sort(x), dimensions={0}, to_apply=before }
)");
  check_text(R"(HloModule loop
body { n = s32[] parameter(0)
 step = s32[] constant(1073741823)
 ROOT r = s32[] subtract(n, step) }
going { n = s32[] parameter(0)
 five = s32[] constant(5)
 ROOT r = pred[] compare(n, five), direction=GT, type=UNSIGNED }
ENTRY main { n = s32[] constant(-1)
 ROOT r = s32[] while(n), condition=going, body=body }
)");
}

}  // namespace
}  // namespace hilo::cpu
