// SPDX-License-Identifier: Apache-2.0
// tests/support/cut_program.h -- partitions a program in HLO text over four devices of one axis.
#pragma once

#include <string>
#include <vector>

namespace hilo::tests {

/// The dimension of an array that is sharded over the axis; -1: none.
using CutDimensions = std::vector<int64_t>;

/// Partitions `entry`, the text of an entry computation and its callees, for x=4, with these shardings of parameters
/// and results. Runs it on random arguments. The test fails if the results differ from those of the whole program.
/// Returns    the collectives, each with its bytes: "collective-permute 48, all-reduce 4"; then ops that every device
///            computes completely: "; whole: dot 'd'"
std::string sent_by(const std::string& entry, const CutDimensions& parameters, const CutDimensions& results);

}  // namespace hilo::tests
