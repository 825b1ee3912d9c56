// SPDX-License-Identifier: Apache-2.0
// client/graphs.h -- a module as a picture, for the front end, which doesn't see hlo/graph.
#pragma once

#include <string>
#include <string_view>

#include "hilo/hlo/ir/module.h"

namespace hilo {

/// A self-contained HTML page with the module's graph.
std::string html_of_module(const hlo::Module& module);

/// The graph as one <section> for a larger page.
std::string html_section_of_module(const hlo::Module& module, std::string_view title);

}  // namespace hilo
