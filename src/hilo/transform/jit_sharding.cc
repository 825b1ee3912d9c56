// SPDX-License-Identifier: Apache-2.0
#include "hilo/transform/jit_sharding.h"

#include <algorithm>

#include "hilo/mesh/sharded_array.h"
#include "hilo/trace/bad_values.h"
#include "hilo/transform/check_state.h"

namespace hilo::jit_detail {
namespace {

std::vector<Array> constrained(std::span<const Array> arrays,
                               const std::vector<std::optional<NamedSharding>>& shardings,
                               const std::source_location& location) {
  std::vector<Array> result(arrays.begin(), arrays.end());
  for (size_t i = 0; i < shardings.size(); ++i) {
    if (!shardings[i]) continue;
    shardings[i]->shard_shape(result[i].shape(), location);  // shards of arguments and results have equal sizes
    result[i] = with_sharding_constraint(result[i], *shardings[i], location);
  }
  return result;
}

/// Returns the specified shardings of the program's arrays; captures follow the arguments.
ShardedCall sharded_call_of(const JitEntry& entry) {
  ShardedCall call{.meaning = entry.program->fingerprint(), .out = entry.out_shardings, .mesh = entry.mesh};
  for (const size_t i : entry.kept) {
    call.in.push_back(i < entry.in_shardings.size() ? entry.in_shardings[i] : std::nullopt);
    call.donated.push_back(is_donated(entry, i) && !checks_bad_values());
  }
  if (!call.out.empty()) call.out.resize(entry.staged.results.size());
  call.in.resize(call.in.size() + entry.staged.captures.size());
  call.donated.resize(call.in.size());
  return call;
}

/// Returns the operands of the program.
std::vector<Array> arguments_of(const JitEntry& entry, std::span<const Array> leaves) {
  std::vector<Array> arguments;
  for (const size_t i : entry.kept) arguments.push_back(leaves[i]);
  arguments.insert(arguments.end(), entry.staged.captures.begin(), entry.staged.captures.end());
  return arguments;
}

}  // namespace

std::vector<Array> constrained_trace(const JitCache& cache, const Call& call, JitEntry& entry,
                                     std::span<const Array> leaves) {
  std::vector<size_t> result_leaves;
  const std::vector<Array> results =
      call.trace(constrained(leaves, entry.in_shardings, cache.location()), entry.prototype, result_leaves);
  if (const ShardingList& out = cache.options().out_shardings; !out.empty())
    entry.out_shardings = shardings_of_leaves("jit out_shardings", out, result_leaves);
  return constrained(results, entry.out_shardings, cache.location());
}

bool specifies_shardings(const JitEntry& entry) {
  const auto says = [](const auto& list) {
    return std::ranges::any_of(list, [](const auto& sharding) { return sharding.has_value(); });
  };
  return entry.mesh || says(entry.in_shardings) || says(entry.out_shardings);
}

std::vector<Array> run_sharded(JitCache& cache, const JitEntry& entry, std::span<const Array> leaves,
                               const ShardedProgram* shared) {
  checkify::refuse_checks(entry.program);
  const std::vector<Array> arguments = arguments_of(entry, leaves);
  const TransformationLocation here(cache.location());
  std::vector<Array> results;
  if (shared != nullptr) {
    results = run_program(*shared->program, shared->call, shared->mesh, arguments);
  } else {
    const ShardedCall call = sharded_call_of(entry);
    results = run_on_mesh(call, *mesh_of_call(call, arguments), arguments,
                          [&] { return module_of(entry, cache.options().name); });
  }
  for (size_t i = 0; i < results.size(); ++i)
    results[i] = with_weak_type(results[i], entry.staged.results[i].weak_type);
  if (checks_bad_values() && any_bad_value(results, BadValues::enabled())) report_bad_values(call_of(entry, leaves));
  return results;
}

std::optional<ShardedProgram> sharded_program_of(JitCache& cache, const JitEntry& entry,
                                                 const std::vector<std::optional<NamedSharding>>& leaf_shardings) {
  ShardedCall call = sharded_call_of(entry);
  for (size_t k = 0; k < entry.kept.size(); ++k) {
    const size_t leaf = entry.kept[k];
    if (!call.in[k] && leaf < leaf_shardings.size()) call.in[k] = leaf_shardings[leaf];
  }
  const std::optional<Mesh> mesh = mesh_of_call(call, entry.staged.captures);
  if (!mesh) return std::nullopt;
  for (size_t c = 0; c < entry.staged.captures.size(); ++c) {
    const Array& capture = entry.staged.captures[c];
    if (any_spread({&capture, 1})) call.in[entry.kept.size() + c] = capture.sharding();
  }
  checkify::refuse_checks(entry.program);
  const TransformationLocation here(cache.location());
  MeshProgramPtr program = program_on_mesh(call, *mesh, [&] { return module_of(entry, cache.options().name); });
  call.in.assign(program->parameters.begin(), program->parameters.end());
  return ShardedProgram{std::move(call), *mesh, std::move(program)};
}

}  // namespace hilo::jit_detail
