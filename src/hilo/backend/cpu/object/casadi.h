// SPDX-License-Identifier: Apache-2.0
// backend/cpu/object/casadi.h -- CasADi's interface of external functions in LLVM IR: it calls hilo's.
#pragma once

#include <string>
#include <vector>

#include "hilo/backend/cpu/object/c_interface.h"
#include "hilo/device/object_files.h"

namespace llvm {
class Module;
}

namespace hilo::cpu {

/// Returns the names of the functions that emit_casadi() emits.
std::vector<std::string> casadi_names(const CasadiFunction& function);

/// Checks that the program has a vector of doubles for each matrix.
/// Errors    INVALID_ARGUMENT for a name that isn't an identifier of C; INTERNAL
Status check_casadi(const CasadiFunction& function, const CInterface& interface);

/// Emits NAME, NAME_work, NAME_n_in, NAME_n_out, NAME_name_in, NAME_name_out, NAME_sparsity_in, NAME_sparsity_out,
/// NAME_incref, NAME_decref, NAME_checkout and NAME_release, which CasADi's external() and acados look up. NAME calls
/// `interface`'s function: a null argument is zeros, a null result is computed and dropped. Arena and dropped results
/// are in CasADi's work vector.
void emit_casadi(llvm::Module& module, const CasadiFunction& function, const CInterface& interface,
                 int64_t arena_bytes);

}  // namespace hilo::cpu
