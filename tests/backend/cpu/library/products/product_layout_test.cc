// SPDX-License-Identifier: Apache-2.0
// Products of any layout: random dots whose dimensions are in any order, between transposes, with the reference's
// result on every instruction set.
#include "hilo/backend/cpu/library/products/product_layout.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "tests/backend/cpu/engine_check.h"

namespace hilo::cpu {
namespace {

using Dimensions = std::vector<int64_t>;

ProductLayout layout(const hlo::DotAttributes& a, const Dimensions& left, const Dimensions& right,
                     const Dimensions& result, const engine::OperandView& view = {}) {
  const auto shape = [](const Dimensions& d) { return Shape::array(ElementType::kF32, d); };
  return layout_of(a, {shape(left), shape(right), shape(result)}, {engine::OperandView(), engine::OperandView(), view},
                   {});
}

hlo::DotAttributes contraction(Dimensions left, Dimensions right) {
  hlo::DotAttributes a;
  a.lhs_contracting_dimensions = std::move(left);
  a.rhs_contracting_dimensions = std::move(right);
  return a;
}

TEST(ProductLayout, ASlowDimensionOfRowsJoinsTheBatch) {
  const ProductLayout l = layout(contraction({1}, {0}), {2, 256, 64}, {256, 48}, {2, 64, 48});
  EXPECT_FALSE(l.left.is_copied || l.right.is_copied || l.result.is_copied);
  EXPECT_EQ(l.sizes.batch, 2);
  EXPECT_EQ(l.offset_of(l.left, 1), 256 * 64);
  EXPECT_EQ(l.offset_of(l.right, 1), 0);
  EXPECT_EQ(l.offset_of(l.result, 1), 64 * 48);
}

TEST(ProductLayout, ContractedDimensionsMayBeInAnyOrder) {
  const ProductLayout l = layout(contraction({1, 2}, {1, 0}), {100, 7, 9}, {9, 7, 50}, {100, 50});
  EXPECT_TRUE(l.right.is_copied);  // the smaller operand
  EXPECT_FALSE(l.left.is_copied || l.result.is_copied);
  const ProductLayout same = layout(contraction({2, 1}, {1, 0}), {100, 7, 9}, {7, 9, 50}, {100, 50});
  EXPECT_FALSE(same.left.is_copied || same.right.is_copied || same.result.is_copied);
}

TEST(ProductLayout, ATransposedResultExchangesTheOperands) {
  const ProductLayout l = layout(contraction({1}, {0}), {70, 90}, {90, 80}, {70, 80}, {0, {1, 70}});
  EXPECT_TRUE(l.is_exchanged);
  EXPECT_FALSE(l.left.is_copied || l.right.is_copied || l.result.is_copied);
  EXPECT_EQ(l.sizes.m, 80);
}

TEST(ProductLayout, TermsThatKeepTheirOrderAreCopied) {
  const auto shape = [](const Dimensions& d) { return Shape::array(ElementType::kC64, d); };
  const ProductLayout l =
      layout_of(contraction({2, 1}, {1, 0}), {shape({100, 7, 9}), shape({7, 9, 50}), shape({100, 50})}, {},
                {.keeps_order = true});
  EXPECT_TRUE(l.left.is_copied);
}

std::string list(const Dimensions& d) { return fmt::format("{}", fmt::join(d, ",")); }

/// A random order of dimensions, and the transpose that restores theirs.
struct Order {
  Dimensions order;

