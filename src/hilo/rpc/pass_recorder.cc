// SPDX-License-Identifier: Apache-2.0
#include "hilo/rpc/pass_recorder.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "hilo/hlo/proto/reader.h"
#include "hilo/hlo/proto/writer.h"

namespace hilo::rpc {

void PassRecorder::add(PassEvent event, const hlo::Module& module) {
  if (!status_.ok()) return;
  StatusOr<std::string> written = hlo::to_proto(module);
  if (!written.ok()) {
    status_ = written.status();
    return;
  }
  if (*written != last_) {
    bytes_ += std::ssize(*written);
    if (bytes_ > kMessageBytes - kChunkBytes) {
      status_ = resource_exhausted(fmt::format(
          "Compile.is_observed: the programs after passes exceed the message size of {} bytes", kMessageBytes));
      return;
    }
    event.module = *written;
    last_ = *std::move(written);
  }
  events_.push_back(std::move(event));
}

void PassRecorder::before(std::string_view pass, const hlo::Module& module) {
  add({.kind = PassEvent::kBefore, .name = std::string(pass)}, module);
}

void PassRecorder::after(std::string_view pass, const hlo::Module& module, bool changed, double milliseconds) {
  add({.kind = PassEvent::kAfter, .name = std::string(pass), .changed = changed, .milliseconds = milliseconds}, module);
}

void PassRecorder::generated(std::string_view kernel, int64_t code_bytes, double milliseconds) {
  events_.push_back({.kind = PassEvent::kGenerated,
                     .name = std::string(kernel),
                     .milliseconds = milliseconds,
                     .code_bytes = code_bytes});
}

StatusOr<std::vector<PassEvent>> PassRecorder::events() && {
  if (!status_.ok()) return status_;
  return std::move(events_);
}

Status replay(const std::vector<PassEvent>& events, hlo::PassObserver& observer) {
  std::optional<hlo::Module> module;
  for (const PassEvent& event : events) {
    if (!event.module.empty()) {
      HILO_ASSIGN_OR_RETURN(module, hlo::from_proto(event.module));
    }
    const bool is_kernel = event.kind == PassEvent::kGenerated;
    if (!is_kernel && !module) return invalid_argument("PassEvent: the first event has no module");
    if (is_kernel) observer.generated(event.name, event.code_bytes, event.milliseconds);
    else if (event.kind == PassEvent::kBefore) observer.before(event.name, *module);
    else if (event.kind == PassEvent::kAfter) observer.after(event.name, *module, event.changed, event.milliseconds);
    else return invalid_argument(fmt::format("PassEvent.kind: {} is invalid", event.kind));
  }
  return ok_status();
}

}  // namespace hilo::rpc
