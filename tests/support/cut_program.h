// SPDX-License-Identifier: Apache-2.0
// tests/support/cut_program.h -- a program in HLO text whose arrays four devices of one axis share.
#pragma once

#include <string>
#include <vector>

namespace hilo::tests {

/// Which dimension of an array the axis cuts; -1: none.
using CutDimensions = std::vector<int64_t>;

/// Partitions `entry`, the text of an entry computation and what it calls, for x=4, with parameters and results cut so;
/// runs it on random arguments, and fails the test where it gives something else than the whole program. Returns
/// what the devices send, each with its bytes: "collective-permute 48, all-reduce 4"; behind it, where ops are
///            computed whole by every device, "; whole: dot 'd'"
std::string sent_by(const std::string& entry, const CutDimensions& parameters, const CutDimensions& results);

}  // namespace hilo::tests
