// SPDX-License-Identifier: Apache-2.0
// hlo/text/printer.h -- modules as XLA's HLO text; parse_module reads it back without loss.
#pragma once

#include "hilo/hlo/ir/module.h"

namespace hilo::hlo {

struct PrintOptions {
  /// Larger constants become `constant({...})`, which doesn't read back.
  int64_t max_constant_elements = INT64_MAX;
  bool annotations = true;      ///< metadata, sharding, backend_config, ...
  bool layouts = true;          ///< f32[4,3]{1,0}; without them only row-major modules read back equal
  bool operand_shapes = false;  ///< add(f32[4]{0} %x, ...), as older XLA writes
  /// Extension ops as XLA knows them, a composite call with a decomposition; else under their own name (hilo.scan),
  /// which only hilo reads.
  bool decompose_extensions = true;
  /// Names become numbers and annotations vanish: modules of the same meaning print the same.
  bool canonical = false;
};

/// The module with every computation that its entry needs, called ones first, the entry last.
/// Cost      linear in the text
std::string print_module(const Module& module, const PrintOptions& options = {});

/// One computation; those that it calls are only named.
std::string print_computation(const Computation& computation, const PrintOptions& options = {});

/// One line, "%sum = f32[] add(%x, %y)", without indentation and line end.
std::string print_instruction(const Computation& computation, const Instruction& instruction,
                              const PrintOptions& options = {});

/// "f32[4,3]{1,0}"
std::string print_shape(const Shape& shape, const PrintOptions& options = {});

}  // namespace hilo::hlo
