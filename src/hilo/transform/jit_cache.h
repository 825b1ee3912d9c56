// SPDX-License-Identifier: Apache-2.0
// transform/jit_cache.h -- the traces and programs of a jitted function, shared by calls and stages. Not for users.
#pragma once

#include <atomic>
#include <mutex>

#include "hilo/client/local_computation.h"
#include "hilo/hlo/ir/held_bytes.h"
#include "hilo/mesh/sharded_program.h"
#include "hilo/trace/staging_trace.h"
#include "hilo/transform/buckets.h"
#include "hilo/transform/jit.h"
#include "hilo/transform/trace_cache.h"

namespace hilo {

/// One trace of a jitted function.
struct JitTrace {
  std::string structure;
  std::vector<Aval> avals;
  std::vector<bool> donated;
  uint64_t version = 0;
  std::vector<NamedAxis> axes;  // axes around the call, which determine the meaning of named-axis operations

  StagedFunction staged;
  std::vector<std::optional<NamedSharding>> in_shardings, out_shardings;  ///< one entry per leaf, or empty
  std::optional<Mesh> mesh;                                               ///< mesh of the program's constraints
  /// The computation to compile: the staged one, without the parameters of unused arguments.
  hlo::ComputationPtr program;
  std::vector<size_t> kept;  ///< leaves that are passed to the program; all of them if the sizes are equal
  // Of a function that uses refs. Its captures follow the leaves as arguments, instead of being in staged.captures.
  bool uses_refs = false;
  /// Whether other transformations run the function again instead of transforming its program: see staged_ref_rules.
  bool transforms_function = false;
  std::vector<Array> captures;
  std::vector<size_t> written_leaves;  ///< refs whose final values follow the function's results
  std::shared_ptr<void> prototype;
  std::string result_structure;  ///< FlatTree::structure of the prototype
};

struct JitEntry : TraceCacheEntry, JitTrace {
  // Compiled at the first run, not while the jit is only inlined into others. Set once, then read without the lock, so
  // that no call waits for the compilation for other shapes.
  std::mutex compiling;
  std::atomic<bool> compiled{false};
  std::shared_ptr<Executable> executable;
  std::atomic<bool> direct{false};  ///< whether DirectCall can run the program

  bool matches(const jit_detail::Call& call, uint64_t version_asked) const;
};

/// The state of a Jitted.
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
  void begin_reading() { entries_.begin_reading(); }
  void end_reading() { entries_.end_reading(); }
  template <typename Matches>
  JitEntry* find_recent(const Matches& matches) {
    return entries_.find_recent(matches);
  }
  void add_compiled(JitEntry& entry);
  std::vector<std::shared_ptr<JitEntry>> entries() const { return entries_.entries(); }
  void clear() {
    entries_.clear();
    buckets_.clear();
  }

  /// The programs of JitOptions::buckets.
  BucketTable& buckets() { return buckets_; }

  /// Counts a trace for the line on which the jit was created; warns the user once.
  void count_trace() const;

  const JitOptions& options() const { return options_; }
  const std::source_location& location() const { return location_; }

 private:
  static constexpr size_t kMaxEntries = 256;  // maximum number of traces per jitted function

  JitOptions options_;
  std::source_location location_;
  TraceCache<JitEntry> entries_{kMaxEntries};
  BucketTable buckets_;
};

namespace jit_detail {

/// Traces the call's function. The entry isn't in the cache yet.
/// Errors     what the function throws; LeakedTracer under checking_leaks()
std::shared_ptr<JitEntry> trace_entry(JitCache& cache, const Call& call,
                                      CapturePlace captures = CapturePlace::kLastIfLarge);
/// Rejects arrays in static arguments.
void check_static(const Call& call, const std::source_location& location);
hlo::Module module_of(const JitEntry& entry, const std::string& name);
/// Returns the entry's program; the first caller compiles it.
Executable& executable_of(JitCache& cache, JitEntry& entry);
/// Loads the program that Executable::serialize wrote into the entry, unless it is compiled already.
void load_executable(JitCache& cache, JitEntry& entry, std::string_view bytes);
/// The entry's program, compiled for the devices over which its arrays are sharded.
struct ShardedProgram {
  ShardedCall call;
  Mesh mesh;
  MeshProgramPtr program;
};
/// Returns the program for leaves with these shardings; in_shardings apply where none is set. Returns nullopt if the
/// arrays aren't sharded.
/// Errors     throws those of program_on_mesh
std::optional<ShardedProgram> sharded_program_of(JitCache& cache, const JitEntry& entry,
                                                 const std::vector<std::optional<NamedSharding>>& leaf_shardings);

/// Returns a call of the traced function.
Operation call_of(const JitEntry& entry, std::span<const Array> leaves);
/// Runs the program. If `shared` isn't null, runs that program for arrays with the shardings for which it was compiled.
/// `overwritten`, if not empty, marks leaves whose memory results may reuse, besides donated ones.
/// Precondition: all arrays have values
std::vector<Array> execute(JitCache& cache, JitEntry& entry, std::span<const Array> leaves,
                           const ShardedProgram* shared = nullptr, const std::vector<bool>& overwritten = {});

/// Runs the program, or binds a call of it inside of a transformation. Refs among the leaves are replaced by their
/// values, and the values that the program returns for them are stored.
std::vector<Array> call_entry(JitCache& cache, JitEntry& entry, std::span<const Array> leaves,
                              const ShardedProgram* shared = nullptr);
/// Whether leaf `i` of the arguments is donated.
inline bool is_donated(const JitEntry& entry, size_t i) { return i < entry.donated.size() && entry.donated[i]; }

/// Explains in a line or two why no entry matches the call: for explain_cache_misses.
std::string why_traced(const JitCache& cache, const Call& call);

}  // namespace jit_detail

}  // namespace hilo
