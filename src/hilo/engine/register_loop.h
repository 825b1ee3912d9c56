// SPDX-License-Identifier: Apache-2.0
// engine/register_loop.h -- loops that hold their carry in registers. Their carry has few elements, or few for each
// index of one dimension, the batch, whose indices are independent. Arrays of which a turn only reads or writes slices,
// such as the xs and ys of a scan, stay in memory.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "hilo/hlo/ir/computation.h"

namespace hilo::engine {

/// Returns the batch size of a loop whose carry has these leaves; 1 without a batch. Example: 777 for f64[777,3] and
/// s32[].
int64_t loop_batch(std::span<const Shape> leaves);

/// Returns the batch dimension; nullopt if no dimension has that size.
std::optional<size_t> batch_dimension(const Shape& shape, int64_t batch);

/// Returns the extents for one index of the batch. Example: {1, 3} for f64[777,3] and a batch of 777.
std::vector<int64_t> extents_per_index(const Shape& shape, int64_t batch);

/// Returns the number of these elements; for a tuple, that of all leaves.
int64_t elements_per_index(const Shape& shape, int64_t batch);

/// Whether the array has too many elements for registers. In a loop in registers it is an address.
bool is_in_memory(const Shape& shape, int64_t batch);

/// Returns the number of registers that hold the elements of one index; 1, for the address, if they are in memory.
int64_t registers_of(const Shape& shape, int64_t batch);

/// The work of one turn for one index of the batch.
struct LoopWork {
  int64_t operations = 0;  ///< on one element, weighted by cost
  int64_t bytes = 0;       ///< of the registers that these fill: an operation on f64 has 8
};

/// How a loop holds a leaf of its carry.
enum class LeafHome : uint8_t {
  kRegisters,
  kRead,     ///< in memory: turns read slices of it
  kWritten,  ///< in memory: a turn writes one slice of it, after it has read what it needs
};

/// A loop that can hold its carry in registers.
struct RegisterLoopForm {
  int64_t batch = 1;
  std::vector<LeafHome> homes;  ///< of the carry's leaves
  LoopWork work;
};

/// Returns how the loop holds its carry; nullopt if registers can't hold it.
/// Example   the scan of a filter over f32[100,512] with states f32[512,2]: a batch of 512; the xs are kRead, the ys
///           kWritten
std::optional<RegisterLoopForm> register_loop_form(const hlo::Computation& condition, const hlo::Computation& body);

/// Whether a function of scalars computes only values that fit in registers, for example the bits of a number as an
/// array.
bool is_register_program(const hlo::Computation& computation);

}  // namespace hilo::engine
