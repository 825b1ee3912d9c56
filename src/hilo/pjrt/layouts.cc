// SPDX-License-Identifier: Apache-2.0
// The extension for layouts, in JAX's text format: "{1,0}", minor to major.
#include "hilo/pjrt/answers.h"
#include "hilo/pjrt/errors.h"
#include "hilo/pjrt/program.h"
#include "hilo/pjrt/shapes.h"

namespace hilo::pjrt {
namespace {

std::string layout_text(const Shape& shape) {
  std::string text = "{";
  for (const int64_t d : shape.minor_to_major()) text += (text.size() == 1 ? "" : ",") + std::to_string(d);
  return text + "}";
}

}  // namespace

Status answer(PJRT_Layouts_MemoryLayout_Destroy_Args& args) {
  return Handles<PJRT_Layouts_MemoryLayout>::destroy(args.layout);
}

HILO_PJRT_GETTER(PJRT_Layouts_MemoryLayout_Serialize, layout,
                 pass_bytes(layout_text(args.layout->shape), args.serialized_bytes, args.serialized_bytes_size,
                            args.serialized_layout, args.serialized_layout_deleter))

Status answer(PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args& args) {
  HILO_PJRT_WANTED(args, client);
  HILO_ASSIGN_OR_RETURN(const Shape shape, shape_of(args.type, args.dims, args.num_dims, nullptr));
  args.layout = Handles<PJRT_Layouts_MemoryLayout>::make(shape);
  return ok_status();
}

Status answer(PJRT_Layouts_PJRT_Topology_GetDefaultLayout_Args& args) {
  HILO_PJRT_WANTED(args, topology_description);
  HILO_ASSIGN_OR_RETURN(const Shape shape, shape_of(args.type, args.dims, args.num_dims, nullptr));
  args.layout = Handles<PJRT_Layouts_MemoryLayout>::make(shape);
  return ok_status();
}

HILO_PJRT_GETTER(PJRT_Layouts_PJRT_Buffer_MemoryLayout, buffer,
                 args.layout = Handles<PJRT_Layouts_MemoryLayout>::make(args.buffer->buffer->shape()))
HILO_PJRT_GETTER(PJRT_Layouts_PJRT_Executable_GetOutputLayouts, executable,
                 args.num_outputs = args.executable->program->result_lists.layouts.size(),
                 args.layouts = args.executable->program->result_lists.layouts.data())
HILO_PJRT_GETTER(PJRT_Layouts_PJRT_Executable_GetParameterLayouts, executable,
                 args.num_parameters = args.executable->program->argument_lists.layouts.size(),
                 args.layouts = args.executable->program->argument_lists.layouts.data())

}  // namespace hilo::pjrt
