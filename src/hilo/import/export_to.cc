// SPDX-License-Identifier: Apache-2.0
#include "hilo/import/export_to.h"

#include <fmt/format.h>

#include "hilo/base/files.h"
#include "hilo/hlo/proto/writer.h"
#include "hilo/import/program.h"
#include "hilo/stablehlo/write/write_tree.h"

namespace hilo::export_detail {
namespace {

StatusOr<std::string> in_form_of(const std::string& path, const std::string& hlo_text) {
  if (path.ends_with(".hlo") || path.ends_with(".txt")) return hlo_text;
  constexpr std::pair<std::string_view, StatusOr<std::string> (*)(const hlo::Module&)> kForms[] = {
      {".pb", [](const hlo::Module& module) -> StatusOr<std::string> { return hlo::to_proto(module); }},
      {".mlir", stablehlo::write_text},
      {".mlirbc", stablehlo::write_bytecode}};
  for (const auto& [ending, write] : kForms) {
    if (!path.ends_with(ending)) continue;
    HILO_ASSIGN_OR_RETURN(const hlo::Module module, parse_program(hlo_text, path));
    return write(module);
  }
  return unimplemented(
      fmt::format("{}: the extension is not supported; wanted .hlo, .txt, .pb, .mlir or .mlirbc", path));
}

}  // namespace

void write_program(const ExportPath& path, const std::string& hlo_text) {
  const TransformationLocation here(path.location());
  const StatusOr<std::string> bytes = in_form_of(path.path(), hlo_text);
  const Status written = bytes.ok() ? write_file_atomic(path.path(), *bytes) : bytes.status();
  if (!written.ok()) or_throw(written.with_context(at_user_line("export_to")));
}

Array array_of(const Aval& aval) { return Array::from_literal(filled(aval.shape, 0)); }

}  // namespace hilo::export_detail
