// SPDX-License-Identifier: Apache-2.0
// stablehlo/jax_export.h -- reads files of jax.export: a module with names, types, trees, and optionally its
// derivative.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "hilo/base/status.h"
#include "hilo/types/element_type.h"

namespace hilo::stablehlo {

/// An argument or result of the function. Sizes are texts: "3", or expressions of symbols such as "2*b + 1".
struct ExportedValue {
  ElementType type = ElementType::kF32;
  /// whether the type is float0, JAX's tangent type of integers; its values are pred, all false
  bool has_no_tangents = false;
  std::vector<std::string> sizes;
  std::string path;  ///< path in the function's arguments or result: "args[0]['w']", "[1]"

  bool is_symbolic() const;
  /// "f32[b,3]"
  std::string to_string() const;
};

/// The contents of a file that jax.export.Exported.serialize() wrote.
struct JaxExport {
  std::string function_name;
  std::vector<ExportedValue> inputs, outputs;  ///< leaves of its trees
  std::vector<std::string> platforms;
  std::vector<std::string> ordered_effects, unordered_effects;
  std::vector<std::string> disabled_checks;  ///< "platform", or targets of custom calls
  uint32_t device_count = 1;
  uint32_t calling_convention_version = 0;
  std::vector<size_t> kept_inputs;  ///< indices of inputs that are arguments of the module
  bool uses_global_constants = false;
  std::string_view module;  ///< bytecode, a part of the file's bytes
  /// The derivative, if vjp_order >= 1: maps inputs and cotangents of the outputs to cotangents of the inputs.
  std::shared_ptr<const JaxExport> vjp;
};

/// Returns whether `data` is a file of jax.export: a flatbuffer with MLIR bytecode in its module field.
bool is_jax_export(std::string_view data);
/// Returns whether the first 64 KiB can be the beginning of such a file. The root of a flatbuffer is written last and
/// is at the beginning.
bool may_be_jax_export(std::string_view beginning);

/// Reads a file of jax.export. The result's module refers to `data`.
/// Errors    INVALID_ARGUMENT "f.jax: byte 210: ..." for damaged bytes; UNIMPLEMENTED for calling conventions other
///           than 9 and 10, and for more than 16 nested derivatives
/// Cost      linear in the bytes
StatusOr<JaxExport> read_jax_export(std::string_view data, std::string_view source);

}  // namespace hilo::stablehlo
