// SPDX-License-Identifier: Apache-2.0
#include "hilo/backend/cpu/library/products/product_parts.h"

#include <algorithm>

namespace hilo::cpu {
namespace {

using hlo::Int64List;

DimensionGroup group_of(const Shape& shape, const std::vector<int64_t>& strides, Int64List dimensions) {
  DimensionGroup group;
  group.stride = 1;
  bool first = true;
  for (size_t k = dimensions.size(); k-- > 0;) {
    const int64_t extent = shape.dimension(dimensions[k]);
    const int64_t stride = strides[dimensions[k]];
    if (extent != 1) {
      if (first) group.stride = stride;
      else if (group.stride && stride != *group.stride * group.extent) group.stride = std::nullopt;
      first = false;
    }
    group.extent *= extent;
  }
  group.dimensions = std::move(dimensions);
  return group;
}

// Each part packs the shorter operand again. So parts have about 5 ms of work if there are more than two.
constexpr double kWorkPerPart = 1 << 29;  // multiplications
constexpr int64_t kMaxProductParts = 64, kMinLengthPerPart = 64, kManyItems = 8;

}  // namespace

ProductOperand::ProductOperand(const Shape& s, const Int64List& batch_dimensions, const Int64List& contracting,
                               const engine::OperandView& view)
    : shape(s), offset(view.offset), strides(view.strides.empty() ? strides_of(s) : view.strides) {
  Int64List rest;
  for (int64_t d = 0; d < s.rank(); ++d) {
    if (std::ranges::find(batch_dimensions, d) == batch_dimensions.end() &&
        std::ranges::find(contracting, d) == contracting.end())
      rest.push_back(d);
  }
  batch = group_of(s, strides, batch_dimensions);
  outer = group_of(s, strides, std::move(rest));
  contracted = group_of(s, strides, contracting);
  for (const int64_t d : batch.dimensions) batch_strides.push_back(strides[d]);
}

int64_t ProductOperand::offset_of(int64_t item) const {
  if (batch.stride) return offset + item * *batch.stride;
  int64_t at = offset;
  for (size_t k = batch_strides.size(); k-- > 0;) {
    const int64_t extent = shape.dimension(batch.dimensions[k]);
    at += item % extent * batch_strides[k];
    item /= extent;
  }
  return at;
}

void ProductOperand::use_packed_strides() {
  offset = 0;
  contracted.stride = 1;
  outer.stride = contracted.extent;
  batch.stride = contracted.extent * outer.extent;
}

int64_t parts_of_product(const ProductSizes& sizes, const ProductCut& cut, double term) {
  if (sizes.batch >= kManyItems || !worth_forking(work_ns(term, sizes.work()))) return 1;
  const double work = sizes.work() / static_cast<double>(sizes.batch);
  const auto parts = static_cast<int64_t>(std::min(work / kWorkPerPart, static_cast<double>(kMaxProductParts)));
  return std::clamp<int64_t>((cut.by_rows ? sizes.m : sizes.n) / kMinLengthPerPart, 1, std::max<int64_t>(parts, 2));
}

}  // namespace hilo::cpu
