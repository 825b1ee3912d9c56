// SPDX-License-Identifier: Apache-2.0
// hlo/text/annotations.h -- parts of a program that don't affect its meaning: metadata, sharding, ...
#pragma once

#include <vector>

#include "hilo/hlo/ir/instruction.h"
#include "hilo/hlo/text/lexer.h"

namespace hilo::hlo::text {

/// Returns whether `key` is an annotation that any instruction may have.
bool is_annotation(std::string_view key);

/// Reads the value of `key=`. Precondition: is_annotation(key)
Status read_annotation(Cursor& cursor, std::string_view key, Annotations& annotations);

/// Appends ", metadata={...}" and other annotations, in XLA's order.
void append_annotations(const Annotations& annotations, std::string& out);

/// An entry of frontend attributes, such as {"composite.name", "\"hilo.scan\""}. The value is stored as written.
struct FrontendAttribute {
  std::string_view key;
  std::string_view value;
};
StatusOr<std::vector<FrontendAttribute>> read_frontend_attributes(Cursor& cursor);

/// Removes the entries whose keys begin with `prefix` from the frontend attributes `all`. Returns the annotations with
/// the remaining ones; null if nothing remains.
AnnotationsPtr without_frontend_attributes(const Annotations& annotations, const std::vector<FrontendAttribute>& all,
                                           std::string_view prefix);

}  // namespace hilo::hlo::text
