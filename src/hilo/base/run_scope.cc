// SPDX-License-Identifier: Apache-2.0
#include "hilo/base/run_scope.h"

namespace hilo::run_detail {

constinit thread_local const RunContext* run_of_thread = nullptr;

}  // namespace hilo::run_detail
