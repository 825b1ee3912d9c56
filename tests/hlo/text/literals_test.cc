// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstring>

#include "hilo/hlo/ops/reshape.h"
#include "hilo/hlo/text/parser.h"
#include "hilo/hlo/text/printer.h"

namespace hilo::hlo {
namespace {

StatusOr<Module> constant_module(const std::string& shape, const std::string& value) {
  return parse_module("HloModule m\nENTRY main {\n  ROOT c = " + shape + " constant(" + value + ")\n}\n",
                      {.source = "m.hlo"});
}

/// The printed text of `value` after parsing.
std::string printed(const std::string& shape, const std::string& value) {
  const StatusOr<Module> module = constant_module(shape, value);
  if (!module.ok()) return module.status().to_string();
  const std::string text = print_instruction(*module->entry, module->entry->root(), {.layouts = false});
  const size_t begin = text.find("constant(") + 9;
  return text.substr(begin, text.size() - begin - 1);
}

template <typename T>
T bits_of(const std::string& shape, const std::string& value) {
  const StatusOr<Module> module = constant_module(shape, value);
  if (!module.ok()) {
    ADD_FAILURE() << module.status().to_string();
    return T{};
  }
  T bits{};
  std::memcpy(&bits, attributes_of<ConstantAttributes>(module->entry->root()).value.bytes().data(), sizeof(T));
  return bits;
}

void expect_same(const std::string& shape, const std::string& value) {
  EXPECT_EQ(printed(shape, value), value) << shape;
}

TEST(Constants, IntegersOfEveryWidth) {
  expect_same("s8[2]", "{-128, 127}");
  expect_same("s16[2]", "{-32768, 32767}");
  expect_same("s32[2]", "{-2147483648, 2147483647}");
  expect_same("s64[2]", "{-9223372036854775808, 9223372036854775807}");
  expect_same("u8[2]", "{0, 255}");
  expect_same("u64[]", "18446744073709551615");
  expect_same("s4[2]", "{-8, 7}");
  expect_same("u4[2]", "{0, 15}");
  expect_same("s2[2]", "{-2, 1}");
  expect_same("u2[2]", "{0, 3}");
}

TEST(Constants, Predicates) {
  expect_same("pred[2]", "{true, false}");
  EXPECT_EQ(printed("pred[2]", "{1, 0}"), "{true, false}");
}

TEST(Constants, Floats) {
  expect_same("f32[6]", "{1, -0, 0.1, 1e-45, inf, -inf}");
  expect_same("f64[3]", "{0.1, 5e-324, 1.7976931348623157e+308}");
  expect_same("f16[3]", "{65504, 5.9604645e-08, 1}");
  expect_same("bf16[2]", "{1, -3.390625}");
}

TEST(Constants, SmallestNumbersRoundToZeroAndKeepTheirSign) {
  EXPECT_EQ(printed("f32[2]", "{1e-60, -1e-400}"), "{0, -0}");
  EXPECT_EQ(printed("f16[]", "1e-30"), "0");
}

TEST(Constants, SixteenBitFloatsRoundOnce) {
  // Just above the tie between 1 and 1 + 2^-7. Rounding to float first would give the tie, which rounds to even.
  EXPECT_EQ(printed("bf16[]", "1.00390625000000000001"), "1");
  EXPECT_EQ(printed("bf16[]", "1.0039062500001"), "1.0078125");
}

TEST(Constants, NotANumberKeepsSignAndPayload) {
  expect_same("f32[4]", "{nan, -nan, nan(0x1), -nan(0x7fffff)}");
  expect_same("f64[2]", "{nan, nan(0x8000000000001)}");
  expect_same("f16[2]", "{nan, -nan(0x3ff)}");
  EXPECT_EQ(bits_of<uint32_t>("f32[]", "nan"), 0x7fc00000u);
  EXPECT_EQ(bits_of<uint32_t>("f32[]", "-nan(0x1)"), 0xff800001u);
}

TEST(Constants, EightBitFloats) {
  expect_same("f8e5m2[5]", "{1, -0, 57344, inf, nan}");
  expect_same("f8e4m3fn[4]", "{448, -448, nan, 0.001953125}");
  expect_same("f8e4m3[3]", "{240, inf, -nan}");
  expect_same("f8e3m4[2]", "{15.5, -inf}");
  expect_same("f8e4m3b11fnuz[2]", "{30, nan}");
  expect_same("f8e5m2fnuz[2]", "{57344, nan}");
  expect_same("f8e4m3fnuz[2]", "{240, nan}");
  expect_same("f8e8m0fnu[3]", "{1, 1.7014118346046923e+38, nan}");
  expect_same("f4e2m1fn[3]", "{6, -0.5, 0}");
  EXPECT_EQ(bits_of<uint8_t>("f8e5m2[]", "nan(0x1)"), 0x7du);
}

TEST(Constants, ComplexNumbers) {
  expect_same("c64[2]", "{(1, -2), (nan, inf)}");
  expect_same("c128[]", "(0.1, 0)");
  EXPECT_EQ(printed("c64[]", "3"), "(3, 0)");
}

TEST(Constants, NestedBracesAndComments) {
  EXPECT_EQ(printed("s32[2,2,1]", "{ { /*i0=0*/ {1}, {2} }, { {3}, {4} } }"), "{{{1}, {2}}, {{3}, {4}}}");
}

TEST(Constants, WithoutElements) {
  expect_same("f32[0]", "{}");
  expect_same("s32[2,0,1]", "{{}, {}}");
  EXPECT_EQ(printed("f32[2,0]", "{}"), "{{}, {}}");
  EXPECT_EQ(printed("f32[1099511627776,0]", "{}"), "{...}");
  expect_same("f32[1099511627776,0]", "{...}");
}

TEST(Constants, Tuples) { expect_same("(f32[], (s32[2], pred[]), ())", "(1, ({2, 3}, true), ())"); }

TEST(Constants, LargeOnesCanBeLeftOut) {
  const StatusOr<Module> module = constant_module("f32[3]", "{1, 2, 3}");
  ASSERT_TRUE(module.ok());
  EXPECT_EQ(print_instruction(*module->entry, module->entry->root(), {.max_constant_elements = 2}),
            "%c = f32[3]{0} constant({...})");
  EXPECT_EQ(printed("f32[3]", "{...}"), "{0, 0, 0}");
}

TEST(Constants, CountMismatchIsFoundBeforeAnythingIsAllocated) {
  EXPECT_EQ(printed("f32[1099511627776]", "{1}"),
            "INVALID_ARGUMENT: m.hlo:3:40: constant 'c': got 1 value; f32[1099511627776] needs 1099511627776");
  EXPECT_EQ(printed("f32[1099511627776]", "{1, ...}"),
            "RESOURCE_EXHAUSTED: m.hlo:3:40: constant 'c': got 1 values, the others of f32[1099511627776] omitted; "
            "wanted 1048576 elements at most");
  EXPECT_EQ(printed("f32[2,2]", "{{1, 2}, {3}}"),
            "INVALID_ARGUMENT: m.hlo:3:30: constant 'c': got 3 values; f32[2,2] needs 4");
}

TEST(Constants, ShortTextsOfLargeOnesTakeNoMemory) {
  for (const char* value : {"{...}", "1"}) {
    const StatusOr<Module> module = constant_module("f32[1099511627776]", value);
    ASSERT_TRUE(module.ok()) << module.status().to_string();
    EXPECT_NE(module->entry->root().opcode, Opcode::kConstant);
  }
}

TEST(Constants, WrongNestingIsRefused) {
  EXPECT_EQ(printed("f32[2,2]", "{{1, 2, 3}, {4}}"),
            "INVALID_ARGUMENT: m.hlo:3:38: expected '}' after dimension 1 of f32[2,2]; got '3'");
  EXPECT_EQ(printed("f32[2]", "{1, {2}}"), "INVALID_ARGUMENT: m.hlo:3:32: expected a value; got '{'");
}

TEST(Constants, ValuesOutOfRangeAreRefused) {
  EXPECT_EQ(printed("s8[]", "128"), "INVALID_ARGUMENT: m.hlo:3:26: '128' is not a value of s8, or out of its range");
  EXPECT_EQ(printed("s4[]", "8"), "INVALID_ARGUMENT: m.hlo:3:26: '8' is not a value of s4, or out of its range");
  EXPECT_EQ(printed("u32[]", "-1"), "INVALID_ARGUMENT: m.hlo:3:27: '-1' is not a value of u32, or out of its range");
  EXPECT_EQ(printed("f32[]", "1e39"),
            "INVALID_ARGUMENT: m.hlo:3:27: '1e39' is not a value of f32, or out of its range");
  EXPECT_EQ(printed("f16[]", "70000"),
            "INVALID_ARGUMENT: m.hlo:3:27: '70000' is not a value of f16, or out of its range");
  EXPECT_EQ(printed("pred[]", "1.5"),
            "INVALID_ARGUMENT: m.hlo:3:28: '1.5' is not a value of pred, or out of its range");
  EXPECT_EQ(printed("s32[]", "1.5"), "INVALID_ARGUMENT: m.hlo:3:27: '1.5' is not a value of s32, or out of its range");
  EXPECT_EQ(printed("f4e2m1fn[]", "nan"),
            "INVALID_ARGUMENT: m.hlo:3:32: 'nan' is not a value of f4e2m1fn, or out of its range");
}

}  // namespace
}  // namespace hilo::hlo
