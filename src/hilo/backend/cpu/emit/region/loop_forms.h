// SPDX-License-Identifier: Apache-2.0
// backend/cpu/emit/region/loop_forms.h -- the forms of a region's loops, one file each.
#pragma once

#include "hilo/backend/cpu/emit/region/loop.h"

namespace hilo::cpu {

// region.cc: all loops of a region

/// What the loops of a region within other code begin with.
struct RegionCall {
  Values buffers;            ///< pointers to the inputs, then the outputs
  llvm::Value *begin, *end;  ///< the part of the outermost dimension
  Values known = {};         ///< empty, or per input: the register value of its only element, or null
};

/// Writes the loops at the builder's place. Per output: the scalar that it gets if it has just one element, else null.
/// Errors    UNIMPLEMENTED or INTERNAL from emit_elementwise
StatusOr<Values> emit_loops(llvm::IRBuilder<>& ir, Isa isa, const Region& region, RegionCall call);

// cut_loop.cc, tile_loop.cc, folded_loop.cc: maps; others are a plain_loop. `inside` emits what is within the loops.

/// A loop that is written once for each stretch between the positions where guards begin or cease to hold. Of
/// u8[17,100] rolled by one column, index 0 reads the last column and the others their neighbours: one vector at 0
/// under a mask, the others under none.
void cut_loop(RegionState& s, size_t k, llvm::Value* from, llvm::Value* to, const Inside& inside);

/// Whether a vector takes its elements from cache lines which the next index of the dimension before needs too.
bool is_transposing(const RegionState& s);

/// The loops over the dimension before the vectors' (in [from, to)) and over that one, in tiles. The last vector of a
/// line may begin in the tile before.
void tile_loops(RegionState& s, llvm::Value* from, llvm::Value* to, const Inside& inside);

/// The loop of a map whose last dimension is narrower than a vector: vectors run along the last two as one, some a
/// turn, which begin at a whole row. So which element of which row a lane holds is known here. Of s32[n,63,2], each
/// element of s32[n,63] twice, 16 lanes hold 8 rows: elements 0 0 1 1 2 2 ... of what 8 lanes load.
void folded_loop(RegionState& s, llvm::Value* from, llvm::Value* to, const Inside& inside);

// row_stages.cc: rows, with vectors along them or across them

/// Reserves the stack memory of values that a loop keeps for later ones.
void make_tiles(RegionState& s);

/// Computes everything that depends on the row's reductions, and writes the outputs along the row.
void row_stages(RegionState& s);

// row_columns.cc: rows of few elements that vectors go across. They become columns on the stack before the loops over
// the row, and columns that these write become rows after them.

/// Reserves the stack memory of all columns.
void make_row_columns(RegionState& s);
void load_row_columns(RegionState& s);
void store_row_columns(RegionState& s);

// block_loop.cc: matrix products with the vectors across columns, several rows at once, whose sums stay in registers. A
// row of the shared operand, loaded once, serves all of them. Each element's sum has the same order as without blocks.

/// The loops over rows, in [from, to), and columns, and all that is in them. Columns are outside, so that their part of
/// the shared operand stays in the cache.
void block_loops(RegionState& s, llvm::Value* from, llvm::Value* to);

// sum_loop.cc: the loop over one dimension of a row, in stretches if it is long

/// What `loops` returns, the loops over a row; `reductions`: of each accumulator, which all begin as `neutral`. What
/// isn't a sum of floats goes through the row without stretches.
Values in_stretches(RegionState& s, const Values& neutral, const std::vector<const RegionNode*>& reductions,
                    const std::function<Values()>& loops);

/// Whether the loop over row dimension k is cut.
bool is_cut(const RegionState& s, size_t k);

/// The loop over row dimension k. Where it is cut, `carried` has neutral values for the sums, before and after.
Values row_loop(RegionState& s, size_t k, int64_t step, const Values& carried, const LoopBody& turn);

}  // namespace hilo::cpu
