// SPDX-License-Identifier: Apache-2.0
#include "hilo/transform/pmap.h"

#include <algorithm>

#include "hilo/base/flags.h"
#include "hilo/client/compile.h"
#include "hilo/client/replicas.h"
#include "hilo/hlo/passes/passes.h"
#include "hilo/trace/bad_values.h"
#include "hilo/trace/eval_trace.h"
#include "hilo/trace/placement.h"
#include "hilo/trace/settings.h"
#include "hilo/trace/staging_trace.h"
#include "hilo/transform/batch.h"
#include "hilo/transform/check_state.h"
#include "hilo/transform/trace_cache.h"

namespace hilo {
namespace {

constexpr size_t kMaxEntries = 64;  // maximum number of programs per mapped function

Shape without_axis(const Shape& shape, int64_t axis) {
  std::vector<int64_t> sizes(shape.dimensions().begin(), shape.dimensions().end());
  sizes.erase(sizes.begin() + axis);
  return Shape::array(shape.element_type(), sizes);
}

}  // namespace

namespace pmap_detail {
namespace {

/// One program of a mapped function.
struct Entry : TraceCacheEntry {
  std::string structure;
  std::vector<Aval> avals;
  uint64_t version = 0;

  std::shared_ptr<void> prototype;
  std::vector<size_t> result_leaf_counts;
  std::vector<Aval> results;  ///< of one replica
  std::shared_ptr<Executable> executable;
  std::vector<std::vector<BufferPtr>> captures;  ///< of each replica

  bool matches(const Call& call, uint64_t version_asked) const {
    const std::vector<Array>& leaves = call.arguments.leaves;
    if (leaves.size() != avals.size() || version_asked != version) return false;
    for (size_t i = 0; i < leaves.size(); ++i) {
      if (leaves[i].aval() != avals[i]) return false;
    }
    return call.arguments.structure == structure;
  }
};

}  // namespace
}  // namespace pmap_detail

using pmap_detail::Call;
using pmap_detail::Entry;

/// The state of a Pmapped.
class PmapCache {
 public:
  PmapCache(std::string axis_name, std::vector<Axis> in_axes, std::vector<Axis> out_axes,
            const std::source_location& location)
      : axis_name(std::move(axis_name)),
        in_axes(std::move(in_axes)),
        out_axes(std::move(out_axes)),
        location(location),
        where("pmap (" + describe_location(location) + ")") {}

  std::shared_ptr<Entry> find(const Call& call, uint64_t version) {
    return entries_.find([&](const Entry& entry) { return entry.matches(call, version); });
  }
  void add(const std::shared_ptr<Entry>& entry) { entries_.add(entry, held_bytes(entry->executable)); }

  const std::string axis_name;
  const std::vector<Axis> in_axes, out_axes;
  const std::source_location location;
  const std::string where;  ///< begins messages: "pmap (train.cc:41)"

