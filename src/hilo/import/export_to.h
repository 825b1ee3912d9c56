// SPDX-License-Identifier: Apache-2.0
// import/export_to.h -- export_to: a function of hilo as a file for others.
#pragma once

#include <source_location>
#include <string>
#include <type_traits>

#include "hilo/transform/jit.h"

namespace hilo {

/// Where a file goes, and the line of the call.
class ExportPath {
 public:
  ExportPath(std::string path, std::source_location location = std::source_location::current())
      : path_(std::move(path)), location_(location) {}
  ExportPath(const char* path, std::source_location location = std::source_location::current())
      : path_(path), location_(location) {}

  const std::string& path() const { return path_; }
  const std::source_location& location() const { return location_; }

 private:
  std::string path_;
  std::source_location location_;
};

namespace export_detail {

/// Writes a program in HLO text in the form that the path's ending names.
void write_program(const ExportPath& path, const std::string& hlo_text);

/// An array of this type, of whatever values.
Array array_of(const Aval& aval);

template <typename T>
decltype(auto) as_argument(const T& argument) {
  if constexpr (std::is_same_v<T, Aval>) return export_detail::array_of(argument);
  else return (argument);
}

}  // namespace export_detail

/// Writes `f`, traced on such arguments, to a file that `load` and XLA's tools read. The path's ending says the form: .hlo or
/// .txt for HLO text, .pb for HloModuleProto, .mlir for StableHLO as text, .mlirbc as portable artefact. The file is whole or as it was.
/// Arrays that `f` captures are constants in it, as jax.export has them.
/// Types      arguments: trees, of which only shapes and types count; a ShapeDtypeStruct or an Aval in an Array's place
/// Errors     those of tracing and of writing the file; UNIMPLEMENTED for other endings
/// Example    export_to("model.hlo", predict, ShapeDtypeStruct({1, 28, 28}, float32));
template <typename F, typename... Args>
void export_to(const ExportPath& path, const F& f, const Args&... args) {
  const auto traced = hilo::jit(f, JitOptions{.name = "main"}, path.location());
  export_detail::write_program(path, traced.closed_hlo_text(export_detail::as_argument(args)...));
}

}  // namespace hilo
