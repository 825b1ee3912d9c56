// SPDX-License-Identifier: Apache-2.0
// hlo/ops/custom_call_results.h -- what the results of a custom call hold before its handler fills them.
#pragma once

namespace hilo {

/// From now on they are zeros in this process, where they are no operand's: a handler that fails halfway, such as LAPACK's, shows no
/// memory of other uses. Undefined by default, since it costs a pass over the results. For processes that run programs of others.
void clear_custom_call_results(bool clears = true);

}  // namespace hilo
