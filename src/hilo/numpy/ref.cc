// SPDX-License-Identifier: Apache-2.0
#include "hilo/numpy/ref.h"

#include <algorithm>
#include <ostream>

#include "hilo/array/refuse.h"
#include "hilo/numpy/index_plan.h"
#include "hilo/numpy/operators.h"
#include "hilo/trace/ops.h"
#include "hilo/trace/ref.h"

namespace hilo {
namespace {

/// Returns the leaf, if it refers to a state.
const Array& checked_leaf(const Array& leaf, std::string_view user) {
  if (as_ref(leaf) != nullptr) return leaf;
  refuse(user, "the ref has no state; got " + leaf.aval_shape().to_string() +
                   ", wanted a ref of new_ref. Hint: functions on the leaves of a tree can't replace refs");
}

bool selects_all(std::span<const Indexer> indices) {
  return std::ranges::all_of(indices, [](const Indexer& i) {
    return i.kind() == Indexer::Kind::kEllipsis || (i.kind() == Indexer::Kind::kRange && i.range() == all);
  });
}

std::vector<Indexer> present(std::initializer_list<Indexer> arguments) {
  std::vector<Indexer> indices;
  for (const Indexer& i : arguments)
    if (i.kind() != Indexer::Kind::kAbsent) indices.push_back(i);
  return indices;
}

Array read_places(const Array& leaf, std::span<const Indexer> indices, const std::source_location& location) {
  const UserLocation here(location);
  return numpy::read_at(read_ref(checked_leaf(leaf, "get"), "get"), indices);
}

/// Whether a value is converted to the ref's type, as JAX does.
bool converts(const Array& value, ElementType type) {
  if (is_integer(value.dtype()) && is_integer(type)) return true;
  return value.weak_type() && is_floating(value.dtype()) && is_floating(type);
}

}  // namespace

RefPlaces::RefPlaces(const Array& ref, std::vector<Indexer> indices, const std::source_location& location)
    : Array(read_places(ref, indices, location)), ref_(ref), indices_(std::move(indices)), location_(location) {}

Array RefPlaces::checked(std::string_view user, const Operand& y) const {
  const UserLocation here(y.location());
  const Array value = converts(y.array(), dtype()) ? ops::convert_element_type(y.array(), dtype()) : y.array();
  if (value.aval_shape() == aval_shape()) return value;
  const bool same_shape = std::ranges::equal(value.shape(), static_cast<const Array&>(*this).shape());
  refuse(user, "a ref keeps its shape and type, and values aren't broadcast; got " + value.aval_shape().to_string() +
                   ", wanted " + aval_shape().to_string() + ". Hint: " +
                   (same_shape ? "convert it with value.astype(ref.dtype())" : "numpy::broadcast_to(value, shape)"));
}

void RefPlaces::set(const Operand& y) const {
  const Array value = checked("set", y);
  const UserLocation here(y.location());
  if (selects_all(indices_)) return write_ref(ref_, value, "set");
  const numpy::IndexedPlaces places(Operand(read_ref(ref_, "set"), location_), indices_);
  write_ref(ref_, places.set(Operand(value, y.location())), "set");
}

Array RefPlaces::swap(const Operand& y) const {
  set(y);
  return *this;
}

void RefPlaces::addupdate(const Operand& y) const {
  const Array value = checked("addupdate", y);
  const UserLocation here(y.location());
  const Array before = read_ref(ref_, "addupdate");
  write_ref(ref_,
            selects_all(indices_)
                ? ops::add(before, value)
                : numpy::IndexedPlaces(Operand(before, location_), indices_).add(Operand(value, y.location())),
            "addupdate");
}

void RefPlaces::operator+=(const Operand& y) && { set(Operand(Operand(get(), location_) + y, y.location())); }
void RefPlaces::operator-=(const Operand& y) && { set(Operand(Operand(get(), location_) - y, y.location())); }
void RefPlaces::operator*=(const Operand& y) && { set(Operand(Operand(get(), location_) * y, y.location())); }
void RefPlaces::operator/=(const Operand& y) && { set(Operand(Operand(get(), location_) / y, y.location())); }

Array Ref::get(std::source_location location) const {
  const UserLocation here(location);
  return read_ref(checked_leaf(leaf_, "get"), "get");
}

RefPlaces Ref::operator[](const Indexer& index) const { return RefPlaces(leaf_, {index}, index.location()); }

RefPlaces Ref::operator()(const Indexer& i0, const Indexer& i1, const Indexer& i2, const Indexer& i3, const Indexer& i4,
                          const Indexer& i5, const Indexer& i6, const Indexer& i7) const {
  return RefPlaces(leaf_, present({i0, i1, i2, i3, i4, i5, i6, i7}), i0.location());
}

std::string Ref::to_string() const { return "Ref(" + get().to_string() + ")"; }

std::ostream& operator<<(std::ostream& out, const Ref& ref) { return out << ref.to_string(); }

Ref new_ref(const Operand& init_val) {
  const UserLocation here(init_val.location());
  refuse_refs("new_ref", "the value", {&init_val.array(), 1}, "a ref can't hold a ref");
  return Ref(new_ref_leaf(init_val.array().aval_shape(), init_val.array()));
}

Ref empty_ref(const ShapeDtypeStruct& type, std::source_location location) {
  const UserLocation here(location);
  return Ref(new_ref_leaf(or_throw(Shape::make_array(canonical_type(type.dtype), type.shape)), std::nullopt));
}

Array freeze(const Ref& ref, std::source_location location) {
  const UserLocation here(location);
  const Array value = read_ref(checked_leaf(ref.leaf(), "freeze"), "freeze");
  end_ref(ref.leaf(), "freeze", "frozen");
  return value;
}

void free_ref(const Ref& ref, std::source_location location) {
  const UserLocation here(location);
  end_ref(checked_leaf(ref.leaf(), "free_ref"), "free_ref", "freed");
}

namespace ref {

Array get(const Ref& ref, const Indices& idx) { return RefPlaces(ref.leaf(), idx, idx.location()); }
void set(const Ref& ref, const Indices& idx, const Operand& value) {
  RefPlaces(ref.leaf(), idx, idx.location()).set(value);
}
Array swap(const Ref& ref, const Indices& idx, const Operand& value) {
  return RefPlaces(ref.leaf(), idx, idx.location()).swap(value);
}
void addupdate(const Ref& ref, const Indices& idx, const Operand& value) {
  RefPlaces(ref.leaf(), idx, idx.location()).addupdate(value);
}

}  // namespace ref

}  // namespace hilo
