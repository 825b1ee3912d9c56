// SPDX-License-Identifier: Apache-2.0
#include "hilo/base/run_scope.h"

#include <utility>

namespace hilo {
namespace {

thread_local const RunContext* run_of_thread = nullptr;

}  // namespace

const RunContext* current_run() { return run_of_thread; }

RunScope::RunScope(const RunContext* run) : before_(std::exchange(run_of_thread, run)) {}

RunScope::~RunScope() { run_of_thread = before_; }

}  // namespace hilo
