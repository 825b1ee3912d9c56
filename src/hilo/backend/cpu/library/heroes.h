// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/heroes.h -- the ops that run as library code: who makes them.
#pragma once

#include "hilo/backend/cpu/library/hero.h"
#include "hilo/engine/plan.h"

namespace hilo::cpu {

/// The library's name of the reference kernel of any op: complex numbers, narrow types and rare forms. Correct and slow.
inline constexpr std::string_view kEvaluate = "evaluate";

/// A library call before it is bound.
struct ChosenHero {
  std::string_view symbol;
  std::unique_ptr<Hero> hero;
};

/// The library's function for an instruction that no region takes: that of the op's row in the table of heroes.cc, or
/// kEvaluate for forms that the function doesn't take.
/// Errors    UNIMPLEMENTED "shuffle 's' is not implemented on platform Host in this version"
StatusOr<ChosenHero> choose_hero(const HeroRequest& request);

/// The call of a plan, bound. `code` has the addresses of LibraryCall::code.
/// Errors    FAILED_PRECONDITION if this library has no such function, or it doesn't take the call
StatusOr<std::unique_ptr<Hero>> bind_hero(const LibraryCall& call, Isa isa, std::span<void* const> code);

// The makers: each gives null if the instruction isn't of a form that it runs.
std::unique_ptr<Hero> make_dot_hero(const HeroRequest& request);
/// Does the dot's hero read its operand so where it lies, without a copy?
bool dot_reads_view(Isa isa, const hlo::Instruction& dot, size_t operand, std::span<const Shape> operands,
                    const OperandView& view);
/// Does it write its result so?
bool dot_writes_view(Isa isa, const hlo::Instruction& dot, std::span<const Shape> operands, const OperandView& view);
std::unique_ptr<Hero> make_integer_dot_hero(const HeroRequest& request);
std::unique_ptr<Hero> make_convolution_hero(const HeroRequest& request);
StatusOr<std::unique_ptr<Hero>> make_sort_hero(const HeroRequest& request);
StatusOr<std::unique_ptr<Hero>> make_scatter_hero(const HeroRequest& request);
std::unique_ptr<Hero> make_pad_hero(const HeroRequest& request);
std::unique_ptr<Hero> make_concatenate_hero(const HeroRequest& request);
std::unique_ptr<Hero> make_bitcast_convert_hero(const HeroRequest& request);
std::unique_ptr<Hero> make_top_k_hero(const HeroRequest& request);
std::unique_ptr<Hero> make_rng_state_hero(const HeroRequest& request);
StatusOr<std::unique_ptr<Hero>> make_reduce_window_hero(const HeroRequest& request);
StatusOr<std::unique_ptr<Hero>> make_reduce_hero(const HeroRequest& request);
StatusOr<std::unique_ptr<Hero>> make_cumulative_hero(const HeroRequest& request);
StatusOr<std::unique_ptr<Hero>> make_select_and_scatter_hero(const HeroRequest& request);
std::unique_ptr<Hero> make_collective_hero(const HeroRequest& request);
std::unique_ptr<Hero> make_random_hero(const HeroRequest& request);
std::unique_ptr<Hero> make_cholesky_hero(const HeroRequest& request);
std::unique_ptr<Hero> make_triangular_solve_hero(const HeroRequest& request);
/// Errors    RESOURCE_EXHAUSTED for a length with a prime factor of millions
StatusOr<std::unique_ptr<Hero>> make_fft_hero(const HeroRequest& request);
/// Errors    NOT_FOUND for a target that nobody registered
StatusOr<std::unique_ptr<Hero>> make_custom_call_hero(const HeroRequest& request);

}  // namespace hilo::cpu
