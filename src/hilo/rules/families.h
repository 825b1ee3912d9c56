// SPDX-License-Identifier: Apache-2.0
// rules/families.h -- the rules of XLA's ops, by family; rules.cc collects them. Those of hilo's own ops are in
// extension_rules.h.
#pragma once

#include "hilo/trace/rules.h"

namespace hilo::rules {

// exp_rules, add_rules, ...: one per row, in rules/elementwise.cc.
#define HILO_ELEMENTWISE(enumerator, name, lax_name, ...) extern const Rules lax_name##_rules;
#include "hilo/hlo/ir/elementwise.inc"
#undef HILO_ELEMENTWISE

extern const Rules bitcast_convert_rules, broadcast_rules, constant_rules, iota_rules, reshape_rules, reverse_rules,
    transpose_rules;
extern const Rules concatenate_rules, dynamic_slice_rules, dynamic_update_slice_rules, pad_rules, slice_rules;
extern const Rules reduce_rules;
extern const Rules reduce_window_rules, select_and_scatter_rules;
extern const Rules dot_rules;
extern const Rules convolution_rules;
extern const Rules gather_rules;
extern const Rules scatter_rules;
extern const Rules cholesky_rules, triangular_solve_rules;
extern const Rules fft_rules;
extern const Rules sort_rules;
extern const Rules rng_bit_generator_rules;
extern const Rules call_rules, conditional_rules, while_rules;
// Collectives of loaded programs.
extern const Rules all_reduce_rules, reduce_scatter_rules, loaded_all_gather_rules, loaded_all_to_all_rules,
    collective_permute_rules, collective_broadcast_rules;
extern const Rules top_k_rules, set_dimension_size_rules, transfer_rules;
extern const Rules optimization_barrier_rules;
extern const Rules custom_call_rules;

/// For tuples and parameters, which bind never sees, and for ops whose rules are missing.
extern const Rules never_bound_rules, not_yet_rules;

}  // namespace hilo::rules
