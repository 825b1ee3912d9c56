// SPDX-License-Identifier: Apache-2.0
// backend/cpu/execution_units.h -- what the steps of a program compute, for observers.
#pragma once

#include "hilo/backend/cpu/graph.h"
#include "hilo/backend/cpu/isa.h"
#include "hilo/backend/cpu/regions.h"
#include "hilo/device/execution_observer.h"

namespace hilo::cpu {

/// A region's kernel: the instructions fused into it. Its bytes are those it loads, no buffer's more than once, and those
/// it writes. Its form: "map" without reductions, "full" reduces everything, else "row" or "col": vectors lie along what
/// is reduced or across it.
ExecutionUnit unit_of(const Graph& graph, const Region& region, Isa isa);

/// An instruction that runs by itself: a library call or a loop.
ExecutionUnit unit_of(const Graph& graph, const Node& node, std::string_view kind);

}  // namespace hilo::cpu
