// SPDX-License-Identifier: Apache-2.0
// hlo/passes/loop_carry.h -- which elements of a while loop's carry change, and which anything depends on.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "hilo/hlo/ir/computation.h"

namespace hilo::hlo {

struct WhileAttributes;

/// The element of the (tuple) parameter that an instruction is, if it is a get-tuple-element of it.
std::optional<int64_t> carry_element_read(const Computation& c, const Instruction& instruction);

/// The parameter is a tuple and nothing but get-tuple-elements read it.
bool reads_carry_by_element(const Computation& c);

/// Elements that the body hands on as it got them. Precondition: the body's root is a tuple.
std::vector<bool> invariant_elements(const Computation& body);

/// Elements that the result depends on: those that `read_outside`, the condition and effects need, and what these need
/// in turn. Precondition: as above, and both computations read their carry by element.
/// Cost    linear in both computations
std::vector<bool> live_elements(const WhileAttributes& loop, const std::function<bool(size_t)>& read_outside);

/// Marks the instructions that the wanted elements of the root tuple (a body) or the root (a condition), and effects, need.
std::vector<bool> needed_for(const Computation& c, const std::function<bool(size_t)>& wants, bool is_body);

}  // namespace hilo::hlo
