// SPDX-License-Identifier: Apache-2.0
#include "hilo/transform/jit_cache.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <memory_resource>
#include <unordered_map>

#include "hilo/base/log.h"
#include "hilo/base/text.h"
#include "hilo/client/compile.h"
#include "hilo/client/xla_bridge.h"
#include "hilo/hlo/ops/control_flow.h"
#include "hilo/mesh/sharding_constraint.h"
#include "hilo/trace/bad_values.h"
#include "hilo/trace/eval_trace.h"
#include "hilo/trace/key_reuse.h"
#include "hilo/trace/placement.h"
#include "hilo/trace/ref.h"
#include "hilo/trace/settings.h"
#include "hilo/transform/check_state.h"
#include "hilo/transform/direct_call.h"
#include "hilo/transform/jit_sharding.h"

namespace hilo {
namespace {

constexpr size_t kRetraceWarning = 8;  // traces for one call site of jit after which the user is warned

}  // namespace

bool JitEntry::matches(const jit_detail::Call& call, uint64_t version_asked) const {
  const std::vector<Array>& leaves = call.arguments.leaves;
  if (leaves.size() != avals.size() || version_asked != version) return false;
  for (size_t i = 0; i < leaves.size(); ++i) {
    if (leaves[i].impl().aval != avals[i]) return false;
  }
  return call.arguments.structure == structure && call.donated == donated && named_axes() == axes;
}

void JitCache::add_compiled(JitEntry& entry) { entries_.add_bytes(entry, held_bytes(entry.executable)); }

void JitCache::count_trace() const {
  static std::mutex mutex;
  static auto* counts = new std::unordered_map<std::string, size_t>;
  std::lock_guard lock(mutex);
  const std::string site = describe_location(location_);
  if (++(*counts)[site] != kRetraceWarning) return;
  log_warning(
      "jit '{}' ({}) has been traced {} times. Hint: arguments change shape or static value from call to call, or the "
      "jit is created again for each; create it once, outside of loops; explain_cache_misses(true) shows what changed",
      options_.name, site, kRetraceWarning);
}

namespace jit_detail {
namespace {

/// Returns for each parameter of `c` whether an instruction reads it.
std::vector<bool> used_parameters(const hlo::Computation& c) {
  std::vector<bool> read(c.size());
  read[c.root_id()] = true;
  for (const hlo::Instruction& i : c.instructions()) {
    for (hlo::InstructionId operand : i.operands) read[operand] = true;
  }
  std::vector<bool> used;
  for (hlo::InstructionId id : c.parameters()) used.push_back(read[id]);
  return used;
}

/// Returns `c` without its unused parameters, those that aren't `kept`.
hlo::ComputationPtr without_parameters(const hlo::Computation& c, const std::vector<bool>& kept) {
  hlo::Builder builder(c.name());
  std::vector<hlo::InstructionId> mapped(c.size(), hlo::kNoInstruction);
  for (size_t k = 0; k < kept.size(); ++k) {
    const hlo::InstructionId id = c.parameters()[k];
    if (kept[k]) mapped[id] = builder.parameter(c.instruction(id).shape);
  }
  for (const hlo::Instruction& i : c.instructions()) {
    if (i.opcode != hlo::Opcode::kParameter) mapped[i.id] = or_throw(builder.copy(i, mapped));
  }
  return or_throw(std::move(builder).build(mapped[c.root_id()]));
}

/// Selects the arguments of the entry that are passed to its program.
void prune(JitEntry& entry, bool keep_unused) {
  entry.program = entry.staged.computation;
  std::vector<bool> used = used_parameters(*entry.program);
  bool all = true;
  for (size_t i = 0; i < entry.avals.size() + entry.captures.size(); ++i) {
    if (used[i] || keep_unused) entry.kept.push_back(i);
    else all = false;
  }
  if (!all) entry.program = without_parameters(*entry.program, used);
}

/// Counts the leaves of the call whose type differs from the entry's.
size_t differing_leaves(const JitEntry& entry, const Call& call) {
  size_t count = 0;
  for (size_t i = 0; i < entry.avals.size(); ++i) count += call.arguments.leaves[i].aval() != entry.avals[i] ? 1 : 0;
  return count;
}

std::string type_text(const Aval& aval) { return aval.shape.to_string() + (aval.weak_type ? " (weakly typed)" : ""); }

/// Returns the entry with the call's structure that has the fewest other differences.
std::shared_ptr<JitEntry> nearest(const std::vector<std::shared_ptr<JitEntry>>& entries, const Call& call) {
  std::shared_ptr<JitEntry> best;
  for (const auto& entry : entries) {
    if (entry->structure != call.arguments.structure) continue;
    if (best == nullptr || differing_leaves(*entry, call) <= differing_leaves(*best, call)) best = entry;
  }
  return best;
}

/// Logs the duration of a step on stderr, under log_compiles.
class StepLog {
 public:
  StepLog(const JitCache& cache, std::string_view step) : cache_(cache), step_(step) {}
  void done() const {
    if (!is_on(Setting::kLogCompiles)) return;
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin_;
    log_warning("Finished {} jit '{}' ({}) in {:.3f} s", step_, cache_.options().name,
                describe_location(cache_.location()), seconds.count());
  }

