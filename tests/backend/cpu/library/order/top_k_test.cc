// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "hilo/hlo/ops/top_k.h"

#include "tests/backend/cpu/engine_check.h"

namespace hilo::cpu {
namespace {

hlo::Module top_k_of(const Shape& x, int64_t k, bool largest) {
  Builder b("main");
  const auto parameter = b.parameter(x);
  const auto root = must(b.add(Opcode::kTopK, {parameter}, with<hlo::TopKAttributes>([&](auto& a) {
                                 a.k = k;
                                 a.largest = largest;
                               })));
  return module_of(std::move(b), root, "topk " + std::to_string(k) + " of " + x.to_string());
}

TEST(TopK, FindsTheBestOfAnyNumberOfBlocks) {
  for (ElementType type : {ElementType::kF32, ElementType::kF64, ElementType::kBf16, ElementType::kS8,
                           ElementType::kU16, ElementType::kS64, ElementType::kU64}) {
    for (int64_t length : {1, 63, 64, 65, 130, 1000}) {
      for (int64_t k : {int64_t{1}, int64_t{2}, int64_t{5}, int64_t{16}, int64_t{17}, length / 2, length}) {
        if (k > length) continue;
        for (bool largest : {false, true}) check(top_k_of(Shape::array(type, {3, length}), k, largest), 0);
      }
    }
  }
}

TEST(TopK, OfASlopeIsItsEnd) {
  std::vector<int32_t> up, down;
  for (int32_t i = 0; i < 5000; ++i) {
    up.push_back(i - 2500);
    down.push_back(2500 - i);
  }
  for (int64_t k : {1, 40, 3000}) {
    for (const std::vector<int32_t>& values : {up, down}) {
      Literal x(Shape::array(ElementType::kS32, {5000}));
      std::ranges::copy(values, x.data<int32_t>().begin());
      for (bool largest : {false, true}) check(top_k_of(x.shape(), k, largest), {x}, 0);
    }
  }
}

}  // namespace
}  // namespace hilo::cpu
