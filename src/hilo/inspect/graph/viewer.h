// SPDX-License-Identifier: Apache-2.0
// inspect/graph/viewer.h -- script and style of a picture in HTML.
#pragma once

#include <string_view>

namespace hilo::hlo::graph {

/// Returns the script that draws the program, which is JSON in the script's own <section>. The document holds only
/// visible nodes.
std::string_view viewer_script();
std::string_view viewer_style();

}  // namespace hilo::hlo::graph
