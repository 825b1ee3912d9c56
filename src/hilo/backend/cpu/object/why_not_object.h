// SPDX-License-Identifier: Apache-2.0
// backend/cpu/object/why_not_object.h -- finds the first step of a plan that needs hilo to run.
#pragma once

#include "hilo/backend/cpu/object/routines.h"
#include "hilo/device/object_files.h"
#include "hilo/device/program_signature.h"
#include "hilo/engine/plan.h"

namespace hilo::cpu {

/// Checks that all steps are code of the plan (kernels, copies, loops, conditionals), or, with `runtime`, calls of
/// libhilo_rt.a.
/// Errors    UNIMPLEMENTED "sort 'sort.14' (model.py:12) calls hilo's library ..."; the same for programs of several
///           replicas and for arguments and results that aren't row-major
Status why_not_object(const engine::Plan& plan, const Routines& routines, ObjectRuntime runtime,
                      const ProgramSignature& signature, const hlo::Module& optimized);

/// Checks that each loop turns a known number of times.
/// Errors    FAILED_PRECONDITION with the first loop that doesn't
Status why_not_realtime(const hlo::Module& optimized);

/// Describes why a kernel can't be in an object: it calls this function of hilo's library.
Status refused_function(std::string_view symbol, ObjectRuntime runtime, const hlo::Module& optimized);

}  // namespace hilo::cpu
