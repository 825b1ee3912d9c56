// SPDX-License-Identifier: Apache-2.0
// Complex numbers on the engine and the reference: elementwise ops on special values, sums, products, dots, data
// movement.
#include "hilo/backend/cpu/emit/elementwise_kernel.h"

#include <cmath>
#include <cstring>

#include "hilo/hlo/text/parser.h"
#include "tests/backend/cpu/engine_check.h"
#include "tests/support/clients.h"
#include "tests/support/number.h"

namespace hilo::cpu {
namespace {

constexpr ElementType kComplexTypes[] = {ElementType::kC64, ElementType::kC128};

/// All pairs of some real numbers as real and imaginary parts. `specials` adds zeros, infinities and NaN.
Literal plane(ElementType type, bool specials, bool transposed) {
  std::vector<long double> parts = {1.0L, -0.75L, 3.5L, -100.0L, 1e-3L};
  if (specials) parts.insert(parts.end(), {0.0L, -0.0L, INFINITY, -INFINITY, static_cast<long double>(NAN)});
  const auto n = static_cast<int64_t>(parts.size()), count = n * n * n * n;
  Literal literal(Shape::array(type, {count}));
  for (int64_t i = 0; i < count; ++i) {
    const int64_t at = transposed ? i / (n * n) : i % (n * n);
    tests::store_wide(literal, i, {parts[static_cast<size_t>(at / n)], parts[static_cast<size_t>(at % n)]});
  }
  return literal;
}

Literal reference(Opcode opcode, ElementType result, const std::vector<Literal>& inputs) {
  hlo::Instruction instruction;
  instruction.opcode = opcode;
  instruction.shape = inputs[0].shape().with_element_type(result);
  std::vector<const Literal*> operands;
  for (const Literal& input : inputs) operands.push_back(&input);
  const std::function<StatusOr<Literal>(const hlo::Computation&, std::span<const Literal* const>)> run;
  StatusOr<Literal> value = hlo::op_def(opcode).evaluate({instruction, operands, run});
  EXPECT_TRUE(value.ok()) << value.status().to_string();
  return value.ok() ? *value : Literal();
}

/// Compares the engine's kernel with the reference on all pairs.
void check(Opcode opcode, ElementType type, bool specials, double ulps) {
  const bool to_real = opcode == Opcode::kAbs || opcode == Opcode::kReal || opcode == Opcode::kImag;
  const ElementType result = to_real ? real_type_of(type) : type;
  const auto arity = static_cast<size_t>(hlo::op_def(opcode).arity);
  std::vector<Literal> inputs = {plane(type, specials, false)};
  if (arity == 2) inputs.push_back(plane(type, specials, true));
  const Literal wanted = reference(opcode, result, inputs);
  for (const Isa isa : supported_isas()) {
    auto kernel = compile_elementwise_kernel({opcode, std::vector<ElementType>(arity, type), result}, isa);
    ASSERT_TRUE(kernel.ok()) << kernel.status().to_string();
    Literal got(wanted.shape());
    std::vector<const void*> pointers;
    for (const Literal& input : inputs) pointers.push_back(input.bytes().data());
    kernel->function(pointers.data(), got.mutable_bytes().data(), got.shape().element_count());
    EXPECT_EQ(tests::difference(got, wanted, ulps), "") << hlo::opcode_name(opcode) << " on " << isa_name(isa);
  }
}

TEST(EmitComplex, ArithmeticIsTheReferencesBitForBit) {
  for (const ElementType type : kComplexTypes) {
    for (const Opcode opcode : {Opcode::kAdd, Opcode::kSubtract, Opcode::kMultiply, Opcode::kNegate, Opcode::kReal,
                                Opcode::kImag, Opcode::kCopy})
      check(opcode, type, true, 0);
  }
}

TEST(EmitComplex, QuotientsKeepInfinitiesAndZerosAsAnnexGAsks) {
  for (const ElementType type : kComplexTypes) {
    check(Opcode::kDivide, type, true, 4);
    check(Opcode::kAbs, type, true, 2);
    check(Opcode::kSign, type, false, 4);
  }
}

TEST(EmitComplex, FunctionsAreTheReferences) {
  for (const ElementType type : kComplexTypes) {
    for (const Opcode opcode : {Opcode::kLog, Opcode::kSin, Opcode::kCos, Opcode::kTanh, Opcode::kSqrt, Opcode::kRsqrt,
                                Opcode::kPower, Opcode::kExpm1, Opcode::kLog1p, Opcode::kLogistic})
      check(opcode, type, false, 0);
  }
}

TEST(EmitComplex, ExponentialsAreNearTheReferencesAndKeepItsSpecialValues) {
  for (const ElementType type : kComplexTypes) check(Opcode::kExp, type, true, 4);
}

/// All parts as real numbers: if one part is infinite, the other is compared too.
Literal parts(const Literal& literal) {
  Literal real(Shape::array(real_type_of(literal.shape().element_type()), {2 * literal.shape().element_count()}));
  std::memcpy(real.mutable_bytes().data(), literal.bytes().data(), literal.bytes().size());
  return real;
}

/// exp at points where e^x alone overflows, underflows or is denormal.
TEST(EmitComplex, ExponentialsOfExtremePartsRoundOnce) {
  for (const ElementType type : kComplexTypes) {
    const bool wide = type == ElementType::kC128;
    const std::vector<long double> sizes =
        wide ? std::vector<long double>{709.9L, 710.2L, -708.5L, -744.0L, -760.0L, 1e9L}
             : std::vector<long double>{88.8L, 89.3L, -87.5L, -103.0L, -110.0L, 1e9L};
    const std::vector<long double> angles = {1.5707L, 3.0L, -1e4L, 1e9L, 0.0L, -0.0L};
    Literal input(Shape::array(type, {36}));
    for (int64_t i = 0; i < 36; ++i)
      tests::store_wide(input, i, {sizes[static_cast<size_t>(i / 6)], angles[static_cast<size_t>(i % 6)]});
    const Literal wanted = reference(Opcode::kExp, type, {input});
    for (const Isa isa : supported_isas()) {
      auto kernel = compile_elementwise_kernel({Opcode::kExp, {type}, type}, isa);
      ASSERT_TRUE(kernel.ok()) << kernel.status().to_string();
      Literal got(wanted.shape());
      const void* pointer = input.bytes().data();
      kernel->function(&pointer, got.mutable_bytes().data(), 36);
      EXPECT_EQ(tests::difference(parts(got), parts(wanted), 6), "") << isa_name(isa);
    }
  }
}

/// Checks a program on small values, on every instruction set.
void check_program(const std::string& text, double ulps = 0) {
  const StatusOr<hlo::Module> module = hlo::parse_module(text);
  ASSERT_TRUE(module.ok()) << module.status().to_string();
  std::vector<Literal> arguments;
  for (const Shape& shape : module->entry->parameter_shapes())
    arguments.push_back(sample(shape, static_cast<unsigned>(arguments.size()) + 1));
  const StatusOr<Literal> wanted = hlo::evaluate(*module->entry, std::span<const Literal>(arguments));
  ASSERT_TRUE(wanted.ok()) << wanted.status().to_string();
  std::vector<Literal> leaves;
  flatten(*wanted, leaves);
  on_every_isa([&](Isa isa) {
    auto executable = tests::cpu_client()->compile(*module, {}, nullptr);
    ASSERT_TRUE(executable.ok()) << executable.status().to_string();
    const std::vector<Literal> got = run(**executable, arguments);
    ASSERT_EQ(got.size(), leaves.size());
    for (size_t k = 0; k < got.size(); ++k)
      EXPECT_EQ(tests::difference(got[k], leaves[k], ulps), "") << "result " << k << " on " << isa_name(isa);
  });
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

/// Checks the text in both widths: replaces TYPE and PART.
void check_both(const std::string& text, double ulps = 0) {
  check_program(replaced(replaced(text, "TYPE", "c64"), "PART", "f32"), ulps);
  check_program(replaced(replaced(text, "TYPE", "c128"), "PART", "f64"), ulps);
}

TEST(EmitComplex, ReducesRowsColumnsAndAll) {
  check_both(R"(HloModule reduce

%add (a: TYPE[], b: TYPE[]) -> TYPE[] {
  %a = TYPE[] parameter(0)
  %b = TYPE[] parameter(1)
  ROOT %sum = TYPE[] add(%a, %b)
}

%times (a: TYPE[], b: TYPE[]) -> TYPE[] {
  %a = TYPE[] parameter(0)
  %b = TYPE[] parameter(1)
  ROOT %product = TYPE[] multiply(%a, %b)
}

ENTRY %main (x: TYPE[37,13], i: TYPE[]) -> (TYPE[37], TYPE[13], TYPE[], TYPE[13]) {
  %x = TYPE[37,13]{1,0} parameter(0)
  %i = TYPE[] parameter(1)
  %rows = TYPE[37]{0} reduce(%x, %i), dimensions={1}, to_apply=%add
  %columns = TYPE[13]{0} reduce(%x, %i), dimensions={0}, to_apply=%add
  %all = TYPE[] reduce(%x, %i), dimensions={0,1}, to_apply=%add
  %few = TYPE[3,13]{1,0} slice(%x), slice={[0:3], [0:13]}
  %products = TYPE[13]{0} reduce(%few, %i), dimensions={0}, to_apply=%times
  ROOT %results = (TYPE[37]{0}, TYPE[13]{0}, TYPE[], TYPE[13]{0}) tuple(%rows, %columns, %all, %products)
}
)",
             4);
}

TEST(EmitComplex, MultipliesMatrices) {
  check_both(R"(HloModule dot

ENTRY %main (x: TYPE[3,17,9], y: TYPE[3,9,5], v: TYPE[9]) -> (TYPE[3,17,5], TYPE[3,17]) {
  %x = TYPE[3,17,9]{2,1,0} parameter(0)
  %y = TYPE[3,9,5]{2,1,0} parameter(1)
  %v = TYPE[9]{0} parameter(2)
  %product = TYPE[3,17,5]{2,1,0} dot(%x, %y), lhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_batch_dims={0}, rhs_contracting_dims={1}
  %applied = TYPE[3,17]{1,0} dot(%x, %v), lhs_contracting_dims={2}, rhs_contracting_dims={0}
  ROOT %results = (TYPE[3,17,5]{2,1,0}, TYPE[3,17]{1,0}) tuple(%product, %applied)
}
)",
             4);
}

TEST(EmitComplex, MovesSelectsAndScatters) {
  check_both(R"(HloModule moves

%add (a: TYPE[], b: TYPE[]) -> TYPE[] {
  %a = TYPE[] parameter(0)
  %b = TYPE[] parameter(1)
  ROOT %sum = TYPE[] add(%a, %b)
}

ENTRY %main (x: TYPE[5,7], y: TYPE[5,7], p: pred[5,7], r: PART[7,5], i: s32[3], u: TYPE[3,7]) -> (TYPE[7,5], TYPE[5,7], TYPE[6,9], TYPE[3,7], TYPE[5,7], PART[5,7], pred[5,7]) {
  %x = TYPE[5,7]{1,0} parameter(0)
  %y = TYPE[5,7]{1,0} parameter(1)
  %p = pred[5,7]{1,0} parameter(2)
  %r = PART[7,5]{1,0} parameter(3)
  %i = s32[3]{0} parameter(4)
  %u = TYPE[3,7]{1,0} parameter(5)
  %t = TYPE[7,5]{1,0} transpose(%x), dimensions={1,0}
  %rc = TYPE[7,5]{1,0} convert(%r)
  %sum = TYPE[7,5]{1,0} add(%t, %rc)
  %chosen = TYPE[5,7]{1,0} select(%p, %x, %y)
  %back = TYPE[5,7]{1,0} reverse(%chosen), dimensions={0,1}
  %zero = TYPE[] constant((0.5, -2))
  %padded = TYPE[6,9]{1,0} pad(%x, %zero), padding=1_0x0_2
  %rows = TYPE[3,7]{1,0} gather(%x, %i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,7}
  %scattered = TYPE[5,7]{1,0} scatter(%y, %i, %u), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=%add
  %real = PART[5,7]{1,0} real(%x)
  %imag = PART[5,7]{1,0} imag(%y)
  %mixed = PART[5,7]{1,0} multiply(%real, %imag)
  %same = pred[5,7]{1,0} compare(%x, %y), direction=NE
  ROOT %results = (TYPE[7,5]{1,0}, TYPE[5,7]{1,0}, TYPE[6,9]{1,0}, TYPE[3,7]{1,0}, TYPE[5,7]{1,0}, PART[5,7]{1,0}, pred[5,7]{1,0}) tuple(%sum, %back, %padded, %rows, %scattered, %mixed, %same)
}
)");
}

TEST(EmitComplex, IteratesInALoop) {
  check_both(R"(HloModule loop

%body (s: (s32[], TYPE[])) -> (s32[], TYPE[]) {
  %s = (s32[], TYPE[]) parameter(0)
  %k = s32[] get-tuple-element(%s), index=0
  %z = TYPE[] get-tuple-element(%s), index=1
  %one = s32[] constant(1)
  %next = s32[] add(%k, %one)
  %square = TYPE[] multiply(%z, %z)
  %c = TYPE[] constant((-0.5, 0.25))
  %moved = TYPE[] add(%square, %c)
  ROOT %t = (s32[], TYPE[]) tuple(%next, %moved)
}

%test (s: (s32[], TYPE[])) -> pred[] {
  %s = (s32[], TYPE[]) parameter(0)
  %k = s32[] get-tuple-element(%s), index=0
  %end = s32[] constant(20)
  ROOT %less = pred[] compare(%k, %end), direction=LT
}

ENTRY %main () -> TYPE[] {
  %zero = s32[] constant(0)
  %start = TYPE[] constant((0.1, 0.2))
  %t = (s32[], TYPE[]) tuple(%zero, %start)
  %w = (s32[], TYPE[]) while(%t), condition=%test, body=%body
  ROOT %z = TYPE[] get-tuple-element(%w), index=1
}
)",
             16);
}

}  // namespace
}  // namespace hilo::cpu
