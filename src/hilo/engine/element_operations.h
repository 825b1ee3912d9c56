// SPDX-License-Identifier: Apache-2.0
// engine/element_operations.h -- operations on single elements, as straight lines have them: identities cost nothing,
// and zeros are known.
#pragma once

#include <array>
#include <optional>

#include "hilo/engine/straight_line.h"
#include "hilo/hlo/rewrite/rewriter.h"

namespace hilo::engine {

/// What an expansion to a straight line has built. `failed`: the computation has no straight line.
struct Expansion {
  hlo::RewriteBuilder builder;
  const StraightLineOptions& options;
  StraightLine line = {};                        ///< its parameters and tables
  std::vector<hlo::InstructionId> dropped = {};  ///< factors of products with zero that were left out
  hlo::InstructionId lane_index = hlo::kNoInstruction;
  uint32_t work = 0;
  int64_t moved = 0;
  bool failed = false;
  std::vector<std::optional<double>> numbers = {};  ///< by instruction: see known_number
  std::array<hlo::InstructionId, 2> zeros = {hlo::kNoInstruction, hlo::kNoInstruction};  ///< of f32 and f64
};

hlo::InstructionId fail(Expansion& x);

/// Appends an operation on scalars. Fails if there are too many.
hlo::InstructionId append(Expansion& x, hlo::Opcode opcode, std::span<const hlo::InstructionId> operands,
                          hlo::AttributesPtr attributes, ElementType type);
/// Appends a parameter for an element of the line's parameters.
hlo::InstructionId append_parameter(Expansion& x, const ElementPlace& place, ElementType type);

/// Returns the value of a constant of type f32 or f64, and of an integer one.
std::optional<double> known_number(Expansion& x, hlo::InstructionId id);
std::optional<int64_t> known_integer(const Expansion& x, hlo::InstructionId id);
/// Returns zero of type f32 or f64.
hlo::InstructionId zero_element(Expansion& x, ElementType type);

/// Returns a + b, and sum + a * b as one term of a product. Products with a known zero are zero, which holds if the
/// other factor is finite: Expansion::dropped. The sign of a zero sum isn't that of IEEE if a summand is known to be
/// zero.
/// Example   add_term(sum, 0, b) -> sum; b is dropped
hlo::InstructionId add_elements(Expansion& x, hlo::InstructionId a, hlo::InstructionId b, ElementType type);
hlo::InstructionId add_term(Expansion& x, hlo::InstructionId sum, hlo::InstructionId a, hlo::InstructionId b,
                            ElementType type);
/// Returns the sum of the elements, joined in pairs.
hlo::InstructionId sum_in_pairs(Expansion& x, std::vector<hlo::InstructionId> elements, ElementType type);

/// Returns an elementwise op on one element. Identities that cost nothing are applied: x * 1, x * 0, x + 0, x - 0,
/// -(-x), x / 1, a select of which the predicate is known.
hlo::InstructionId operate(Expansion& x, hlo::Opcode opcode, std::span<const hlo::InstructionId> operands,
                           const hlo::AttributesPtr& attributes, ElementType type);

}  // namespace hilo::engine
