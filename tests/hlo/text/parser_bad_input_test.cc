// SPDX-License-Identifier: Apache-2.0
// Errors for invalid text: code, position and text of every message.
#include <gtest/gtest.h>

#include "hilo/hlo/text/parser.h"

namespace hilo::hlo {
namespace {

std::string error_of(const std::string& text, int max_nesting = 256) {
  const StatusOr<Module> module = parse_module(text, {.source = "m.hlo", .max_nesting = max_nesting});
  return module.ok() ? "parsed" : module.status().to_string();
}

/// The error of an entry computation with these lines. The first is line 3.
std::string error_in(const std::string& lines) { return error_of("HloModule m\nENTRY main {\n" + lines + "}\n"); }

TEST(BadInput, NoModule) {
  EXPECT_EQ(error_of(""), "INVALID_ARGUMENT: m.hlo:1:1: the module has no computations");
  EXPECT_EQ(error_of("ENTRY main {}"), "INVALID_ARGUMENT: m.hlo:1:7: computation 'main' has no instructions");
  EXPECT_EQ(error_of("HloModule m\n"), "INVALID_ARGUMENT: m.hlo:2:1: the module has no computations");
  EXPECT_EQ(error_of("all kinds of text"),
            "INVALID_ARGUMENT: m.hlo:1:5: expected '{' before the body of computation 'all'; got 'kinds'");
}

TEST(BadInput, TwoEntries) {
  EXPECT_EQ(error_of("HloModule m\nENTRY f {\n  x = f32[] parameter(0)\n}\nENTRY g {\n  x = f32[] parameter(0)\n}\n"),
            "INVALID_ARGUMENT: m.hlo:5:1: second ENTRY; the first is '%f' at m.hlo:2:7");
}

TEST(BadInput, TwoRoots) {
  EXPECT_EQ(error_in("  ROOT x = f32[] parameter(0)\n  ROOT y = f32[] negate(x)\n"),
            "INVALID_ARGUMENT: m.hlo:4:3: second ROOT in computation 'main'; the first is '%x' at m.hlo:3:3");
}

TEST(BadInput, DuplicateNames) {
  EXPECT_EQ(error_in("  x = f32[] parameter(0)\n  %x = f32[] negate(x)\n"),
            "INVALID_ARGUMENT: m.hlo:4:3: '%x' already defined at m.hlo:3:3");
  EXPECT_EQ(error_of("HloModule m\nf {\n  x = f32[] parameter(0)\n}\nf {\n  x = f32[] parameter(0)\n}\n"),
            "INVALID_ARGUMENT: m.hlo:5:1: computation '%f' already defined at m.hlo:2:1");
}

TEST(BadInput, TrailingGarbage) {
  EXPECT_EQ(error_of("HloModule m\nENTRY f {\n  x = f32[] parameter(0)\n}\n}\n"),
            "INVALID_ARGUMENT: m.hlo:5:1: expected a computation or the end of the text; got '}'");
}

TEST(BadInput, EmptyComputation) {
  EXPECT_EQ(error_of("HloModule m\nENTRY f {\n}\n"),
            "INVALID_ARGUMENT: m.hlo:2:7: computation 'f' has no instructions");
}

TEST(BadInput, UnknownOperand) {
  EXPECT_EQ(error_in("  node = f32[] parameter(0)\n  sum = f32[] add(node, %nope)\n"),
            "NOT_FOUND: m.hlo:4:25: add 'sum': operand '%nope' is not defined. Hint: did you mean '%node'?");
}

TEST(BadInput, OperandUsedBeforeItsDefinition) {
  EXPECT_EQ(error_in("  a = f32[] negate(b)\n  b = f32[] parameter(0)\n"),
            "NOT_FOUND: m.hlo:3:20: negate 'a': operand '%b' is used before its definition at m.hlo:4:3");
}

TEST(BadInput, CycleOfInstructions) {
  EXPECT_EQ(error_in("  a = f32[] negate(b)\n  b = f32[] negate(a)\n"),
            "FAILED_PRECONDITION: m.hlo:3:20: cycle: a -> b -> a");
  EXPECT_EQ(error_in("  a = f32[] negate(a)\n"), "FAILED_PRECONDITION: m.hlo:3:20: cycle: a -> a");
}

TEST(BadInput, UnknownComputation) {
  EXPECT_EQ(error_of("HloModule m\nnode {\n  x = f32[] parameter(0)\n}\nENTRY main {\n  x = f32[] parameter(0)\n"
                     "  cs = f32[] call(x), to_apply=%nope\n}\n"),
            "NOT_FOUND: m.hlo:7:32: call 'cs': computation '%nope' is not defined. Hint: did you mean '%node'?");
}

TEST(BadInput, RecursiveCalls) {
  EXPECT_EQ(error_of("HloModule m\nf {\n  x = f32[] parameter(0)\n  y = f32[] call(x), to_apply=g\n}\n"
                     "g {\n  x = f32[] parameter(0)\n  y = f32[] call(x), to_apply=f\n}\n"
                     "ENTRY main {\n  x = f32[] parameter(0)\n  y = f32[] call(x), to_apply=f\n}\n"),
            "FAILED_PRECONDITION: m.hlo:2:1: cycle: f -> g -> f");
}

TEST(BadInput, UnknownOpcode) {
  EXPECT_EQ(error_in("  x = f32[] parameter(0)\n  y = f32[] negat(x)\n"),
            "UNIMPLEMENTED: m.hlo:4:13: unknown opcode 'negat'. Hint: did you mean 'negate'?");
}

TEST(BadInput, UnknownElementType) {
  EXPECT_EQ(error_in("  x = f23[] parameter(0)\n"),
            "INVALID_ARGUMENT: m.hlo:3:7: unknown element type 'f23'. Hint: did you mean 'f32'?");
}

TEST(BadInput, Attributes) {
  const std::string x = "  x = f32[2] parameter(0)\n";
  EXPECT_EQ(error_in(x + "  y = f32[2] reverse(x), dimensons={0}\n"),
            "UNIMPLEMENTED: m.hlo:4:26: reverse has no attribute 'dimensons'. Hint: did you mean 'dimensions'?");
  EXPECT_EQ(error_in(x + "  y = f32[2] reverse(x), dimensions={0}, dimensions={0}\n"),
            "INVALID_ARGUMENT: m.hlo:4:42: attribute 'dimensions' appears twice");
  EXPECT_EQ(error_in(x + "  y = f32[] get-tuple-element(x)\n"),
            "INVALID_ARGUMENT: m.hlo:4:3: get-tuple-element 'y': attribute 'index' is missing");
  EXPECT_EQ(error_in(x + "  y = pred[2] compare(x, x), direction=GG\n"),
            "INVALID_ARGUMENT: m.hlo:4:40: 'GG' is not a value of direction; known: EQ, NE, GE, GT, LE, LT");
  EXPECT_EQ(error_in(x + "  y = pred[2] compare(x, x), direction=LT, order=FULL\n"),
            "INVALID_ARGUMENT: m.hlo:4:50: 'FULL' is not an order; known: PARTIAL, TOTAL");
  for (const char* both : {"type=FLOAT, order=TOTAL", "order=TOTAL, type=FLOAT"}) {
    EXPECT_NE(error_in(x + "  y = pred[2] compare(x, x), direction=LT, " + both + "\n")
                  .find("compare has both 'type' and 'order'; wanted one of them"),
              std::string::npos);
  }
  EXPECT_EQ(error_in(x + "  y = f32[2] slice(x), slice={[0:2:]}\n"),
            "INVALID_ARGUMENT: m.hlo:4:36: expected slice stride (an integer); got ']'");
  EXPECT_EQ(error_in(x + "  y = f32[2] reverse(x), dimensions={9999999999999999999}\n"),
            "INVALID_ARGUMENT: m.hlo:4:38: dimensions '9999999999999999999' does not fit int64");
  EXPECT_EQ(
      error_in(x + "  y = f32[2] pad(x, x), padding=1_2_3_4\n"),
      "INVALID_ARGUMENT: m.hlo:4:33: padding: got 4 numbers for a dimension, wanted low_high or low_high_interior");
}

TEST(BadInput, ConditionalWithOneBranchOrBothForms) {
  const std::string f =
      "HloModule m\nf {\n  x = f32[] parameter(0)\n}\nENTRY main {\n  p = pred[] parameter(0)\n  x = f32[] "
      "parameter(1)\n";
  EXPECT_EQ(error_of(f + "  y = f32[] conditional(p, x, x), true_computation=f\n}\n"),
            "INVALID_ARGUMENT: m.hlo:8:3: conditional 'y': attribute 'false_computation' is missing");
  EXPECT_EQ(error_of(f + "  y = f32[] conditional(p, x, x), branch_computations={f, f}, true_computation=f\n}\n"),
            "INVALID_ARGUMENT: m.hlo:8:3: conditional 'y' has both branch_computations and true_computation");
}

TEST(BadInput, Dimensions) {
  EXPECT_EQ(error_in("  x = f32[99999999999999999999] parameter(0)\n"),
            "INVALID_ARGUMENT: m.hlo:3:11: dimension '99999999999999999999' does not fit int64");
  EXPECT_EQ(error_in("  x = f32[-1] parameter(0)\n"), "INVALID_ARGUMENT: m.hlo:3:11: negative dimension -1");
  std::string ones = "1";
  for (int i = 1; i < 1000; ++i) ones += ",1";
  EXPECT_EQ(error_in("  x = f32[" + ones + "] parameter(0)\n"), "INVALID_ARGUMENT: m.hlo:3:7: shape: rank 1000 > 64");
  EXPECT_EQ(error_in("  x = f32[2147483648,2147483648] parameter(0)\n"),
            "INVALID_ARGUMENT: m.hlo:3:7: shape: f32[2147483648,2147483648] needs more than 2^63-1 bytes");
  EXPECT_EQ(error_in("  x = f32[<=4] parameter(0)\n"),
            "UNIMPLEMENTED: parameter 'x' (m.hlo:3:3): parameter of bounded size, f32[4], is not implemented in this "
            "version");
}

TEST(BadInput, Layouts) {
  EXPECT_EQ(error_in("  x = f32[2,3]{0,0} parameter(0)\n"),
            "INVALID_ARGUMENT: m.hlo:3:15: layout [0,0] doesn't order the 2 dimensions of f32[2,3]");
  EXPECT_EQ(error_in("  x = f32[2,3]{1,0:T(8,128)Q(1)} parameter(0)\n"),
            "INVALID_ARGUMENT: m.hlo:3:28: expected '}' after a layout; got 'Q'");
}

TEST(BadInput, DeepNesting) {
  const std::string open(100000, '('), close(100000, ')');
  EXPECT_EQ(error_in("  x = " + open + "f32[]" + close + " parameter(0)\n"),
            "INVALID_ARGUMENT: m.hlo:3:263: nesting deeper than 256. Hint: max_nesting");
  const std::string braces(100000, '{'), ends(100000, '}');
  EXPECT_EQ(error_in("  x = f32[] parameter(0), sharding=" + braces + ends + "\n"),
            "INVALID_ARGUMENT: m.hlo:3:292: nesting deeper than 256. Hint: max_nesting");
}

TEST(BadInput, DeepNestingOfInstructionsAndComputations) {
  constexpr size_t kLevels = 20000;
  std::string operands, computations;
  for (size_t k = 0; k < kLevels; ++k) {
    operands += "f32[] negate(";
    computations += "f32[] call(x), to_apply={ x = f32[] parameter(0)\n y = ";
  }
  const std::string begin = "  x = f32[] parameter(0)\n  y = ", wanted = "nested deeper than 256";
  EXPECT_NE(error_in(begin + operands + "x" + std::string(kLevels, ')') + "\n").find(wanted), std::string::npos);
  EXPECT_NE(error_in(begin + computations).find(wanted), std::string::npos);
}

TEST(BadInput, NestingLimitCanBeRaised) {
  const std::string shape = std::string(300, '(') + "f32[]" + std::string(300, ')');
  EXPECT_EQ(error_of("HloModule m\nENTRY main {\n  x = " + shape + " parameter(0)\n}\n", 300), "parsed");
}

TEST(BadInput, ShapeRulesNameThePlace) {
  EXPECT_EQ(error_in("  x = f32[2,3] parameter(0)\n  y = f32[4,5] parameter(1)\n  ROOT d = f32[2,5] dot(x, y), "
                     "lhs_contracting_dims={1}, rhs_contracting_dims={0}\n")
                .substr(0, 38),
            "INVALID_ARGUMENT: dot 'd' (m.hlo:5:3):");
  EXPECT_EQ(error_in("  x = (f32[]) parameter(0)\n  a = f32[] get-tuple-element(x), index=7\n").substr(0, 52),
            "INVALID_ARGUMENT: get-tuple-element 'a' (m.hlo:4:3):");
  EXPECT_EQ(error_in("  x = f32[4,8] parameter(0)\n  r = f32[31] reshape(x)\n").substr(0, 42),
            "INVALID_ARGUMENT: reshape 'r' (m.hlo:4:3):");
}

TEST(BadInput, OperandShapeThatIsNotTheOperands) {
  EXPECT_EQ(error_in("  x = f32[2] parameter(0)\n  y = f32[2] negate(f32[3] %x)\n"),
            "INVALID_ARGUMENT: m.hlo:4:28: operand '%x' is f32[2], not f32[3]");
}

TEST(BadInput, HeadsThatDisagreeWithTheirBodies) {
  EXPECT_EQ(
      error_of("HloModule m\nENTRY main (x: f32[3]) -> f32[2] {\n  x = f32[2] parameter(0)\n}\n"),
      "INVALID_ARGUMENT: m.hlo:2:7: computation 'main': its header declares parameter 0 as f32[3], its body as f32[2]");
  EXPECT_EQ(error_of("HloModule m\nENTRY main () -> f32[2] {\n  x = f32[2] parameter(0)\n}\n"),
            "INVALID_ARGUMENT: m.hlo:2:7: computation 'main': its header lists 0 parameters, its body has 1");
  EXPECT_EQ(
      error_of("HloModule m\nENTRY main (x: f32[2]) -> f32[] {\n  x = f32[2] parameter(0)\n}\n"),
      "INVALID_ARGUMENT: m.hlo:2:7: computation 'main': its header declares the result as f32[], its root is f32[2]");
  EXPECT_EQ(error_of("HloModule m, entry_computation_layout={(f32[3]{0})->f32[2]{0}}\nENTRY main {\n  x = f32[2] "
                     "parameter(0)\n}\n"),
            "INVALID_ARGUMENT: m.hlo:1:1: entry_computation_layout doesn't fit the parameters and result of 'main'");
  EXPECT_EQ(
      error_of(
          "HloModule m, input_output_alias={ {}: (4, {}, may-alias) }\nENTRY main {\n  x = f32[2] parameter(0)\n}\n"),
      "INVALID_ARGUMENT: m.hlo:1:1: input_output_alias: 'main' has no parameter 4");
}

TEST(BadInput, ParameterNumbers) {
  EXPECT_EQ(error_in("  x = f32[] parameter(0)\n  y = f32[] parameter(0)\n"),
            "INVALID_ARGUMENT: m.hlo:2:7: computation 'main': parameter number 0 is used twice");
  EXPECT_EQ(error_in("  x = f32[] parameter(1)\n  y = f32[] negate(x)\n"),
            "INVALID_ARGUMENT: m.hlo:2:7: computation 'main': parameter number 0 is missing");
}

TEST(BadInput, Strings) {
  EXPECT_EQ(error_in("  x = f32[] parameter(0), metadata={op_name=\"unfinished}\n"),
            "INVALID_ARGUMENT: m.hlo:3:45: op_name: the string has no closing quote");
  EXPECT_EQ(error_of("HloModule m, buffer_donor={b\n"),
            "INVALID_ARGUMENT: m.hlo:1:27: buffer_donor: the value has no closing bracket");
}

std::string error_in_header(const std::string& attributes) {
  return error_of("HloModule m, " + attributes + "\nENTRY main {\n  x = f32[] parameter(0)\n}\n");
}

TEST(BadInput, AttributesOfAModuleThatXlaDoesntKnow) {
  EXPECT_EQ(
      error_in_header("replica_counts=2"),
      "INVALID_ARGUMENT: m.hlo:1:14: unknown attribute 'replica_counts' of a module; wanted one of "
      "input_output_alias, entry_computation_layout, alias_passthrough_params, "
      "allow_spmd_sharding_propagation_to_output, allow_spmd_sharding_propagation_to_parameters, buffer_donor, "
      "frontend_attributes, is_scheduled, num_partitions, origin_recovery_table, replica_count. Hint: did you mean "
      "'replica_count'?");
  EXPECT_EQ(error_in_header("is_scheduled=true, x={}").substr(0, 61),
            "INVALID_ARGUMENT: m.hlo:1:33: unknown attribute 'x' of a modu");
  EXPECT_EQ(error_in_header("is_scheduled=true, is_scheduled=true"),
            "INVALID_ARGUMENT: m.hlo:1:33: attribute 'is_scheduled' appears twice");
}

TEST(BadInput, ValuesOfAModulesAttributesThatXlaRefuses) {
  EXPECT_NE(error_in_header("is_scheduled=maybe").find("m.hlo:1:27"), std::string::npos);
  EXPECT_NE(error_in_header("replica_count=two").find("m.hlo:1:28"), std::string::npos);
  EXPECT_NE(error_in_header("frontend_attributes=a").find("expected '{' before frontend_attributes"),
            std::string::npos);
  EXPECT_NE(error_in_header("allow_spmd_sharding_propagation_to_output={true,3}").find("m.hlo:1:62"),
            std::string::npos);
  EXPECT_EQ(
      error_in_header("is_scheduled=false, replica_count=1, num_partitions=1, alias_passthrough_params=true, "
                      "buffer_donor={ (0, {}) }, allow_spmd_sharding_propagation_to_output=true, "
                      "allow_spmd_sharding_propagation_to_parameters={true,false}, frontend_attributes={a=\"b\"}, "
                      "origin_recovery_table={}"),
      "parsed");
}

TEST(BadInput, ControlPredecessorThatIsNotThere) {
  EXPECT_EQ(error_in("  x = f32[] parameter(0)\n  y = f32[] negate(x), control-predecessors={%z}\n"),
            "NOT_FOUND: m.hlo:4:3: control predecessor '%z' is not defined before.");
}

}  // namespace
}  // namespace hilo::hlo
