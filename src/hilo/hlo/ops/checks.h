// SPDX-License-Identifier: Apache-2.0
// hlo/ops/checks.h -- checks of attribute lists and called computations for shape rules; see also dimension_checks.h.
#pragma once

#include "hilo/hlo/ir/computation.h"

namespace hilo::hlo {

/// Returns a list as HLO text writes it, such as "{0,2}".
std::string list_to_string(std::span<const int64_t> list);

/// Checks that no value appears twice in `first` and `second` together.
Status check_disjoint(std::string_view first_field, std::span<const int64_t> first, std::string_view second_field,
                      std::span<const int64_t> second);

/// Checks that the list is ascending.
Status check_sorted(std::string_view field, std::span<const int64_t> list);

/// Checks that the two lists have equal length.
Status check_same_size(std::string_view a_field, std::span<const int64_t> a, std::string_view b_field,
                       std::span<const int64_t> b);

/// Checks that `called` has these parameters and this result, ignoring layouts.
/// Errors    INVALID_ARGUMENT "to_apply 'add': parameter 1 is s32[], wanted f32[]"
Status check_called(std::string_view field, const ComputationPtr& called, std::span<const Shape> parameters,
                    const Shape& result);

/// Returns the result shape of an op: the only shape, or the tuple of all.
Shape one_or_tuple(std::span<const Shape> shapes);

/// Returns shapes as text, such as "f32[2], s32[2]".
std::string shapes_to_string(std::span<const Shape> shapes);

}  // namespace hilo::hlo
