// SPDX-License-Identifier: Apache-2.0
// backend/cpu/emit/region/loop_forms.h -- the forms of a region's loops, one file each.
#pragma once

#include "hilo/backend/cpu/emit/region/loop.h"

namespace hilo::cpu {

// region.cc: all loops of a region

/// Inputs of a region's loops inside other code.
struct RegionCall {
  Values buffers;            ///< pointers to the inputs, then the outputs
  llvm::Value *begin, *end;  ///< the part of the outermost dimension
  Values known = {};         ///< empty, or per input: the register value of its only element, or null
};

/// Emits the loops at the builder's position. Returns, per output, its value if it has only one element, otherwise
/// null.
/// Errors    UNIMPLEMENTED or INTERNAL from emit_elementwise
StatusOr<Values> emit_loops(llvm::IRBuilder<>& ir, Isa isa, const Region& region, RegionCall call);

// cut_loop.cc, tile_loop.cc, folded_loop.cc: maps. Other maps use plain_loop. `inside` emits the code within the loops.

/// Emits a loop once for each range between the indices where guards begin or cease to hold. Example: u8[17,100] rolled
/// by one column. Index 0 reads the last column and all others read their neighbours, so one vector at 0 has a mask and
/// the others have none.
void cut_loop(RegionState& s, size_t k, llvm::Value* from, llvm::Value* to, const Inside& inside);

/// Whether a vector reads cache lines that the next index of the previous dimension needs, too.
bool is_transposing(const RegionState& s);

/// Emits the loops over the vectors' dimension and the one before it (in [from, to)), in tiles. The last vector of a
/// line may begin in the previous tile.
void tile_loops(RegionState& s, llvm::Value* from, llvm::Value* to, const Inside& inside);

/// Emits the loop of a map whose last dimension is narrower than a vector. Vectors run along the last two dimensions as
/// one. Each turn has several vectors and begins at a whole row, so the row and element of each lane are constants.
/// Example: s32[n,63,2] repeats each element of s32[n,63]; 16 lanes hold 8 rows: elements 0 0 1 1 2 2 ... of the 8
/// lanes that are loaded.
void folded_loop(RegionState& s, llvm::Value* from, llvm::Value* to, const Inside& inside);

// row_stages.cc: rows, with vectors along them or across them

/// Reserves stack memory for the values that a loop stores for later loops.
void make_tiles(RegionState& s);

/// Emits everything that depends on the row's reductions, and the outputs along the row.
void row_stages(RegionState& s);

// row_columns.cc: rows of few elements, with vectors across them. They are transposed to columns on the stack before
// the loops over the row. Columns that these loops write are transposed back after them.

/// Reserves stack memory for all columns.
void make_row_columns(RegionState& s);
void load_row_columns(RegionState& s);
void store_row_columns(RegionState& s);

// block_loop.cc: matrix products with the vectors across columns and several rows at once, whose sums stay in
// registers. A row of the shared operand, loaded once, is used for all of them. The order of each element's sum is the
// same as without blocks.

/// Emits the loops over rows, in [from, to), and over columns, including their contents. The loop over columns is the
/// outer one, so that its part of the shared operand stays in the cache.
void block_loops(RegionState& s, llvm::Value* from, llvm::Value* to);

// sum_loop.cc: the loop over one dimension of a row, in chunks if it is long

/// Emits `loops`, the loops over a row, in chunks. `neutral`: start values of the accumulators; `reductions`: one per
/// accumulator. Reductions other than sums of floats continue through all chunks.
Values in_chunks(RegionState& s, const Values& neutral, const std::vector<const RegionNode*>& reductions,
                 const std::function<Values()>& loops);

/// Whether the loop over row dimension k is split into chunks.
bool is_cut(const RegionState& s, size_t k);

/// Emits the loop over row dimension k. If it is split, `carried` has neutral values for the sums, before and after it.
Values row_loop(RegionState& s, size_t k, int64_t step, const Values& carried, const LoopBody& turn);

}  // namespace hilo::cpu
