// SPDX-License-Identifier: Apache-2.0
// hlo/text/bounded.h -- values of bounded size, s32[<=6]: arrays of the bound's size, of whose dimensions the program computes
// how much is there.
#pragma once

#include <unordered_map>

#include "hilo/hlo/text/appender.h"

namespace hilo::hlo::text {

/// The limits of the values of one computation. What is beyond a limit has no meaning: ops that join elements of a dimension
/// get it replaced first.
class BoundedSizes {
 public:
  /// Whether the instruction makes such a value, or takes one.
  bool concerns(const StatedInstruction& stated, std::span<const InstructionId> operands) const;

  /// Appends what it is of arrays of constant size and returns the id of its value.
  /// Errors    UNIMPLEMENTED for ops without a rule here, and for values of bounded size that come from outside
  StatusOr<InstructionId> append(const StatedInstruction& stated, std::span<const InstructionId> operands,
                                 ComputationDraft& draft);

  /// The value with zeros beyond its limits.
  StatusOr<InstructionId> zero_beyond(InstructionId value, ComputationDraft& draft) const;

  bool empty() const { return limits_.empty(); }

 private:
  using Limits = std::vector<InstructionId>;  // an s32[] a dimension; kNoInstruction: all of it is there
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
