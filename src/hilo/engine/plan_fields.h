// SPDX-License-Identifier: Apache-2.0
// engine/plan_fields.h -- the fields of a plan's structs, listed once for printing and saving.
#pragma once

#include "hilo/engine/plan.h"

namespace hilo::engine {

/// T or const T.
template <typename S, typename T>
concept Maybe = std::same_as<std::remove_const_t<S>, T>;

/// Calls visit("name", field) for each pair.
template <typename V, typename F, typename... Rest>
void visit_each(V&& visit, const char* name, F& field, Rest&&... rest) {
  visit(name, field);
  if constexpr (sizeof...(rest) > 0) visit_each(visit, rest...);
}

/// Defines visit_fields(value, visit), which calls visit("name", field) for each field of a struct, in order.
#define HILO_FIELDS(Struct, ...)         \
  template <Maybe<Struct> S, typename V> \
  void visit_fields(S& s, V&& visit) {   \
    visit_each(visit, __VA_ARGS__);      \
  }

HILO_FIELDS(Step, "kind", s.kind, "index", s.index, "arguments", s.arguments, "argument_count", s.argument_count, "a",
            s.a, "b", s.b, "bytes", s.bytes, "units", s.units, "chunk", s.chunk, "stretch", s.stretch, "work", s.work)
HILO_FIELDS(ScalarCarry, "now", s.now, "next", s.next, "type", s.type, "fixed", s.fixed)
HILO_FIELDS(Swap, "now", s.now, "next", s.next)
HILO_FIELDS(WhileLoop, "condition", s.condition, "predicate", s.predicate, "body", s.body, "swaps", s.swaps, "scalars",
            s.scalars)
HILO_FIELDS(WholeLoop, "function", s.function, "slots", s.slots, "kernels", s.kernels, "handed_out", s.handed_out)
HILO_FIELDS(Branches, "selector", s.selector, "predicated", s.predicated, "lists", s.lists)
HILO_FIELDS(Slot, "source", s.source, "index", s.index)
HILO_FIELDS(DonationPair, "result", s.result, "argument", s.argument)
HILO_FIELDS(OperandView, "offset", s.offset, "strides", s.strides)
HILO_FIELDS(LibraryCall, "symbol", s.symbol, "operands", s.operands, "views", s.views, "results", s.results, "code",
            s.code, "call", s.call, "batch", s.batch, "has_guard", s.has_guard)
HILO_FIELDS(InstructionPlace, "computation", s.computation, "id", s.id)
HILO_FIELDS(PlannedWork, "kind", s.kind, "form", s.form, "bytes", s.bytes, "nanoseconds", s.nanoseconds, "instructions",
            s.instructions)
HILO_FIELDS(PlannedFunction, "object", s.object, "name", s.name)
HILO_FIELDS(Plan, "target", s.target, "arena_bytes", s.arena_bytes, "max_arguments", s.max_arguments, "forks", s.forks,
            "steps", s.steps, "loops", s.loops, "whole_loops", s.whole_loops, "branches", s.branches, "slots", s.slots,
            "argument_slots", s.argument_slots, "argument_offsets", s.argument_offsets, "donations", s.donations,
            "library_calls", s.library_calls, "kernels", s.kernels, "functions", s.functions, "work", s.work,
            "constants", s.constants, "objects", s.objects)

/// Prints a library call as an HLO module.
std::string text_of_call(const hlo::ComputationPtr& call);

/// Structs that have visit_fields.
template <typename T>
concept HasFields = requires(T& value) { visit_fields(value, [](const char*, auto&) {}); };

}  // namespace hilo::engine
