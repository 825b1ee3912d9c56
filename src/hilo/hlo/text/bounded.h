// SPDX-License-Identifier: Apache-2.0
// hlo/text/bounded.h -- values of bounded size, s32[<=6]: arrays of the maximal size, with dimension sizes that the
// program computes.
#pragma once

#include <unordered_map>

#include "hilo/hlo/text/appender.h"

namespace hilo::hlo::text {

/// The limits of the values in one computation. Elements beyond a limit are meaningless: before an op combines elements
/// along a dimension, they are replaced.
class BoundedSizes {
 public:
  /// Returns whether the instruction's result or an operand has bounded size.
  bool concerns(const StatedInstruction& stated, std::span<const InstructionId> operands) const;

  /// Appends the equivalent instructions on arrays of constant size and returns the id of the value.
  /// Errors    UNIMPLEMENTED for ops without a rule here, and for parameters of bounded size
  StatusOr<InstructionId> append(const StatedInstruction& stated, std::span<const InstructionId> operands,
                                 ComputationDraft& draft);

  /// Returns the value with zeros beyond its limits.
  StatusOr<InstructionId> zero_beyond(InstructionId value, ComputationDraft& draft) const;

  bool empty() const { return limits_.empty(); }

 private:
  using Limits = std::vector<InstructionId>;  // by dimension: an s32[] with its size; kNoInstruction: no limit
  struct Call {
    const StatedInstruction& stated;
    std::span<const InstructionId> operands;
    Appender out;
  };

  Limits limits_of(InstructionId id, int64_t rank) const;
  StatusOr<InstructionId> masked(InstructionId x, const Limits& limits, InstructionId fill,
                                 const std::function<bool(int64_t)>& joins, Appender out) const;
  StatusOr<InstructionId> plain(const Call& call, std::span<const InstructionId> operands) const;
  StatusOr<InstructionId> set(InstructionId id, Limits limits);
  StatusOr<InstructionId> moved(const Call& call, std::span<const int64_t> from);
  StatusOr<InstructionId> set_size(Call call);
  StatusOr<InstructionId> get_size(Call call);
  StatusOr<InstructionId> alike(Call call);
  StatusOr<InstructionId> reduce(Call call);
  StatusOr<InstructionId> dot(Call call);
  StatusOr<InstructionId> reshape(Call call);
  StatusOr<InstructionId> concatenate(Call call);

  std::unordered_map<InstructionId, Limits> limits_;
};

}  // namespace hilo::hlo::text
