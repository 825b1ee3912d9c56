// SPDX-License-Identifier: Apache-2.0
// backend/cpu/emit/interleave.h -- shuffles between arrays of small rows and one vector for each column.
#pragma once

#include "hilo/backend/cpu/emit/simd.h"

namespace hilo::cpu {

/// Loads, for each column, the vector of the elements at + column, at + stride + column, at + 2*stride + column, ...
/// Columns are ascending, begin with 0, and are less than the stride. No memory behind the last of these elements, or
/// before the first, is read.
/// Example   stride 3, columns {0, 2}: x0 x3 x6 x9 ... and x2 x5 x8 x11 ...
Values load_columns(SimdBuilder& b, ElementType type, llvm::Value* pointer, llvm::Value* at, int64_t stride,
                    std::span<const int64_t> columns);

/// Stores the columns' elements in turn: lane 0 of each column, lane 1 of each, ...
void store_columns(SimdBuilder& b, ElementType type, const Values& columns, llvm::Value* pointer, llvm::Value* at);

/// Returns the number of two-operand shuffles with which a vector of each of `count` columns is interleaved.
int64_t interleaving_shuffles(int64_t count);

/// Returns lanes [first, first + count) of a vector.
llvm::Value* part_of(llvm::IRBuilder<>& ir, llvm::Value* vector, int first, int count);

/// Returns one vector of the lanes of `parts`, whose number is a power of two.
llvm::Value* whole_of(llvm::IRBuilder<>& ir, Values parts);

}  // namespace hilo::cpu
