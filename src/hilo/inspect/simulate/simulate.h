// SPDX-License-Identifier: Apache-2.0
// inspect/simulate/simulate.h -- estimates the duration of a partitioned program's step on hypothetical devices.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "hilo/hlo/ir/module.h"
#include "hilo/inspect/simulate/links.h"

namespace hilo::hlo {

/// A device's rates per second.
struct Machine {
  double flops = 1e12;             ///< operations
  double transcendentals = 1e11;   ///< exp, log, ...
  double memory_bandwidth = 1e11;  ///< bytes
  Links links;
};

/// An instruction on the critical path, or a loop with all its iterations.
struct PathStep {
  std::string instruction;  ///< "dot 'd' (train.cc:41)"
  double seconds = 0;
  bool communicates = false;
};

struct Simulation {
  double seconds = 0;                 ///< of a step
  double computing = 0, sending = 0;  ///< busy times of devices and links
  std::vector<PathStep> critical_path;
  std::map<Opcode, double> link_bytes;  ///< bytes that each device sends, by collective
  bool exact = true;  ///< false: loops of unknown length count once, conditionals as their longest branch
};

/// Simulates the program of one device. Its instructions run in order on two queues, one for computation and one for
/// communication. An instruction starts when its operands are available and its queue is free. Elementwise ops with a
/// single reader stay in registers; all others read and write memory. Loops and branches start when both queues are
/// free. Collectives without groups involve all `devices`.
/// Cost       linear in instructions
Simulation simulate(const Module& module, int64_t devices, const Machine& machine);

/// Returns step time, both queues, bytes by collective, and the longest steps of the critical path.
std::string to_string(const Simulation& simulation);

}  // namespace hilo::hlo
