// SPDX-License-Identifier: Apache-2.0
// inspect/graph/html.h -- pictures of programs as self-contained HTML pages.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "hilo/hlo/ir/module.h"
#include "hilo/inspect/graph/group.h"

namespace hilo::hlo {

/// Returns a page with a picture of the entry computation. Called computations (bodies of loops, branches) and the
/// fused regions of `groups` open and close by a click; a search covers all of them. Small regions are open initially.
/// Each node shows its shape, source line and cost. The page holds positions as data and draws only the visible part,
/// so that large programs remain usable. It has no external references: the letters "http" don't occur, whatever the
/// program's names.
/// Cost       O(n log n) in the number of instructions
std::string html_graph(const Module& module, std::string_view title, std::span<const InstructionGroup> groups = {});

/// Returns the picture as a <section>, for embedding in a page.
std::string html_section(const Module& module, std::string_view title, std::span<const InstructionGroup> groups = {});

/// Escapes `text` for the content of an HTML element or a quoted attribute.
std::string html_escaped(std::string_view text);

}  // namespace hilo::hlo
