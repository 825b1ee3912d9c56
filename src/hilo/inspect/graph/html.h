// SPDX-License-Identifier: Apache-2.0
// inspect/graph/html.h -- a program as a picture in one HTML page that needs nothing else.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "hilo/hlo/ir/module.h"
#include "hilo/inspect/graph/group.h"

namespace hilo::hlo {

/// A whole page: the entry computation drawn, called ones (bodies of loops, branches) and the fused regions of `groups`
/// opened and closed by a click on their box, and a search over all of them. Small regions stand open at first. Each
/// node has its shape, source line and cost. Places are computed here; the page holds them as data and draws what is in
/// view, so that large programs stay usable. It refers to nothing outside of itself: the letters "http" don't occur,
/// whatever the program's names.
/// Cost    O(n log n) in the number of instructions
std::string html_graph(const Module& module, std::string_view title, std::span<const InstructionGroup> groups = {});

/// The same as a <section>, to be put into a page.
std::string html_section(const Module& module, std::string_view title, std::span<const InstructionGroup> groups = {});

/// `text` as the content of an HTML element or of a quoted attribute.
std::string html_escaped(std::string_view text);

}  // namespace hilo::hlo
