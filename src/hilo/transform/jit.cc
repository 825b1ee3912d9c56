// SPDX-License-Identifier: Apache-2.0
#include "hilo/transform/jit.h"

#include <array>
#include <atomic>
#include <memory_resource>
#include <mutex>
#include <unordered_map>

#include "hilo/base/flags.h"
#include "hilo/base/log.h"
#include "hilo/client/compile.h"
#include "hilo/client/graphs.h"
#include "hilo/client/hlo_text.h"
#include "hilo/client/local_computation.h"
#include "hilo/hlo/ir/held_bytes.h"
#include "hilo/hlo/ops/control_flow.h"
#include "hilo/trace/dispatch.h"
#include "hilo/trace/eval_trace.h"
#include "hilo/trace/placement.h"
#include "hilo/trace/staging_trace.h"
#include "hilo/transform/trace_cache.h"

namespace hilo {
namespace {

constexpr size_t kMaxEntries = 256;    // traces kept by one jitted function
constexpr size_t kRetraceWarning = 8;  // traces for one call site of jit after which the user is told

/// One trace of a jitted function.
struct Entry : TraceCacheEntry {
  std::string structure;
  std::vector<Aval> avals;
  std::vector<bool> donated;
  uint64_t version = 0;
  std::vector<NamedAxis> axes;  // around the call: part of what operations over them mean

  StagedFunction staged;
  std::shared_ptr<void> prototype;
  // Compiled when first run, not while the jit is only inlined into others. Set once; then read without the lock, so that
  // no call waits for the compilation of another's shapes.
  std::mutex compiling;
  std::atomic<bool> compiled{false};
  std::shared_ptr<Executable> executable;

  bool matches(const jit_detail::Call& call, uint64_t version_asked) const {
    const std::vector<Array>& leaves = call.arguments.leaves;
    if (leaves.size() != avals.size() || version_asked != version) return false;
    for (size_t i = 0; i < leaves.size(); ++i) {
      if (leaves[i].impl().aval != avals[i]) return false;
    }
    return call.arguments.structure == structure && call.donated == donated && named_axes() == axes;
  }
};

}  // namespace

/// What a Jitted remembers.
class JitCache {
 public:
  JitCache(JitOptions options, const std::source_location& location)
      : options_(std::move(options)), location_(location) {}

  std::shared_ptr<Entry> find(const jit_detail::Call& call) {
    return entries_.find([&, version = trace_version()](const Entry& entry) { return entry.matches(call, version); });
  }
  void add(std::shared_ptr<Entry> entry) {
    const int64_t bytes = hlo::held_bytes(entry->staged.computation);
    entries_.add(std::move(entry), bytes);
  }
  void add_compiled(Entry& entry) { entries_.add_bytes(entry, held_bytes(entry.executable)); }

  /// Counts a trace for the place where the jit was made; tells the user once.
  void count_trace() const {
    static std::mutex mutex;
    static auto* counts = new std::unordered_map<std::string, size_t>;
    std::lock_guard lock(mutex);
    const std::string site = describe_location(location_);
    if (++(*counts)[site] != kRetraceWarning) return;
    log_warning(
        "jit '{}' ({}) has been traced {} times. Hint: arguments change shape or static value from call to call, or "
        "the "
        "jit is made anew for each; make it once, outside of loops",
        options_.name, site, kRetraceWarning);
  }

  const JitOptions& options() const { return options_; }
  const std::source_location& location() const { return location_; }

