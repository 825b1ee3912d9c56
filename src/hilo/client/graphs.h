// SPDX-License-Identifier: Apache-2.0
// client/graphs.h -- a module as a picture, for the front end, which doesn't see hlo/graph.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hilo/device/executable.h"
#include "hilo/hlo/graph/group.h"
#include "hilo/hlo/ir/module.h"

namespace hilo {

/// "row kernel reduce.8": its form, kind and last instruction.
std::string label_of(const ExecutionUnit& unit);

/// What the engine runs in one go, as pictures of optimized_module() show it. Lives as long as the executable.
std::vector<hlo::InstructionGroup> groups_of(const Executable& executable);

/// A self-contained HTML page with the module's graph.
std::string html_of_module(const hlo::Module& module);

/// The graph as one <section> for a larger page.
std::string html_section_of_module(const hlo::Module& module, std::string_view title);

}  // namespace hilo
