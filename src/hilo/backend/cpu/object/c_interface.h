// SPDX-License-Identifier: Apache-2.0
// backend/cpu/object/c_interface.h -- the C function of a program: its parameters, their names and their types.
#pragma once

#include <string>
#include <vector>

#include "hilo/device/object_files.h"
#include "hilo/device/program_signature.h"

namespace hilo::cpu {

/// An array that the C function reads or writes.
struct CArray {
  std::string name;    ///< of the parameter: "params_w"
  std::string path;    ///< of the leaf: "params['w']"
  std::string type;    ///< "double"
  std::string extent;  ///< number of elements of `type`: "3 * 4", "1"; empty for an array without elements
  Shape shape;
};

struct CInterface {
  std::string name;    ///< of the function: "rocket"
  std::string prefix;  ///< of enumerators: "ROCKET"
  std::vector<CArray> arguments, results;
};

/// Chooses the parameters of a program's function.
/// Errors    INVALID_ARGUMENT for a name that isn't an identifier, and for other numbers of paths than of leaves
StatusOr<CInterface> c_interface(const ProgramSignature& signature, const ObjectOptions& options);

/// Whether the text is a C identifier that isn't reserved.
bool is_c_identifier(std::string_view text);

/// Returns an identifier like the text: "params['w'].0" gives "params_w_0".
std::string c_identifier(std::string_view text);

}  // namespace hilo::cpu
