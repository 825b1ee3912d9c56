// SPDX-License-Identifier: Apache-2.0
// rpc/pass_recorder.h -- records the events of a compilation for an observer in another process.
#pragma once

#include <string>
#include <vector>

#include "hilo/hlo/ir/pass_observer.h"
#include "hilo/rpc/messages.h"

namespace hilo::rpc {

/// Records events of a compilation.
/// Cost      the program is encoded before and after each pass
class PassRecorder final : public hlo::PassObserver {
 public:
  explicit PassRecorder(bool times_kernels) : times_kernels_(times_kernels) {}

  void before(std::string_view pass, const hlo::Module& module) override;
  void after(std::string_view pass, const hlo::Module& module, bool changed, double milliseconds) override;
  bool times_kernels() const override { return times_kernels_; }
  void generated(std::string_view kernel, int64_t code_bytes, double milliseconds) override;

  /// Returns all events in order.
  /// Errors    RESOURCE_EXHAUSTED if they exceed the size of a message; those of to_proto
  StatusOr<std::vector<PassEvent>> events() &&;

 private:
  void add(PassEvent event, const hlo::Module& module);

  const bool times_kernels_;
  std::vector<PassEvent> events_;
  std::string last_;  // last encoded module
  int64_t bytes_ = 0;
  Status status_;
};

/// Passes the recorded events to the observer.
/// Errors    INVALID_ARGUMENT for an invalid event; those of from_proto
Status replay(const std::vector<PassEvent>& events, hlo::PassObserver& observer);

}  // namespace hilo::rpc
