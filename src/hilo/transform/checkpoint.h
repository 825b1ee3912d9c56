// SPDX-License-Identifier: Apache-2.0
// transform/checkpoint.h -- checkpoint (remat): which values reverse mode stores and which it recomputes.
#pragma once

#include <concepts>
#include <source_location>

#include "hilo/transform/flat_call.h"

namespace hilo {

/// An operation that a user-defined policy decides on.
struct PolicyOperation {
  std::string primitive;  ///< JAX's name of the operation: "sin", "dot_general", "add"
  std::string name;       ///< name from checkpoint_name; else empty
  Shape result;
  std::vector<Shape> operands;
};

namespace checkpoint_detail {
using Predicate = std::function<bool(const PolicyOperation&)>;
/// Registers a predicate for the lifetime of the process and returns its text, such as "predicate:3".
std::string text_of_predicate(Predicate predicate);
/// Calls the predicate of this number.
/// Errors     throws FAILED_PRECONDITION for a number of another process
bool ask_predicate(const std::string& number, const PolicyOperation& operation);
inline constexpr std::string_view kPredicate = "predicate";
inline constexpr std::string_view kShares = "share;";  ///< prefix of a policy's text: without prevent_cse
}  // namespace checkpoint_detail

/// Selects the values of a checkpointed function that are stored for its derivative: one of checkpoint_policies, or a
/// predicate on operations. Policies see the operations of scan steps; a value saved in a step is saved for all steps.
/// Example    checkpoint(f, {.policy = [](const PolicyOperation& op) { return op.primitive == "cos"; }})
struct CheckpointPolicy {
  CheckpointPolicy() = default;
  explicit CheckpointPolicy(std::string text) : text(std::move(text)) {}
  template <std::predicate<const PolicyOperation&> P>
  CheckpointPolicy(P keeps) : text(checkpoint_detail::text_of_predicate(std::move(keeps))) {}

