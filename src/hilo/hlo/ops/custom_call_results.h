// SPDX-License-Identifier: Apache-2.0
// hlo/ops/custom_call_results.h -- initializes the results of custom calls.
#pragma once

namespace hilo {

/// Sets whether results that aren't aliases of operands are zeroed before the handler runs, in this process. If a
/// handler fails halfway, as LAPACK may, results then don't expose previous contents of memory. Off by default, because
/// it costs a pass over the results. For processes that run programs of other users.
void clear_custom_call_results(bool clears = true);

}  // namespace hilo
