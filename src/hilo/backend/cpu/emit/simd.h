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

/// An element type the emitter has registers for: all that arrays have.
bool has_register(ElementType type);
/// s2, s4, u2, u4.
bool is_narrow_integer(ElementType type);
/// f16, bf16 and the floats of 8 bits and fewer.
bool computes_in_f32(ElementType type);
/// The value of an element of such a type, from its bits in memory.
float widened_bits(ElementType type, std::uint64_t bits);

/// Emits code for `lanes` elements at once; one lane means plain scalars, so that loops with scalar carries use the
/// same emitters. How an element type lives:
///
///   type           memory   register
///   pred           i8       i1                 any byte but 0 is true
///   s8 .. u64      iN       iN                 signedness is the operation's business
///   s2 .. u4       i8       i2, i4             bits past the width are ignored when loaded, copies of the sign when stored
///   f16, bf16      i16      float              always a value the narrow type has: round_to() after each operation
///   f8.., f4..     i8       float              the same
///   f32, f64       as is    as is
///   c64, c128      i64,i128 i64, i128          the real part in the low half; emit/complex.h parts and joins them
///
/// No fast-math flags. A fused multiply-add happens where fma() or mul_add() says so and nowhere else.
class SimdBuilder {
 public:
  /// `lanes` is a power of two. Instructions go to where `ir` stands.
  SimdBuilder(llvm::IRBuilder<>& ir, Isa isa, int lanes) : ir_(ir), isa_(isa), lanes_(lanes) {}

  llvm::IRBuilder<>& ir() { return ir_; }
  Isa isa() const { return isa_; }
  int lanes() const { return lanes_; }

  // --- types ---
  llvm::Type* memory_scalar(ElementType type);    ///< i8, iN, i16, float, double
  llvm::Type* register_scalar(ElementType type);  ///< i1, iN, float, double
  llvm::Type* register_type(ElementType type) { return wide(register_scalar(type)); }
  /// The type of `lanes` values of a scalar type; the scalar type itself for one lane.
  llvm::Type* wide(llvm::Type* scalar);

  // --- constants, the same in every lane ---
  llvm::Constant* f32(float value);
  llvm::Constant* f64(double value);
  llvm::Constant* i32(std::int64_t value);
  llvm::Constant* i64(std::int64_t value);
  llvm::Constant* boolean(bool value);
  llvm::Constant* constant(ElementType type, std::uint64_t bits);  ///< the element with these bits in memory
  /// Of the type of `like`, an integer or float value.
  llvm::Constant* int_like(llvm::Value* like, std::uint64_t value);
  llvm::Constant* float_like(llvm::Value* like, double value);
  /// Lane i holds i, as an integer of that type, which must hold 0..W: code generation fails otherwise.
  llvm::Constant* lane_numbers(llvm::Type* number);
  /// A loop counter or byte offset: a scalar i64.
  llvm::Constant* index(std::int64_t value) { return ir_.getInt64(static_cast<std::uint64_t>(value)); }

  // --- lanes ---
  llvm::Value* splat(llvm::Value* scalar);
  /// Lane i of the result is lane W-1-i.
  llvm::Value* reverse(llvm::Value* value);
  /// True (scalar i1) if any lane of a mask is.
  llvm::Value* any(llvm::Value* mask);
  /// Lane i is i < count; count is a scalar i64, at most W.
  llvm::Value* first_lanes(llvm::Value* count);

