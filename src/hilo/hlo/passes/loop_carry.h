// SPDX-License-Identifier: Apache-2.0
// hlo/passes/loop_carry.h -- finds the elements of a while loop's carry that never change, and those that are needed.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "hilo/hlo/ir/computation.h"

namespace hilo::hlo {

struct WhileAttributes;

/// Returns the element's index if the instruction is a get-tuple-element of the computation's parameter, a tuple.
std::optional<int64_t> carry_element_read(const Computation& c, const Instruction& instruction);

/// Returns whether the parameter is a tuple that only get-tuple-elements read.
bool reads_carry_by_element(const Computation& c);

/// Returns by element whether the body passes it on unchanged. Precondition: the body's root is a tuple.
std::vector<bool> invariant_elements(const Computation& body);

/// Returns by element whether the result depends on it: the elements that `read_outside`, the condition and effects
/// need, and those that these depend on in turn. Precondition: the body's root is a tuple, and both computations read
/// their carry by element.
/// Cost      linear in both computations
std::vector<bool> live_elements(const WhileAttributes& loop, const std::function<bool(size_t)>& read_outside);

/// Marks the instructions that are needed for effects and for the root: of a body only the elements of the root tuple
/// for which `wants` is true, of a condition the whole root.
std::vector<bool> needed_for(const Computation& c, const std::function<bool(size_t)>& wants, bool is_body);

/// Returns the condition over a carry that has more elements at its end.
StatusOr<ComputationPtr> condition_over(const ComputationPtr& condition, const Shape& carry);

}  // namespace hilo::hlo
