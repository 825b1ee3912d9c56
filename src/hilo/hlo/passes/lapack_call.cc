// SPDX-License-Identifier: Apache-2.0
#include "hilo/hlo/passes/lapack_call.h"

namespace hilo::hlo {

char LapackCall::letter(std::string_view name) const {
  for (const CustomCallAttribute& a : attributes) {
    if (a.name == name && a.kind == CustomCallAttribute::Kind::kScalar && a.type == ElementType::kU8)
      return static_cast<char>(a.scalar<uint8_t>());
  }
  return 0;
}

std::optional<LapackCall> lapack_call(const Instruction& i) {
  constexpr std::string_view kBegin = "lapack_", kEnd = "_ffi";
  if (i.opcode != Opcode::kCustomCall) return std::nullopt;
  const auto& attributes = attributes_of<CustomCallAttributes>(i);
  const std::string target = custom_call_target(attributes);
  if (!target.starts_with(kBegin) || !target.ends_with(kEnd) || target.size() < kBegin.size() + kEnd.size() + 2)
    return std::nullopt;
  LapackCall call{&i, target.substr(kBegin.size() + 1, target.size() - kBegin.size() - kEnd.size() - 1), {}};
  if (const auto entries = parse_custom_call_attributes(attributes.backend_config); entries.ok())
    call.attributes = *entries;
  return call;
}

TriangularSolveAttributes triangular_solve_of(const LapackCall& call) {
  TriangularSolveAttributes attributes;
  attributes.left_side = call.letter("side") == 'L';
  attributes.lower = call.letter("uplo") == 'L';
  attributes.unit_diagonal = call.letter("diag") == 'U';
  const char transpose = call.letter("trans_x");
  attributes.transpose_a = transpose == 'T'   ? MatrixTranspose::kTranspose
                           : transpose == 'C' ? MatrixTranspose::kAdjoint
                                              : MatrixTranspose::kNoTranspose;
  return attributes;
}

}  // namespace hilo::hlo
