// SPDX-License-Identifier: Apache-2.0
// inspect/profile/profile.h -- jax_hlo_profile: run times of programs by HLO instruction and source line.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "hilo/device/executable.h"

namespace hilo {

/// Totals of one unit of a program over all of its runs.
struct ProfileRow {
  std::string kind = {};                ///< "kernel", "dot", "loop", ...
  std::string name = {};                ///< name of the instruction that determines the unit's position
  std::vector<std::string> lines = {};  ///< "add 'sum' (train.cc:41)", one per op; including a loop's own
  std::string scope = {};               ///< name stack of its last instruction: "jit(step)/transpose(jvp(loss))"
  int64_t calls = 0;
  double nanoseconds = 0;      ///< of all calls
  double flops = 0;            ///< per call; 2mnk for a dot
  double transcendentals = 0;  ///< per call
  double bytes = 0;            ///< per call
};

/// A run of a unit, for timelines.
struct ProfileEvent {
  size_t row;
  int lane;                  ///< numbered by first appearance
  double begin_nanoseconds;  ///< since the start of the profile
  double nanoseconds;
};

/// A pass, or the code generator.
struct CompileStep {
  std::string name = {};
  double milliseconds = 0;
  int64_t bytes = 0;  ///< growth of the heap
};

struct Profile {
  std::string module = {};
  int64_t runs = 0;
  double wall_nanoseconds = 0;        ///< of all runs, from call to return
  int64_t evaluated_count = 0;        ///< as in ExecutableStatistics
  std::vector<ProfileRow> rows = {};  ///< most expensive first
  std::vector<ProfileEvent> events = {};
  int64_t events_dropped = 0;  ///< after the first 2^16
  std::vector<CompileStep> compile_steps = {};
};

/// Returns the executable with a profile: each run is timed, unit by unit.
/// Cost       two clock reads per unit
std::unique_ptr<Executable> profiled(std::unique_ptr<Executable> executable, std::vector<CompileStep> compile_steps);

/// Returns the profiles of this process' executables, including destroyed ones. The first entry is "transfers", if
/// there were any since the first profiled(): copies between the process and devices with separate memory.
std::vector<Profile> profiles();

/// Discards all profiles.
void clear_profiles();

/// Returns a table per program, at most 120 columns wide:
///     time  share  calls  GFLOP/s  GB/s  what
std::string profile_table(const Profile& profile);

/// Returns all data of the profiles as JSON.
std::string profile_json(const std::vector<Profile>& profiles);

/// Returns a trace for chrome://tracing and Perfetto: a process per program, its threads, a bar per run of a unit.
std::string profile_trace(const std::vector<Profile>& profiles);

/// Returns "module;scope;...;kernel add.3 1234" with nanoseconds: the input of flame graph tools.
std::string profile_stacks(const std::vector<Profile>& profiles);

/// Returns an SVG flame graph: a bar per program, below it the scopes of its name stacks, below these the units; widths
/// are times.
std::string profile_flame(const std::vector<Profile>& profiles);

/// Writes profile.txt, profile.json, trace.json, stacks.folded and flame.svg into a directory, which is created if
/// missing.
/// Errors     those of the file system
Status write_profiles(const std::string& directory);

/// Reports at the end of the process: tables on stderr and, if HILO_PROFILE_DIR is set, files in that directory. The
/// first profiled() calls this; further calls have no effect.
void report_profiles_at_exit();

}  // namespace hilo
