// SPDX-License-Identifier: Apache-2.0
// tests/support/moved_draw.h -- generates the computation of a moved program.
#pragma once

#include <cmath>
#include <limits>
#include <stdexcept>

#include "hilo/hlo/build/builder.h"
#include "tests/support/moved_program.h"

namespace hilo::tests {

/// Kinds of data of a program. Sums of kIntegers, kSpecials and kDenormals are exact in any order, and so are products
/// of kUnits.
enum class Palette : uint8_t {
  kIntegers,   ///< small integers
  kSpecials,   ///< small integers, NaN, infinities, zeros of both signs
  kDenormals,  ///< small multiples of the smallest number, zeros of both signs
  kUnits,      ///< 1 and -1, few zeros
  kFull,       ///< integer types: all bit patterns
  kRough,      ///< normal numbers; sums are compared within a bound
};

/// The content of an argument.
struct MovedArgument {
  Shape shape;
  bool is_index = false;  ///< numbers in about 0..limit; otherwise data
  int64_t limit = 0;
};

/// A value, with the known properties of its elements.
struct MovedValue {
  hlo::InstructionId id = 0;
  double bound = 0;      ///< maximum magnitude, except NaN and infinities
  bool integral = true;  ///< integers; for kDenormals integer multiples of the smallest number
};

/// A result, and how it is compared.
struct MovedResult {
  MovedValue value;
  ResultRule rule;
};

/// Adds random instructions to a computation with a parameter for each argument.
class MovedDraw {
 public:
  using Id = hlo::InstructionId;

  /// With `turns` the first parameter is the number of the iteration, an s32.
  MovedDraw(std::mt19937& random, bool turns);

  /// Generates the whole chain. The results are values of the computation, in a tuple.
  std::vector<MovedResult> draw();

  hlo::Builder& builder() { return b_; }
  const std::vector<MovedArgument>& arguments() const { return arguments_; }
  Palette palette() const { return palette_; }
  /// Whether the sign of a zero is independent of the order. It isn't for products of complex numbers and for maxima of
  /// equal zeros.
  bool zeros_have_signs() const { return !picks_zeros_ && !(is_complex(type_) && palette_ == Palette::kUnits); }

 private:
  // moved_program.cc
  void choose_type();
  MovedValue source();

  // moved_moves.cc
  MovedValue move(const MovedValue& x);
  MovedValue concatenate(const MovedValue& x);
  MovedValue roll(const MovedValue& x);
  MovedValue pad(const MovedValue& x);
  MovedValue slice(const MovedValue& x);
  MovedValue reshape(const MovedValue& x);
  MovedValue transpose(const MovedValue& x);
  MovedValue reverse(const MovedValue& x);
  MovedValue broadcast(const MovedValue& x);
  MovedValue dynamic_slice(const MovedValue& x);
  MovedValue dynamic_update_slice(const MovedValue& x);
  MovedValue gather(const MovedValue& x);
  MovedValue with_iota(const MovedValue& x);
  Id start_index(int64_t limit);

  // moved_maps.cc
  MovedValue map(const MovedValue& x);
  MovedValue map_predicate(const MovedValue& x);
  MovedValue map_integer(const MovedValue& x);
  MovedValue map_float(const MovedValue& x);
  MovedValue map_complex(const MovedValue& x);
  MovedValue convert(const MovedValue& x);
  MovedValue rough_map(const MovedValue& x);

  // moved_reductions.cc
  std::vector<MovedResult> reduce(const MovedValue& x);
  std::vector<MovedResult> reduce_rough(const MovedValue& x);
  MovedResult reduce_plain(const MovedValue& x, const hlo::Int64List& dimensions);
  MovedResult reduce_generic(const MovedValue& x, const hlo::Int64List& dimensions);
  std::vector<MovedResult> reduce_pair(const MovedValue& x, int64_t dimension);
  std::vector<MovedResult> reduce_mean(const MovedValue& x, const hlo::Int64List& dimensions);
  MovedResult reduce_window(const MovedValue& x);
  MovedValue back(const MovedValue& x, const MovedValue& reduced, const hlo::Int64List& dimensions);
  std::vector<hlo::Opcode> reducers_of(const MovedValue& x, int64_t count) const;
  Id reduce_by(Id x, hlo::Opcode opcode, Id initial, const hlo::Int64List& dimensions);
  Id initial_of(hlo::Opcode opcode, ElementType type);
  hlo::Int64List some_dimensions(int64_t rank);
  int64_t count_over(Id x, const hlo::Int64List& dimensions) const;

  // used by all of these files
  int64_t below(int64_t n) { return static_cast<int64_t>(random_() % static_cast<uint64_t>(n)); }
  bool chance(int64_t percent) { return below(100) < percent; }
  int64_t any_size(int64_t most);
  template <typename T>
  const T& one_of(const std::vector<T>& all) {
    return all[static_cast<size_t>(below(static_cast<int64_t>(all.size())))];
  }
  Shape shape(Id id) const { return b_.shape(id); }
  ElementType type(const MovedValue& x) const { return shape(x.id).element_type(); }
  std::vector<int64_t> sizes(Id id) const;
  Id add(hlo::Opcode opcode, std::initializer_list<Id> operands, hlo::AttributesPtr attributes = nullptr,
         const std::optional<Shape>& declared = std::nullopt);
  Id data(const Shape& shape);
  Id scalar(ElementType type, double value);
  Id full(const Shape& shape, Id scalar);
  double data_bound(ElementType type) const;
  /// The maximum integer up to which sums in an accumulator of that type are exact.
  static double exact_limit(ElementType type);

  template <typename T>
  static T must(StatusOr<T> value) {
    if (!value.ok()) throw std::logic_error(value.status().to_string());
    return *std::move(value);
  }

  std::mt19937& random_;
  hlo::Builder b_{"chain"};
  std::vector<MovedArgument> arguments_;
  std::optional<Id> turn_;
  ElementType type_ = ElementType::kF32;
  Palette palette_ = Palette::kIntegers;
  int64_t most_ = 0;  ///< the maximum number of elements of an array
  bool picks_zeros_ = false;
};

/// The body op(p0, p1) of a reduction.
hlo::ComputationPtr reducer_body(hlo::Opcode opcode, ElementType type);

}  // namespace hilo::tests
