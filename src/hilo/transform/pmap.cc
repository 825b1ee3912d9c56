// SPDX-License-Identifier: Apache-2.0
#include "hilo/transform/pmap.h"

#include <algorithm>
#include <cstring>
#include <mutex>

#include "hilo/base/flags.h"
#include "hilo/client/compile.h"
#include "hilo/client/replicas.h"
#include "hilo/hlo/passes/passes.h"
#include "hilo/trace/eval_trace.h"
#include "hilo/trace/staging_trace.h"
#include "hilo/transform/batch.h"

namespace hilo {
namespace {

constexpr size_t kMaxEntries = 64;  // programs kept by one mapped function

/// Grows when a flag changes or the client is forgotten: what was traced or compiled before is then not used again.
uint64_t version_now() { return flags_version() + client_generation(); }

/// A buffer of replica `replica` with these bytes.
BufferPtr buffer_of_bytes(const Shape& shape, const void* bytes, int64_t replica) {
  const auto size = static_cast<size_t>(shape.byte_size());
  AlignedBuffer memory = or_throw(allocate_buffer(size));
  if (size != 0) std::memcpy(memory.data(), bytes, size);
  return std::make_shared<Buffer>(shape, std::move(memory), static_cast<int>(replica));
}

Shape without_axis(const Shape& shape, int64_t axis) {
  std::vector<int64_t> sizes(shape.dimensions().begin(), shape.dimensions().end());
  sizes.erase(sizes.begin() + axis);
  return Shape::array(shape.element_type(), sizes);
}

/// Held for a scope: its bytes are read.
BufferUse use_of(const BufferPtr& buffer) { return or_throw(BufferUse::of(buffer, "pmap: an argument")); }

}  // namespace

namespace pmap_detail {
namespace {

/// One program of a mapped function.
struct Entry {
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

/// What a Pmapped remembers.
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
    std::lock_guard lock(mutex_);
    const auto it = std::ranges::find_if(entries_, [&](const auto& e) { return e->matches(call, version); });
    return it == entries_.end() ? nullptr : *it;
  }
  void add(std::shared_ptr<Entry> entry) {
    std::lock_guard lock(mutex_);
    if (entries_.size() >= kMaxEntries) entries_.clear();
    entries_.push_back(std::move(entry));
  }

  const std::string axis_name;
  const std::vector<Axis> in_axes, out_axes;
  const std::source_location location;
  const std::string where;  ///< begins messages: "pmap (train.cc:41)"

