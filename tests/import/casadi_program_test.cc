// SPDX-License-Identifier: Apache-2.0
#include "hilo/import/casadi_program.h"

#include <gtest/gtest.h>

#include "hilo/core.h"
#include "hilo/import/callable.h"

namespace hilo {
namespace {

LoadedValue value(std::string name, std::initializer_list<int64_t> dimensions) {
  return loaded_value(std::move(name), Shape::array(ElementType::kF64, dimensions));
}

Array vector_of(std::vector<double> values) {
  const int64_t size[] = {std::ssize(values)};
  return Array::from_literal(Literal::array<double>(size, values));
}

std::vector<double> numbers(const Array& array) {
  const Literal literal = array.to_literal();
  return {literal.data<double>().begin(), literal.data<double>().end()};
}

/// (A, x) -> (A x, A)
CasadiProgram product() {
  const FlatFunction f = [](std::span<const Array> x) { return std::vector<Array>{numpy::matmul(x[0], x[1]), x[0]}; };
  return or_throw(casadi_program("f", f, {value("args[0]['A']", {2, 3}), value("args[1]", {3})},
                                 {value("0", {2}), value("1", {2, 3})}));
}

TEST(CasadiProgram, ReadsAndWritesColumns) {
  const CasadiProgram f = product();
  ASSERT_EQ(f.function.arguments.size(), 2u);
  EXPECT_EQ(f.function.arguments[0].name, "args_0_A");
  EXPECT_EQ(f.function.results[1].name, "o1");
  EXPECT_EQ(f.function.arguments[0].entries[1], std::pair(int64_t{1}, int64_t{0}));
  const std::vector<Array> x = {vector_of({1, 2, 3, 4, 5, 6}), vector_of({1, 10, 100})};
  const std::vector<Array> y = f.run(x);
  EXPECT_EQ(numbers(y[0]), (std::vector<double>{531, 642}));
  EXPECT_EQ(numbers(y[1]), (std::vector<double>{1, 2, 3, 4, 5, 6}));
}

TEST(CasadiProgram, JacobianHasABlockForEachResultAndArgument) {
  const CasadiProgram jacobian = casadi_jacobian(product());
  ASSERT_EQ(jacobian.function.arguments.size(), 4u);
  EXPECT_EQ(jacobian.function.arguments[2].name, "out_o0");
  EXPECT_TRUE(jacobian.function.arguments[2].entries.empty());
  EXPECT_EQ(jacobian.avals.size(), 2u);
  ASSERT_EQ(jacobian.function.results.size(), 4u);
  const CasadiMatrix& by_matrix = jacobian.function.results[0];
  EXPECT_EQ(by_matrix.name, "jac_o0_args_0_A");
  EXPECT_EQ(by_matrix.rows, 2);
  EXPECT_EQ(by_matrix.columns, 6);
  using Entries = std::vector<std::pair<int64_t, int64_t>>;
  EXPECT_EQ(by_matrix.entries, (Entries{{0, 0}, {1, 1}, {0, 2}, {1, 3}, {0, 4}, {1, 5}}));
  EXPECT_TRUE(jacobian.function.results[3].entries.empty());  // A doesn't depend on x
  const std::vector<Array> x = {vector_of({1, 2, 3, 4, 5, 6}), vector_of({1, 10, 100})};
  const std::vector<Array> blocks = jacobian.run(x);
  EXPECT_EQ(numbers(blocks[0]), (std::vector<double>{1, 1, 10, 10, 100, 100}));
  EXPECT_EQ(numbers(blocks[1]), (std::vector<double>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(numbers(blocks[2]), (std::vector<double>(6, 1)));
  EXPECT_TRUE(numbers(blocks[3]).empty());
}

TEST(CasadiProgram, TakesMatricesOfDoubles) {
  const FlatFunction f = [](std::span<const Array> x) { return std::vector<Array>(x.begin(), x.end()); };
  const LoadedValue cube = value("x", {2, 2, 2}), single = loaded_value("x", Shape::scalar(ElementType::kF32));
  for (const LoadedValue& wrong : {cube, single})
    EXPECT_EQ(casadi_program("f", f, {wrong}, {wrong}).status().code(), StatusCode::kInvalidArgument);
}

TEST(CasadiProgram, NamesAreDistinctAndCasadis) {
  const FlatFunction f = [](std::span<const Array> x) { return std::vector<Array>(x.begin(), x.end()); };
  const std::vector<LoadedValue> values = {value("a.b", {}), value("a_b", {}), value("jac", {}), value("3", {})};
  const CasadiProgram program = or_throw(casadi_program("f", f, values, {}));
  std::vector<std::string> names;
  for (const CasadiMatrix& matrix : program.function.arguments) names.push_back(matrix.name);
  EXPECT_EQ(names, (std::vector<std::string>{"a_b", "i1", "i2", "i3"}));
}

}  // namespace
}  // namespace hilo
