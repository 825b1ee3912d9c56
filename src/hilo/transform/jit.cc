// SPDX-License-Identifier: Apache-2.0
#include "hilo/transform/jit.h"

#include <algorithm>
#include <unordered_map>

#include "hilo/base/log.h"
#include "hilo/client/hlo_text.h"
#include "hilo/client/inspection.h"
#include "hilo/trace/eval_trace.h"
#include "hilo/trace/ref.h"
#include "hilo/trace/settings.h"
#include "hilo/transform/jit_cache.h"

namespace hilo::jit_detail {
namespace {

/// Traces the function for a call that isn't in the cache.
std::shared_ptr<JitEntry> traced(JitCache& cache, const Call& call) {
  if (is_on(Setting::kExplainCacheMisses)) {
    log_warning("jit '{}' ({}) is traced: {}", cache.options().name, describe_location(cache.location()),
                why_traced(cache, call));
  }
  cache.count_trace();
  std::shared_ptr<JitEntry> entry = trace_entry(cache, call);
  // A captured tracer belongs to the surrounding trace, so such a program is valid for this call only.
  if (std::ranges::all_of(entry->staged.captures, is_concrete) && std::ranges::all_of(entry->captures, outlives_traces))
    cache.add(entry);
  return entry;
}

/// Binds a call instruction, or inlines the call, inside another transformation.
std::vector<Array> bind_call(const JitCache& cache, const JitEntry& entry, std::span<const Array> leaves) {
  const TransformationLocation here(cache.location());
  if (!cache.options().compiler_options.empty()) {
    or_throw(unimplemented(at_user_line("jit") +
                           ": compiler_options can only be passed for a function that is called from outside of "
                           "transformations. Hint: pass them to the enclosing jit"));
  }
  const Operation call = call_of(entry, leaves);
  std::vector<Array> results = cache.options().inline_.when == Inline::kJaxEarly
                                   ? run_computation(*entry.staged.computation, call.operands)
                                   : bind(call);
  for (size_t i = 0; i < results.size(); ++i)
    results[i] = with_weak_type(results[i], entry.staged.results[i].weak_type);
  return results;
}

/// Whether the program can run: no transformation is active, and all operands have values.
bool at_bottom(const JitEntry& entry, std::span<const Array> leaves) {
  return &current_trace() == &eval_trace() && std::ranges::all_of(leaves, is_concrete) &&
         std::ranges::all_of(entry.staged.captures, is_concrete);
}

/// Whether padded arguments take the place of the call's. Under a transformation the function is a part of another
/// program.
bool runs_in_buckets(const JitCache& cache, const Call& call) {
  return !cache.options().buckets.empty() && &current_trace() == &eval_trace() &&
         std::ranges::all_of(call.arguments.leaves, is_concrete);
}

/// Runs the function itself in the current trace.
Outcome run_untraced(const Call& call) {
  Outcome outcome;
  std::vector<size_t> result_leaves;
  outcome.leaves = call.trace(call.arguments.leaves, outcome.prototype, result_leaves);
  return outcome;
}

}  // namespace

Call::Call() = default;
Call::Call(Call&& other) noexcept = default;
Call::~Call() = default;

State::State(JitOptions options, const void* shared, const std::source_location& location)
    : options_(std::make_shared<const JitOptions>(options)),
      location_(location),
      cache_(make_cache(std::move(options), shared, location)) {}
State::State(const State&) = default;
State::State(State&&) noexcept = default;
State& State::operator=(const State&) = default;
State& State::operator=(State&&) noexcept = default;
State::~State() = default;

Call State::describe(const Typeless& typeless, WalkRef arguments,
                     std::vector<size_t> (*leaf_counts)(const void* arguments)) const {
  Call call;
  call.arguments = flatten_walked(arguments);
  call.path_of_leaf = flat_call::paths_of(arguments);
  if (!options_->donate_argnums.empty()) {
    const TransformationLocation here(location_);
    call.donated = flat_call::mask_of(leaf_counts(typeless.arguments), options_->donate_argnums);
  }
  if (!options_->in_shardings.empty() || !options_->bucket_axes.empty())
    call.argument_leaves = leaf_counts(typeless.arguments);
  call.typeless = typeless;
  return call;
}

std::shared_ptr<JitCache> make_cache(JitOptions options, const void* shared, const std::source_location& location) {
  const auto make = [&] { return std::make_shared<JitCache>(options, location); };
  if (shared == nullptr) return make();
  static std::mutex mutex;
  static auto* caches = new std::unordered_map<const void*, std::vector<std::shared_ptr<JitCache>>>;
  std::lock_guard lock(mutex);
  std::vector<std::shared_ptr<JitCache>>& of_type = (*caches)[shared];
  for (const auto& cache : of_type) {
    if (cache->options() == options) return cache;
  }
  return of_type.emplace_back(make());
}

namespace {

std::shared_ptr<JitEntry> entry_of(JitCache& cache, const Call& call) {
  std::shared_ptr<JitEntry> entry = cache.find(call);
  return entry != nullptr ? entry : traced(cache, call);
}

/// "result", "result[1].q"
std::string result_text(WalkRef result, size_t leaf) { return "result" + leaf_path(leaf, result); }

std::string memory_text(const CallLeaf& memory) {
  const std::string type(element_type_name(memory.type));
  if (memory.any_shape) return type + " for " + std::to_string(memory.count) + " elements";
  return or_throw(Shape::make_array(memory.type, memory.dimensions())).to_string();
}

/// Rejects memory that doesn't fit the results.
void check_memory(std::span<const Shape> shapes, WalkRef result, const std::string& structure,
                  const CallLeaves& memory) {
  const std::span<const CallLeaf> leaves = memory.leaves();
  const std::string where = at_user_line("into");
  if (leaves.size() != shapes.size())
    or_throw(invalid_argument(where + ": got memory for " + std::to_string(leaves.size()) +
                              " results, the function has " + std::to_string(shapes.size()) +
                              ". Hint: std::tie(a, b) for a result of two arrays"));
  if (memory.structure() != structure)
    or_throw(invalid_argument(where + ": the memory is another tree than the result. Hint: a tuple for a tuple, a " +
                              "vector for a vector, in the same nesting"));
  for (size_t r = 0; r < leaves.size(); ++r) {
    if (!takes(leaves[r], shapes[r]))
      or_throw(invalid_argument(where + ": " + result_text(result, r) + " is " + shapes[r].to_string() +
                                "; got memory of " + memory_text(leaves[r])));
    for (size_t k = 0; k < r; ++k) {
      if (overlap(leaves[r], leaves[k]))
        or_throw(invalid_argument(where + ": " + result_text(result, k) + " and " + result_text(result, r) +
                                  " overlap in memory"));
    }
  }
}

void write(std::span<const Array> results, const CallLeaves& memory) {
  for (size_t r = 0; r < results.size(); ++r) fill(memory.leaves()[r], host_view_of(results[r]).data);
}

}  // namespace

Outcome call(JitCache& cache, const Call& call) {
  check_static(call, cache.location());
  if (is_on(Setting::kDisableJit)) return run_untraced(call);
  if (runs_in_buckets(cache, call)) {
    if (std::optional<Outcome> outcome = call_in_bucket(cache, call)) return *std::move(outcome);
  }
  const std::shared_ptr<JitEntry> entry = entry_of(cache, call);
  if (entry->transforms_function && &current_trace() != &eval_trace()) return run_untraced(call);
  return {call_entry(cache, *entry, call.arguments.leaves), entry->prototype};
}

namespace {

/// Runs an entry that uses refs, or binds a call of it.
std::vector<Array> call_with_refs(JitCache& cache, JitEntry& entry, std::span<const Array> leaves,
                                  const ShardedProgram* shared) {
  const TransformationLocation here(cache.location());
  const RefArguments refs("jit", leaves);
  refs.refuse_captured(entry.captures);
  std::vector<Array> operands = refs.values(), written = entry.staged.written;
  for (Array& value : values_of_refs(entry.captures, "jit")) operands.push_back(std::move(value));
  for (const size_t leaf : entry.written_leaves) written.push_back(refs.leaf(leaf));
  const bool runs = at_bottom(entry, operands);
  std::vector<bool> overwritten(operands.size());
  for (size_t i = 0; runs && i < operands.size(); ++i) {
    const Array& ref = i < leaves.size() ? leaves[i] : entry.captures[i - leaves.size()];
    const auto same = [&](const Array& other) { return is_same_ref(other, ref); };
    overwritten[i] = std::ranges::any_of(written, same) && is_only_in_ref(ref, operands[i]);
  }
  std::vector<Array> results =
      runs ? execute(cache, entry, operands, shared, overwritten) : bind_call(cache, entry, operands);
  write_refs(entry.staged.written, results, "jit");
  const size_t own = results.size() - entry.written_leaves.size();
  refs.write(entry.written_leaves, std::span(results).subspan(own));
  results.resize(own);
  if (runs) std::ranges::for_each(written, mark_from_program);
  return results;
}

}  // namespace

std::vector<Array> call_entry(JitCache& cache, JitEntry& entry, std::span<const Array> leaves,
                              const ShardedProgram* shared) {
  if (entry.uses_refs) return call_with_refs(cache, entry, leaves, shared);
  return at_bottom(entry, leaves) ? execute(cache, entry, leaves, shared) : bind_call(cache, entry, leaves);
}

void call_into(JitCache& cache, const Call& call, const CallLeaves& results) {
  check_static(call, cache.location());
  const auto check = [&](std::span<const Shape> shapes, void* prototype) {
    const TransformationLocation here(cache.location());
    const WalkRef result(prototype, call.typeless.walk_result);
    check_memory(shapes, result, flatten_walked(result).structure, results);
  };
  std::vector<Shape> shapes;
  if (is_on(Setting::kDisableJit)) {
    const Outcome outcome = run_untraced(call);
    for (const Array& array : outcome.leaves) shapes.push_back(array.aval_shape());
    check(shapes, outcome.prototype.get());
    return write(outcome.leaves, results);
  }
  if (runs_in_buckets(cache, call)) {
    if (const std::optional<Outcome> outcome = call_in_bucket(cache, call)) {
      for (const Array& array : outcome->leaves) shapes.push_back(array.aval_shape());
      check(shapes, outcome->prototype.get());
      return write(outcome->leaves, results);
    }
  }
  const std::shared_ptr<JitEntry> entry = entry_of(cache, call);
  const size_t own = entry->staged.own_result_count() - entry->written_leaves.size();
  for (size_t r = 0; r < own; ++r) shapes.push_back(entry->staged.results[r].shape);
  check(shapes, entry->prototype.get());
  write(call_entry(cache, *entry, call.arguments.leaves), results);
}

size_t cache_size(const JitCache& cache) { return cache.entries().size(); }

void clear_cache(JitCache& cache) { cache.clear(); }

namespace {

std::string text_with(CapturePlace captures, const Call& call, const std::string& name,
                      const std::source_location& location) {
  check_static(call, location);
  JitCache cache({.donate_argnums = {}, .name = name, .keep_unused = true}, location);
  return hilo::hlo_text(module_of(*trace_entry(cache, call, captures), name));
}

}  // namespace

std::string hlo_text(const Call& call, const std::string& name, const std::source_location& location) {
  return text_with(CapturePlace::kLastIfLarge, call, name, location);
}

std::string closed_hlo_text(const Call& call, const std::string& name, const std::source_location& location) {
  return text_with(CapturePlace::kNone, call, name, location);
}

std::string graph_html(const Call& call, const std::string& name, const std::source_location& location) {
  check_static(call, location);
  JitCache cache({.donate_argnums = {}, .name = name, .keep_unused = true}, location);
  const hlo::Module module = module_of(*trace_entry(cache, call), name);
  const std::shared_ptr<Executable> executable = or_throw(compile_under_flags(module)).executable();
  return or_throw(html_section_of_module(module, name + " as traced")) +
         or_throw(html_section_of_module(*or_throw(optimized_module_of(*executable)), name + " after all passes"));
}

}  // namespace hilo::jit_detail
