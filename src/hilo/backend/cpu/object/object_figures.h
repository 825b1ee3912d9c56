// SPDX-License-Identifier: Apache-2.0
// backend/cpu/object/object_figures.h -- what an object needs, for its header and its manifest.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "hilo/backend/cpu/abi/isa.h"
#include "hilo/backend/cpu/object/relocatable.h"
#include "hilo/device/object_files.h"

namespace hilo::cpu {

/// Operations and bytes of one call, counted as CostAnalysis does. They are the most, because a conditional counts as
/// its most expensive branch.
struct CallWork {
  double operations = 0, bytes = 0;
};

struct ObjectFigures {
  std::vector<Isa> isas = {};  ///< levels, lowest first
  std::string program = {};    ///< its name
  int64_t arena_bytes = 0;
  int64_t stack_bytes = 0;  ///< of a call, at most
  int64_t text_bytes = 0, data_bytes = 0;
  int64_t kernels = 0, loops = 0;
  ObjectRuntime runtime = ObjectRuntime::kNone;
  int64_t library_calls = 0;                ///< steps that call libhilo_rt.a
  std::vector<std::string> undefined = {};  ///< functions of the C library and of libhilo_rt.a
  std::optional<CallWork> work = {};        ///< if each loop turns a known number of times
};

/// How the names of functions of libhilo_rt.a begin.
inline constexpr std::string_view kRuntimePrefix = "hilo_rt_";

/// A part of an object.
struct PartRole {
  size_t level = 0;       ///< code of different levels is never called together
  bool is_driver = true;  ///< its functions call each other; of others, a loop calls a kernel at most
};

/// Returns the stack that a call needs at most: the frames of the first part and of a level's driver, and twice the
/// largest frame of the level's other code. Functions of the C library and of libhilo_rt.a need theirs too. `roles` has
/// one entry a part.
/// Errors    INTERNAL for a function whose frame has no known size
StatusOr<int64_t> stack_bytes_of(const JoinedObject& object, std::span<const PartRole> roles);

/// Returns the target's name: "x86-64:v2,v3", "aarch64".
std::string target_name(std::span<const Isa> isas);
/// Returns the instruction sets of a target's name, lowest first.
/// Errors    INVALID_ARGUMENT for other names
StatusOr<std::vector<Isa>> isas_of_target(std::string_view target);

}  // namespace hilo::cpu
