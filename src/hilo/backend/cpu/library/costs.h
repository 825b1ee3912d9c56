// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/costs.h -- the costs of an x86-64 core, as CpuTarget returns them.
#pragma once

#include "hilo/engine/costs.h"

namespace hilo::cpu {

/// One table for all vector widths and processors, so that a program has one plan. The costs of the library are derived
/// from the measured sizes above which two threads are faster than one.
inline constexpr engine::Costs kCpuCosts = {
    .fork = 15'000,
    .dispatch = 40,
    .call = 10,
    .inlined = 3,
    .load = 0.1,
    .store = 0.1,
    .ops = {.cheap = 0.03, .expensive = 0.2, .transcendental = 0.6},
    .wide_ops = {.cheap = 0.03, .expensive = 0.2, .transcendental = 0.6},
    .straight = {.cheap = 0.25, .expensive = 1.2, .transcendental = 4},
    .product_node = 0.01,
    .cached = 0.075,
    .uncached = 0.3,
    .core_cache_bytes = 128 << 10,
    .cache_bytes = 2 << 20,
    .products = {.blocked = 0.0336,
                 .plain = 0.0386,
                 .bf16 = 0.011788,
                 .narrow = 0.029225,
                 .integer = 0.01715,
                 .short_sum_term = 0.27,
                 .long_sum = 1},
    .product_call = 656,
    .product_item = 60,
    .library = {.term = 0.0286,
                .narrow_term = 0.001788,
                .integer_term = 0.00715,
                .convolution_term = 0.0572,
                .integer_convolution_term = 0.0143,
                .factor_term = 0.0573,
                .transform_term = 0.1145,
                .transform_element = 0.229,
                .short_transforms = 58.6,
                .scanned = 0.458,
                .ranked = 0.9155,
                .sorted = 3.662,
                .scattered = 0.4577,
                .selected = 0.9155,
                .combined = 0.9156,
                .converted = 0.2288,
                .concatenated_byte = 0.003577},
    // Measured: above these sizes the library is faster, or its code takes too long to compile: one matrix
    // must save what 20,000 calls of the library take.
    .small_matrices = {.one = {.cholesky = 4, .lu = 6, .qr = 5, .operations = 1500},
                       .batch = {.cholesky = 5, .lu = 5, .qr = 5, .operations = 4000}},
};

}  // namespace hilo::cpu
