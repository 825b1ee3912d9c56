// SPDX-License-Identifier: Apache-2.0
// rules/custom_call.cc -- rules of external functions, of which only the results are known.
#include "hilo/rules/batch_by_scan.h"
#include "hilo/rules/families.h"

namespace hilo::rules {
namespace {

constexpr NotYet kUnknown{
    "hilo doesn't know what the handler computes. Hint: give the call a derivative with custom_vjp"};

}  // namespace

// One call per example, as JAX's vmap_method="sequential".
const Rules custom_call_rules = {kUnknown, kUnknown, batch_by_scan};

}  // namespace hilo::rules
