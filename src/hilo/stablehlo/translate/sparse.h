// SPDX-License-Identifier: Apache-2.0
// stablehlo/translate/sparse.h -- products of sparse matrices.
#pragma once

#include "hilo/stablehlo/translate/op_context.h"

namespace hilo::stablehlo {

Status translate_sparse_product(const OpContext& op);

}  // namespace hilo::stablehlo
