// SPDX-License-Identifier: Apache-2.0
#include "hilo/stablehlo/text/reader.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "hilo/stablehlo/translate/translate.h"
#include "hilo/stablehlo/write/text_writer.h"
#include "tests/support/tables.h"

namespace hilo::stablehlo {
namespace {

ModuleTree tree_of(std::string_view text) {
  StatusOr<ModuleTree> tree = read_text(text, "t.mlir");
  EXPECT_TRUE(tree.ok()) << tree.status().to_string();
  return tree.ok() ? *std::move(tree) : ModuleTree();
}

std::string error_of_text(std::string_view text) {
  const StatusOr<ModuleTree> tree = read_text(text, "t.mlir");
  return tree.ok() ? "no error" : tree.status().to_string();
}

/// The tables next to this file: text, and the printed tree that is read from it, or the error.
class MlirTables : public testing::TestWithParam<tests::TableRow> {};

TEST_P(MlirTables, ReadAndPrint) {
  const StatusOr<ModuleTree> tree = read_text(GetParam().input, "t.mlir");
  tests::expect_output(GetParam(), tree.ok() ? print_tree(*tree) : tree.status().to_string());
}

INSTANTIATE_TEST_SUITE_P(Mlir, MlirTables, testing::ValuesIn(tests::table_rows("stablehlo/text")),
                         [](const auto& info) { return tests::name_of(info.param); });

/// The only operation called `name`.
const Operation& find_operation(const ModuleTree& tree, std::string_view name) {
  for (const Operation& operation : tree.operations) {
    if (operation.name == name) return operation;
  }
  ADD_FAILURE() << "no " << name;
  return tree.operations[0];
}

std::vector<int64_t> integers(const ModuleTree& tree, const Operation& operation, std::string_view name) {
  const Attribute* const attribute = tree.find(operation, name);
  EXPECT_NE(attribute, nullptr) << name;
  if (attribute == nullptr) return {};
  const StatusOr<std::vector<int64_t>> values = integers_of(tree, *attribute);
  EXPECT_TRUE(values.ok()) << values.status().to_string();
  return values.ok() ? *values : std::vector<int64_t>();
}

constexpr std::string_view kFunction =
    "func.func @f(%x: tensor<2x3xf32>, %i: tensor<1xi64>) -> tensor<2x3xf32> {{\n{}\n}}";
std::string in_function(std::string_view body) { return fmt::format(kFunction, body); }

TEST(TextReader, TypesAndArraysWrittenAlikeAreOne) {
  const ModuleTree tree = tree_of(R"(
    func.func @f(%x: tensor<2xcomplex<f32>>, %y: tensor<2xcomplex<f32>>, %z: tensor<2xcomplex<f64>>) {
      %0 = "op.a"() {p = [DEFAULT, HIGH], q = [[1], [1], [1, 2]], s = ["a]b", "c"], t = ["a]b", "d"]} : () -> tensor<2xf32>
      %1 = "op.b"() {p = [DEFAULT, HIGH], q = [[1], [1], [1, 2]], s = ["a]b", "c"], t = []} : () -> tensor<2xf32>
      return
    })");
  EXPECT_EQ(tree.values[0].type, tree.values[1].type);
  EXPECT_NE(tree.values[0].type, tree.values[2].type);
  EXPECT_EQ(tree.types[tree.values[2].type].element, ElementType::kC128);
  const Operation &a = find_operation(tree, "op.a"), &b = find_operation(tree, "op.b");
  EXPECT_EQ(tree.type_of(a.results.begin).spelled, "tensor<2xf32>");
  EXPECT_EQ(tree.values[a.results.begin].type, tree.values[b.results.begin].type);
  EXPECT_EQ(tree.find(a, "p"), tree.find(b, "p"));
  for (const Operation* operation : {&a, &b}) {
    const Attribute& lists = *tree.find(*operation, "q");
    ASSERT_EQ(lists.elements.size(), 3);
    EXPECT_EQ(lists.elements[0], lists.elements[1]);
    EXPECT_EQ(tree.attributes[lists.elements[2]].elements.size(), 2);
    const Attribute& strings = *tree.find(*operation, "s");
    ASSERT_EQ(strings.elements.size(), 2);
    EXPECT_EQ(tree.attributes[strings.elements[0]].text, "a]b");
    EXPECT_EQ(tree.attributes[strings.elements[1]].text, "c");
  }
  EXPECT_EQ(tree.attributes[tree.find(a, "t")->elements[1]].text, "d");
  EXPECT_TRUE(tree.find(b, "t")->elements.empty());
}

TEST(TextReader, FieldsOfDialectAttributesAreFoundByName) {
  const ModuleTree tree = tree_of(in_function(
      R"(%0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [1], start_index_map = [1]>, slice_sizes = array<i64: 2, 1>}> : (tensor<2x3xf32>, tensor<1xi64>) -> tensor<2xf32>
         return %x : tensor<2x3xf32>)"));
  const Operation& gather = find_operation(tree, "stablehlo.gather");
  EXPECT_EQ(integers(tree, gather, "offset_dims"), (std::vector<int64_t>{0}));
  EXPECT_EQ(integers(tree, gather, "slice_sizes"), (std::vector<int64_t>{2, 1}));
  EXPECT_EQ(tree.find(gather, "index_vector_dim"), nullptr);
}

TEST(TextReader, ConvolutionDimensionsAreCountedByRole) {
  const ModuleTree tree = tree_of(
      R"(func.func @f(%x: tensor<1x8x2xf32>, %k: tensor<3x2x4xf32>) -> tensor<1x6x4xf32> {
        %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [1], pad = [[0, 1]], reverse = [true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x2xf32>, tensor<3x2x4xf32>) -> tensor<1x6x4xf32>
        return %0 : tensor<1x6x4xf32>
      })");
  const Operation& convolution = find_operation(tree, "stablehlo.convolution");
  EXPECT_EQ(tree.find(convolution, "kernel_output_feature_dimension")->integer, 2);
  EXPECT_EQ(integers(tree, convolution, "input_spatial_dimensions"), (std::vector<int64_t>{1}));
  EXPECT_EQ(integers(tree, convolution, "padding"), (std::vector<int64_t>{0, 1}));
  EXPECT_EQ(integers(tree, convolution, "window_reversal"), (std::vector<int64_t>{1}));
}

TEST(TextReader, LocationsAreFollowedThroughAliasesWhereverTheyStand) {
  const ModuleTree tree = tree_of(
      "module @m {\n  func.func @f(%x: tensor<f32> loc(\"x\")) -> tensor<f32> {\n"
      "    %0 = stablehlo.sine %x : tensor<f32> loc(#loc2)\n    return %0 : tensor<f32> loc(unknown)\n  } loc(#loc)\n} "
      "loc(#loc)\n"
      "#loc = loc(unknown)\n#loc1 = loc(\"f.py\":7:3 to :9)\n#loc2 = loc(\"jit(f)/sin\"(callsite(#loc1 at #loc)))\n");
  const Location& location = tree.locations[find_operation(tree, "stablehlo.sine").location];
  EXPECT_EQ(location.name, "jit(f)/sin");
  EXPECT_EQ(location.file, "f.py");
  EXPECT_EQ(location.line, 7);
}

TEST(TextReader, AReduceThatAppliesAnOpHasItsLocationAndSoHasItsBody) {
  const ModuleTree tree = tree_of(in_function(
      R"(%0 = stablehlo.constant dense<0.0> : tensor<f32>
      %1 = stablehlo.reduce(%x init: %0) applies stablehlo.add across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32> loc("a.py":7:1)
      return %x : tensor<2x3xf32>)"));
  for (const std::string_view name : {"stablehlo.reduce", "stablehlo.add"}) {
    const Location& location = tree.locations[find_operation(tree, name).location];
    EXPECT_EQ(location.file, "a.py") << name;
    EXPECT_EQ(location.line, 7) << name;
  }
}

TEST(TextReader, ANameThatIsANumberIsTheNumberOnlyAsMlirWritesIt) {
  const ModuleTree tree =
      tree_of(in_function("%7 = stablehlo.abs %x : tensor<2x3xf32>\n%07 = stablehlo.negate %7 : tensor<2x3xf32>\n"
                          "%999999999 = stablehlo.sqrt %07 : tensor<2x3xf32>\nreturn %999999999 : tensor<2x3xf32>"));
  const Operation& negate = find_operation(tree, "stablehlo.negate");
  EXPECT_EQ(tree.operand(find_operation(tree, "stablehlo.sqrt"), 0), tree.result(negate, 0));
  EXPECT_EQ(
      error_of_text(in_function("%7 = stablehlo.abs %x : tensor<2x3xf32>\n%7 = stablehlo.abs %x : tensor<2x3xf32>")),
      "INVALID_ARGUMENT: t.mlir:3:1: %7 is defined twice");
}

TEST(TextReader, TypeAndAttributeAliasesStandForTheirMeaning) {
  const ModuleTree tree = tree_of(
      "!t = tensor<2xf32>\n#dims = array<i64: 0>\n"
      "func.func @f(%x: !t) -> !t {\n  %0 = \"stablehlo.reverse\"(%x) {dimensions = #dims} : (!t) -> !t\n  return %0 : "
      "!t\n}");
  const Operation& reverse = find_operation(tree, "stablehlo.reverse");
  EXPECT_EQ(integers(tree, reverse, "dimensions"), (std::vector<int64_t>{0}));
  EXPECT_EQ(tree.type_of(tree.result(reverse, 0)).dimensions, (std::vector<int64_t>{2}));
}

TEST(TextReader, ResourcesComeFromTheEndOfTheFile) {
  const ModuleTree tree = tree_of(
      "func.func @f() -> tensor<2xi32> {\n  %0 = stablehlo.constant dense_resource<big> : tensor<2xi32>\n"
      "  return %0 : tensor<2xi32>\n}\n{-#\n  dialect_resources: {\n    builtin: {\n"
      "      big: \"0x040000000100000002000000\"\n    }\n  }\n#-}\n");
  const Attribute* const value = tree.find(find_operation(tree, "stablehlo.constant"), "value");
  ASSERT_TRUE(value != nullptr && value->literal);
  EXPECT_EQ(value->literal->to_string(), "s32[2] {1, 2}");
  EXPECT_NE(error_of_text("func.func @f() {\n  %0 = stablehlo.constant dense_resource<x> : tensor<2xi32>\n  return\n}")
                .find("t.mlir:2:42: resource 'x' doesn't exist"),
            std::string::npos);
}

TEST(TextReader, ASplatIsOneElementWhateverItsType) {
  const ModuleTree tree = tree_of(
      "func.func @f() -> tensor<1000000x1000000xf32> {\n  %0 = stablehlo.constant dense<1.5> : "
      "tensor<1000000x1000000xf32>\n"
      "  return %0 : tensor<1000000x1000000xf32>\n}");
  EXPECT_EQ(tree.find(find_operation(tree, "stablehlo.constant"), "value")->literal->to_string(), "f32[] 1.5");
}

TEST(TextReader, ErrorsNameLineAndColumn) {
  EXPECT_EQ(error_of_text(in_function("  %0 = stablehlo.add %x, %y : tensor<2x3xf32>")),
            "NOT_FOUND: t.mlir:2:26: %y is not defined before its use");
  EXPECT_EQ(error_of_text(in_function("  %x = stablehlo.add %x, %x : tensor<2x3xf32>")),
            "INVALID_ARGUMENT: t.mlir:2:3: %x is defined twice");
  EXPECT_EQ(error_of_text(in_function("  %0 = math.fma %x, %x : tensor<2x3xf32>")),
            "UNIMPLEMENTED: t.mlir:2:8: the pretty form of 'math.fma'. Hint: print the program in MLIR's generic form");
  EXPECT_EQ(error_of_text("func.func @f() {\n  %0 = stablehlo.constant dense<[1, 2]> : tensor<3xi32>\n}"),
            "INVALID_ARGUMENT: t.mlir:2:37: dimension 0 has 2 elements here; tensor<3xi32> has 3");
  EXPECT_EQ(error_of_text("func.func @f() {\n  %0 = stablehlo.constant dense<300> : tensor<ui8>\n}"),
            "INVALID_ARGUMENT: t.mlir:2:33: '300' does not fit u8");
  EXPECT_EQ(error_of_text("func.func @f() {"),
            "INVALID_ARGUMENT: t.mlir:1:17: expected '}' after a region; got the end");
}

TEST(TextReader, DeepNestingIsRefused) {
  std::string regions, types, attributes(10000, '[');
  for (int i = 0; i < 100000; ++i) regions += "\"a.b\"() ({ ";
  for (int i = 0; i < 100000; ++i) types += "tuple<";
  EXPECT_NE(error_of_text(regions).find("regions nested deeper than 256"), std::string::npos);
  EXPECT_NE(error_of_text("func.func @f(%x: " + types).find("deeper than 256"), std::string::npos);
  EXPECT_NE(error_of_text("module attributes {a = " + attributes).find("deeper than 256"), std::string::npos);
  EXPECT_NE(error_of_text("#a = #a\nmodule attributes {b = #a} {}").find("deeper than 256"), std::string::npos);
}

TEST(TextReader, PartsOfAFileAreDividedAtDashes) {
  const std::string text = "a\n// -----\nb\n  // -----\nc";
  const auto parts = split_text(text);
  ASSERT_EQ(parts.size(), 2U);  // The second line of dashes is not at the beginning of a line.
  EXPECT_EQ(text.substr(parts[0].first, parts[0].second - parts[0].first), "a\n");
}

}  // namespace
}  // namespace hilo::stablehlo
