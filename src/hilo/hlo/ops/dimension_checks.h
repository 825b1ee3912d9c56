// SPDX-License-Identifier: Apache-2.0
// hlo/ops/dimension_checks.h -- checks that the shape rules of several ops share.
#pragma once

#include <boost/container/small_vector.hpp>

#include <span>
#include <string_view>

#include "hilo/hlo/ir/op_def.h"

namespace hilo::hlo {

/// A list as long as a shape's rank, or shorter: few, which take no memory of their own.
using DimensionList = boost::container::small_vector<int64_t, 8>;

/// "dimension 3 out of range for f32[2,2]" unless 0 <= dimension < rank. `what` names the attribute.
Status check_dimension(std::string_view what, int64_t dimension, const Shape& shape);

/// Every entry in [0, rank) and none twice.
Status check_unique_dimensions(std::string_view what, std::span<const int64_t> dimensions, const Shape& shape);

/// The declared shape, or an error if there is none or it is no array.
StatusOr<Shape> declared_array(const ShapeRuleInput& input);

}  // namespace hilo::hlo
