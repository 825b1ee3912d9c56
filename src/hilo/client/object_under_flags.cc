// SPDX-License-Identifier: Apache-2.0
#include "hilo/client/object_under_flags.h"

#include "hilo/base/files.h"
#include "hilo/client/xla_bridge.h"

namespace hilo {

StatusOr<ObjectFiles> object_under_flags(const hlo::Module& module, const ObjectOptions& object) {
  HILO_ASSIGN_OR_RETURN(const XlaClientPtr client, get_xla_client());
  HILO_ASSIGN_OR_RETURN(const std::optional<CompileOptions> options, get_compile_options());
  return client->compile_object(module, options.value_or(CompileOptions()), object);
}

Status write_object_files(const ObjectFiles& files, const std::string& path) {
  HILO_RETURN_IF_ERROR(write_file_atomic(path + ".o", files.object));
  HILO_RETURN_IF_ERROR(write_file_atomic(path + ".h", files.header));
  HILO_RETURN_IF_ERROR(write_file_atomic(path + ".json", files.manifest));
  if (files.test.empty()) return ok_status();
  const std::string header = path.substr(path.rfind('/') + 1) + ".h";
  return write_file_atomic(path + "_test.c", "#include \"" + header + "\"\n\n" + files.test);
}

}  // namespace hilo
