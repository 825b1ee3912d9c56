// SPDX-License-Identifier: Apache-2.0
// rules/dot.cc -- rules of dot, which is bilinear; its result has the batch dimensions first.
#include "hilo/hlo/ops/dot.h"

#include <algorithm>

#include "hilo/rules/families.h"
#include "hilo/trace/ops.h"
#include "hilo/transform/batch.h"

namespace hilo::rules {
namespace {

using namespace hilo::ops;  // the rules are formulas of these wrappers

std::vector<int64_t> range(int64_t begin, size_t count) {
  std::vector<int64_t> r;
  for (size_t i = 0; i < count; ++i) r.push_back(begin + i);
  return r;
}

Array dot_like(const Operation& operation, const Array& lhs, const Array& rhs) {
  Operation dot = operation;
  dot.operands = {lhs, rhs};
  return bind(dot)[0];
}

JvpResult dot_jvp(const Operation& operation, std::span<const Tangent> tangents) {
  Tangent tangent;
  if (!tangents[0].is_zero()) tangent = dot_like(operation, tangents[0].value(), operation.operands[1]);
  if (!tangents[1].is_zero())
    tangent = add_tangents(tangent, dot_like(operation, operation.operands[0], tangents[1].value()));
  return {bind(operation), {tangent}};
}

void append(std::vector<int64_t>& to, const std::vector<int64_t>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

std::vector<int64_t> inverse_of(const std::vector<int64_t>& order) {
  std::vector<int64_t> inverse(order.size());
  for (size_t i = 0; i < order.size(); ++i) inverse[order[i]] = i;
  return inverse;
}

/// Returns the cotangent of one side: contracts the result's cotangent with the other side over that side's free
/// dimensions, and restores the order of dimensions. Of the two products, ct * other and other * ct, it uses the one
/// that already has that order: the gradient of a weight matrix needs no transpose.
Array side_cotangent(const Array& ct, const Array& other, int64_t own_rank, const std::vector<int64_t>& own_batch,
                     const std::vector<int64_t>& own_contracting, const std::vector<int64_t>& other_batch,
                     const std::vector<int64_t>& other_contracting, int64_t other_free_begin, ElementType type) {
  const std::vector<int64_t> own_free = hlo::free_dimensions(own_rank, own_batch, own_contracting);
  const std::vector<int64_t> other_free = hlo::free_dimensions(other.ndim(), other_batch, other_contracting);
  DotDimensions dims;
  dims.lhs_batch = range(0, own_batch.size());
  dims.rhs_batch = other_batch;
  dims.lhs_contracting = range(other_free_begin, other_free.size());
  dims.rhs_contracting = other_free;
  // Contracted dimensions of the other side are free here, in that side's order.
  std::vector<int64_t> by_other(other_contracting.size());
  for (size_t i = 0; i < by_other.size(); ++i) by_other[i] = i;
  std::ranges::sort(by_other, {}, [&](int64_t i) { return other_contracting[i]; });
  std::vector<int64_t> contracted;
  for (int64_t i : by_other) contracted.push_back(own_contracting[i]);

  std::vector<int64_t> order = own_batch, swapped = own_batch;
  append(order, own_free);
  append(order, contracted);
  append(swapped, contracted);
  append(swapped, own_free);
  const ElementType computed = ct.dtype() == other.dtype() ? ct.dtype() : type;
  const Array left = convert_element_type(ct, computed), right = convert_element_type(other, computed);
  if (std::ranges::is_sorted(swapped)) {
    std::swap(dims.lhs_batch, dims.rhs_batch);
    std::swap(dims.lhs_contracting, dims.rhs_contracting);
    return dot_general(right, left, dims, type);
  }
  return transpose(dot_general(left, right, dims, type), inverse_of(order));
}

void dot_transpose(const Operation& operation, std::span<const Tangent> cts, Cotangents& out) {
  const hlo::DotAttributes& a = attributes_of<hlo::DotAttributes>(operation);
  const Array& lhs = operation.operands[0];
  const Array& rhs = operation.operands[1];
  const int64_t batch = a.lhs_batch_dimensions.size();
  const int64_t lhs_free = lhs.ndim() - batch - std::ssize(a.lhs_contracting_dimensions);
  if (out.wants(0)) {
    out.add(0, side_cotangent(cts[0].value(), rhs, lhs.ndim(), a.lhs_batch_dimensions, a.lhs_contracting_dimensions,
                              a.rhs_batch_dimensions, a.rhs_contracting_dimensions, batch + lhs_free, lhs.dtype()));
  } else {
    out.add(1, side_cotangent(cts[0].value(), lhs, rhs.ndim(), a.rhs_batch_dimensions, a.rhs_contracting_dimensions,
                              a.lhs_batch_dimensions, a.lhs_contracting_dimensions, batch, rhs.dtype()));
  }
}

std::vector<int64_t> moved_up(std::vector<int64_t> dimensions, int64_t at) {
  for (int64_t& d : dimensions) d += d >= at ? 1 : 0;
  return dimensions;
}

BatchResult dot_batch(const Operation& operation, std::span<const BatchDim> dims, const BatchContext&) {
  const hlo::DotAttributes& a = attributes_of<hlo::DotAttributes>(operation);
  DotDimensions d{a.lhs_contracting_dimensions, a.rhs_contracting_dimensions, a.lhs_batch_dimensions,
                  a.rhs_batch_dimensions};
  int64_t result_dim = 0;
  const int64_t batch = d.lhs_batch.size();
  if (dims[0]) {
    d.lhs_contracting = moved_up(d.lhs_contracting, *dims[0]);
    d.lhs_batch = moved_up(d.lhs_batch, *dims[0]);
  }
  if (dims[1]) {
    d.rhs_contracting = moved_up(d.rhs_contracting, *dims[1]);
    d.rhs_batch = moved_up(d.rhs_batch, *dims[1]);
  }
  if (dims[0] && dims[1]) {
    d.lhs_batch.insert(d.lhs_batch.begin(), *dims[0]);
    d.rhs_batch.insert(d.rhs_batch.begin(), *dims[1]);
  } else if (dims[0]) {
    // The axis is another free dimension of the left side; its position is the number of free dimensions before it.
    const std::vector<int64_t> free =
        hlo::free_dimensions(operation.operands[0].ndim(), d.lhs_batch, d.lhs_contracting);
    result_dim = batch + (std::ranges::find(free, *dims[0]) - free.begin());
  } else {
    const int64_t lhs_free = operation.operands[0].ndim() - batch - std::ssize(d.lhs_contracting);
    const std::vector<int64_t> free =
        hlo::free_dimensions(operation.operands[1].ndim(), d.rhs_batch, d.rhs_contracting);
    result_dim = batch + lhs_free + (std::ranges::find(free, *dims[1]) - free.begin());
  }
  std::optional<ElementType> preferred;
  if (operation.declared) preferred = operation.declared->element_type();
  return {{dot_general(operation.operands[0], operation.operands[1], d, preferred)}, {result_dim}};
}

}  // namespace

const Rules dot_rules = {dot_jvp, dot_transpose, dot_batch};

}  // namespace hilo::rules
