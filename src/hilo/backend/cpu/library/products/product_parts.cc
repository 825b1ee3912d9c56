// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/library/products/product_parts.h"

#include <algorithm>

namespace hilo::cpu {
namespace {

// Each part packs the shorter operand again. So parts have about 5 ms of work if there are more than two.
constexpr double kWorkPerPart = 1 << 29;  // multiplications
constexpr int64_t kMaxProductParts = 64, kMinLengthPerPart = 64, kManyItems = 8;

}  // namespace

int64_t parts_of_product(const ProductSizes& sizes, const ProductCut& cut, double term) {
  if (sizes.batch >= kManyItems || !worth_forking(work_ns(term, sizes.work()))) return 1;
  const double work = sizes.work() / static_cast<double>(sizes.batch);
  const auto parts = static_cast<int64_t>(std::min(work / kWorkPerPart, static_cast<double>(kMaxProductParts)));
  return std::clamp<int64_t>((cut.by_rows ? sizes.m : sizes.n) / kMinLengthPerPart, 1, std::max<int64_t>(parts, 2));
}

}  // namespace hilo::cpu