 private:
  const JitCache& cache_;
  std::string_view step_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace

std::string why_traced(const JitCache& cache, const Call& call) {
  const std::vector<std::shared_ptr<JitEntry>> entries = cache.entries();
  if (entries.empty()) return "it was never called before";
  const std::shared_ptr<JitEntry> entry = nearest(entries, call);
  if (entry == nullptr)
    return "never called with arguments of this tree: lengths, keys, optionals and static values are part of it";
  std::string why;
  const auto add = [&why](const std::string& reason) { why += (why.empty() ? "" : "; ") + reason; };
  for (size_t i = 0; i < entry->avals.size(); ++i) {
    const Aval& got = call.arguments.leaves[i].aval();
    if (got == entry->avals[i]) continue;
    add(call.path_of_leaf(i) + " is " + type_text(got) + ", the nearest trace has " + type_text(entry->avals[i]));
  }
  if (entry->donated != call.donated) add("other arguments are donated");
  if (entry->version != trace_version()) add("a flag has changed, or the client, or a setting that traces depend on");
  if (entry->axes != named_axes()) add("the named axes around the call differ");
  return why;
}

std::shared_ptr<JitEntry> trace_entry(JitCache& cache, const Call& call, CapturePlace captures) {
  const TransformationLocation here(cache.location());
  if (is_on(Setting::kNoTracing)) refuse_under("no_tracing", at_user_line("jit") + ": the function has to be traced");
  auto entry = std::make_shared<JitEntry>();
  entry->structure = call.arguments.structure;
  entry->donated = call.donated;
  entry->version = trace_version();
  entry->axes = named_axes();
  for (const Array& a : call.arguments.leaves) entry->avals.push_back(a.aval());
  const StepLog log(cache, "tracing of");
  LeakWatch watch(is_on(Setting::kCheckTracerLeaks));
  if (const ShardingList& in = cache.options().in_shardings; !in.empty())
    entry->in_shardings = shardings_of_leaves("jit in_shardings", in, call.argument_leaves);
  RefArguments refs("jit", call.arguments.leaves);
  const int64_t ref_rules = staged_ref_rules();
  const FlatFunction f = [&](std::span<const Array> leaves) {
    std::vector<Array> results = constrained_trace(cache, call, *entry, refs.enter(leaves));
    refs.append_final(results);
    return results;
  };
  if (tracks_keys() && captures == CapturePlace::kLastIfLarge)
    captures = CapturePlace::kLast;  // a constant isn't a key
  entry->staged = stage_with_refs(f, entry->avals, "jit", cache.options().name, captures);
  entry->written_leaves = refs.appended();
  entry->transforms_function = staged_ref_rules() != ref_rules;
  refs.leave();
  refs.refuse_captured(entry->staged.captures);
  entry->uses_refs = refs.any() || any_ref(entry->staged.captures);
  if (entry->uses_refs) entry->captures = std::exchange(entry->staged.captures, {});
  watch.check();
  entry->result_structure = flatten_walked({entry->prototype.get(), call.typeless.walk_result}).structure;
  if (uses_sharding_constraints()) entry->mesh = mesh_of_constraints(entry->staged.computation);
  prune(*entry, cache.options().keep_unused);
  log.done();
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

namespace {

/// Pairs each donated argument with the first free result of its shape. Adds the shapes of arguments without a match to
/// `unusable`.
std::vector<hlo::Alias> aliases_of(const JitEntry& entry, std::vector<std::string>& unusable) {
  std::vector<hlo::Alias> aliases;
  if (entry.donated.empty()) return aliases;
  const std::vector<Shape> results = entry.program->result_shape().leaves();
  std::vector<bool> taken(results.size());
  for (size_t i = 0; i < entry.kept.size(); ++i) {
    if (!is_donated(entry, entry.kept[i])) continue;
    const Shape& shape = entry.program->instruction(entry.program->parameters()[i]).shape;
    size_t k = 0;
    while (k < results.size() && (taken[k] || results[k] != shape)) ++k;
    if (k == results.size()) {
      unusable.push_back(shape.to_string());
      continue;
    }
    taken[k] = true;
    hlo::Alias& alias = aliases.emplace_back();
    alias.parameter_number = i;
    if (entry.program->result_shape().is_tuple()) alias.result_index = {static_cast<int64_t>(k)};
  }
  return aliases;
}

/// Prints JAX's donation warning, once per program.
void warn_of_unusable(const JitCache& cache, const JitEntry& entry) {
  std::vector<std::string> unusable;
  aliases_of(entry, unusable);
  if (unusable.empty()) return;
  const std::vector<std::string_view> shapes(unusable.begin(), unusable.end());
  log_warning(
      "jit '{}' ({}): Some donated buffers were not usable: {}. No result has their shape and type. Hint: donate what "
      "comes back changed",
      cache.options().name, describe_location(cache.location()), join(shapes, ", "));
}

}  // namespace

hlo::Module module_of(const JitEntry& entry, const std::string& name) {
  hlo::Module module;
  module.name = name;
  module.entry = entry.program;
  std::vector<std::string> unusable;
  module.aliases = aliases_of(entry, unusable);  // for platforms that need aliases at compile time
  return module;
}

Executable& executable_of(JitCache& cache, JitEntry& entry) {
  if (entry.compiled.load(std::memory_order_acquire)) return *entry.executable;
  std::lock_guard lock(entry.compiling);
  if (entry.executable == nullptr) {
    checkify::refuse_checks(entry.program);
    warn_of_unusable(cache, entry);
    const CompilerOptions& requested = cache.options().compiler_options;
    const StepLog log(cache, "compilation of");
    entry.executable = or_throw(compile_under_flags(
                                    module_of(entry, cache.options().name),
                                    requested.empty() ? std::function<void(CompileOptions&)>()
                                                      : [&](CompileOptions& o) { set_compiler_options(requested, o); }))
                           .executable();
    log.done();
    entry.compiled.store(true, std::memory_order_release);
    cache.add_compiled(entry);
  }
  return *entry.executable;
}

void load_executable(JitCache& cache, JitEntry& entry, std::string_view bytes) {
  std::lock_guard lock(entry.compiling);
  auto loaded = or_throw(or_throw(get_xla_client())->load(bytes));
  if (entry.executable != nullptr) return;
  checkify::refuse_checks(entry.program);
  entry.executable = std::move(loaded);
  entry.compiled.store(true, std::memory_order_release);
  cache.add_compiled(entry);
}

Operation call_of(const JitEntry& entry, std::span<const Array> leaves) {
  Operation call{hlo::Opcode::kCall, {leaves.begin(), leaves.end()}, nullptr, std::nullopt};
  call.operands.insert(call.operands.end(), entry.staged.captures.begin(), entry.staged.captures.end());
  auto attributes = std::make_shared<hlo::CallAttributes>();
  attributes->to_apply = entry.staged.computation;
  call.attributes = std::move(attributes);
  return call;
}

namespace {

std::vector<Array> run(JitCache& cache, JitEntry& entry, std::span<const Array> leaves, const ShardedProgram* shared,
                       const std::vector<bool>& overwritten) {
  if (shared != nullptr || specifies_shardings(entry) || any_spread(leaves) || any_spread(entry.staged.captures))
    return run_sharded(cache, entry, leaves, shared);
  Executable& executable = executable_of(cache, entry);
  std::vector<Array> kept;
  if (entry.kept.size() != leaves.size()) {
    for (size_t i : entry.kept) kept.push_back(leaves[i]);
  }
  const std::span<const Array> operands = entry.kept.size() == leaves.size() ? leaves : kept;
  const bool looks = checks_bad_values();  // the debug run below needs the arguments again
  const bool donates = !entry.donated.empty() || !overwritten.empty();
  const size_t count = donates && !looks ? operands.size() + entry.staged.captures.size() : 0;
  const std::unique_ptr<bool[]> donated(count == 0 ? nullptr : new bool[count]());
  for (size_t i = 0; count != 0 && i < operands.size(); ++i) {
    const size_t leaf = entry.kept[i];
    donated[i] = is_donated(entry, leaf) || (leaf < overwritten.size() && overwritten[leaf]);
  }
  std::array<std::byte, 256> room;  // stack memory for a few buffers
  std::pmr::monotonic_buffer_resource pool(room.data(), room.size());
  std::pmr::vector<BufferPtr> buffers(entry.staged.results.size(), &pool);
  const StatusOr<bool> committed = run_on_arrays(executable, {operands, entry.staged.captures}, {donated.get(), count},
                                                 buffers, [&] { return module_of(entry, cache.options().name); });
  if (!committed.ok()) {
    const TransformationLocation here(cache.location());
    or_throw(committed.status().with_context(at_user_line("jit")));
  }
  std::vector<Array> results;
  results.reserve(buffers.size());
  for (size_t i = 0; i < buffers.size(); ++i) {
    results.push_back(array_from_buffer(std::move(buffers[i]), entry.staged.results[i].weak_type, *committed));
  }
  if (!entry.direct.load(std::memory_order_relaxed)) allow_direct_calls(entry);
  if (looks && any_bad_value(results, BadValues::enabled())) report_bad_values(call_of(entry, leaves));
  return results;
}

}  // namespace

std::vector<Array> execute(JitCache& cache, JitEntry& entry, std::span<const Array> leaves,
                           const ShardedProgram* shared, const std::vector<bool>& overwritten) {
  if (is_on(Setting::kNoExecution)) refuse_under("no_execution", "jit: the program would run");
  if (!tracks_keys()) return run(cache, entry, leaves, shared, overwritten);
  return track_keys(call_of(entry, leaves), [&] { return run(cache, entry, leaves, shared, overwritten); });
}

}  // namespace jit_detail

}  // namespace hilo
