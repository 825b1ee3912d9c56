// SPDX-License-Identifier: Apache-2.0
// stablehlo/jax_export.h -- what jax.export wrote around a module: names, types, trees, and the derivative it may bring.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "hilo/base/status.h"
#include "hilo/types/element_type.h"

namespace hilo::stablehlo {

/// An array that the function takes or gives. Sizes are texts: "3", or of symbols, as "2*b + 1".
struct ExportedValue {
  ElementType type = ElementType::kF32;
  bool has_no_tangents = false;  ///< float0: what JAX has for the tangent of an integer; false everywhere, as pred
  std::vector<std::string> sizes;
  std::string path;  ///< in the function's arguments or its result: "args[0]['w']", "[1]"

  bool is_symbolic() const;
  /// "f32[b,3]"
  std::string to_string() const;
};

/// What jax.export.Exported.serialize() wrote.
struct JaxExport {
  std::string function_name;
  std::vector<ExportedValue> inputs, outputs;  ///< the leaves of its trees
  std::vector<std::string> platforms;
  std::vector<std::string> ordered_effects, unordered_effects;
  std::vector<std::string> disabled_checks;  ///< "platform", or targets of custom calls
  uint32_t device_count = 1;
  uint32_t calling_convention_version = 0;
  std::vector<size_t> kept_inputs;  ///< those that the module takes
  bool uses_global_constants = false;
  std::string_view module;  ///< bytecode; lies in the file's bytes
  /// With vjp_order >= 1: inputs and cotangents of the outputs to cotangents of the inputs.
  std::shared_ptr<const JaxExport> vjp;
};

/// Whether `data` is a file of jax.export: a flatbuffer whose field for the module holds MLIR bytecode.
bool is_jax_export(std::string_view data);
/// The same as far as its first 64 KiB tell: the root of a flatbuffer, which is written last, stands at its head.
bool may_be_jax_export(std::string_view beginning);

/// Reads such a file. The result's module lies in `data`.
/// Errors    INVALID_ARGUMENT "f.jax: byte 210: ..." for damaged bytes; UNIMPLEMENTED for calling conventions other than 9
///           and 10, and for derivatives of derivatives nested more than 16 deep
/// Cost      linear in the bytes
StatusOr<JaxExport> read_jax_export(std::string_view data, std::string_view source);

}  // namespace hilo::stablehlo
