// SPDX-License-Identifier: Apache-2.0
// inspect/simulate/simulate.h -- how long a step of a partitioned program takes on devices that aren't there.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "hilo/hlo/ir/module.h"
#include "hilo/inspect/simulate/links.h"

namespace hilo::hlo {

/// What a device does in a second.
struct Machine {
  double flops = 1e12;             ///< operations
  double transcendentals = 1e11;   ///< exp, log, ...
  double memory_bandwidth = 1e11;  ///< bytes
  Links links;
};

/// An instruction on the critical path, or a loop with all its runs.
struct PathStep {
  std::string instruction;  ///< "dot 'd' (train.cc:41)"
  double seconds = 0;
  bool communicates = false;
};

struct Simulation {
  double seconds = 0;                 ///< of a step
  double computing = 0, sending = 0;  ///< how long devices compute, and how long links are busy
  std::vector<PathStep> critical_path;
  std::map<Opcode, double> link_bytes;  ///< what each device sends, by collective
  bool exact = true;  ///< false: loops of unknown length count once, conditionals as their longest branch
};

/// Walks the program of one device, whose instructions run in order on two queues: one computes, one communicates. An
/// instruction begins when its operands are there and its queue is free. Elementwise ops whose result only one other of
/// them reads stay in registers; all others read and write memory. Loops and branches begin when both queues are free.
/// `devices` meet where a collective doesn't say who.
/// Cost    linear in instructions
Simulation simulate(const Module& module, int64_t devices, const Machine& machine);

/// Step time, both queues, bytes by collective, and the longest steps of the critical path.
std::string to_string(const Simulation& simulation);

}  // namespace hilo::hlo
