// SPDX-License-Identifier: Apache-2.0
// backend/cpu/emit/simd.h -- writes vector code in LLVM IR: values of W lanes, memory with tails, loops, branches.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <functional>
#include <span>
#include <vector>

#include "hilo/backend/cpu/abi/isa.h"
#include "hilo/types/narrow_float.h"

namespace hilo::cpu {

using Values = std::vector<llvm::Value*>;

/// Whether the element type has a register: true for all types of arrays.
bool has_register(ElementType type);
/// Whether the type is s2, s4, u2 or u4.
bool is_narrow_integer(ElementType type);
/// Whether the type is f16, bf16 or a float of at most 8 bits.
bool computes_in_f32(ElementType type);
/// Returns the value of an element of such a type from its bits in memory.
float widened_bits(ElementType type, std::uint64_t bits);

/// Emits code for `lanes` elements at once. One lane means plain scalars, so loops with scalar carries use the same
/// emitters. Element types in memory and in registers:
///
///   type           memory   register
///   pred           i8       i1                 any byte except 0 is true
///   s8 .. u64      iN       iN                 the operation determines the signedness
///   s2 .. u4       i8       i2, i4             loads ignore bits past the width, stores write copies of the sign
///   f16, bf16      i16      float              always a value of the narrow type: round_to() after each operation
///   f8.., f4..     i8       float              the same
///   f32, f64       as is    as is
///   c64, c128      i64,i128 i64, i128          the real part in the low half; emit/complex.h splits and joins them
///
/// There are no fast-math flags. Only fma() and mul_add() emit fused multiply-adds.
class SimdBuilder {
 public:
  /// `lanes` is a power of two. Instructions are inserted at the position of `ir`.
  SimdBuilder(llvm::IRBuilder<>& ir, Isa isa, int lanes) : ir_(ir), isa_(isa), lanes_(lanes) {}

  llvm::IRBuilder<>& ir() { return ir_; }
  Isa isa() const { return isa_; }
  int lanes() const { return lanes_; }

  // --- types ---
  llvm::Type* memory_scalar(ElementType type);    ///< i8, iN, i16, float, double
  llvm::Type* register_scalar(ElementType type);  ///< i1, iN, float, double
  llvm::Type* register_type(ElementType type) { return wide(register_scalar(type)); }
  /// Returns the type of `lanes` values of a scalar type; the scalar type itself for one lane.
  llvm::Type* wide(llvm::Type* scalar);

  // --- constants, the same in every lane ---
  llvm::Constant* f32(float value);
  llvm::Constant* f64(double value);
  llvm::Constant* i32(std::int64_t value);
  llvm::Constant* i64(std::int64_t value);
  llvm::Constant* boolean(bool value);
  llvm::Constant* constant(ElementType type, std::uint64_t bits);  ///< the element with these bits in memory
  /// Constants of the type of `like`, an integer or float value.
  llvm::Constant* int_like(llvm::Value* like, std::uint64_t value);
  llvm::Constant* float_like(llvm::Value* like, double value);
  /// Returns a constant whose lane i is i, as an integer of that type. The type must hold 0..W; otherwise code
  /// generation fails.
  llvm::Constant* lane_numbers(llvm::Type* number);
  /// Returns a loop counter or byte offset: a scalar i64.
  llvm::Constant* index(std::int64_t value) { return ir_.getInt64(static_cast<std::uint64_t>(value)); }

  // --- lanes ---
  llvm::Value* splat(llvm::Value* scalar);
  /// Emits a vector whose lane i is lane W-1-i of `value`.
  llvm::Value* reverse(llvm::Value* value);
  /// Emits a scalar i1: true if any lane of a mask is true.
  llvm::Value* any(llvm::Value* mask);
  /// Emits a mask whose lane i is i < count; count is a scalar i64, at most W.
  llvm::Value* first_lanes(llvm::Value* count);