 private:
  TraceCache<Entry> entries_{kMaxEntries};
};

namespace pmap_detail {
namespace {

[[noreturn]] void refuse(const PmapCache& cache, const std::string& text) {
  or_throw(invalid_argument(cache.where + ": " + text));
  __builtin_unreachable();
}

/// Returns the mapped axis of every leaf, as a non-negative number.
std::vector<BatchDim> mapped_axes(const PmapCache& cache, const Call& call) {
  std::vector<BatchDim> dims = vmap_detail::axes_of_leaves(cache.where + " in_axes", cache.in_axes, call.leaf_counts);
  for (size_t i = 0; i < dims.size(); ++i) {
    const Array& leaf = call.arguments.leaves[i];
    if (!dims[i]) continue;
    if (*dims[i] < 0) *dims[i] += leaf.ndim();
    if (*dims[i] < 0 || *dims[i] >= leaf.ndim())
      refuse(cache, "in_axes: no such axis in argument leaf " + std::to_string(i) + " of type " +
                        leaf.aval_shape().to_string());
  }
  return dims;
}

int64_t size_of_mapped_axis(const PmapCache& cache, const Call& call, std::span<const BatchDim> dims) {
  std::optional<int64_t> size;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (!dims[i]) continue;
    const int64_t here = call.arguments.leaves[i].shape(*dims[i]);
    if (size && *size != here) {
      refuse(cache, "got inconsistent sizes for array axes to be mapped: " + std::to_string(*size) + " and " +
                        std::to_string(here));
    }
    size = here;
  }
  if (!size) refuse(cache, "must have at least one non-None value in in_axes");
  if (*size == 0) refuse(cache, "the mapped axis is empty; wanted one slice per replica");
  return *size;
}

/// Returns the number of replicas of a program with `slices` slices in this process. Among several processes, each
/// device runs one replica.
int64_t replicas_of(const PmapCache& cache, int64_t slices) {
  const XlaClientPtr client = or_throw(get_xla_client());
  const int64_t available = client->local_devices().size();
  if (client->process_count() > 1 && slices != available) {
    refuse(cache, "the mapped axis has " + std::to_string(slices) + " slices; wanted one for each of the " +
                      std::to_string(available) + " devices of this process, one of " +
                      std::to_string(client->process_count()));
  }
  if (slices <= available) return slices * client->process_count();
  refuse(cache, "compiling a computation that requires " + std::to_string(slices) + " replicas, but only " +
                    std::to_string(available) + (available == 1 ? " is" : " are") +
                    " available. Hint: jax_replica_count");
}

/// Throws, because other transformations need one array of all slices, and a process has only its own.
void refuse_among_processes(const PmapCache& cache) {
  if (or_throw(get_xla_client())->process_count() == 1) return;
  or_throw(unimplemented(cache.where +
                         ": inside another transformation, in one of several processes. Hint: put the other "
                         "transformation inside pmap"));
}

/// Traces the function for one replica's slice, and compiles it for all.
std::shared_ptr<Entry> make_entry(const PmapCache& cache, const Call& call, std::span<const BatchDim> dims,
                                  int64_t replicas) {
  const TransformationLocation here(cache.location);
  auto entry = std::make_shared<Entry>();
  entry->structure = call.arguments.structure;
  const LeakWatch watch(is_on(Setting::kCheckTracerLeaks));
  StagingTrace trace(&current_trace(), "pmap", "pmap");
  if (!cache.axis_name.empty()) trace.name_axis({cache.axis_name, replicas});
  std::vector<Array> tracers;
  for (size_t i = 0; i < dims.size(); ++i) {
    Aval aval = call.arguments.leaves[i].aval();
    entry->avals.push_back(aval);
    if (dims[i]) aval.shape = without_axis(aval.shape, *dims[i]);
    tracers.push_back(trace.add_argument(aval));
  }
  std::vector<Array> results = call_under(trace, call.trace, tracers, entry->prototype, entry->result_leaf_counts);
  StagedFunction staged = std::move(trace).finish(results, /*always_tuple=*/false);
  entry->results = staged.results;
  results.clear();
  tracers.clear();
  watch.check();
  hlo::Module module;
  module.name = "pmap";
  module.entry = staged.computation;
  checkify::refuse_checks(module.entry);
  or_throw(hlo::dce(module));  // an unused psum must not make the replicas wait for each other
  or_throw(hlo::lower_named_axis(module, cache.axis_name, replicas));
  const CompileOptions options = or_throw(get_compile_options()).value_or(CompileOptions());
  entry->executable = or_throw(compile_for_replicas(module, options, replicas));
  entry->captures.resize(entry->executable->devices().size());
  for (const Array& captured : staged.captures) {
    for (size_t r = 0; r < entry->captures.size(); ++r)
      entry->captures[r].push_back(or_throw(entry->executable->devices()[r]->copy(buffer_of(captured))));
  }
  return entry;
}

/// Returns each replica's arguments: its slices, and copies of unmapped arguments.
std::vector<std::vector<BufferPtr>> distribute(const Entry& entry, const Call& call, std::span<const BatchDim> dims) {
  std::vector<std::vector<BufferPtr>> arguments(entry.executable->devices().size());
  for (size_t i = 0; i < dims.size(); ++i) {
    const Array leaf = dims[i] ? move_axis(call.arguments.leaves[i], *dims[i], 0) : call.arguments.leaves[i];
    const BufferPtr buffer = buffer_of(leaf);
    for (size_t r = 0; r < arguments.size(); ++r) {
      const DevicePtr& device = entry.executable->devices()[r];
      arguments[r].push_back(or_throw(dims[i] ? device->slice(buffer, static_cast<int64_t>(r)) : device->copy(buffer)));
    }
  }
  for (size_t r = 0; r < arguments.size(); ++r)
    arguments[r].insert(arguments[r].end(), entry.captures[r].begin(), entry.captures[r].end());
  return arguments;
}

/// Returns result `i` of all replicas as one array, on the first replica's device.
Array collect(const PmapCache& cache, const Entry& entry, std::span<const std::vector<BufferPtr>> results, size_t i,
              BatchDim axis) {
  const bool weak = entry.results[i].weak_type;
  if (!axis) return array_from_buffer(results[0][i], weak);
  std::vector<BufferPtr> parts;
  for (const std::vector<BufferPtr>& of_replica : results) parts.push_back(of_replica[i]);
  const Array stacked = array_from_buffer(or_throw(entry.executable->devices()[0]->stack(parts)), weak);
  const int64_t place = *axis < 0 ? *axis + stacked.ndim() : *axis;
  if (place < 0 || place >= stacked.ndim())
    refuse(cache, "out_axes: no such axis in a result of type " + stacked.aval_shape().to_string());
  return move_axis(stacked, 0, place);
}

/// Computes the same values by vmap, under another transformation.
Outcome call_batched(const PmapCache& cache, const Call& call, std::span<const BatchDim> dims) {
  const TransformationLocation here(cache.location);
  refuse_among_processes(cache);
  Outcome outcome;
  std::vector<size_t> counts;
  outcome.leaves =
      vmap_flat([&](std::span<const Array> leaves) { return call.trace(leaves, outcome.prototype, counts); },
                call.arguments.leaves, dims,
                [&](size_t) { return vmap_detail::axes_of_leaves(cache.where + " out_axes", cache.out_axes, counts); },
                cache.where, cache.axis_name);
  return outcome;
}

/// Reports bad values that debug_nans has found in results: runs the replicas again, as a batch and operation by
/// operation, to name the operation.
[[noreturn]] void report_bad_results(const PmapCache& cache, const Call& call, std::span<const BatchDim> dims) {
  const bool alone = or_throw(get_xla_client())->process_count() == 1;
  if (alone) call_batched(cache, call, dims);
  throw FloatingPointError(failed_precondition(
      "invalid value encountered in a result of " + cache.where +
      (alone ? ", although op by op no op makes one" : ". Hint: in one process alone the op would be named")));
}

}  // namespace

std::shared_ptr<PmapCache> make_cache(std::string axis_name, std::vector<Axis> in_axes, std::vector<Axis> out_axes,
                                      const std::source_location& location) {
  return std::make_shared<PmapCache>(std::move(axis_name), std::move(in_axes), std::move(out_axes), location);
}

Outcome call(PmapCache& cache, const Call& call) {
  const std::vector<BatchDim> dims = mapped_axes(cache, call);
  const int64_t slices = size_of_mapped_axis(cache, call, dims);
  const bool at_bottom = &current_trace() == &eval_trace() && std::ranges::all_of(call.arguments.leaves, is_concrete);
  if (!at_bottom) return call_batched(cache, call, dims);
  const uint64_t version = trace_version();
  std::shared_ptr<Entry> entry = cache.find(call, version);
  if (entry == nullptr) {
    entry = make_entry(cache, call, dims, replicas_of(cache, slices));
    entry->version = version;
    cache.add(entry);
  }
  const std::vector<std::vector<BufferPtr>> results =
      or_throw(execute_per_replica(*entry->executable, distribute(*entry, call, dims)));
  const std::vector<BatchDim> out_dims =
      vmap_detail::axes_of_leaves(cache.where + " out_axes", cache.out_axes, entry->result_leaf_counts);
  Outcome outcome{{}, entry->prototype};
  for (size_t i = 0; i < entry->results.size(); ++i)
    outcome.leaves.push_back(collect(cache, *entry, results, i, out_dims[i]));
  if (checks_bad_values() && any_bad_value(outcome.leaves, BadValues::enabled())) report_bad_results(cache, call, dims);
  return outcome;
}

}  // namespace pmap_detail
}  // namespace hilo
