// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/heroes.h -- the ops that run as library code, and the functions that create their calls.
#pragma once

#include "hilo/backend/cpu/library/hero.h"
#include "hilo/engine/plan.h"

namespace hilo::cpu {

using engine::LibraryCall;

/// The library function that runs the reference kernel of any op: for complex numbers, narrow types and rare forms.
/// Correct and slow.
inline constexpr std::string_view kEvaluate = "evaluate";

/// A library call before it is bound.
struct ChosenHero {
  std::string_view symbol;
  std::unique_ptr<Hero> hero;
};

/// Selects the library function for an instruction that no region computes. It is in the op's row of the table in
/// heroes.cc. Forms that this function doesn't support use kEvaluate.
/// Errors    UNIMPLEMENTED "shuffle 's' is not implemented on platform Host in this version"
StatusOr<ChosenHero> choose_hero(const HeroRequest& request);

/// Binds the library call of a plan. `code` has the addresses of LibraryCall::code.
/// Errors    FAILED_PRECONDITION if this library has no such function or rejects the call
StatusOr<std::unique_ptr<Hero>> bind_hero(const LibraryCall& call, Isa isa, std::span<void* const> code);
/// As bind_hero, but the call computes what routine_of() computes, if there is such a function.
StatusOr<std::unique_ptr<Hero>> bind_routine(const LibraryCall& call, Isa isa, std::span<void* const> code);

/// Returns the call of libhilo_rt.a that an object makes instead; nothing if that has no such function.
/// Errors    those of bind_hero
StatusOr<std::optional<RoutineCall>> routine_of(const LibraryCall& call, Isa isa);

// Functions that create library calls. Each returns null for forms of the instruction that it doesn't support.
std::unique_ptr<Hero> make_dot_hero(const HeroRequest& request);
/// Whether the library call of a dot can write its result through any view. All of them read operands through views.
bool dot_writes_view(Isa isa, const hlo::Instruction& dot, std::span<const Shape> operands);
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
/// Creates the library call of an fft.
/// Errors    RESOURCE_EXHAUSTED for a length with a prime factor of millions
StatusOr<std::unique_ptr<Hero>> make_fft_hero(const HeroRequest& request);
/// Creates the library call of a custom call.
/// Errors    NOT_FOUND for a target that isn't registered
StatusOr<std::unique_ptr<Hero>> make_custom_call_hero(const HeroRequest& request);

}  // namespace hilo::cpu
