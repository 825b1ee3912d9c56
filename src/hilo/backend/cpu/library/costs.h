// SPDX-License-Identifier: Apache-2.0
// backend/cpu/library/costs.h -- the costs of an x86-64 core, as CpuTarget answers with them.
#pragma once

#include "hilo/engine/costs.h"

namespace hilo::cpu {

/// One table for all widths of vectors and all processors, so that a program has one plan. Terms and elements of library functions
/// were measured by the sizes from which two threads are faster than one.
inline constexpr engine::Costs kCpuCosts = {
    .fork = 15'000,
    .dispatch = 40,
    .call = 10,
    .load = 0.1,
    .store = 0.1,
    .ops = {.cheap = 0.03, .expensive = 0.2, .transcendental = 0.6},
    .wide_ops = {.cheap = 0.03, .expensive = 0.2, .transcendental = 0.6},
    .product_node = 0.01,
    .cached = 0.075,
    .uncached = 0.3,
    .core_cache_bytes = 128 << 10,
    .cache_bytes = 2 << 20,
    .products = {.blocked = 0.0336, .plain = 0.0386, .bf16 = 0.011788, .narrow = 0.029225, .integer = 0.01715},
    .product_call = 656,
    .library = {0.0286,     // kTerm
                0.001788,   // kNarrowTerm
                0.00715,    // kIntegerTerm
                0.0572,     // kConvolutionTerm
                0.0143,     // kIntegerConvolutionTerm
                0.0573,     // kFactorTerm
                0.1145,     // kTransformTerm
                0.229,      // kTransformElement
                58.6,       // kShortTransforms
                0.458,      // kScannedElement
                0.9155,     // kRankedElement
                3.662,      // kSortedElement
                0.4577,     // kScatteredElement
                0.9155,     // kSelectedElement
                0.9156,     // kCombinedElement
                0.2288,     // kConvertedElement
                0.003577},  // kConcatenatedByte
};

}  // namespace hilo::cpu