  Order(size_t rank, std::mt19937& random) : order(rank) {
    std::iota(order.begin(), order.end(), 0);
    if (random() % 4 != 0) std::ranges::shuffle(order, random);
  }
  Dimensions place(const Dimensions& extents) const {
    Dimensions placed;
    for (const int64_t d : order) placed.push_back(extents[d]);
    return placed;
  }
  /// Returns where each of `count` dimensions from `begin` on is.
  Dimensions at(size_t begin, size_t count) const {
    Dimensions places;
    for (size_t k = begin; k < begin + count; ++k)
      places.push_back(std::ranges::find(order, static_cast<int64_t>(k)) - order.begin());
    return places;
  }
};

/// A dot of operands whose dimensions are in any order. At times an operand is a slice of a larger one, the result is
/// transposed, and both are parts of further operations.
std::string random_dot(std::string_view type, std::string_view sums, std::mt19937& random) {
  constexpr int64_t kExtents[] = {1, 2, 2, 3, 4, 5, 8, 9, 16, 17, 40};
  constexpr int64_t kMost = 60'000;  // multiplications
  int64_t work = 1;
  const auto draw = [&](size_t most) {
    Dimensions extents;
    for (size_t k = random() % (most + 1); k > 0; --k) {
      const int64_t extent = kExtents[random() % std::size(kExtents)];
      extents.push_back(work * extent > kMost ? 1 : extent);
      work *= extents.back();
    }
    return extents;
  };
  const Dimensions batch = draw(2), rows = draw(3), columns = draw(3), contracted = draw(3);
  const auto joined = [](std::initializer_list<Dimensions> parts) {
    Dimensions all;
    for (const Dimensions& part : parts) all.insert(all.end(), part.begin(), part.end());
    return all;
  };
  const Dimensions left = joined({batch, contracted, rows}), right = joined({batch, contracted, columns});
  const Order a(left.size(), random), b(right.size(), random);
  const auto free_of = [&](const Order& o, const Dimensions& extents) {
    Dimensions free;
    for (const int64_t d : o.order) {
      if (d >= std::ssize(batch) + std::ssize(contracted)) free.push_back(extents[d]);
    }
    return free;
  };
  const Dimensions result = joined({batch, free_of(a, left), free_of(b, right)});
  const Order turned(result.size(), random);
  const auto operand = [&](std::string_view name, int number, const Dimensions& extents) {
    const bool is_slice = random() % 3 == 0 && !extents.empty();
    Dimensions whole = extents;
    if (is_slice) whole.back() += 3;
    std::string text = fmt::format(" {}0 = {}[{}] parameter({})\n", name, type, list(whole), number);
    if (!is_slice) return text + fmt::format(" {0} = {1}[{2}] copy({0}0)\n", name, type, list(extents));
    std::string ranges;
    for (size_t d = 0; d < extents.size(); ++d) {
      const int64_t begin = d + 1 == extents.size() ? 2 : 0;
      ranges += fmt::format("{}[{}:{}]", d == 0 ? "" : ", ", begin, begin + extents[d]);
    }
    return text + fmt::format(" {0} = {1}[{2}] slice({0}0), slice={{{3}}}\n", name, type, list(extents), ranges);
  };
  const size_t nb = batch.size(), nk = contracted.size();
  std::string text = "HloModule m\nENTRY main {\n" + operand("a", 0, a.place(left)) + operand("b", 1, b.place(right));
  text += fmt::format(
      " c = {}[{}] dot(a, b), lhs_batch_dims={{{}}}, lhs_contracting_dims={{{}}}, rhs_batch_dims={{{}}}, "
      "rhs_contracting_dims={{{}}}\n",
      sums, list(result), list(a.at(0, nb)), list(a.at(nb, nk)), list(b.at(0, nb)), list(b.at(nb, nk)));
  const std::string turn =
      fmt::format("{}[{}] transpose(c), dimensions={{{}}}\n", sums, list(turned.place(result)), list(turned.order));
  switch (random() % 3) {
    case 0: return text + " ROOT r = " + turn + "}\n";
    case 1:
      return text + " t = " + turn + fmt::format(" ROOT r = {}[{}] negate(t)\n}}\n", sums, list(turned.place(result)));
    default: return text + fmt::format(" ROOT r = {}[{}] copy(c)\n}}\n", sums, list(result));
  }
}

TEST(ProductLayout, RandomDotsHaveTheReferencesResult) {
  struct Types {
    std::string_view operands, result;
    double tolerance;
  };
  constexpr Types kTypes[] = {{"f32", "f32", 1e-4},    {"f64", "f64", 1e-10},  {"c64", "c64", 1e-4},
                              {"c128", "c128", 1e-10}, {"bf16", "bf16", 5e-2}, {"bf16", "f32", 1e-3},
                              {"f16", "f16", 1e-2},    {"s8", "s32", 0},       {"u8", "s32", 0},
                              {"s32", "s32", 0},       {"s64", "s64", 0},      {"s16", "s32", 0}};
  std::mt19937 random(3);
  for (int i = 0; i < 30; ++i) {
    for (const Types& t : kTypes) check_text(random_dot(t.operands, t.result, random), t.tolerance);
  }
}

/// An infinity and a NaN reach the results of their row alone, wherever the product reads them.
TEST(ProductLayout, CopiedOperandsKeepSpecialValues) {
  const StatusOr<hlo::Module> module = hlo::parse_module(
      "HloModule m\nENTRY main {\n a = f32[5,33,7,3] parameter(0)\n b = f32[3,17,33] parameter(1)\n"
      " c = f32[5,7,17] dot(a, b), lhs_contracting_dims={1,3}, rhs_contracting_dims={2,0}\n"
      " ROOT t = f32[7,17,5] transpose(c), dimensions={1,2,0}\n}\n");
  ASSERT_TRUE(module.ok()) << module.status().to_string();
  for (const float special : {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN(), -0.0f}) {
    std::vector<Literal> arguments = samples(*module);
    arguments[0].data<float>()[1234] = special;
    check(*module, arguments, 1e-4);
  }
}

}  // namespace
}  // namespace hilo::cpu
