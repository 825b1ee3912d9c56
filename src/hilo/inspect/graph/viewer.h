// SPDX-License-Identifier: Apache-2.0
// inspect/graph/viewer.h -- the script and the style of a picture of a program.
#pragma once

#include <string_view>

namespace hilo::hlo::graph {

/// Draws the program that stands as JSON in the script's own <section>. Only nodes in view are in the document.
std::string_view viewer_script();
std::string_view viewer_style();

}  // namespace hilo::hlo::graph
