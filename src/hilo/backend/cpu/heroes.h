// SPDX-License-Identifier: Apache-2.0
// backend/cpu/heroes.h -- the ops that run as library code: who makes them.
#pragma once

#include "hilo/backend/cpu/program.h"

namespace hilo::cpu {

/// The code for an instruction that no region takes.
/// Errors    UNIMPLEMENTED "shuffle 's' is not implemented on platform Host in this version"
StatusOr<std::unique_ptr<Hero>> make_hero(const hlo::Instruction& instruction, std::span<const Shape> operands,
                                          std::span<const Shape> results, Isa isa);

// runtime/*.cc: each gives null if the instruction isn't of a form that it runs.
std::unique_ptr<Hero> make_dot_hero(const hlo::Instruction& instruction, std::span<const Shape> operands,
                                    const Shape& result);
std::unique_ptr<Hero> make_convolution_hero(const hlo::Instruction& instruction, std::span<const Shape> operands,
                                            const Shape& result, Isa isa);
StatusOr<std::unique_ptr<Hero>> make_sort_hero(const hlo::Instruction& instruction, std::span<const Shape> operands,
                                               Isa isa);
StatusOr<std::unique_ptr<Hero>> make_scatter_hero(const hlo::Instruction& instruction, std::span<const Shape> operands,
                                                  Isa isa);
std::unique_ptr<Hero> make_move_hero(const hlo::Instruction& instruction, std::span<const Shape> operands,
                                     std::span<const Shape> results);
std::unique_ptr<Hero> make_top_k_hero(const hlo::Instruction& instruction, std::span<const Shape> operands);
std::unique_ptr<Hero> make_rng_state_hero(const hlo::Instruction& instruction);
StatusOr<std::unique_ptr<Hero>> make_reduce_window_hero(const hlo::Instruction& instruction,
                                                        std::span<const Shape> operands, std::span<const Shape> results,
                                                        Isa isa);
StatusOr<std::unique_ptr<Hero>> make_cumulative_hero(const hlo::Instruction& instruction,
                                                     std::span<const Shape> operands, Isa isa);
std::unique_ptr<Hero> make_select_and_scatter_hero(const hlo::Instruction& instruction,
                                                   std::span<const Shape> operands);
std::unique_ptr<Hero> make_collective_hero(const hlo::Instruction& instruction, std::span<const Shape> operands,
                                           std::span<const Shape> results);
std::unique_ptr<Hero> make_random_hero(const hlo::Instruction& instruction, std::span<const Shape> operands,
                                       std::span<const Shape> results);
std::unique_ptr<Hero> make_cholesky_hero(const hlo::Instruction& instruction, std::span<const Shape> operands);
std::unique_ptr<Hero> make_triangular_solve_hero(const hlo::Instruction& instruction, std::span<const Shape> operands);
std::unique_ptr<Hero> make_fft_hero(const hlo::Instruction& instruction, std::span<const Shape> operands, Isa isa);
/// Errors    NOT_FOUND for a target that nobody registered
StatusOr<std::unique_ptr<Hero>> make_custom_call_hero(const hlo::Instruction& instruction,
                                                      std::span<const Shape> operands);

/// The reference kernel of the op: complex numbers, narrow types and rare forms. Correct and slow.
std::unique_ptr<Hero> make_evaluator_hero(const hlo::Instruction& instruction, std::span<const Shape> operands,
                                          std::span<const Shape> results);

/// A loop whose carry lives in registers. Preconditions: those of compile_scalar_loop.
StatusOr<std::unique_ptr<Hero>> make_scalar_loop_hero(const hlo::Computation& condition, const hlo::Computation& body,
                                                      Isa isa);

/// Copies between the layout of `shape` and row-major order.
std::unique_ptr<Hero> make_relayout_hero(const Shape& shape, bool to_row_major);

}  // namespace hilo::cpu
