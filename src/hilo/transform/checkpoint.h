// SPDX-License-Identifier: Apache-2.0
// transform/checkpoint.h -- checkpoint (remat): what reverse mode keeps of a function, and what it computes again.
#pragma once

#include <concepts>
#include <source_location>

#include "hilo/transform/flat_call.h"

namespace hilo {

/// An operation that a policy of one's own is asked about.
struct PolicyOperation {
  std::string primitive;  ///< JAX's name of what it is: "sin", "dot_general", "add"
  std::string name;       ///< that checkpoint_name gave it; else empty
  Shape result;
  std::vector<Shape> operands;
};

namespace checkpoint_detail {
using Predicate = std::function<bool(const PolicyOperation&)>;
/// "predicate:3". What it names is kept as long as the process.
std::string text_of_predicate(Predicate predicate);
/// Errors    throws FAILED_PRECONDITION for a number of another process
bool ask_predicate(const std::string& number, const PolicyOperation& operation);
inline constexpr std::string_view kPredicate = "predicate";
inline constexpr std::string_view kShares = "share;";  ///< before a policy's text: without prevent_cse
}  // namespace checkpoint_detail

/// Which values a checkpointed function keeps for its derivative: one of checkpoint_policies, or a function that is asked
/// about each operation. The steps of scans are looked into; a value that is kept of a step is kept of all.
/// Example    checkpoint(f, {.policy = [](const PolicyOperation& op) { return op.primitive == "cos"; }})
struct CheckpointPolicy {
  CheckpointPolicy() = default;
  explicit CheckpointPolicy(std::string text) : text(std::move(text)) {}
  template <std::predicate<const PolicyOperation&> P>
  CheckpointPolicy(P keeps) : text(checkpoint_detail::text_of_predicate(std::move(keeps))) {}

  std::string text = "nothing_saveable";  ///< the policy's name; behind a colon the names it was given
};

/// As jax.checkpoint_policies.
namespace checkpoint_policies {

// Not inline: every file that includes this would make and destroy them.
extern const CheckpointPolicy everything_saveable;
/// Keeps the arguments alone.
extern const CheckpointPolicy nothing_saveable;
/// Keeps matrix products.
extern const CheckpointPolicy dots_saveable, checkpoint_dots;
/// Keeps matrix products that have no batch dimensions.
extern const CheckpointPolicy dots_with_no_batch_dims_saveable, checkpoint_dots_with_no_batch_dims;

/// Keeps what checkpoint_name gave one of these names, and nothing else.
CheckpointPolicy save_only_these_names(const std::vector<std::string>& names);
/// Keeps everything but what has one of these names.
CheckpointPolicy save_anything_except_these_names(const std::vector<std::string>& names);
/// Keeps what has a name, if it is none of these.
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

/// Errors    UNIMPLEMENTED: there is one memory here, and nowhere to offload to
CheckpointPolicy save_and_offload_only_these_names(const std::vector<std::string>& names_which_can_be_saved = {},
                                                   const std::vector<std::string>& names_which_can_be_offloaded = {});
CheckpointPolicy offload_dot_with_no_batch_dims(const std::string& offload_src = {},
                                                const std::string& offload_dst = {});

}  // namespace checkpoint_policies

struct CheckpointOptions {
  CheckpointPolicy policy = {};
  /// What is computed again stays apart from what the forward pass computes, though it is equal. Without, a compiler may
  /// find it equal and keep it, which saves no memory; in a scan's step, where it can't, the barrier isn't needed.
  bool prevent_cse = true;
};

/// A value that reverse mode keeps from the forward pass.
struct SavedResidual {
  Shape shape;
  std::string source;  ///< "from the argument [0].w", "named 'hidden' (net.cc:12)", "output of sine (net.cc:13)"
};

namespace checkpoint_detail {
std::vector<Array> checkpoint(const FlatFunction& f, std::span<const Array> leaves, const CheckpointOptions& options);
std::vector<SavedResidual> saved_residuals(const FlatFunction& f, std::span<const Array> leaves,
                                           const std::function<std::string(size_t leaf)>& path_of_leaf);
}  // namespace checkpoint_detail

/// `f`, of which reverse mode keeps only what the policy says; the rest it computes again. jax.checkpoint.
/// Types      arguments and result: trees, as for jit; what `f` closes over counts as arguments
/// Gradient   that of `f`, to the bit where operations are the same
/// Cost       the forward pass once more for each reverse pass, less what is kept
/// Example    checkpoint(layer, {.policy = checkpoint_policies::dots_saveable})
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

/// The other name of checkpoint.
template <typename F>
auto remat(F f, CheckpointOptions options = {}, std::source_location location = std::source_location::current()) {
  return hilo::checkpoint(std::move(f), std::move(options), location);
}

/// `x`, under a name that policies know. jax.ad_checkpoint.checkpoint_name.
/// Errors    INVALID_ARGUMENT for an empty name or one with a comma
Array checkpoint_name(const Operand& x, const std::string& name);
template <Tree T>
  requires(!OperandLike<T>)
T checkpoint_name(const T& tree, const std::string& name,
                  std::source_location location = std::source_location::current()) {
  return hilo::tree_map([&](const Array& x) { return checkpoint_name(Operand(x, location), name); }, tree);
}

/// What reverse mode keeps of f(args...), in the order of use; the list that print_saved_residuals prints.
/// Errors    as grad's; nothing is computed
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

/// One line a value: its type and where it comes from.
std::string to_string(std::span<const SavedResidual> residuals);

/// Prints what reverse mode keeps of f(args...). jax.ad_checkpoint.print_saved_residuals.
template <typename F, typename... Args>
void print_saved_residuals(const F& f, const Args&... args) {
  std::fputs(hilo::to_string(hilo::saved_residuals(f, args...)).c_str(), stdout);
}

}  // namespace hilo
