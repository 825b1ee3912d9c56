// SPDX-License-Identifier: Apache-2.0
// transform/custom_batching.h -- custom_vmap: functions with a user-defined batching rule.
#pragma once

#include <source_location>

#include "hilo/transform/nondiff.h"

namespace hilo::custom_batching {

namespace detail {

/// The result of a user's rule: leaves, and for each whether its leading axis is the batch axis.
struct Batched {
  std::vector<Array> leaves;
  std::vector<bool> is_batched;
};
using FlatRule = std::function<Batched(int64_t axis_size, const std::vector<bool>& in_batched, std::span<const Array>)>;

std::vector<Array> call(const FlatFunction& f, std::span<const Array> leaves, FlatRule rule, int64_t id,
                        const std::source_location& location);
int64_t new_id();

/// Returns the flags of all leaves: one flag for all, or a list with one flag each.
inline std::vector<bool> flags_of(bool all, size_t count) { return std::vector<bool>(count, all); }
inline std::vector<bool> flags_of(std::vector<bool> each, size_t) { return each; }

}  // namespace detail

/// A function with its rule; copies share both.
template <typename F, typename Rule>
class CustomVmapFunction {
 public:
  CustomVmapFunction(F f, Rule rule, const std::source_location& location)
      : parts_(std::make_shared<const Parts>(Parts{std::move(f), std::move(rule), detail::new_id(), location})) {}

  template <typename... Args>
  auto operator()(const Args&... args) const {
    using Arguments = flat_call::Arguments<F, std::remove_cvref_t<Args>...>;
    using Result = std::remove_cvref_t<flat_call::ResultOf<F, Arguments>>;
    const TransformationLocation here(parts_->location);
    const Arguments arguments(args...);
    std::optional<Result> result;
    const auto rule = [parts = parts_, bare = nondiff::without_arrays(arguments)](
                          int64_t axis_size, const std::vector<bool>& in_batched, std::span<const Array> leaves) {
      const auto out = std::apply([&](const auto&... own) { return parts->rule(axis_size, in_batched, own...); },
                                  hilo::unflatten(bare, leaves));
      static_assert(
          requires { out.first, out.second; },
          "a vmap rule returns a pair: the result, and whether it is batched (a bool, or one for each leaf)");
      std::vector<Array> given = hilo::flatten(out.first).leaves;
      const size_t count = given.size();
      return detail::Batched{std::move(given), detail::flags_of(out.second, count)};
    };
    const std::vector<Array> leaves = detail::call(flat_call::flat_function(parts_->f, arguments, result),
                                                   hilo::flatten(arguments).leaves, rule, parts_->id, parts_->location);
    return hilo::unflatten(*result, leaves);
  }

 private:
  struct Parts {
    F f;
    Rule rule;
    int64_t id;
    std::source_location location;
  };
  std::shared_ptr<const Parts> parts_;
};

/// A function whose rule has not been defined yet.
template <typename F>
class CustomVmap {
 public:
  CustomVmap(F f, const std::source_location& location) : f_(std::move(f)), location_(location) {}

  /// Sets the batching rule: rule(axis_size, in_batched, arguments...) -> (result, out_batched). in_batched (a
  /// std::vector<bool>) and out_batched (a std::vector<bool>, or one bool for all) have an entry per array. Batched
  /// arrays have the axis in front.
  template <typename Rule>
  [[nodiscard("write: auto g = custom_vmap(f).def_vmap(rule);")]] auto def_vmap(Rule rule) const {
    return CustomVmapFunction<F, Rule>(f_, std::move(rule), location_);
  }
  template <typename... Args>
  void operator()(const Args&...) const {
    static_assert(sizeof...(Args) > 10000,
                  "this custom_vmap function has no rule: write auto g = custom_vmap(f).def_vmap(rule);");
  }

 private:
  F f_;
  std::source_location location_;
};

/// Defines a function with its own batching rule: jax.custom_batching.custom_vmap. Set the rule with def_vmap.
/// Errors     when the rule is used: INVALID_ARGUMENT if its results differ from f's in number, shape or type;
///            UNIMPLEMENTED if `f` captures a batched value
/// Gradient   forward mode differentiates `f`, and under vmap the rule; reverse mode differentiates `f` and batches the
///            derivative as usual
/// Differs    from JAX: JAX rejects reverse mode
/// Example    const auto rule = [](int64_t, std::vector<bool>, Array xs) { return std::pair(xs * 2, true); };
///            const auto f = custom_batching::custom_vmap([](Array x) { return x; }).def_vmap(rule);
///            vmap(f)(numpy::arange(3))  // [0 2 4]
template <typename F>
auto custom_vmap(F f, std::source_location location = std::source_location::current()) {
  return CustomVmap<F>(std::move(f), location);
}

}  // namespace hilo::custom_batching
