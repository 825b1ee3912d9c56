// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/products/product_routine.h -- calls of hilo_rt_product.
#pragma once

#include "hilo/backend/cpu/library/object_routines.h"
#include "hilo/backend/cpu/runtime/product.h"

namespace hilo::cpu {

/// Returns the type of the sums of products of these types; nothing for types that libhilo_rt.a doesn't multiply.
std::optional<runtime::SumType> sum_type_of(ElementType lhs, ElementType rhs, ElementType result);

/// Returns an array in an order of its dimensions. Nothing for more dimensions than a call has.
std::optional<runtime::ArrayPlaces> places_of(const Shape& shape, const OperandView& view,
                                              std::span<const int64_t> dimensions);

RoutineCall product_call(const runtime::ProductProblem& problem, std::span<const runtime::ConvolutionProblem> parts);

}  // namespace hilo::cpu
