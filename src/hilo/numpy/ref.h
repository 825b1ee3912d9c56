// SPDX-License-Identifier: Apache-2.0
// numpy/ref.h -- Ref: an array that can be written, also inside of jit, grad, scan and vmap. jax.ref.
#pragma once

#include <initializer_list>

#include "hilo/numpy/indexing.h"
#include "hilo/transform/flat_call.h"
#include "hilo/transform/shape_dtype_struct.h"

namespace hilo {

class Ref;

/// The elements of a ref that ref[i] or ref(i, j) selects: an Array with their values at the time of the call. It can
/// be assigned, which writes to the ref.
/// Types      A value has the shape and type of the elements; it isn't broadcast. A C++ number takes the ref's type if
///            both are integers, or both floating.
/// Errors     INVALID_ARGUMENT for another shape or type; those of Ref
class RefPlaces : public Array {
 public:
  RefPlaces(const Array& ref, std::vector<Indexer> indices, const std::source_location& location);
  RefPlaces(const RefPlaces&) = default;
  RefPlaces(RefPlaces&&) = default;

  // Only for the result of ref[i] itself, as in ref[i] = y: a variable of this type is an array that was read.
  void operator=(const Operand& y) && { set(y); }
  void operator=(const RefPlaces& y) && { set(Operand(y, y.location_)); }
  void operator+=(const Operand& y) &&;
  void operator-=(const Operand& y) &&;
  void operator*=(const Operand& y) &&;
  void operator/=(const Operand& y) &&;

  /// Writes y to the elements.
  void set(const Operand& y) const;
  /// Writes y to the elements; returns their previous values.
  Array swap(const Operand& y) const;
  /// Adds y to the elements, once for each occurrence of an index.
  void addupdate(const Operand& y) const;
  Array get() const { return *this; }

 private:
  Array checked(std::string_view user, const Operand& y) const;

  Array ref_;
  std::vector<Indexer> indices_;
  std::source_location location_;
};

/// A reference to an array that can be written: jax.Ref. Create one with new_ref. Copies of a Ref refer to the same
/// array. A function under jit, scan, fori_loop, while_loop or cond can read and write refs that it captures or takes
/// as arguments; its writes are visible after the call. Under vmap, refs are arguments with a mapped axis. A function
/// that uses only its own refs is pure: all transformations apply to it.
/// Errors     FAILED_PRECONDITION if it was frozen or freed, or is used outside of the function that created it;
///            INVALID_ARGUMENT if a ref is passed twice to one function, passed and captured, or returned by a traced
///            function; if a differentiated value is written to a ref outside of the differentiated function; if a
///            function under vmap writes to a ref that it captures
/// Cost       ref[i] = y also reads the elements; ref(i).set(y) does the same. Compiled programs omit the read.
/// Differs    from JAX: using a frozen ref is always an error; memory_space, kind and pin of new_ref don't exist
/// Example    const Ref total = new_ref(numpy::zeros({3}));
///            const auto count = jit([total] { total[1] += 1.0f; });
///            count();
///            count();
///            total  // Ref([0. 2. 0.])
class Ref {
 public:
  explicit Ref(const Array& leaf) : leaf_(leaf) {}

  /// Returns the whole array.
  Array get(std::source_location location = std::source_location::current()) const;
  /// Write the whole array.
  void set(const Operand& y) const { (*this)(all_of(y)).set(y); }
  Array swap(const Operand& y) const { return (*this)(all_of(y)).swap(y); }
  void addupdate(const Operand& y) const { (*this)(all_of(y)).addupdate(y); }

  /// Select elements, with indices as for Array; `ref[ellipsis]` selects all.
  /// Example    const Ref x = new_ref(numpy::arange(6).reshape({2, 3}));
  ///            x(0, range(1, 3)) = numpy::array({7, 8});
  ///            x[0]  // [0 7 8]
  RefPlaces operator[](const Indexer& index) const;
  RefPlaces operator()(const Indexer& i0, const Indexer& i1 = {}, const Indexer& i2 = {}, const Indexer& i3 = {},
                       const Indexer& i4 = {}, const Indexer& i5 = {}, const Indexer& i6 = {},
                       const Indexer& i7 = {}) const;

