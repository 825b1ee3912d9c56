// SPDX-License-Identifier: Apache-2.0
// engine/register_loop.h -- which loops keep their carry in registers: those over few elements, or over few for each
// index of one dimension, the batch, whose indices never meet.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "hilo/hlo/ir/computation.h"

namespace hilo::engine {

/// The size of the batch of a loop whose carry has these leaves; 1 if there is none. f64[777,3] and s32[] make 777.
int64_t loop_batch(std::span<const Shape> leaves);

/// The dimension that is the batch's; none if no dimension has its size.
std::optional<size_t> batch_dimension(const Shape& shape, int64_t batch);

/// The extents of what one index of the batch has: {1, 3} of f64[777,3] in a batch of 777.
std::vector<int64_t> extents_beside(const Shape& shape, int64_t batch);

/// How many elements that are; of a tuple, those of its leaves.
int64_t elements_beside(const Shape& shape, int64_t batch);

/// What a turn computes for one index of the batch.
struct LoopWork {
  int64_t operations = 0;  ///< on one element; functions are weighed by what they cost
  int64_t bytes = 0;       ///< of the registers that these fill: an operation on f64 counts 8
};

/// The work of a turn; none if the loop isn't one that keeps its carry in registers.
std::optional<LoopWork> register_loop_work(const hlo::Computation& condition, const hlo::Computation& body,
                                           int64_t batch);

/// Whether a function of scalars computes only with values that fit registers, such as the bits of a number as an
/// array.
bool is_register_program(const hlo::Computation& computation);

}  // namespace hilo::engine
