// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/library/products/product_choice.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace hilo::cpu {
namespace {

#define HILO_PRODUCT(m, n, k, right_along_k, ...) MeasuredProduct{{m, n, k, right_along_k}, __VA_ARGS__},
constexpr auto kMeasured = std::to_array<MeasuredProduct>({
#include "hilo/backend/cpu/library/products/product_choice.inc"
});
#undef HILO_PRODUCT

constexpr float kClearly = 1.02f;  // smaller differences are noise
/// OpenBLAS packs an operand again for each of many parts, which costs it more than this.
constexpr float kInParts = 0.95f;
constexpr int64_t kManyParts = 4;

double distance(const ProductShape& a, const ProductShape& b) {
  if (a.right_along_k != b.right_along_k) return INFINITY;
  const auto apart = [](int64_t x, int64_t y) {
    const double steps = std::log2(static_cast<double>(std::max<int64_t>(x, 1)) / static_cast<double>(y));
    return steps * steps;
  };
  return apart(a.m, b.m) + apart(a.n, b.n) + apart(a.k, b.k);
}

}  // namespace

const MeasuredProduct& nearest_product(const ProductShape& shape) {
  return *std::ranges::min_element(kMeasured, {}, [&](const MeasuredProduct& p) { return distance(shape, p.shape); });
}

OwnProduct own_product(Isa isa, bool is_f64, const ProductShape& shape, int64_t parts) {
  const FloatKernels* const all = float_kernels(isa);
  if (all == nullptr) return {};
  const MeasuredProduct& near = nearest_product(shape);
  const bool is_wide = isa == Isa::kAvx512;
  const float least = parts < kManyParts ? kClearly : kInParts;
  if (is_f64) return {&all->f64, (is_wide ? near.avx512_f64 : near.avx2_f64) > least};
  return {&all->f32, (is_wide ? near.avx512_f32 : near.avx2_f32) > least};
}

}  // namespace hilo::cpu
