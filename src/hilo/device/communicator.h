// SPDX-License-Identifier: Apache-2.0
// device/communicator.h -- how the participants of one run meet. Threads of one process implement it (replica/); so can
// a library that passes messages, or one of a device: no pointer goes from one participant to another.
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

/// One meeting of a group: the k-th call of one member with this group meets the k-th call of every other.
struct Meeting {
  /// The same for all members, and different for different operations of a program, so that members who come for
  /// different ones are told. A number, since a text may name files, which differ from machine to machine.
  int64_t id;
  std::span<const int64_t> group;  ///< ranks in order, without repetition; the caller is one of them
  std::string_view what;           ///< "all-reduce 'sum'": for messages alone
};

/// Memory as the programs of the communicator's device address it: on Host a pointer that can be read.
using DeviceBytes = std::span<const std::byte>;
using MutableDeviceBytes = std::span<std::byte>;

/// accumulator[i] = accumulator[i] op more[i], over so many bytes of whole elements.
using Fold = FunctionRef<Status(std::byte* accumulator, const std::byte* more, int64_t bytes)>;

/// How elements are reduced. A library that knows `kind` on elements of `type` may reduce by itself; the fold says what it
/// has to be equal to, and is all there is for a generic reducer.
struct Reduction {
  hlo::ReducerKind kind;
  ElementType type;
  Fold fold;
};

/// What one participant sees of all. A rank is a number among the participants of a run; which replica it is and which
/// device it runs on the client knows. Results don't depend on how the participants run: reductions are left folds in the
/// group's order, ((x0 + x1) + x2) + ... Inputs and outputs don't overlap; a group of one is allowed. A call blocks until
/// all members have come.
/// Errors    of every operation: INVALID_ARGUMENT if members call different operations or with other sizes; ABORTED
///           "replica 2 failed: ..." once abort() was called by anyone, or if a member has ended, or all wait for each other
class Communicator {
 public:
  virtual ~Communicator() = default;

  virtual int64_t rank() const = 0;
  virtual int64_t size() const = 0;

  /// out = the reduction of all members' in.
  virtual Status all_reduce(const Meeting& meeting, DeviceBytes in, MutableDeviceBytes out,
                            const Reduction& reduction) = 0;
  /// in: one block of out's size a member; out = the reduction of all members' blocks at the caller's place.
  virtual Status reduce_scatter(const Meeting& meeting, DeviceBytes in, MutableDeviceBytes out,
                                const Reduction& reduction) = 0;
  /// out = all members' in, one after the other.
  virtual Status all_gather(const Meeting& meeting, DeviceBytes in, MutableDeviceBytes out) = 0;
  /// in: one block a member; out: the block that each member has for the caller.
  virtual Status all_to_all(const Meeting& meeting, DeviceBytes in, MutableDeviceBytes out) = 0;
  /// out = the in of rank `source`; zeros if that is -1. `target`, who has the caller as source, may be -1 too.
  virtual Status permute(const Meeting& meeting, int64_t source, int64_t target, DeviceBytes in,
                         MutableDeviceBytes out) = 0;
  /// out = the in of the group's first member.
  virtual Status broadcast(const Meeting& meeting, DeviceBytes in, MutableDeviceBytes out) = 0;

  /// Fails all meetings of all participants, those that wait included. The first reason stays.
  virtual void abort(const Status& reason) = 0;
};

/// The participants of one run that are in this process.
class CommunicatorGroup {
 public:
  virtual ~CommunicatorGroup() = default;
  /// To be used by one thread at a time. `participant` counts those of this process.
  virtual Communicator& of(int64_t participant) = 0;
  /// Says that the participant comes to no more meetings, having failed or not.
  virtual void end(int64_t participant) = 0;
  /// Why meetings fail: ABORTED "replica 2 failed: ...", or OK.
  virtual Status failure() const = 0;
};

/// A run whose participants are to meet.
struct RunMembers {
  int64_t here = 1;      ///< participants in this process
  int64_t all = 1;       ///< in all processes
  bool meet = true;      ///< there is anything in the program by which they meet or differ
  uint64_t program = 0;  ///< ProgramSignature::fingerprint
  /// Who waits to meet others wakes up when it is set (may be null), and then fails all meetings as CANCELLED or, if the time is
  /// over, as DEADLINE_EXCEEDED naming those who haven't come.
  const CancellationToken* cancellation = nullptr;
};

/// Makes the group of a run. Where several processes take part, each calls it in the same order of runs.
using CommunicatorFactory = std::unique_ptr<CommunicatorGroup> (*)(const RunMembers& members);

}  // namespace hilo
