// SPDX-License-Identifier: Apache-2.0
// engine/plan_bytes.h -- serializes and parses plans as bytes.
#pragma once

#include "hilo/device/program_signature.h"
#include "hilo/engine/plan.h"

namespace hilo::engine {

/// Serializes a plan, including the code of its objects. Equal plans have equal bytes.
std::string plan_bytes(const Plan& plan);

/// Parses the result of plan_bytes. Numbers are checked against the tables that they index, so the loader of a parsed
/// plan never reads out of bounds. The code itself isn't checked: the caller must trust its source.
/// Errors    INVALID_ARGUMENT for other bytes, with their position
StatusOr<Plan> plan_from_bytes(std::string_view bytes);

/// Serializes and parses a program's signature in the same format.
std::string signature_bytes(const ProgramSignature& signature);
StatusOr<ProgramSignature> signature_from_bytes(std::string_view bytes);

}  // namespace hilo::engine
