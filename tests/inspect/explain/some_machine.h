// SPDX-License-Identifier: Apache-2.0
// tests/inspect/explain/some_machine.h -- the figures of an invented machine.
#pragma once

#include "hilo/inspect/explain/machine_figures.h"

namespace hilo::tests {

inline const MachineFigures kSomeMachine = {
    .threads = 2,
    .call = 100,
    .unit = 10,
    .l1_bytes = 100,
    .l2_bytes = 50,
    .l3_bytes = 25,
    .memory_bytes = 10,
    .memory_bytes_all = 16,
    .flops_f32 = 40,
    .flops_f64 = 20,
    .product_f32 = 100,
    .product_f64 = 50,
    .product_bf16 = 100,
    .product_s8 = 200,
    .sorted_f32 = 0.5,
    .sorted_f64 = 0.25,
    .fourier_c64 = 2,
    .fourier_c128 = 1,
    .scanned = 4,
    .gathered = 2,
    .scattered = 1,
    .functions = {{"exponential:f32", 4}, {"tanh:f32", 2}, {"divide:f64", 1}, {"divide:s32", 0.5}}};

}  // namespace hilo::tests
