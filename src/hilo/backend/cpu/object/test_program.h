// SPDX-License-Identifier: Apache-2.0
// backend/cpu/object/test_program.h -- a C program that calls an object's function on recorded arguments and compares
// the results.
#pragma once

#include <span>

#include "hilo/backend/cpu/object/c_interface.h"
#include "hilo/types/literal.h"

namespace hilo::cpu {

/// Returns NAME_test.c, in C99: with ObjectOptions::test_arguments, it exits with 0 if all results have the bits of
/// `results`.
/// Errors    those of c_interface
StatusOr<std::string> test_program(const ProgramSignature& signature, const ObjectOptions& options,
                                   std::span<const Literal> results);

}  // namespace hilo::cpu
