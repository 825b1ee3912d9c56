// SPDX-License-Identifier: Apache-2.0
// hlo/text/parser.h -- XLA's HLO text to a module.
#pragma once

#include "hilo/hlo/ir/module.h"
#include "hilo/hlo/text/lexer.h"

namespace hilo::hlo {

struct ParseOptions {
  std::string source = "hlo";                  ///< name of the text for messages: "m.hlo:7:3: ..."
  int max_nesting = text::kDefaultMaxNesting;  ///< tuples in tuples, braces in braces; at most 4096
};

/// Reads a module as XLA prints it, or as hilo does. Computations may stand in any order; instructions are defined
/// before they are used. Every instruction is checked against its op's shape rule, so what parses also verifies. Errors
/// INVALID_ARGUMENT for what is no HLO; NOT_FOUND for a name without definition, with the nearest one;
///           FAILED_PRECONDITION for computations or instructions that need themselves; UNIMPLEMENTED for parts of HLO
///           that this version doesn't know; RESOURCE_EXHAUSTED without memory. Each names line and column.
/// Cost      linear in the text; memory is bounded by it
StatusOr<Module> parse_module(std::string_view text, const ParseOptions& options = {});

/// Reads one shape, "f32[4,3]{1,0}" or "(f32[], s32[])".
StatusOr<Shape> parse_shape(std::string_view text);

}  // namespace hilo::hlo