  // --- arithmetic that needs several instructions ---
  /// Emits a*b+c, rounded once on every ISA. Without FMA hardware it is a slow library call per lane.
  llvm::Value* fma(llvm::Value* a, llvm::Value* b, llvm::Value* c);
  /// Emits a*b+c, rounded once if the ISA has FMA, twice on SSE2. For polynomials, where both are accurate enough.
  llvm::Value* mul_add(llvm::Value* a, llvm::Value* b, llvm::Value* c);
  /// Emits coefficients[0] + x*(coefficients[1] + x*(...)) by Horner's rule.
  llvm::Value* polynomial(llvm::Value* x, std::span<const float> coefficients);
  llvm::Value* polynomial(llvm::Value* x, std::span<const double> coefficients);
  llvm::Value* abs(llvm::Value* value) { return ir_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, value); }
  llvm::Value* sqrt(llvm::Value* value) { return ir_.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, value); }
  /// Emits the magnitude of `magnitude` with the sign of `sign`.
  llvm::Value* copysign(llvm::Value* magnitude, llvm::Value* sign);
  /// Convert between a float value and its bits as integers of the same width.
  llvm::Value* bits(llvm::Value* value);
  llvm::Value* from_bits(llvm::Value* value);

  // --- memory: `pointer` is the array's start, `at` a scalar i64 element index; no alignment is assumed ---
  llvm::Value* load(ElementType type, llvm::Value* pointer, llvm::Value* at);
  void store(ElementType type, llvm::Value* value, llvm::Value* pointer, llvm::Value* at);
  /// Load and store one element as a scalar register value.
  llvm::Value* load_scalar(ElementType type, llvm::Value* pointer, llvm::Value* at);
  void store_scalar(ElementType type, llvm::Value* scalar, llvm::Value* pointer, llvm::Value* at);
  /// Load and store the first `count` elements (0 <= count <= W, scalar i64). Loads set the other lanes to zero. No
  /// other memory is accessed.
  llvm::Value* load_tail(ElementType type, llvm::Value* pointer, llvm::Value* at, llvm::Value* count);
  void store_tail(ElementType type, llvm::Value* value, llvm::Value* pointer, llvm::Value* at, llvm::Value* count);
  /// The functions from here to stack() need more than one lane. Load and store under an arbitrary mask.
  llvm::Value* load_masked(ElementType type, llvm::Value* pointer, llvm::Value* at, llvm::Value* mask);
  /// Loads element indices[i] into lane i; indices are i64 or i32 lanes. Lanes where the mask (may be null) is false
  /// become zero; they may read the first element. Lanes with equal `rows` (ascending; may be empty) have consecutive
  /// indices.
  llvm::Value* gather(ElementType type, llvm::Value* pointer, llvm::Value* indices, llvm::Value* mask,
                      std::span<const std::int64_t> rows = {});
  /// Load and store the elements at, at+stride, at+2*stride, ...; stride is a scalar i64.
  llvm::Value* load_strided(ElementType type, llvm::Value* pointer, llvm::Value* at, llvm::Value* stride,
                            llvm::Value* mask);
  void store_strided(ElementType type, llvm::Value* value, llvm::Value* pointer, llvm::Value* at, llvm::Value* stride);
  /// Loads element at + offsets[i] into lane i. Offsets are less than 2 W apart. Lanes where the constant mask (may be
  /// null) is false become zero, and their offsets don't count.
  llvm::Value* load_shuffled(ElementType type, llvm::Value* pointer, llvm::Value* at,
                             std::span<const std::int64_t> offsets, llvm::Constant* mask);
  /// Returns stack memory in the function's entry block, aligned to 16 bytes. Larger blocks are aligned to registers.
  llvm::Value* stack(std::int64_t bytes);

  /// Convert between the types in memory and in registers.
  llvm::Value* from_memory(ElementType type, llvm::Value* raw);
  llvm::Value* to_memory(ElementType type, llvm::Value* value);
  /// Rounds the result of an operation on f16, bf16 or a narrower float to that type. Values of other types stay
  /// unchanged.
  llvm::Value* round_to(ElementType type, llvm::Value* value);

  // --- control flow: bodies may emit any code, nested loops included ---
  /// Emits for (i = begin; i < end; i += step), with scalar i64s and step > 0. Carried values start as `initial`; the
  /// body returns the next ones. Returns the last ones; `initial` if there is no turn.
  Values counted_loop(llvm::Value* begin, llvm::Value* end, llvm::Value* step, const Values& initial,
                      const std::function<Values(llvm::Value* i, const Values& carried)>& body);
  void for_each(llvm::Value* begin, llvm::Value* end, llvm::Value* step,
                const std::function<void(llvm::Value* i)>& body);
  /// Emits while (condition(carried)); the condition is a scalar i1.
  Values while_loop(const Values& initial, const std::function<llvm::Value*(const Values&)>& condition,
                    const std::function<Values(const Values&)>& body);
  /// Emits a branch whose two sides return values of the same types. `condition` is a scalar i1.
  Values if_else(llvm::Value* condition, const std::function<Values()>& then, const std::function<Values()>& otherwise);
  /// Emits a branch to `cancelled` if the atomic i32 at `word` isn't 0.
  void leave_if_cancelled(llvm::Value* word, llvm::BasicBlock* cancelled);
  void branch(
      llvm::Value* condition, const std::function<void()>& then, const std::function<void()>& otherwise = [] {});

 private:
  bool has_masked_moves(ElementType type) const;
  llvm::Value* element_pointer(ElementType type, llvm::Value* pointer, llvm::Value* at);  ///< also for lanes
  llvm::Value* gather_by_lanes(ElementType type, llvm::Value* pointer, llvm::Value* indices, llvm::Value* mask,
                               std::span<const std::int64_t> rows);
  llvm::Value* gather_halves(int first, int count, const std::function<bool(int, int)>& is_one_row,
                             const std::function<llvm::Value*(int, int)>& load_some);
  llvm::Value* strided_indices(llvm::Value* at, llvm::Value* stride);
  llvm::BasicBlock* new_block(const char* name);

  llvm::IRBuilder<>& ir_;
  Isa isa_;
  int lanes_;
};

/// Adds a function of that name and moves the builder to its beginning.
llvm::Function* begin_function(llvm::IRBuilder<>& ir, llvm::Module& module, const std::string& name, llvm::Type* result,
                               llvm::ArrayRef<llvm::Type*> parameters);

/// Returns a builder with another lane count at the same position.
inline SimdBuilder with_lanes(SimdBuilder& b, int lanes) { return SimdBuilder(b.ir(), b.isa(), lanes); }

}  // namespace hilo::cpu
