// SPDX-License-Identifier: Apache-2.0
#include "hilo/import/export_to.h"

#include <fmt/format.h>

#include "hilo/base/files.h"
#include "hilo/import/program.h"
#include "hilo/import/write_program.h"

namespace hilo::export_detail {
namespace {

StatusOr<std::string> in_format_of(const std::string& path, const std::string& hlo_text) {
  if (path.ends_with(".hlo") || path.ends_with(".txt")) return hlo_text;
  constexpr std::pair<std::string_view, ProgramFormat> kFormats[] = {
      {".pb", ProgramFormat::kProto}, {".mlir", ProgramFormat::kStablehlo}, {".mlirbc", ProgramFormat::kBytecode}};
  for (const auto& [ending, format] : kFormats) {
    if (!path.ends_with(ending)) continue;
    HILO_ASSIGN_OR_RETURN(hlo::Module module, parse_program(hlo_text, path));
    return hilo::write_program(std::move(module), format);
  }
  return unimplemented(
      fmt::format("{}: the extension is not supported; wanted .hlo, .txt, .pb, .mlir or .mlirbc", path));
}

}  // namespace

void write_program(const ExportPath& path, const std::string& hlo_text) {
  const TransformationLocation here(path.location());
  const StatusOr<std::string> bytes = in_format_of(path.path(), hlo_text);
  const Status written = bytes.ok() ? write_file_atomic(path.path(), *bytes) : bytes.status();
  if (!written.ok()) or_throw(written.with_context(at_user_line("export_to")));
}

Array array_of(const Aval& aval) { return Array::from_literal(filled(aval.shape, 0)); }

}  // namespace hilo::export_detail
