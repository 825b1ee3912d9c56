// SPDX-License-Identifier: Apache-2.0
// hlo/ops/checks.h -- checks of attribute lists and called computations that shape rules of several ops share; see
// dimension_checks.h too.
#pragma once

#include "hilo/hlo/ir/computation.h"

namespace hilo::hlo {

/// "{0,2}", as HLO text writes a dimension list.
std::string list_to_string(std::span<const int64_t> list);

/// Whether `list` has `value`.
bool contains_value(std::span<const int64_t> list, int64_t value);

/// No value of `first` and `second` together appears twice.
Status check_disjoint(std::string_view first_field, std::span<const int64_t> first, std::string_view second_field,
                      std::span<const int64_t> second);

/// The list ascends.
Status check_sorted(std::string_view field, std::span<const int64_t> list);

/// The two lists are equally long.
Status check_same_size(std::string_view a_field, std::span<const int64_t> a, std::string_view b_field,
                       std::span<const int64_t> b);

/// `called` takes `parameters` and returns `result`, but for layouts.
/// Errors    INVALID_ARGUMENT "to_apply 'add': parameter 1 is s32[], wanted f32[]"
Status check_called(std::string_view field, const ComputationPtr& called, std::span<const Shape> parameters,
                    const Shape& result);

/// What an op with `shapes.size()` results yields: the one shape, or the tuple of all.
Shape one_or_tuple(std::span<const Shape> shapes);

/// "f32[2], s32[2]"
std::string shapes_to_string(std::span<const Shape> shapes);

}  // namespace hilo::hlo
