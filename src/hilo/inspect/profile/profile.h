// SPDX-License-Identifier: Apache-2.0
// inspect/profile/profile.h -- jax_hlo_profile: where the time of programs goes, by HLO instruction and source line.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "hilo/device/executable.h"

namespace hilo {

/// What one unit of a program did in all of its runs.
struct ProfileRow {
  std::string kind = {};                ///< "kernel", "dot", "loop", ...
  std::string name = {};                ///< of the instruction that decides when it runs
  std::vector<std::string> lines = {};  ///< "add 'sum' (train.cc:41)", one an op; a loop's own too
  std::string scope = {};               ///< name stack of its last instruction: "jit(step)/transpose(jvp(loss))"
  int64_t calls = 0;
  double nanoseconds = 0;      ///< of all calls
  double flops = 0;            ///< of one call; a dot's are 2mnk
  double transcendentals = 0;  ///< of one call
  double bytes = 0;            ///< of one call
};

/// A run of a unit, for pictures over time.
struct ProfileEvent {
  size_t row;
  int lane;                  ///< numbered by first appearance
  double begin_nanoseconds;  ///< since the profile began
  double nanoseconds;
};

/// A pass, or the code generator.
struct CompileStep {
  std::string name = {};
  double milliseconds = 0;
  int64_t bytes = 0;  ///< by which the heap grew
};

struct Profile {
  std::string module = {};
  int64_t runs = 0;
  double wall_nanoseconds = 0;        ///< of all runs, from call to return
  int64_t evaluated_count = 0;        ///< as in ExecutableStatistics
  std::vector<ProfileRow> rows = {};  ///< dearest first
  std::vector<ProfileEvent> events = {};
  int64_t events_dropped = 0;  ///< beyond the first 2^16
  std::vector<CompileStep> compile_steps = {};
};

/// The executable with a profile of its own: each run is timed, unit by unit.
/// Cost    two looks at the clock a unit
std::unique_ptr<Executable> profiled(std::unique_ptr<Executable> executable, std::vector<CompileStep> compile_steps);

/// What the profiled executables of this process have done so far, those that are gone included. Before them, once
/// there were any, "transfers": copies between the process and devices whose memory lies elsewhere, since the first
/// profiled().
std::vector<Profile> profiles();

/// Forgets them.
void clear_profiles();

/// One table a program, at most 120 columns wide:
///     time  share  calls  GFLOP/s  GB/s  what
std::string profile_table(const Profile& profile);

/// All that a Profile holds.
std::string profile_json(const std::vector<Profile>& profiles);

/// For chrome://tracing and Perfetto: a process a program, its threads, a bar a run of a unit.
std::string profile_trace(const std::vector<Profile>& profiles);

/// "module;scope;...;kernel add.3 1234" with nanoseconds: what flame graphs are drawn from.
std::string profile_stacks(const std::vector<Profile>& profiles);

/// An SVG picture: a bar a program, below it the scopes of its name stacks, below these what ran; widths are times.
std::string profile_flame(const std::vector<Profile>& profiles);

/// Puts profile.txt, profile.json, trace.json, stacks.folded and flame.svg into a directory, which is made if missing.
/// Errors    those of the file system
Status write_profiles(const std::string& directory);

/// At the end of the process: the tables on stderr and, if HILO_PROFILE_DIR names one, the files in that directory.
/// Called by the first profiled(); more calls change nothing.
void report_profiles_at_exit();

}  // namespace hilo
