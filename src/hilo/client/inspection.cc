// SPDX-License-Identifier: Apache-2.0
#include "hilo/client/inspection.h"

namespace hilo {

bool is_watched(const CompileOptions& options) {
  return options.hlo_profile || options.generate_hlo_graph || options.dump_unoptimized_hlo_proto_to ||
         options.dump_optimized_hlo_proto_to || options.dump_per_pass_hlo_proto_to;
}

StatusOr<std::string> html_section_of_module(const hlo::Module& module, std::string_view title) {
  HILO_ASSIGN_OR_RETURN(const InspectTable* const inspect, open_companion<InspectTable>());
  return inspect->html_section(module, title);
}

}  // namespace hilo