  std::string text = "nothing_saveable";  ///< name of the policy, then a colon and its names, if it has some
};

/// The policies of jax.checkpoint_policies.
namespace checkpoint_policies {

// Not inline, because otherwise each file that includes this header would construct and destroy them.
extern const CheckpointPolicy everything_saveable;
/// Saves only the arguments.
extern const CheckpointPolicy nothing_saveable;
/// Saves results of matrix products.
extern const CheckpointPolicy dots_saveable, checkpoint_dots;
/// Saves results of matrix products without batch dimensions.
extern const CheckpointPolicy dots_with_no_batch_dims_saveable, checkpoint_dots_with_no_batch_dims;

/// Saves only values that checkpoint_name has given one of these names.
CheckpointPolicy save_only_these_names(const std::vector<std::string>& names);
/// Saves all values except those with one of these names.
CheckpointPolicy save_anything_except_these_names(const std::vector<std::string>& names);
/// Saves only values that have a name other than these.
CheckpointPolicy save_any_names_but_these(const std::vector<std::string>& names);
template <std::convertible_to<std::string>... Names>
CheckpointPolicy save_only_these_names(const Names&... names) {
  return save_only_these_names(std::vector<std::string>{names...});
}
template <std::convertible_to<std::string>... Names>
CheckpointPolicy save_anything_except_these_names(const Names&... names) {
  return save_anything_except_these_names(std::vector<std::string>{names...});
}
template <std::convertible_to<std::string>... Names>
CheckpointPolicy save_any_names_but_these(const Names&... names) {
  return save_any_names_but_these(std::vector<std::string>{names...});
}

/// Always fails: hilo has one memory space, so there is no place to offload to.
/// Errors     UNIMPLEMENTED
CheckpointPolicy save_and_offload_only_these_names(const std::vector<std::string>& names_which_can_be_saved = {},
                                                   const std::vector<std::string>& names_which_can_be_offloaded = {});
CheckpointPolicy offload_dot_with_no_batch_dims(const std::string& offload_src = {},
                                                const std::string& offload_dst = {});

}  // namespace checkpoint_policies

struct CheckpointOptions {
  CheckpointPolicy policy = {};
  /// Keeps recomputed operations apart from equal ones of the forward pass. Otherwise the compiler may merge both,
  /// which saves no memory. In a scan's step it can't merge them, so false is safe and faster there.
  bool prevent_cse = true;
};

/// A value that reverse mode stores during the forward pass.
struct SavedResidual {
  Shape shape;
  std::string source;  ///< "from the argument [0].w", "named 'hidden' (net.cc:12)", "output of sine (net.cc:13)"
};

namespace checkpoint_detail {
std::vector<Array> checkpoint(const FlatFunction& f, std::span<const Array> leaves, const CheckpointOptions& options);
std::vector<SavedResidual> saved_residuals(const FlatFunction& f, std::span<const Array> leaves,
                                           const std::function<std::string(size_t leaf)>& path_of_leaf);
}  // namespace checkpoint_detail

/// Makes reverse mode recompute the intermediate values of `f` instead of storing them: jax.checkpoint (remat). The
/// policy selects values that are stored nevertheless.
/// Types      arguments and result: trees, as for jit; values that `f` captures count as arguments
/// Gradient   that of `f`, bit for bit if the operations are the same
/// Cost       each reverse pass repeats the forward pass, except for stored values. Loops store what is dear to compute
///            even without checkpoint. With it, they store what the policy saves.
/// Example    const auto layer = [](Array w, Array x) { return numpy::sum(numpy::sin(numpy::sin(w * x))); };
///            grad(checkpoint(layer))(0.0f, 2.0f)  // 2.0
///            saved_residuals(checkpoint(layer), 1.0f, 2.0f).size()  // 2
///            saved_residuals(layer, 1.0f, 2.0f).size()  // 4
template <typename F>
auto checkpoint(F f, CheckpointOptions options = {}, std::source_location location = std::source_location::current()) {
  return flat_call::with_braces<F>([f = std::move(f), options = std::move(options), location](const auto&... args) {
    const TransformationLocation here(location);
    using Arguments = flat_call::Arguments<F, std::remove_cvref_t<decltype(args)>...>;
    using Result = std::remove_cvref_t<typename flat_call::CallOf<F, Arguments>::Result>;
    const Arguments arguments(args...);
    std::optional<Result> result;
    const std::vector<Array> leaves = checkpoint_detail::checkpoint(flat_call::flat_function(f, arguments, result),
                                                                    hilo::flatten(arguments).leaves, options);
    return hilo::unflatten(*result, leaves);
  });
}

/// Another name of checkpoint.
template <typename F>
auto remat(F f, CheckpointOptions options = {}, std::source_location location = std::source_location::current()) {
  return hilo::checkpoint(std::move(f), std::move(options), location);
}

/// Returns `x` under a name that policies refer to: jax.ad_checkpoint.checkpoint_name.
/// Errors     INVALID_ARGUMENT if the name is empty or contains a comma
Array checkpoint_name(const Operand& x, const std::string& name);
template <Tree T>
  requires(!OperandLike<T>)
T checkpoint_name(const T& tree, const std::string& name,
                  std::source_location location = std::source_location::current()) {
  return hilo::tree_map([&](const Array& x) { return checkpoint_name(Operand(x, location), name); }, tree);
}

/// Returns the values that reverse mode stores for f(args...), in the order of use; computes nothing.
/// Errors     as grad
template <typename F, typename... Args>
std::vector<SavedResidual> saved_residuals(const F& f, const Args&... args) {
  using Arguments = flat_call::Arguments<F, Args...>;
  using Result = std::remove_cvref_t<typename flat_call::CallOf<F, Arguments>::Result>;
  Arguments arguments(args...);
  std::optional<Result> result;
  return checkpoint_detail::saved_residuals(
      flat_call::flat_function(f, arguments, result), hilo::flatten(arguments).leaves, [&](size_t leaf) {
        return hilo::leaf_path(leaf, [&](TreeVisitor& visitor) { hilo::walk(arguments, visitor); });
      });
}

/// Returns one line per value: its type and its source.
std::string to_string(std::span<const SavedResidual> residuals);

/// Prints the values that reverse mode stores for f(args...): jax.ad_checkpoint.print_saved_residuals.
template <typename F, typename... Args>
void print_saved_residuals(const F& f, const Args&... args) {
  std::fputs(hilo::to_string(hilo::saved_residuals(f, args...)).c_str(), stdout);
}

}  // namespace hilo
