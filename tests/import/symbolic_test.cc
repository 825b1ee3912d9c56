// SPDX-License-Identifier: Apache-2.0
#include "hilo/import/symbolic.h"

#include <gtest/gtest.h>

namespace hilo {
namespace {

stablehlo::ExportedValue value(std::vector<std::string> sizes) {
  return {ElementType::kF32, false, std::move(sizes), "x"};
}
Shape shape(std::vector<int64_t> sizes) { return Shape::array(ElementType::kF32, sizes); }

TEST(Symbolic, SizesAreWhatJaxWrites) {
  const Symbols symbols = {{"a", 7}, {"b", 3}};
  const std::pair<const char*, int64_t> cases[] = {
      {"12", 12},         {"a", 7},          {"2*b + 1", 7},          {"a - 2*b", 1},    {"-1*b + 5", 2},
      {"a*b", 21},        {"b^3", 27},       {"floordiv(a, 2)", 3},   {"mod(a, b)", 1},  {"max(a, b + 10)", 13},
      {"min(a, 4*b)", 7}, {"2*(a + b)", 20}, {"floordiv(-7, 2)", -4}, {"mod(-7, 2)", 1}, {"- b + a", 4},
  };
  for (const auto& [text, wanted] : cases) {
    const StatusOr<int64_t> got = evaluate_size(text, symbols);
    ASSERT_TRUE(got.ok()) << text << ": " << got.status().to_string();
    EXPECT_EQ(*got, wanted) << text;
  }
}

TEST(Symbolic, OtherTextIsAnError) {
  const Symbols symbols = {{"a", INT64_MAX}};
  const std::string nested(100'000, '('), negated(100'000, '-');
  for (const std::string& text :
       {std::string(), std::string("+"), std::string("a a"), std::string("2*"), std::string("a)"),
        std::string("9999999999999999999"), std::string("a + 1"), std::string("a*a"), std::string("mod(a, 0)"),
        std::string("f(a, 1)"), std::string("max(a)"), nested, negated}) {
    EXPECT_EQ(evaluate_size(text, symbols).status().code(), StatusCode::kInvalidArgument) << text.substr(0, 20);
  }
  EXPECT_EQ(evaluate_size("c", symbols).status().code(), StatusCode::kNotFound);
}

TEST(Symbolic, SymbolsAreSolvedThroughSumsAndMultiples) {
  const auto symbols = solve_sizes({value({"2*a + b", "b"}), value({"a*c"})}, std::vector{shape({10, 4}), shape({15})});
  ASSERT_TRUE(symbols.ok()) << symbols.status().to_string();
  EXPECT_EQ(*symbols, (Symbols{{"a", 3}, {"b", 4}, {"c", 5}}));
}

TEST(Symbolic, ContradictionsNameTheSize) {
  const auto odd = solve_sizes({value({"2*a"})}, std::vector{shape({5})});
  EXPECT_EQ(odd.status().code(), StatusCode::kInvalidArgument);
  EXPECT_NE(odd.status().message().find("'x': dimension 0 is 5, wanted 2*a, which is 4 for a = 2 and 6 for 3"),
            std::string::npos)
      << odd.status().message();
  const auto both = solve_sizes({value({"a", "a"})}, std::vector{shape({5, 6})});
  EXPECT_EQ(both.status().code(), StatusCode::kInvalidArgument);
  EXPECT_NE(both.status().message().find("dimension 1 is 6, wanted a = 5"), std::string::npos)
      << both.status().message();
}

}  // namespace
}  // namespace hilo
