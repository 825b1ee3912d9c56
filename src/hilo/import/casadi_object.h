// SPDX-License-Identifier: Apache-2.0
// import/casadi_object.h -- a program as an object that CasADi loads.
#pragma once

#include "hilo/device/object_files.h"
#include "hilo/hlo/ir/module.h"

namespace hilo {

/// Compiles a program to an object with the functions that CasADi's external() looks up: NAME, jac_NAME and
/// jac_jac_NAME, of doubles, with sparse Jacobians. Each calls a function of hilo, NAME_hilo, which the header
/// declares; its arrays are vectors of nonzeros. If second derivatives can't be an object, a warning is logged, and the
/// object doesn't have jac_jac_NAME.
/// module     its entry has a parameter for each argument
/// options    name, target and paths are those of object_under_flags()
/// Errors     those of casadi_program() and object_under_flags(); throws those of differentiating
StatusOr<ObjectFiles> casadi_object(const hlo::Module& module, const ObjectOptions& options);

}  // namespace hilo
