// SPDX-License-Identifier: Apache-2.0
// hlo/buckets/size_pattern.h -- what differs between the traces of one function for arguments of different sizes.
#pragma once

#include <unordered_map>
#include <vector>

#include "hilo/hlo/ir/computation.h"

namespace hilo::hlo {

/// The differences between two traces, `small` and `large`, whose instructions correspond one to one. A number is an
/// extent of an instruction's shape, the start of a slice or the length of a scan. Numbers that differ and are equal in
/// pairs are one size.
struct SizePattern {
  static constexpr uint32_t kSame = ~uint32_t{0};

  ComputationPtr small, large;
  std::vector<uint32_t> sizes;                                    ///< per number, in the order of a walk: its size
  std::vector<std::pair<int64_t, int64_t>> values;                ///< per size: in `small` and in `large`
  std::vector<const Instruction*> constants;                      ///< of `large`, that differ, in the order of a walk
  std::unordered_map<const Instruction*, size_t> constant_index;  ///< where each is in `constants`
  std::unordered_map<const Instruction*, const Instruction*> small_of;

  /// Returns the size of a number that differs.
  size_t size_of(int64_t in_small, int64_t in_large) const;
};

/// The values of a pattern's sizes and constants in another trace.
struct SizeValues {
  std::vector<int64_t> sizes;
  std::vector<Literal> constants;
};

/// Compares two traces.
/// Errors    UNIMPLEMENTED "add 'x' (f.cc:3): its ..." for traces that differ in more than sizes
StatusOr<SizePattern> size_pattern(const ComputationPtr& small, const ComputationPtr& large);

/// Returns the values in `trace`, whose sizes aren't larger than those of pattern.large.
/// Errors    UNIMPLEMENTED as above; FAILED_PRECONDITION for a trace that differs from pattern.large where
///           pattern.small doesn't
StatusOr<SizeValues> size_values(const SizePattern& pattern, const Computation& trace);

/// Returns the computations whose instructions take the place of the op's.
std::vector<ComputationPtr> run_computations(const Instruction& instruction);

}  // namespace hilo::hlo