 private:
  JitOptions options_;
  std::source_location location_;
  TraceCache<Entry> entries_{kMaxEntries};
};

namespace jit_detail {
namespace {

std::shared_ptr<Entry> trace_entry(JitCache& cache, const Call& call) {
  const TransformationLocation here(cache.location());
  auto entry = std::make_shared<Entry>();
  entry->structure = call.arguments.structure;
  entry->donated = call.donated;
  entry->version = trace_version();
  entry->axes = named_axes();
  for (const Array& a : call.arguments.leaves) entry->avals.push_back(a.aval());
  entry->staged = stage([&](std::span<const Array> leaves) { return call.trace(leaves, entry->prototype); },
                        entry->avals, "jit", cache.options().name);
  // A captured tracer belongs to the surrounding trace: such a program is good for this call only.
  const bool reusable = std::all_of(entry->staged.captures.begin(), entry->staged.captures.end(), is_concrete);
  if (reusable) cache.add(entry);
  return entry;
}

void check_static(const Call& call, const std::source_location& location) {
  for (size_t i = 0; i < call.is_static.size(); ++i) {
    if (!call.is_static[i] || call.leaf_counts[i] == 0) continue;
    const TransformationLocation here(location);
    or_throw(invalid_argument(at_user_line("jit") + ": argument " + std::to_string(i) +
                              " is static, but holds an Array; static arguments are numbers, enums, strings and trees "
                              "of them, because their values are compared at every call"));
  }
}

hlo::Module module_of(const Entry& entry, const std::string& name) {
  hlo::Module module;
  module.name = name;
  module.entry = entry.staged.computation;
  return module;
}

/// Inside another transformation, or before it ran: a call instruction.
std::vector<Array> bind_call(const JitCache& cache, const Entry& entry, std::span<const Array> leaves) {
  const TransformationLocation here(cache.location());
  auto attributes = std::make_shared<hlo::CallAttributes>();
  attributes->to_apply = entry.staged.computation;
  Operation operation{hlo::Opcode::kCall, {leaves.begin(), leaves.end()}, std::move(attributes), std::nullopt};
  operation.operands.insert(operation.operands.end(), entry.staged.captures.begin(), entry.staged.captures.end());
  std::vector<Array> results = bind(operation);
  for (size_t i = 0; i < results.size(); ++i)
    results[i] = with_weak_type(results[i], entry.staged.results[i].weak_type);
  return results;
}

Executable& executable_of(JitCache& cache, Entry& entry) {
  if (entry.compiled.load(std::memory_order_acquire)) return *entry.executable;
  std::lock_guard lock(entry.compiling);
  if (entry.executable == nullptr) {
    entry.executable = or_throw(compile_under_flags(module_of(entry, cache.options().name))).executable();
    entry.compiled.store(true, std::memory_order_release);
    cache.add_compiled(entry);
  }
  return *entry.executable;
}

std::vector<Array> execute(JitCache& cache, Entry& entry, const Call& call) {
  Executable& executable = executable_of(cache, entry);
  const size_t count = call.donated.empty() ? 0 : call.arguments.leaves.size() + entry.staged.captures.size();
  const std::unique_ptr<bool[]> donated(count == 0 ? nullptr : new bool[count]());
  std::copy(call.donated.begin(), call.donated.end(), donated.get());
  std::array<std::byte, 256> room;  // few buffers stand on the stack
  std::pmr::monotonic_buffer_resource pool(room.data(), room.size());
  std::pmr::vector<BufferPtr> buffers(entry.staged.results.size(), &pool);
  const StatusOr<bool> committed =
      run_on_arrays(executable, {call.arguments.leaves, entry.staged.captures}, {donated.get(), count}, buffers);
  if (!committed.ok()) {
    const TransformationLocation here(cache.location());
    or_throw(committed.status().with_context(at_user_line("jit")));
  }
  std::vector<Array> results;
  results.reserve(buffers.size());
  for (size_t i = 0; i < buffers.size(); ++i) {
    results.push_back(array_from_buffer(std::move(buffers[i]), entry.staged.results[i].weak_type, *committed));
  }
  return results;
}

}  // namespace

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

Outcome call(JitCache& cache, const Call& call) {
  check_static(call, cache.location());
  std::shared_ptr<Entry> entry = cache.find(call);
  if (entry == nullptr) {
    cache.count_trace();
    entry = trace_entry(cache, call);
  }
  const auto concrete = [](const std::vector<Array>& arrays) {
    return std::all_of(arrays.begin(), arrays.end(), is_concrete);
  };
  const bool at_bottom =
      &current_trace() == &eval_trace() && concrete(call.arguments.leaves) && concrete(entry->staged.captures);
  return {at_bottom ? execute(cache, *entry, call) : bind_call(cache, *entry, call.arguments.leaves), entry->prototype};
}

std::string hlo_text(const Call& call, const std::string& name, const std::source_location& location) {
  check_static(call, location);
  JitCache cache({.donate_argnums = {}, .name = name}, location);
  return hilo::hlo_text(module_of(*trace_entry(cache, call), name));
}

std::string graph_html(const Call& call, const std::string& name, const std::source_location& location) {
  check_static(call, location);
  JitCache cache({.donate_argnums = {}, .name = name}, location);
  const hlo::Module module = module_of(*trace_entry(cache, call), name);
  const std::shared_ptr<Executable> executable = or_throw(compile_under_flags(module)).executable();
  return html_section_of_module(module, name + " as traced") +
         html_section_of_module(*or_throw(optimized_module_of(*executable)), name + " after all passes");
}

}  // namespace jit_detail

namespace flat_call {

std::vector<bool> mask_of(const std::vector<size_t>& leaf_counts, const std::vector<int>& argnums) {
  const int count = static_cast<int>(leaf_counts.size());
  std::vector<bool> chosen(leaf_counts.size());
  for (int argnum : argnums) {
    const int normal = argnum < 0 ? argnum + count : argnum;
    if (normal < 0 || normal >= count) {
      or_throw(invalid_argument(at_user_line("argnums") + ": " + std::to_string(argnum) +
                                " is out of range for a function of " + std::to_string(count) + " arguments"));
    }
    chosen[static_cast<size_t>(normal)] = true;
  }
  std::vector<bool> mask;
  for (size_t i = 0; i < leaf_counts.size(); ++i) mask.insert(mask.end(), leaf_counts[i], chosen[i]);
  return mask;
}

std::vector<Array> in_order_of(const std::vector<int>& argnums, const std::vector<size_t>& leaf_counts,
                               std::vector<Array> leaves) {
  const std::vector<bool> mask = mask_of(leaf_counts, argnums);
  std::vector<size_t> begins(leaf_counts.size() + 1);  // in `leaves`, of each argument; of no use for the others
  size_t leaf = 0, taken = 0;
  for (size_t i = 0; i < leaf_counts.size(); ++i) {
    begins[i] = taken;
    for (size_t k = 0; k < leaf_counts[i]; ++k) taken += mask[leaf++] ? 1 : 0;
  }
  std::vector<Array> ordered;
  for (int argnum : argnums) {
    const size_t i = static_cast<size_t>(argnum < 0 ? argnum + static_cast<int>(leaf_counts.size()) : argnum);
    for (size_t k = 0; k < leaf_counts[i]; ++k) ordered.push_back(leaves[begins[i] + k]);
  }
  return ordered;
}

}  // namespace flat_call

}  // namespace hilo
