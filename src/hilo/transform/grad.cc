// SPDX-License-Identifier: Apache-2.0
#include "hilo/transform/grad.h"

#include <fmt/format.h>

#include "hilo/hlo/ir/extensions.h"
#include "hilo/hlo/ops/reshape.h"
#include "hilo/trace/ref.h"
#include "hilo/transform/batch.h"
#include "hilo/transform/linearize.h"

namespace hilo {
namespace {

std::vector<bool> differentiable(std::span<const Array> leaves) {
  std::vector<bool> mask;
  for (const Array& a : leaves) mask.push_back(has_tangent(a.dtype()));
  return mask;
}

/// Integers and booleans have no tangent, even if an array is passed for it.
std::vector<Tangent> tangents_of(std::span<const Array> arrays) {
  std::vector<Tangent> tangents;
  for (const Array& a : arrays) tangents.push_back(has_tangent(a.dtype()) ? Tangent(a) : Tangent());
  return tangents;
}

std::vector<Array> materialize_all(std::span<const Tangent> tangents, std::span<const Aval> avals) {
  std::vector<Array> out;
  for (size_t i = 0; i < tangents.size(); ++i) out.push_back(materialize(tangents[i], avals[i]));
  return out;
}

std::vector<Aval> strong_avals_of(std::span<const Array> arrays) {
  std::vector<Aval> avals;
  for (const Array& a : arrays) avals.push_back({a.aval_shape(), false});
  return avals;
}

/// `function` and `what` name the part in messages: "jvp", "tangent".
void check_same_shapes(std::string_view function, std::string_view what, std::span<const Array> got,
                       std::span<const Aval> expected) {
  if (got.size() != expected.size()) {
    or_throw(invalid_argument(at_user_line(function) + ": " + std::string(what) + ": got " +
                              std::to_string(got.size()) + " leaves, wanted " + std::to_string(expected.size())));
  }
  for (size_t i = 0; i < got.size(); ++i) {
    if (got[i].aval_shape() == expected[i].shape) continue;
    or_throw(invalid_argument(at_user_line(function) + ": " + std::string(what) + ": leaf " + std::to_string(i) +
                              " is " + got[i].aval_shape().to_string() + ", wanted " + expected[i].shape.to_string()));
  }
}

Array ones(const Shape& shape) {
  const Array one = Array::from_literal(filled(Shape::scalar(shape.element_type()), 1));
  if (shape.rank() == 0) return one;
  return bind_one(hlo::Opcode::kBroadcast, {one}, std::make_shared<hlo::BroadcastAttributes>(), shape);
}

}  // namespace

namespace grad_detail {

void refuse_no_aux(std::string_view name) {
  or_throw(
      invalid_argument(at_user_line(name) + ": has_aux: the function gives one result; wanted a pair (value, aux)"));
  std::abort();  // or_throw has thrown
}

void check_argument(std::string_view name, const Shape& shape, const GradOptions& options) {
  const bool has = has_tangent(shape.element_type());
  if (options.holomorphic ? is_complex(shape.element_type()) : has || options.allow_int) return;
  or_throw(invalid_argument(at_user_line(name) + ": " + std::string(name) +
                            (options.holomorphic ? " with holomorphic=true requires inputs with complex dtype"
                                                 : " requires real- or complex-valued inputs (input dtype that is a "
                                                   "sub-dtype of inexact)") +
                            ", but got " + shape.to_string()));
}

void check_result(std::string_view name, const Shape& shape, const GradOptions& options) {
  if (options.holomorphic ? is_complex(shape.element_type()) : is_floating(shape.element_type())) return;
  or_throw(invalid_argument(at_user_line(name) + ": " + std::string(name) +
                            (options.holomorphic ? " with holomorphic=true requires outputs with complex dtype"
                                                 : " requires real-valued outputs (output dtype that is a sub-dtype of "
                                                   "floating)") +
                            ", but got " + shape.to_string()));
}

Gradient gradient(std::string_view name, const FlatFunction& f, std::span<const Array> leaves,
                  const std::vector<bool>& mask, const GradOptions& options) {
  std::vector<bool> moves = mask;
  for (size_t i = 0; i < leaves.size(); ++i) {
    if (!mask[i]) continue;
    refuse_refs(name, "a differentiated argument", leaves.subspan(i, 1),
                "auto [y, pull] = vjp(f, ref); pull.with_refs(gradient_ref)(1.0f)");
    check_argument(name, leaves[i].aval_shape(), options);
    moves[i] = has_tangent(leaves[i].dtype());
  }
  const Linearized linear = linearize_flat(f, leaves, moves);
  if (linear.primals.empty() || linear.primals[0].ndim() != 0) {
    or_throw(invalid_argument(at_user_line(name) +
                              ": Gradient only defined for scalar-output functions. Output had shape: " +
                              (linear.primals.empty() ? "none" : linear.primals[0].aval_shape().to_string())));
  }
  check_result(name, linear.primals[0].aval_shape(), options);
  std::vector<Tangent> cotangents(linear.primals.size());
  cotangents[0] = ones(linear.primals[0].aval_shape());
  const std::vector<Tangent> pulled = linear.pull(cotangents);
  Gradient result;
  result.outputs = linear.primals;
  for (size_t i = 0; i < leaves.size(); ++i) {
    if (!mask[i]) continue;
    const Array gradient = materialize(pulled[i], leaves[i].aval());
    result.gradients.push_back(with_weak_type(gradient, leaves[i].weak_type()));
  }
  return result;
}

namespace {

/// Returns the types of the differentiated outputs.
std::vector<Aval> value_avals(std::span<const Array> outputs, const ValueCount& value_count) {
  return strong_avals_of(outputs.first(value_count()));
}

/// Returns tangents of all outputs; outputs after `values` are aux and have none.
std::vector<Tangent> of_all_outputs(std::span<const Array> values, size_t outputs) {
  std::vector<Tangent> tangents = tangents_of(values);
  tangents.resize(outputs);
  return tangents;
}

}  // namespace

namespace {

/// Checks the places of gradients against the arguments.
void check_places(std::span<const Array> leaves, std::span<const GradientPlace> places) {
  for (size_t i = 0; i < leaves.size(); ++i) {
    const GradientPlace& place = places[i];
    const RefArray* const argument = as_ref(leaves[i]);
    if (argument != nullptr && place.wanted && !place.ref) {
      or_throw(invalid_argument(at_user_line("vjp") + ": the gradient of a ref is added to a ref; got none for " +
                                describe_ref(*argument) + ". Hint: pull.with_refs(gradient_ref)(cotangent)"));
    }
    if (!place.ref) continue;
    if (as_ref(*place.ref)->state->shape == leaves[i].aval_shape()) continue;
    or_throw(invalid_argument(at_user_line("vjp") + ": with_refs: got " + describe_ref(*place.ref) +
                              " for the gradient of argument leaf " + std::to_string(i) + ", wanted a ref of " +
                              leaves[i].aval_shape().to_string()));
  }
}

}  // namespace

FlatFunction Pullback::pull() const {
  return [pull_to = pull_to](std::span<const Array> cotangents) { return pull_to(cotangents, {}); };
}

// The state of a ref argument is differentiated as an input and a result, its initial and its final value.
Pullback pullback(const FlatFunction& f, std::span<const Array> leaves, const ValueCount& value_count) {
  RefArguments refs("vjp", leaves);
  bool any_written = false;
  const FlatFunction over_values = [&](std::span<const Array> values) {
    std::vector<Array> out = f(refs.enter(values));
    std::vector<Array> written;
    refs.append_final(written);
    any_written = !written.empty();
    refs.append_final(out, /*only_written=*/false);
    return out;
  };
  const std::vector<Array> values = refs.values();
  auto linear = std::make_shared<const Linearized>(linearize_flat(over_values, values, differentiable(values)));
  const std::vector<Aval> results = value_avals(linear->primals, value_count);
  const size_t own = linear->primals.size() - refs.appended().size();
  if (any_written) refs.write(std::span(linear->primals).subspan(own));
  const PullFunction pull = [linear, results, arguments = strong_avals_of(values),
                             leaves = std::vector<Array>(leaves.begin(), leaves.end()), ref_leaves = refs.appended(),
                             own](std::span<const Array> cotangents, std::span<const GradientPlace> given) {
    check_same_shapes("vjp", "cotangent", cotangents, results);
    std::vector<GradientPlace> places(given.begin(), given.end());
    places.resize(leaves.size());
    check_places(leaves, places);
    std::vector<Tangent> all = of_all_outputs(cotangents, linear->primals.size());
    std::vector<Tangent> sums(leaves.size());
    for (size_t i = 0; i < leaves.size(); ++i) {
      if (places[i].ref) sums[i] = read_ref(*places[i].ref, "vjp");
    }
    for (size_t k = 0; k < ref_leaves.size(); ++k) all[own + k] = std::exchange(sums[ref_leaves[k]], Tangent());
    std::vector<Array> pulled = materialize_all(linear->pull(all, sums), arguments);
    for (size_t i = 0; i < leaves.size(); ++i) {
      if (places[i].ref && linear->nonzero_inputs[i]) write_ref(*places[i].ref, pulled[i], "vjp");
    }
    return pulled;
  };
  return {std::vector<Array>(linear->primals.begin(), linear->primals.begin() + own), pull};
}

Pushforward pushforward(const FlatFunction& f, std::span<const Array> leaves, const ValueCount& value_count) {
  refuse_refs("linearize", "an argument", leaves, "capture the ref, or create it inside of the function");
  auto linear = std::make_shared<const Linearized>(linearize_flat(f, leaves, differentiable(leaves)));
  const std::vector<Aval> values = value_avals(linear->primals, value_count);
  return {linear->primals, [linear, values, arguments = strong_avals_of(leaves)](std::span<const Array> tangents) {
            check_same_shapes("linearize", "tangent", tangents, arguments);
            const std::vector<Tangent> pushed = linear->push(tangents_of(tangents));
            return materialize_all(std::span(pushed).first(values.size()), values);
          }};
}

void check_argument_count(size_t got, size_t expected) {
  if (got == expected) return;
  or_throw(
      invalid_argument(fmt::format("{}: got {} arrays; the function takes {}", at_user_line("jvp"), got, expected)));
}

Directional directional(const FlatFunction& f, std::span<const Array> primals, std::span<const Array> tangents,
                        const ValueCount& value_count) {
  refuse_refs("jvp", "an argument", primals, "capture the ref, or create it inside of the function");
  check_same_shapes("jvp", "tangent", tangents, strong_avals_of(primals));
  JvpResult result = jvp_flat(f, primals, tangents_of(tangents));
  const std::vector<Aval> values = value_avals(result.primals, value_count);
  Directional out;
  out.tangents = materialize_all(std::span(result.tangents).first(values.size()), values);
  out.outputs = std::move(result.primals);
  return out;
}

}  // namespace grad_detail

Array stop_gradient(const Operand& x) {
  const UserLocation here(x.location());
  if (is_concrete(x.array())) return x.array();
  return bind_one(hlo::kExtStopGradient, {x.array()});
}

}  // namespace hilo
