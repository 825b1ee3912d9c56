// SPDX-License-Identifier: Apache-2.0
// tests/support/sample_families.h -- the samples of structural ops, by family; samples.cc puts them together.
#pragma once

#include <stdexcept>

#include "tests/support/samples.h"

namespace hilo::tests {

/// The request to a sampler: elements of `type`, main extent `n`.
struct Wanted {
  ElementType type;
  int64_t n;
  Values values;
};
using Samples = std::vector<Sample>;

// data_samples.cc: results are copies of operand elements.
Samples bitcast_convert_samples(Wanted wanted);
Samples broadcast_samples(Wanted wanted);
Samples concatenate_samples(Wanted wanted);
Samples constant_samples(Wanted wanted);
Samples dynamic_slice_samples(Wanted wanted);
Samples dynamic_update_slice_samples(Wanted wanted);
Samples gather_samples(Wanted wanted);
Samples identity_samples(hlo::Opcode opcode, Wanted wanted);  ///< opt-barrier, stop_gradient, parameter
Samples iota_samples(Wanted wanted);
Samples pad_samples(Wanted wanted);
Samples reshape_samples(Wanted wanted);
Samples reverse_samples(Wanted wanted);
Samples slice_samples(Wanted wanted);
Samples transpose_samples(Wanted wanted);
Samples tuple_samples(Wanted wanted);
Samples get_tuple_element_samples(Wanted wanted);

// computed_samples.cc: results are computed. Values are small integers, so that sums and products are exact.
Samples dot_samples(Wanted wanted);
Samples erf_inv_samples(Wanted wanted);
Samples xla_erf_inv_samples(Wanted wanted);
Samples reduce_samples(Wanted wanted);
Samples rng_bit_generator_samples(Wanted wanted);
Samples scatter_samples(Wanted wanted);
Samples sort_samples(Wanted wanted);

// special_samples.cc
Samples bessel_i0e_samples(Wanted wanted);
Samples bessel_i1e_samples(Wanted wanted);
Samples digamma_samples(Wanted wanted);
Samples erfc_samples(Wanted wanted);
Samples fma_samples(Wanted wanted);
Samples lgamma_samples(Wanted wanted);
Samples logistic_slope_samples(Wanted wanted);
Samples nextafter_samples(Wanted wanted);
Samples polygamma_samples(Wanted wanted);
Samples zeta_samples(Wanted wanted);

// convolution_samples.cc
Samples convolution_samples(Wanted wanted);
// linalg_samples.cc
Samples cholesky_samples(Wanted wanted);
Samples fft_samples(Wanted wanted);
Samples triangular_solve_samples(Wanted wanted);
// decomposition_samples.cc: results aren't unique, so their properties are checked.
Samples eig_samples(Wanted wanted);
Samples eigh_samples(Wanted wanted);
Samples geqp3_samples(Wanted wanted);
Samples geqrf_samples(Wanted wanted);
Samples hessenberg_samples(Wanted wanted);
Samples householder_product_samples(Wanted wanted);
Samples lu_samples(Wanted wanted);
Samples ormqr_samples(Wanted wanted);
Samples qr_samples(Wanted wanted);
Samples schur_samples(Wanted wanted);
Samples svd_samples(Wanted wanted);
Samples tridiagonal_samples(Wanted wanted);
// collective_samples.cc: programs of two replicas; axis_index to psum use a named axis.
Samples all_gather_of_replicas_samples(
    Wanted wanted);  ///< the HLO op, in addition to the extension's all_gather_samples
Samples all_gather_samples(Wanted wanted);
Samples all_reduce_samples(Wanted wanted);
Samples all_to_all_of_replicas_samples(Wanted wanted);  ///< the same
Samples all_to_all_samples(Wanted wanted);
Samples axis_index_samples(Wanted wanted);
Samples collective_broadcast_samples(Wanted wanted);
Samples collective_permute_samples(Wanted wanted);
Samples partition_id_samples(Wanted wanted);
Samples pmax_samples(Wanted wanted);
Samples pmin_samples(Wanted wanted);
Samples ppermute_samples(Wanted wanted);
Samples psum_samples(Wanted wanted);
Samples psum_scatter_samples(Wanted wanted);
Samples reduce_scatter_samples(Wanted wanted);
Samples replica_id_samples(Wanted wanted);
Samples started_collective_samples(hlo::Opcode opcode, Wanted wanted);
// order_samples.cc: tokens, a random state, functions with their own derivatives.
Samples add_dependency_samples(Wanted wanted);
Samples after_all_samples(Wanted wanted);
Samples custom_call_samples(Wanted wanted);  ///< for a handler that returns its operand
Samples custom_rules_samples(Wanted wanted);
Samples custom_vjp_samples(Wanted wanted);
Samples custom_vjp_tangent_samples(Wanted wanted);
Samples rng_get_and_update_state_samples(Wanted wanted);
Samples rng_samples(Wanted wanted);  ///< compared by their bounds and moments, not by their values
Samples transfer_samples(hlo::Opcode opcode, Wanted wanted);
// window_samples.cc: windows, running reductions, batch norm.
Samples batch_norm_grad_samples(Wanted wanted);
Samples batch_norm_inference_samples(Wanted wanted);
Samples batch_norm_training_samples(Wanted wanted);
Samples cumlogsumexp_samples(Wanted wanted);
Samples cummax_samples(Wanted wanted);
Samples cummin_samples(Wanted wanted);
Samples cumprod_samples(Wanted wanted);
Samples cumsum_samples(Wanted wanted);
Samples reduce_window_samples(Wanted wanted);
Samples select_and_gather_add_samples(Wanted wanted);
Samples select_and_scatter_samples(Wanted wanted);

// control_samples.cc: ops that call computations.
Samples call_samples(Wanted wanted);
Samples conditional_samples(Wanted wanted);
Samples scan_samples(Wanted wanted);
Samples while_samples(Wanted wanted);

// lowered_samples.cc: ops that are decomposed, and topk.
Samples async_passing_samples(hlo::Opcode opcode, Wanted wanted);
Samples async_start_samples(Wanted wanted);
Samples bitcast_samples(Wanted wanted);
Samples copy_done_samples(Wanted wanted);
Samples copy_start_samples(Wanted wanted);
Samples domain_samples(Wanted wanted);
Samples dynamic_reshape_samples(Wanted wanted);
Samples fusion_samples(Wanted wanted);
Samples get_dimension_size_samples(Wanted wanted);
Samples map_samples(Wanted wanted);
Samples ragged_dot_samples(Wanted wanted);
Samples scaled_dot_samples(Wanted wanted);
Samples set_dimension_size_samples(Wanted wanted);
Samples stochastic_convert_samples(Wanted wanted);
Samples top_k_samples(Wanted wanted);
Samples xla_scan_samples(Wanted wanted);

/// Distinct integers, up to 128 elements (pred: a pattern).
Literal distinct(const Shape& shape, int64_t seed = 0);
/// distinct(); for edges NaN, infinities, -0, the minimum and maximum in turn: for ops that don't compute.
Literal elements(Wanted wanted, const Shape& shape, int64_t seed = 0);
inline Literal elements(Wanted wanted, std::initializer_list<int64_t> dimensions, int64_t seed = 0) {
  return elements(wanted, Shape::array(wanted.type, dimensions), seed);
}
/// Integers in 0..3 (pred: a pattern; floats of at most 8 bits: -1, 0 and 1; f8e8m0fnu: 1, 2, 4 and 8).
Literal small(const Shape& shape, int64_t seed = 0);

/// Returns the value. Throws if a sampler can't build its own bodies, because the test is then wrong.
template <typename T>
T must(StatusOr<T> value) {
  if (!value.ok()) throw std::logic_error(value.status().to_string());
  return *std::move(value);
}

/// Sets fields of a new attribute struct.
template <typename T>
std::shared_ptr<T> with(const std::function<void(T&)>& set) {
  auto attributes = std::make_shared<T>();
  set(*attributes);
  return attributes;
}

/// x + y and x * y as in the op table: modulo the width; "or" and "and" for pred. Exact for small numbers.
Wide plus(ElementType type, const Wide& x, const Wide& y);
Wide by(ElementType type, const Wide& x, const Wide& y);
/// The same, element by element.
Literal sum_of(const Literal& x, const Literal& y);
Literal product_of(const Literal& x, const Literal& y);

}  // namespace hilo::tests
