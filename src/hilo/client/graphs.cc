// SPDX-License-Identifier: Apache-2.0
#include "hilo/client/graphs.h"

#include "hilo/hlo/graph/html.h"

namespace hilo {

std::string html_of_module(const hlo::Module& module) { return hlo::html_graph(module, module.name); }

std::string html_section_of_module(const hlo::Module& module, std::string_view title) {
  return hlo::html_section(module, title);
}

}  // namespace hilo
