// SPDX-License-Identifier: Apache-2.0
// transform/jit_cache.h -- what a jitted function has traced and compiled: shared by calls and by stages. Not for users.
#pragma once

#include <atomic>
#include <mutex>

#include "hilo/client/local_computation.h"
#include "hilo/hlo/ir/held_bytes.h"
#include "hilo/mesh/sharded_program.h"
#include "hilo/trace/staging_trace.h"
#include "hilo/transform/jit.h"
#include "hilo/transform/trace_cache.h"

namespace hilo {

/// One trace of a jitted function.
struct JitTrace {
  std::string structure;
  std::vector<Aval> avals;
  std::vector<bool> donated;
  uint64_t version = 0;
  std::vector<NamedAxis> axes;  // around the call: part of what operations over them mean

  StagedFunction staged;
  std::vector<std::optional<NamedSharding>> in_shardings, out_shardings;  ///< by leaf, or empty
  std::optional<Mesh> mesh;                                               ///< of the program's constraints
  /// What is compiled: the staged computation, or without the parameters of arguments that it doesn't use.
  hlo::ComputationPtr program;
  std::vector<size_t> kept;  ///< leaves that are given to it; all of them if there are as many
  std::shared_ptr<void> prototype;
};

/// What a JitCache keeps of it.
struct JitEntry : TraceCacheEntry, JitTrace {
  // Compiled when first run, not while the jit is only inlined into others. Set once; then read without the lock, so that
  // no call waits for the compilation of another's shapes.
  std::mutex compiling;
  std::atomic<bool> compiled{false};
  std::shared_ptr<Executable> executable;

  bool matches(const jit_detail::Call& call, uint64_t version_asked) const;
};

/// What a Jitted remembers.
class JitCache {
 public:
  JitCache(JitOptions options, const std::source_location& location)
      : options_(std::move(options)), location_(location) {}

  std::shared_ptr<JitEntry> find(const jit_detail::Call& call) {
    return entries_.find(
        [&, version = trace_version()](const JitEntry& entry) { return entry.matches(call, version); });
  }
  void add(std::shared_ptr<JitEntry> entry) {
    const int64_t bytes = hlo::held_bytes(entry->staged.computation);
    entries_.add(std::move(entry), bytes);
  }
  void add_compiled(JitEntry& entry);
  std::vector<std::shared_ptr<JitEntry>> entries() const { return entries_.entries(); }
  void clear() { entries_.clear(); }

  /// Counts a trace for the place where the jit was made; tells the user once.
  void count_trace() const;

  const JitOptions& options() const { return options_; }
  const std::source_location& location() const { return location_; }

 private:
  static constexpr size_t kMaxEntries = 256;  // traces kept by one jitted function

  JitOptions options_;
  std::source_location location_;
  TraceCache<JitEntry> entries_{kMaxEntries};
};

namespace jit_detail {

/// Traces the call's function; the entry isn't in the cache yet.
/// Errors    what the function throws; LeakedTracer under checking_leaks()
std::shared_ptr<JitEntry> trace_entry(JitCache& cache, const Call& call, CapturePlace captures = CapturePlace::kLast);
/// Refuses arrays in static arguments.
void check_static(const Call& call, const std::source_location& location);
hlo::Module module_of(const JitEntry& entry, const std::string& name);
/// Whether the program says how devices share its arrays: then it is compiled for them where arguments are known.
bool states_shardings(const JitEntry& entry);
/// The entry's program, compiled by the first who asks.
Executable& executable_of(JitCache& cache, JitEntry& entry);
/// Gives the entry the program that Executable::serialize wrote, unless it is compiled already.
void load_executable(JitCache& cache, JitEntry& entry, std::string_view bytes);
/// The entry's program, compiled for the devices that share its arrays.
struct SharedProgram {
  ShardedCall call;
  Mesh mesh;
  MeshProgramPtr program;
};
/// For leaves that are shared as `leaf_shardings` say, or in_shardings where these say nothing. Nothing: no devices share them.
/// Errors    throws those of program_on_mesh
std::optional<SharedProgram> shared_program_of(JitCache& cache, const JitEntry& entry,
                                               const std::vector<std::optional<NamedSharding>>& leaf_shardings);

/// A call of what was traced.
Operation call_of(const JitEntry& entry, std::span<const Array> leaves);
/// Runs it; `shared` (may be null) as it is, for arrays that are shared as it was compiled for. Precondition: all arrays have
/// values.
std::vector<Array> execute(JitCache& cache, JitEntry& entry, std::span<const Array> leaves,
                           const SharedProgram* shared = nullptr);

/// Why no entry serves the call, a line or two: for explain_cache_misses.
std::string why_traced(const JitCache& cache, const Call& call);

}  // namespace jit_detail

}  // namespace hilo
