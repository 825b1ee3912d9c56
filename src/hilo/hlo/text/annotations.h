// SPDX-License-Identifier: Apache-2.0
// hlo/text/annotations.h -- what a program carries beside its meaning: metadata, sharding, backend_config, ...
#pragma once

#include <vector>

#include "hilo/hlo/ir/instruction.h"
#include "hilo/hlo/text/lexer.h"

namespace hilo::hlo::text {

/// Whether `key` is an annotation on any instruction.
bool is_annotation(std::string_view key);

/// Reads the value of `key=`. Precondition: is_annotation(key)
Status read_annotation(Cursor& cursor, std::string_view key, Annotations& annotations);

/// Appends ", metadata={...}" and the like, in XLA's order.
void append_annotations(const Annotations& annotations, std::string& out);

/// An entry of frontend attributes: {"composite.name", "\"hilo.scan\""}, ...; values as written.
struct FrontendAttribute {
  std::string_view key;
  std::string_view value;
};
StatusOr<std::vector<FrontendAttribute>> read_frontend_attributes(Cursor& cursor);

/// `annotations` with frontend attributes `all` less those whose keys begin with `prefix`; null if nothing remains.
AnnotationsPtr without_frontend_attributes(const Annotations& annotations, const std::vector<FrontendAttribute>& all,
                                           std::string_view prefix);

}  // namespace hilo::hlo::text
