// SPDX-License-Identifier: Apache-2.0
// import/export_to.h -- export_to: writes a function to a file for other tools.
#pragma once

#include <source_location>
#include <string>
#include <type_traits>

#include "hilo/transform/jit.h"

namespace hilo {

/// The path of a file, and the line of the call.
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

/// Writes a program from HLO text, in the format of the path's extension.
void write_program(const ExportPath& path, const std::string& hlo_text);

/// Returns an array of this type with arbitrary values.
Array array_of(const Aval& aval);

template <typename T>
decltype(auto) as_argument(const T& argument) {
  if constexpr (std::is_same_v<T, Aval>) return export_detail::array_of(argument);
  else return (argument);
}

}  // namespace export_detail

/// Traces `f` with these arguments, and writes it to a file that `load` and XLA's tools can read. The extension
/// determines the format: .hlo or .txt (HLO text), .pb (HloModuleProto), .mlir (StableHLO text), .mlirbc (portable
/// artifact). The write is atomic. Arrays that `f` captures become constants, as in jax.export.
/// Types      arguments: pytrees; only shapes and types are used, so that a ShapeDtypeStruct or an Aval may replace an
///            Array
/// Errors     those of tracing and of writing the file; UNIMPLEMENTED for other extensions
/// Example    export_to("model.hlo", predict, ShapeDtypeStruct({1, 28, 28}, float32));
template <typename F, typename... Args>
void export_to(const ExportPath& path, const F& f, const Args&... args) {
  const auto traced = hilo::jit(f, JitOptions{.name = "main"}, path.location());
  export_detail::write_program(path, traced.closed_hlo_text(export_detail::as_argument(args)...));
}

}  // namespace hilo
