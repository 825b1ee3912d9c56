// SPDX-License-Identifier: Apache-2.0
// hlo/text/parser.h -- reads XLA's HLO text.
#pragma once

#include "hilo/hlo/ir/module.h"
#include "hilo/hlo/text/lexer.h"

namespace hilo::hlo {

struct ParseOptions {
  std::string source = "hlo";                  ///< name of the text for messages: "m.hlo:7:3: ..."
  int max_nesting = text::kDefaultMaxNesting;  ///< nesting of tuples and braces; at most 4096
};

/// Reads a module as printed by XLA or hilo. Computations may be in any order; instructions must be defined before they
/// are used. Every instruction is checked by its op's shape rule, so a parsed module also verifies.
/// Errors    INVALID_ARGUMENT for text that isn't HLO; NOT_FOUND for an undefined name, with a similar one as a hint;
///           FAILED_PRECONDITION for computations or instructions that depend on themselves; UNIMPLEMENTED for parts of
///           HLO that this version lacks; RESOURCE_EXHAUSTED without memory. Each names line and column
/// Cost      linear in the text; memory is bounded by it
StatusOr<Module> parse_module(std::string_view text, const ParseOptions& options = {});

/// Reads one shape, such as "f32[4,3]{1,0}" or "(f32[], s32[])".
StatusOr<Shape> parse_shape(std::string_view text);

}  // namespace hilo::hlo
