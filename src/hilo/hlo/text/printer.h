// SPDX-License-Identifier: Apache-2.0
// hlo/text/printer.h -- prints modules as XLA's HLO text, which parse_module reads back without loss.
#pragma once

#include "hilo/hlo/ir/module.h"

namespace hilo::hlo {

struct PrintOptions {
  /// Larger constants are printed as `constant({...})`, which can't be read back.
  int64_t max_constant_elements = INT64_MAX;
  bool annotations = true;      ///< print metadata, sharding, backend_config, ...
  bool layouts = true;          ///< print layouts, f32[4,3]{1,0}; without them only row-major modules read back equal
  bool operand_shapes = false;  ///< print add(f32[4]{0} %x, ...), as older versions of XLA do
  /// Prints extension ops as composite calls with a decomposition, which XLA understands. Otherwise under their own
  /// names (hilo.scan), which only hilo reads.
  bool decompose_extensions = true;
  /// Replaces names by numbers and omits annotations: modules of the same meaning print the same.
  bool canonical = false;
};

/// Prints the module with every computation that its entry needs: callees first, the entry last.
/// Cost      linear in the text
std::string print_module(const Module& module, const PrintOptions& options = {});

/// Prints one computation. The computations that it calls appear only by name.
std::string print_computation(const Computation& computation, const PrintOptions& options = {});

/// Prints one line, "%sum = f32[] add(%x, %y)", without indentation and line end.
std::string print_instruction(const Computation& computation, const Instruction& instruction,
                              const PrintOptions& options = {});

/// Prints a shape, such as "f32[4,3]{1,0}".
std::string print_shape(const Shape& shape, const PrintOptions& options = {});

}  // namespace hilo::hlo