 private:
  std::mutex mutex_;
  std::vector<std::shared_ptr<Entry>> entries_;
};

namespace pmap_detail {
namespace {

[[noreturn]] void refuse(const PmapCache& cache, const std::string& text) {
  or_throw(invalid_argument(cache.where + ": " + text));
  __builtin_unreachable();
}

/// The mapped axis of every leaf, from 0 on.
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
  if (*size == 0) refuse(cache, "the mapped axis is empty; wanted one slice a replica");
  return *size;
}

void check_available(const PmapCache& cache, int64_t wanted) {
  const int64_t available = or_throw(get_xla_client())->replica_count;
  if (wanted <= available) return;
  refuse(cache, "compiling a computation that requires " + std::to_string(wanted) + " replicas, but only " +
                    std::to_string(available) + (available == 1 ? " is" : " are") +
                    " available. Hint: jax_replica_count");
}

/// Traces the function on what one replica sees, and compiles it for all.
std::shared_ptr<Entry> make_entry(const PmapCache& cache, const Call& call, std::span<const BatchDim> dims,
                                  int64_t replicas) {
  const TransformationLocation here(cache.location);
  auto entry = std::make_shared<Entry>();
  entry->structure = call.arguments.structure;
  StagingTrace trace(&current_trace(), "pmap", "pmap");
  if (!cache.axis_name.empty()) trace.name_axis({cache.axis_name, replicas});
  std::vector<Array> tracers;
  for (size_t i = 0; i < dims.size(); ++i) {
    Aval aval = call.arguments.leaves[i].aval();
    entry->avals.push_back(aval);
    if (dims[i]) aval.shape = without_axis(aval.shape, *dims[i]);
    tracers.push_back(trace.add_argument(aval));
  }
  std::vector<Array> results;
  {
    TraceScope scope(trace);
    results = call.trace(tracers, entry->prototype, entry->result_leaf_counts);
  }
  StagedFunction staged = std::move(trace).finish(results, CapturePlace::kLast, /*always_tuple=*/false);
  entry->results = staged.results;
  hlo::Module module;
  module.name = "pmap";
  module.entry = staged.computation;
  or_throw(hlo::dce(module));  // a psum that nobody reads is no reason to meet
  or_throw(hlo::lower_named_axis(module, cache.axis_name, replicas));
  const CompileOptions options = or_throw(get_compile_options()).value_or(CompileOptions());
  entry->executable = or_throw(compile_for_replicas(module, options, replicas));
  entry->captures.resize(static_cast<size_t>(replicas));
  for (const Array& captured : staged.captures) {
    const BufferPtr& buffer = buffer_of(captured);
    const BufferUse use = use_of(buffer);
    for (int64_t r = 0; r < replicas; ++r)
      entry->captures[static_cast<size_t>(r)].push_back(buffer_of_bytes(buffer->shape(), buffer->data(), r));
  }
  return entry;
}

/// Each replica's arguments: its slices, and copies of what isn't mapped.
std::vector<std::vector<BufferPtr>> distribute(const Entry& entry, const Call& call, std::span<const BatchDim> dims,
                                               int64_t replicas) {
  std::vector<std::vector<BufferPtr>> arguments(static_cast<size_t>(replicas));
  for (size_t i = 0; i < dims.size(); ++i) {
    const Array leaf = dims[i] ? move_axis(call.arguments.leaves[i], *dims[i], 0) : call.arguments.leaves[i];
    const BufferPtr& buffer = buffer_of(leaf);
    const BufferUse use = use_of(buffer);
    const Shape shape = dims[i] ? without_axis(buffer->shape(), 0) : buffer->shape();
    const auto* bytes = static_cast<const std::byte*>(buffer->data());
    for (int64_t r = 0; r < replicas; ++r) {
      const int64_t offset = dims[i] ? r * shape.byte_size() : 0;
      arguments[static_cast<size_t>(r)].push_back(buffer_of_bytes(shape, bytes + offset, r));
    }
  }
  for (size_t r = 0; r < arguments.size(); ++r)
    arguments[r].insert(arguments[r].end(), entry.captures[r].begin(), entry.captures[r].end());
  return arguments;
}

/// Result `i` of all replicas as one array.
Array collect(const PmapCache& cache, const Entry& entry, std::span<const std::vector<BufferPtr>> results, size_t i,
              BatchDim axis) {
  const Shape& part = results[0][i]->shape();
  const bool weak = entry.results[i].weak_type;
  if (!axis) return array_from_buffer(buffer_of_bytes(part, results[0][i]->data(), 0), weak);
  std::vector<int64_t> sizes(part.dimensions().begin(), part.dimensions().end());
  sizes.insert(sizes.begin(), static_cast<int64_t>(results.size()));
  const Shape shape = or_throw(Shape::make_array(part.element_type(), sizes));
  AlignedBuffer memory = or_throw(allocate_buffer(static_cast<size_t>(shape.byte_size())));
  const auto bytes = static_cast<size_t>(part.byte_size());
  for (size_t r = 0; r < results.size() && bytes != 0; ++r)
    std::memcpy(memory.data() + r * bytes, results[r][i]->data(), bytes);
  const Array stacked = array_from_buffer(std::make_shared<Buffer>(shape, std::move(memory)), weak);
  const int64_t place = *axis < 0 ? *axis + shape.rank() : *axis;
  if (place < 0 || place >= shape.rank())
    refuse(cache, "out_axes: no such axis in a result of type " + shape.to_string());
  return move_axis(stacked, 0, place);
}

/// Under another transformation: the same values by vmap.
Outcome call_batched(const PmapCache& cache, const Call& call, std::span<const BatchDim> dims) {
  const TransformationLocation here(cache.location);
  Outcome outcome;
  std::vector<size_t> counts;
  outcome.leaves =
      vmap_flat([&](std::span<const Array> leaves) { return call.trace(leaves, outcome.prototype, counts); },
                call.arguments.leaves, dims,
                [&](size_t) { return vmap_detail::axes_of_leaves(cache.where + " out_axes", cache.out_axes, counts); },
                cache.where, cache.axis_name);
  return outcome;
}

}  // namespace

std::shared_ptr<PmapCache> make_cache(std::string axis_name, std::vector<Axis> in_axes, std::vector<Axis> out_axes,
                                      const std::source_location& location) {
  return std::make_shared<PmapCache>(std::move(axis_name), std::move(in_axes), std::move(out_axes), location);
}

Outcome call(PmapCache& cache, const Call& call) {
  const std::vector<BatchDim> dims = mapped_axes(cache, call);
  const int64_t replicas = size_of_mapped_axis(cache, call, dims);
  const bool at_bottom = &current_trace() == &eval_trace() && std::ranges::all_of(call.arguments.leaves, is_concrete);
  if (!at_bottom) return call_batched(cache, call, dims);
  const uint64_t version = version_now();
  std::shared_ptr<Entry> entry = cache.find(call, version);
  if (entry == nullptr) {
    check_available(cache, replicas);
    entry = make_entry(cache, call, dims, replicas);
    entry->version = version;
    cache.add(entry);
  }
  const std::vector<std::vector<BufferPtr>> results =
      or_throw(execute_per_replica(*entry->executable, distribute(*entry, call, dims, replicas)));
  const std::vector<BatchDim> out_dims =
      vmap_detail::axes_of_leaves(cache.where + " out_axes", cache.out_axes, entry->result_leaf_counts);
  Outcome outcome{{}, entry->prototype};
  for (size_t i = 0; i < entry->results.size(); ++i)
    outcome.leaves.push_back(collect(cache, *entry, results, i, out_dims[i]));
  return outcome;
}

}  // namespace pmap_detail
}  // namespace hilo
