// SPDX-License-Identifier: Apache-2.0
// device/communicator.h -- the interface of collectives between the participants of one run. Implemented by threads of
// one process (replica/), by a message passing library, or by a device's library: participants exchange no pointers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "hilo/base/function_ref.h"
#include "hilo/base/status.h"
#include "hilo/device/cancellation.h"
#include "hilo/hlo/ir/reducer_kind.h"
#include "hilo/types/element_type.h"

namespace hilo {

/// One collective operation of a group. The k-th call of one member with this group matches the k-th call of every
/// other member.
struct Meeting {
  /// Equal for all members and different for different operations of a program, so that a mismatch is detected. It is a
  /// number, not a text: texts may contain file names, which differ between machines.
  int64_t id;
  std::span<const int64_t> group;  ///< sorted ranks without repetition; the caller's rank is one of them
  std::string_view what;           ///< for error messages only: "all-reduce 'sum'"
};

/// Memory as the programs of the communicator's device address it. On Host it is readable by the CPU.
using DeviceBytes = std::span<const std::byte>;
using MutableDeviceBytes = std::span<std::byte>;

/// Computes accumulator[i] = accumulator[i] op more[i] for `bytes` bytes of whole elements.
using Fold = FunctionRef<Status(std::byte* accumulator, const std::byte* more, int64_t bytes)>;

/// How elements are reduced. A library that supports `kind` for elements of `type` may reduce them itself. The fold
/// defines the expected result; for a generic reducer it is the only description.
struct Reduction {
  hlo::ReducerKind kind;
  ElementType type;
  Fold fold;
};

/// One participant's interface to all others. A rank is the index of a participant within a run; the client maps ranks
/// to replicas and devices.
///
/// Results don't depend on timing: reductions are left folds in the group's order, ((x0 + x1) + x2) + ... Inputs and
/// outputs don't overlap. A group may have a single member. Each call blocks until all members have made it.
/// Errors    of every operation: INVALID_ARGUMENT if members call different operations or pass different sizes; ABORTED
///           "replica 2 failed: ..." after a call of abort(), if a member has ended, or if all wait for each other
class Communicator {
 public:
  virtual ~Communicator() = default;

  virtual int64_t rank() const = 0;
  virtual int64_t size() const = 0;

  /// Sets `out` to the reduction of the inputs of all members.
  virtual Status all_reduce(const Meeting& meeting, DeviceBytes in, MutableDeviceBytes out,
                            const Reduction& reduction) = 0;
  /// Reduces the blocks of all members at the caller's position in the group. `in` has one block of out's size per
  /// member.
  virtual Status reduce_scatter(const Meeting& meeting, DeviceBytes in, MutableDeviceBytes out,
                                const Reduction& reduction) = 0;
  /// Concatenates the inputs of all members in the group's order.
  virtual Status all_gather(const Meeting& meeting, DeviceBytes in, MutableDeviceBytes out) = 0;
  /// Sends block m of `in` to member m; `out` gets one block from each member.
  virtual Status all_to_all(const Meeting& meeting, DeviceBytes in, MutableDeviceBytes out) = 0;
  /// Sets `out` to the input of rank `source`, or to zeros if `source` is -1. `target` is the rank that names the
  /// caller as its source; it may be -1, too.
  virtual Status permute(const Meeting& meeting, int64_t source, int64_t target, DeviceBytes in,
                         MutableDeviceBytes out) = 0;
  /// Sets `out` to the input of the group's first member.
  virtual Status broadcast(const Meeting& meeting, DeviceBytes in, MutableDeviceBytes out) = 0;

  /// Fails all collectives of all participants, including those that are waiting. Only the first reason is stored.
  virtual void abort(const Status& reason) = 0;
};

/// The participants of one run that belong to this process.
class CommunicatorGroup {
 public:
  virtual ~CommunicatorGroup() = default;
  /// Returns the communicator of a participant, indexed within this process. One thread at a time may use it.
  virtual Communicator& of(int64_t participant) = 0;
  /// Declares that the participant will call no further collectives, whether it failed or not.
  virtual void end(int64_t participant) = 0;
  /// Returns the error with which collectives fail: ABORTED "replica 2 failed: ...", or OK.
  virtual Status failure() const = 0;
};

/// The number of participants of a run, and its options.
struct RunMembers {
  int64_t here = 1;      ///< number of participants in this process
  int64_t all = 1;       ///< number of participants in all processes
  bool meet = true;      ///< whether the program has collectives or depends on the replica's number
  uint64_t program = 0;  ///< ProgramSignature::fingerprint
  /// May be null. If it is set, waiting participants wake up and fail all collectives with CANCELLED. After a deadline
  /// the error is DEADLINE_EXCEEDED, and it names the missing participants.
  const CancellationToken* cancellation = nullptr;
};

/// Creates the group of a run. In a run over several processes, all of them create their groups in the same order.
using CommunicatorFactory = std::unique_ptr<CommunicatorGroup> (*)(const RunMembers& members);

}  // namespace hilo
