// SPDX-License-Identifier: Apache-2.0
// The functions of GradBench's evals have the right values, and their gradients are those of finite differences.
#include "bench/gradbench/evals.h"

#include <gtest/gtest.h>

#include "tests/support/x64.h"

namespace hilo {
namespace {

using gradbench::Json;
using gradbench::read_json;

/// The output of a function for this input, as JSON.
Json output(const std::string& eval, const std::string& function, const std::string& input) {
  const gradbench::Prepared f = gradbench::function_of(eval, function)(read_json(input));
  return read_json(f.text(f.run()));
}

std::string input_with(const std::vector<double>& x, const std::string& name, const std::string& rest) {
  return "{\"" + name + "\":" + gradbench::json_tensor({{static_cast<int64_t>(x.size())}, x}) + rest + "}";
}

/// Expects that `gradient` is the slope of the last number of `primal` with respect to the field `name`.
void expect_slopes(const std::string& eval, const std::string& name, const std::string& rest) {
  const std::vector<double> x = {0.3, -0.4, 0.7, 0.2, 0.9, -0.5, 0.1, 0.6, -0.8};
  const std::vector<double> slopes = output(eval, "gradient", input_with(x, name, rest)).tensor.numbers;
  ASSERT_EQ(slopes.size(), x.size()) << eval;
  for (size_t i = 0; i < x.size(); ++i) {
    const auto moved = [&](double by) {
      std::vector<double> y = x;
      y[i] += by;
      return output(eval, "primal", input_with(y, name, rest)).tensor.numbers.back();
    };
    EXPECT_NEAR(slopes[i], (moved(1e-5) - moved(-1e-5)) / 2e-5, 1e-7) << eval << " " << i;
  }
}

TEST(GradBench, GradientsAreThoseOfFiniteDifferences) {
  const X64Scope x64;
  expect_slopes("det", "A", ",\"ell\":3");
  expect_slopes("lse", "x", "");
  expect_slopes("llsq", "x", ",\"n\":7");
  expect_slopes("ode", "x", ",\"s\":4");
}

TEST(GradBench, AFunctionOfANumberReadsItDirectly) {
  const X64Scope x64;
  EXPECT_EQ(output("hello", "square", "3").number(), 9);
  EXPECT_EQ(output("hello", "double", "3").number(), 6);
}

TEST(GradBench, ADeterminantByMinorsIsThatOfElimination) {
  const X64Scope x64;
  const Array a = random::normal(random::key(0), {6, 6}, float64);
  const double minors = gradbench::determinant(numpy::ravel(a)).item<double>();
  EXPECT_NEAR(minors, linalg::det(a).item<double>(), 1e-12);
}

TEST(GradBench, NewtonsDirectionLeadsFromTheMeanOfTheNearestPoints) {
  const X64Scope x64;
  const Json direction =
      output("kmeans", "dir", R"({"points":[[0,0],[2,0],[10,1],[10,3]],"centroids":[[0,0],[10,0]]})");
  EXPECT_EQ(direction.tensor.numbers, (std::vector<double>{-1, 0, 0, -2}));
}

TEST(GradBench, AllModesOfNestedDerivativesAgree) {
  const X64Scope x64;
  for (const char* modes : {"ff", "fr", "rf", "rr"}) {
    EXPECT_NEAR(output("particle", modes, R"({"w":0.0})").number(), 0.20719, 1e-4) << modes;
    for (double x : output("saddle", modes, R"({"start":[1.0,1.0]})").tensor.numbers) EXPECT_NEAR(x, 0, 1e-4) << modes;
  }
}

std::string problem(const std::string& eval, const std::string& function, const std::string& input) {
  try {
    output(eval, function, input);
    return "";
  } catch (const std::exception& error) {
    return error.what();
  }
}

TEST(GradBench, AnInputOfTheWrongKindIsNamed) {
  const X64Scope x64;
  EXPECT_EQ(problem("hello", "square", "[]"), "the value: got an array; expected a number");
  EXPECT_EQ(problem("hello", "square", "\"3\""), "the value: got a string; expected a number");
  EXPECT_EQ(problem("llsq", "primal", R"({"x":[1,2],"n":[3]})"), "n: got an array; expected a number");
  EXPECT_EQ(problem("llsq", "primal", R"({"n":3})"), "the value has no field x");
  EXPECT_EQ(problem("hello", "cube", "3"), "the eval hello has no function cube");
  EXPECT_EQ(problem("hellos", "square", "3"), "no eval is called hellos");
  for (const char* ragged : {"[[1,2],[3]]", "[[1],[2,3]]", "[[1,2,3],[4],[5,6]]", "[1,[2]]", "[[2],1]", "[\"a\",1]"}) {
    EXPECT_EQ(problem("lse", "primal", "{\"x\":" + std::string(ragged) + "}"),
              "x: got another array; expected a number or a rectangular array of numbers")
        << ragged;
  }
  for (const auto& [value, kind] : {std::pair("null", "null"), {"\"a\"", "a string"}, {"{}", "an object"}}) {
    EXPECT_EQ(problem("lse", "primal", "{\"x\":" + std::string(value) + "}"),
              "x: got " + std::string(kind) + "; expected a number or a rectangular array of numbers");
  }
}

TEST(GradBench, RowsOfABundlesJacobianAreTheirBlocks) {
  const X64Scope x64;
  const std::string input =
      R"({"n":2,"m":3,"p":12,"cam":[0.1,0.2,0.3,0.1,0.2,-5,1,0.01,0.02,0.01,0.02],"x":[0.5,0.6,0.7],)"
      R"("w":0.8,"feat":[0.1,0.2]})";
  const Json jacobian = output("ba", "jacobian", input), value = output("ba", "objective", input);
  const std::vector<double>& columns = jacobian.at("cols").tensor.numbers;
  EXPECT_EQ(columns[0], 0);
  EXPECT_EQ(columns[14], 11 * 2 + 3 * 3);
  EXPECT_EQ(jacobian.at("rows").tensor.numbers.back(), 15 * 24 + 12);
  EXPECT_DOUBLE_EQ(jacobian.at("vals").tensor.numbers.back(), -1.6);  // of 1 - w^2
  // The errors are proportional to the weight.
  EXPECT_NEAR(jacobian.at("vals").tensor.numbers[14] * 0.8, value.at("reproj_error").at("elements").tensor.numbers[0],
              1e-12);
}

}  // namespace
}  // namespace hilo