  std::span<const int64_t> shape() const { return leaf_.shape(); }
  int64_t shape(const Index& axis) const { return leaf_.shape(axis); }
  ElementType dtype() const { return leaf_.dtype(); }
  int64_t ndim() const { return leaf_.ndim(); }
  int64_t size() const { return leaf_.size(); }
  /// Returns "Ref([0. 2. 0.])".
  std::string to_string() const;

  // A ref is a tree with one leaf, which transformations recognize.
  auto hilo_tree_fields() { return tree_detail::references(leaf_); }
  static constexpr const char* hilo_tree_names() { return "ref"; }
  HILO_STATIC(kTag)
  const Array& leaf() const { return leaf_; }

 private:
  static constexpr char kTag = '&';
  static Indexer all_of(const Operand& y) { return Indexer(ellipsis, y.location()); }
  Array leaf_;
};

template <>
inline constexpr bool flat_call::kIsRef<Ref> = true;

std::ostream& operator<<(std::ostream& out, const Ref& ref);

/// Creates a ref with a first value: jax.new_ref. The ref keeps the value's shape and type.
/// Example    const auto square = [](Array x) {
///              const Ref r = new_ref(x);
///              r[ellipsis] *= r.get();
///              return r.get();
///            };
///            grad(square)(3.0f)  // 6.0
Ref new_ref(const Operand& init_val);

/// Creates a ref without a first value: jax.empty_ref. Elements are zeros until they are written.
/// Example    const Ref r = empty_ref(ShapeDtypeStruct({2}, float32));
///            r[0] = 5.0f;
///            r  // Ref([5. 0.])
Ref empty_ref(const ShapeDtypeStruct& type, std::source_location location = std::source_location::current());

/// Returns the final value of a ref, which can't be used afterwards: jax.freeze.
/// Errors     FAILED_PRECONDITION in another function than that which created the ref
/// Example    const Ref r = new_ref(1.0f);
///            r.addupdate(2.0f);
///            freeze(r)  // 3.0
Array freeze(const Ref& ref, std::source_location location = std::source_location::current());

/// Ends the use of a ref: jax.free_ref.
/// Errors     FAILED_PRECONDITION in another function than that which created the ref, or the second time
void free_ref(const Ref& ref, std::source_location location = std::source_location::current());

/// jax.ref: functions with the names of JAX. The members of Ref and the assignment of ref[i] do the same.
namespace ref {

/// The indices of one access: one, or several in braces.
class Indices : public std::vector<Indexer> {
 public:
  template <std::convertible_to<Indexer> T>
  Indices(const T& index, std::source_location location = std::source_location::current())
      : vector{Indexer(index)}, location_(location) {}  // implicit
  Indices(std::initializer_list<Indexer> indices, std::source_location location = std::source_location::current())
      : vector(indices), location_(location) {}
  const std::source_location& location() const { return location_; }

 private:
  std::source_location location_;
};

/// Returns the elements at `idx`; `ellipsis` selects all.
/// Example    ref::get(new_ref(numpy::arange(6).reshape({2, 3})), {1, 2})  // 5
Array get(const Ref& ref, const Indices& idx);
/// Writes the elements at `idx`.
/// Types      value: as for RefPlaces
void set(const Ref& ref, const Indices& idx, const Operand& value);
/// Writes the elements at `idx`; returns their previous values.
/// Example    const Ref r = new_ref(numpy::arange(5));
///            ref::swap(r, 3, 10)  // 3
///            r  // Ref([ 0  1  2 10  4])
Array swap(const Ref& ref, const Indices& idx, const Operand& value);
/// Adds to the elements at `idx`, once for each occurrence of an index.
/// Example    const Ref r = new_ref(numpy::zeros({3}));
///            ref::addupdate(r, numpy::array({2, 2}), numpy::array({1.0f, 5.0f}));
///            r  // Ref([0. 0. 6.])
void addupdate(const Ref& ref, const Indices& idx, const Operand& value);

}  // namespace ref

}  // namespace hilo