  // --- arithmetic that isn't one IRBuilder call ---
  /// a*b+c, rounded once on every ISA. Without FMA hardware that's a slow library call per lane.
  llvm::Value* fma(llvm::Value* a, llvm::Value* b, llvm::Value* c);
  /// a*b+c: rounded once where the ISA has FMA, twice on SSE2. For polynomials, where either is good enough.
  llvm::Value* mul_add(llvm::Value* a, llvm::Value* b, llvm::Value* c);
  /// Horner's rule: coefficients[0] + x*(coefficients[1] + x*(...)).
  llvm::Value* polynomial(llvm::Value* x, std::span<const float> coefficients);
  llvm::Value* polynomial(llvm::Value* x, std::span<const double> coefficients);
  llvm::Value* abs(llvm::Value* value) { return ir_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, value); }
  llvm::Value* sqrt(llvm::Value* value) { return ir_.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, value); }
  /// The magnitude of `magnitude` with the sign of `sign`.
  llvm::Value* copysign(llvm::Value* magnitude, llvm::Value* sign);
  /// The bits of a float value as integers of the same width, and back.
  llvm::Value* bits(llvm::Value* value);
  llvm::Value* from_bits(llvm::Value* value);

  // --- memory: `pointer` is the array's start, `at` a scalar i64 element index; no alignment is assumed ---
  llvm::Value* load(ElementType type, llvm::Value* pointer, llvm::Value* at);
  void store(ElementType type, llvm::Value* value, llvm::Value* pointer, llvm::Value* at);
  /// One element, as a scalar register value, and back.
  llvm::Value* load_scalar(ElementType type, llvm::Value* pointer, llvm::Value* at);
  void store_scalar(ElementType type, llvm::Value* scalar, llvm::Value* pointer, llvm::Value* at);
  /// The first `count` elements (0 <= count <= W, scalar i64); the other lanes hold zero. Touches no other memory.
  llvm::Value* load_tail(ElementType type, llvm::Value* pointer, llvm::Value* at, llvm::Value* count);
  void store_tail(ElementType type, llvm::Value* value, llvm::Value* pointer, llvm::Value* at, llvm::Value* count);
  /// From here to stack(): more than one lane. The same under an arbitrary mask.
  llvm::Value* load_masked(ElementType type, llvm::Value* pointer, llvm::Value* at, llvm::Value* mask);
  /// Element indices[i] into lane i; indices are i64 lanes, or i32. With a mask (may be null), its false lanes give zero; they may
  /// read the first element. Lanes of equal `rows` (ascending; may be empty) have indices that follow one another.
  llvm::Value* gather(ElementType type, llvm::Value* pointer, llvm::Value* indices, llvm::Value* mask,
                      std::span<const std::int64_t> rows = {});
  /// Elements at, at+stride, at+2*stride, ...; stride is a scalar i64.
  llvm::Value* load_strided(ElementType type, llvm::Value* pointer, llvm::Value* at, llvm::Value* stride,
                            llvm::Value* mask);
  void store_strided(ElementType type, llvm::Value* value, llvm::Value* pointer, llvm::Value* at, llvm::Value* stride);
  /// Element at + offsets[i] into lane i, for offsets that are less than 2 W apart. Under a constant mask (may be null) its false
  /// lanes give zero, and theirs count for nothing.
  llvm::Value* load_shuffled(ElementType type, llvm::Value* pointer, llvm::Value* at,
                             std::span<const std::int64_t> offsets, llvm::Constant* mask);
  /// Stack memory in the function's entry block, aligned to registers if it is larger than some of them, else to 16 bytes.
  llvm::Value* stack(std::int64_t bytes);

  /// Between what memory holds and what a register holds.
  llvm::Value* from_memory(ElementType type, llvm::Value* raw);
  llvm::Value* to_memory(ElementType type, llvm::Value* value);
  /// Rounds a float that an operation on f16, bf16 or a narrower float computed to that type; other types pass through.
  llvm::Value* round_to(ElementType type, llvm::Value* value);

  // --- control flow: bodies may emit any code, nested loops included ---
  /// for (i = begin; i < end; i += step): scalar i64s, step > 0. Carried values enter as `initial`; each turn gives the
  /// next ones. Returns the last ones; `initial` if there is no turn.
  Values counted_loop(llvm::Value* begin, llvm::Value* end, llvm::Value* step, const Values& initial,
                      const std::function<Values(llvm::Value* i, const Values& carried)>& body);
  void for_each(llvm::Value* begin, llvm::Value* end, llvm::Value* step,
                const std::function<void(llvm::Value* i)>& body);
  /// while (condition(carried)): a scalar i1.
  Values while_loop(const Values& initial, const std::function<llvm::Value*(const Values&)>& condition,
                    const std::function<Values(const Values&)>& body);
  /// Both branches give values of the same types; `condition` is a scalar i1.
  Values if_else(llvm::Value* condition, const std::function<Values()>& then, const std::function<Values()>& otherwise);
  /// Goes to `cancelled` if the atomic i32 at `word` isn't 0.
  void leave_if_cancelled(llvm::Value* word, llvm::BasicBlock* cancelled);
  void branch(
      llvm::Value* condition, const std::function<void()>& then, const std::function<void()>& otherwise = [] {});

 private:
  bool has_masked_moves(ElementType type) const;
  llvm::Value* element_pointer(ElementType type, llvm::Value* pointer, llvm::Value* at);  ///< of lanes as well
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

/// A function of that name, at whose beginning the builder stands.
llvm::Function* begin_function(llvm::IRBuilder<>& ir, llvm::Module& module, const std::string& name, llvm::Type* result,
                               llvm::ArrayRef<llvm::Type*> parameters);

/// The same machine with another lane count, at the same place.
inline SimdBuilder with_lanes(SimdBuilder& b, int lanes) { return SimdBuilder(b.ir(), b.isa(), lanes); }

}  // namespace hilo::cpu
