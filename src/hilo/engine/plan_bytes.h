// SPDX-License-Identifier: Apache-2.0
// engine/plan_bytes.h -- plans as bytes and back.
#pragma once

#include "hilo/device/program_signature.h"
#include "hilo/engine/plan.h"

namespace hilo::engine {

/// A plan with the code in its objects. Equal plans give equal bytes.
std::string plan_bytes(const Plan& plan);

/// What plan_bytes wrote. Numbers are checked against the tables that they index, so that a plan of random bytes that
/// can be read can't make its loader read beside them; that its code is what it was, the caller must know.
/// Errors    INVALID_ARGUMENT for other bytes, with their place
StatusOr<Plan> plan_from_bytes(std::string_view bytes);

/// The same for what a program says of itself.
std::string signature_bytes(const ProgramSignature& signature);
StatusOr<ProgramSignature> signature_from_bytes(std::string_view bytes);

}  // namespace hilo::engine
