// SPDX-License-Identifier: Apache-2.0
// engine/plan_fields.h -- the fields of a plan's structs, named once: what is printed, read back and saved.
#pragma once

#include "hilo/engine/plan.h"

namespace hilo::engine {

/// T or const T.
template <typename S, typename T>
concept Maybe = std::same_as<std::remove_const_t<S>, T>;

// visit_fields(value, visit) calls visit("name", field) for every field, in order.

template <Maybe<Step> S, typename V>
void visit_fields(S& s, V&& visit) {
  visit("kind", s.kind);
  visit("index", s.index);
  visit("arguments", s.arguments);
  visit("argument_count", s.argument_count);
  visit("a", s.a);
  visit("b", s.b);
  visit("bytes", s.bytes);
  visit("units", s.units);
  visit("chunk", s.chunk);
  visit("stretch", s.stretch);
  visit("work", s.work);
}

template <Maybe<ScalarCarry> S, typename V>
void visit_fields(S& s, V&& visit) {
  visit("now", s.now);
  visit("next", s.next);
  visit("type", s.type);
  visit("fixed", s.fixed);
}

template <Maybe<Swap> S, typename V>
void visit_fields(S& s, V&& visit) {
  visit("now", s.now);
  visit("next", s.next);
}

template <Maybe<WhileLoop> S, typename V>
void visit_fields(S& s, V&& visit) {
  visit("condition", s.condition);
  visit("predicate", s.predicate);
  visit("body", s.body);
  visit("swaps", s.swaps);
  visit("scalars", s.scalars);
}

template <Maybe<WholeLoop> S, typename V>
void visit_fields(S& s, V&& visit) {
  visit("function", s.function);
  visit("slots", s.slots);
  visit("kernels", s.kernels);
  visit("handed_out", s.handed_out);
}

template <Maybe<Branches> S, typename V>
void visit_fields(S& s, V&& visit) {
  visit("selector", s.selector);
  visit("predicated", s.predicated);
  visit("lists", s.lists);
}

template <Maybe<Slot> S, typename V>
void visit_fields(S& s, V&& visit) {
  visit("source", s.source);
  visit("index", s.index);
}

template <Maybe<DonationPair> S, typename V>
void visit_fields(S& s, V&& visit) {
  visit("result", s.result);
  visit("argument", s.argument);
}

template <Maybe<OperandView> S, typename V>
void visit_fields(S& s, V&& visit) {
  visit("offset", s.offset);
  visit("strides", s.strides);
}

template <Maybe<LibraryCall> S, typename V>
void visit_fields(S& s, V&& visit) {
  visit("symbol", s.symbol);
  visit("operands", s.operands);
  visit("views", s.views);
  visit("results", s.results);
  visit("code", s.code);
  visit("call", s.call);
}

template <Maybe<InstructionPlace> S, typename V>
void visit_fields(S& s, V&& visit) {
  visit("computation", s.computation);
  visit("id", s.id);
}

template <Maybe<PlannedWork> S, typename V>
void visit_fields(S& s, V&& visit) {
  visit("kind", s.kind);
  visit("form", s.form);
  visit("bytes", s.bytes);
  visit("nanoseconds", s.nanoseconds);
  visit("instructions", s.instructions);
}

template <Maybe<PlannedFunction> S, typename V>
void visit_fields(S& s, V&& visit) {
  visit("object", s.object);
  visit("name", s.name);
}

template <Maybe<Plan> S, typename V>
void visit_fields(S& s, V&& visit) {
  visit("target", s.target);
  visit("arena_bytes", s.arena_bytes);
  visit("max_arguments", s.max_arguments);
  visit("forks", s.forks);
  visit("steps", s.steps);
  visit("loops", s.loops);
  visit("whole_loops", s.whole_loops);
  visit("branches", s.branches);
  visit("slots", s.slots);
  visit("argument_slots", s.argument_slots);
  visit("donations", s.donations);
  visit("library_calls", s.library_calls);
  visit("kernels", s.kernels);
  visit("functions", s.functions);
  visit("work", s.work);
  visit("constants", s.constants);
  visit("objects", s.objects);
}

/// A library call as text of an HLO module.
std::string text_of_call(const hlo::ComputationPtr& call);

/// Structs that have visit_fields.
template <typename T>
concept HasFields = requires(T& value) { visit_fields(value, [](const char*, auto&) {}); };

}  // namespace hilo::engine
