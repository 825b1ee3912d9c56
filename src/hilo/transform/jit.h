// SPDX-License-Identifier: Apache-2.0
// transform/jit.h -- jit: traces a function once for each combination of argument types and runs it compiled.
#pragma once

#include <functional>
#include <optional>
#include <source_location>

#include "hilo/base/caches.h"
#include "hilo/mesh/sharding_list.h"
#include "hilo/transform/compiler_options.h"
#include "hilo/transform/direct_call.h"
#include "hilo/transform/flat_call.h"
#include "hilo/transform/host_memory.h"
#include "hilo/transform/shape_dtype_struct.h"
#include "hilo/transform/stages.h"

namespace hilo {

/// Marks a number as static where `f` would also accept an Array: its value becomes part of the program.
/// Cost       each new value retraces. jit<argnums...> makes an argument static in all calls.
/// Example    power(x, Static{3})
template <typename T>
struct Static {
  T value;
  operator const T&() const { return value; }
};
template <typename T>
Static(T) -> Static<T>;

/// When a jitted function that another traced function calls becomes part of that function's program: jax.Inline.
enum class Inline : uint8_t {
  kAuto,      ///< the compiler decides
  kJaxEarly,  ///< while it is traced: its operations take the place of the call
  kJaxLate,   ///< kJaxLate, kXlaEarly and kXlaLate act as kAuto: the program has a call, which the compiler inlines
  kXlaEarly,
  kXlaLate,
};
/// An Inline; true means kJaxEarly, as in JAX.
struct InlineWhen {
  InlineWhen(bool early) : when(early ? Inline::kJaxEarly : Inline::kAuto) {}  // implicit
  InlineWhen(Inline when) : when(when) {}                                      // implicit
  Inline when;
  bool operator==(const InlineWhen&) const = default;
};

struct JitOptions {
  ArgnumsInAngles static_argnums = {};
  /// arguments whose memory results may reuse; using them afterwards is an error
  std::vector<int> donate_argnums = {};
  std::string name = "f";  ///< name of the module in dumps and messages
  /// under another transformation, inserts the function's operations instead of a call, if true or Inline::kJaxEarly
  InlineWhen inline_ = false;
  bool keep_unused = false;  ///< passes also those arguments to the program that the function doesn't use
  /// Shardings of arguments and results: one for all, or one for each argument or element of a result tuple.
  /// Unspecified: arguments keep their sharding, and result shardings are inferred.
  ShardingList in_shardings = {}, out_shardings = {};
  /// options of the program's compilation; rejected under other transformations
  CompilerOptions compiler_options = {};
  /// Sizes of programs for arguments whose sizes change: a size is padded up to the next bucket, so that each bucket is
  /// compiled once. Every op must have a rule that keeps padding out of the results; otherwise a call fails with
  /// UNIMPLEMENTED and the op's name. Donation has no effect. Empty: each size has its own program
  /// Example    {.buckets = {64, 256, 1024}}
  std::vector<int64_t> buckets = {};
  /// Per argument the dimension that changes, in all of its arrays. Empty: those dimensions in which calls differ. The
  /// first call then has a program for its own sizes
  /// Example    {.buckets = {64, 256}, .bucket_axes = {kNoAxis, 0}}
  std::vector<std::optional<int>> bucket_axes = {};
  bool operator==(const JitOptions&) const = default;
};

class JitCache;

namespace jit_detail {

/// A user's function and its arguments with their types erased; `Call::trace` runs it.
struct Typeless {
  const void* f;
  const void* arguments;
  std::vector<Array> (*run)(const Typeless& call, std::span<const Array> leaves, std::shared_ptr<void>& prototype,
                            std::vector<size_t>& result_leaves);
  void (*walk_result)(void* prototype, TreeVisitor& visitor);
};
template <typename F, typename Arguments, typename Result>
std::vector<Array> run(const Typeless& call, std::span<const Array> leaves, std::shared_ptr<void>& prototype,
                       std::vector<size_t>& result_leaves) {
  const auto result = std::make_shared<Result>(flat_call::call(
      *static_cast<const F*>(call.f), hilo::unflatten(*static_cast<const Arguments*>(call.arguments), leaves)));
  std::vector<Array> out = hilo::flatten(*result).leaves;
  result_leaves = flat_call::element_leaf_counts(*result);
  flat_call::empty_arrays(hilo::walk_of(*result));
  prototype = result;
  return out;
}
/// One call of a jitted function, without templates.
struct Call {
  // Not inline, so that their standard library code is compiled once.
  Call();
  Call(Call&& other) noexcept;
  ~Call();
  FlatTree arguments;
  std::vector<bool> donated;                             ///< one entry per leaf
  std::vector<bool> is_static;                           ///< one entry per argument; empty: none is static
  std::vector<size_t> leaf_counts;                       ///< of the arguments, if `is_static` isn't empty
  std::function<std::string(size_t leaf)> path_of_leaf;  ///< "args[0].w"
  std::vector<size_t> argument_leaves;                   ///< leaves of each argument, if in_shardings are set
  Typeless typeless = {};
  /// Runs the function on tracers. Stores the tree of its result in `prototype`, and the number of leaves of each
  /// element of a result tuple in `result_leaves`.
  std::vector<Array> trace(std::span<const Array> leaves, std::shared_ptr<void>& prototype,
                           std::vector<size_t>& result_leaves) const {
    return typeless.run(typeless, leaves, prototype, result_leaves);
  }
};
struct Outcome {
  std::vector<Array> leaves;
  std::shared_ptr<void> prototype;
};

/// Returns a new cache. If `shared` isn't null, functions with the same tag and equal options share one cache.
std::shared_ptr<JitCache> make_cache(JitOptions options, const void* shared, const std::source_location& location);

/// A unique address per type, used as a type id.
template <typename T>
inline constexpr char type_tag = 0;
/// The part of a Jitted that doesn't depend on the function's type.
class State {
 public:
  State(JitOptions options, const void* shared, const std::source_location& location);
  State(const State&);
  State(State&&) noexcept;
  State& operator=(const State&);
  State& operator=(State&&) noexcept;
  ~State();
  JitCache& cache() const { return *cache_; }
  const JitOptions& options() const { return *options_; }
  const std::source_location& location() const { return location_; }
  /// Returns a description of the call. `leaf_counts` returns the number of leaves of each argument.
  Call describe(const Typeless& call, WalkRef arguments,
                std::vector<size_t> (*leaf_counts)(const void* arguments)) const;

 private:
  std::shared_ptr<const JitOptions> options_;
  std::source_location location_;
  std::shared_ptr<JitCache> cache_;
};
template <typename Arguments>
std::vector<size_t> leaf_counts(const void* arguments) {
  return flat_call::leaf_counts(*static_cast<const Arguments*>(arguments));
}
Outcome call(JitCache& cache, const Call& call);
/// Writes the results to the caller's memory.
/// Errors     those of Jitted::into
void call_into(JitCache& cache, const Call& call, const CallLeaves& results);
size_t cache_size(const JitCache& cache);
void clear_cache(JitCache& cache);
stages_detail::ProgramPtr lower(const Call& call, const JitOptions& options, const std::source_location& location);
std::string hlo_text(const Call& call, const std::string& name, const std::source_location& location);
std::string closed_hlo_text(const Call& call, const std::string& name, const std::source_location& location);
std::string graph_html(const Call& call, const std::string& name, const std::source_location& location);

}  // namespace jit_detail

/// A function that is compiled for each new combination of argument shapes, types and static values.
/// Copies share their compiled programs; so do all functions of one type without captures. Captured arrays are
/// constants of the program.
template <typename F, int... StaticArgnums>
class Jitted : public flat_call::TakesBraces<Jitted<F, StaticArgnums...>, flat_call::PlainParameters<F>> {
 public:
  Jitted(F f, JitOptions options, const std::source_location& location)
      : f_(std::move(f)),
        state_(std::move(options), std::is_empty_v<F> ? &jit_detail::type_tag<Jitted> : nullptr, location) {}

  using flat_call::TakesBraces<Jitted, flat_call::PlainParameters<F>>::operator();
  template <typename... Args>
  auto operator()(const Args&... args) const {
    return call(args...);
  }
  template <typename... Args>
  auto call(const Args&... args) const {
    using Arguments = ArgumentsOf<Args...>;
    using Result = std::remove_cvref_t<typename flat_call::CallOf<F, Arguments>::Result>;
    static_assert(flat_call::are_trees<Arguments>);
    if constexpr (host_memory_detail::are_listed<Arguments, Args...>) {
      jit_detail::DirectCall direct(state_.cache());
      if (direct.run(list<Arguments>(args...))) {
        if constexpr (std::same_as<Result, Array>) {
          return direct.result();
        } else {
          Result result = *static_cast<const Result*>(direct.prototype());
          direct.fill(hilo::walk_of(result));
          return result;
        }
      }
    }
    const Arguments arguments(args...);
    const jit_detail::Outcome outcome = jit_detail::call(state_.cache(), describe(arguments));
    return hilo::unflatten(*static_cast<const Result*>(outcome.prototype.get()), outcome.leaves);
  }

  /// Calls the function and writes its results to the caller's memory. After the first call with such arguments, a
  /// small program allocates no memory and takes no lock: for control loops.
  ///   out        per Array of the result, a std::span or ShapedSpan of its elements in row-major order, or a variable
  ///              for a scalar; for a tuple, vector or struct one of those: std::tie(energy, span),
  ///              State<std::span<double>>. A std::span fits every shape with its number of elements
  ///   args       as in a call. A std::span is a vector, a ShapedSpan an array; neither is copied. A struct of them is
  ///              a template over the type of its fields: State<std::span<double>> for State<Array>
  /// Types      exact: a result of f32 needs a span of float. Elements of spans aren't weakly typed
  /// Errors     those of a call; INVALID_ARGUMENT if a result differs from its memory in tree, type or shape, or if two
  ///            results share memory. Nothing has been written or donated then
  /// Cost       a copy for a result whose memory overlaps that of an argument, which is written at the end; copies of
  ///            all results for transformed, sharded and donating functions
  /// Example    std::array<float, 3> x = {1, 2, 3}, y = {};
  ///            jit([](Array v) { return v * 2.0f; }).into(std::span(y), std::span(x));
  ///            y[2]  // 6
  template <typename Out, typename... Args>
  void into(Out&& out, const Args&... args) const {
    using Arguments = ArgumentsOf<host_memory_detail::Arrays<Args>...>;
    static_assert(flat_call::are_trees<Arguments>);
    static_assert(std::is_lvalue_reference_v<Out> || !NativeElement<std::remove_cvref_t<Out>>,
                  "into writes its results to its first argument: f.into(result, arguments...)");
    jit_detail::CallLeaves results;
    host_memory_detail::list_results(out, results);
    if constexpr (host_memory_detail::are_listed<Arguments, Args...>) {
      jit_detail::DirectCall direct(state_.cache());
      if (direct.run_into(list<Arguments>(args...), results)) return;
    }
    const Arguments arguments(host_memory_detail::with_arrays(args)...);
    jit_detail::call_into(state_.cache(), describe(arguments), results);
  }

  /// Traces the function for these arguments; neither compiles nor runs it. Only shapes and types of the arguments
  /// count, so a ShapeDtypeStruct can take the place of an Array. Returns a Lowered, which shows the program and
  /// compiles it.
  /// Example    jit(f).lower(ShapeDtypeStruct({3}, float32)).compile().memory_analysis().temp_size_in_bytes
  template <typename... Args>
  auto lower(const Args&... args) const {
    using Arguments = ArgumentsOf<vmap_detail::Abstract<Args>...>;
    using Result = std::remove_cvref_t<typename flat_call::CallOf<F, Arguments>::Result>;
    const Arguments arguments(vmap_detail::abstract(args)...);
    return Lowered<Arguments, Result>(jit_detail::lower(describe(arguments), state_.options(), state_.location()));
  }

  /// Returns the number of stored traces. Traces made under other flags count until they are evicted.
  size_t cache_size() const { return jit_detail::cache_size(state_.cache()); }
  /// Discards the stored traces, also those of other functions that share this cache.
  void clear_cache() const { jit_detail::clear_cache(state_.cache()); }

  /// Returns the traced program as HLO text, before any pass; compiles nothing. Accepts ShapeDtypeStructs in place of
  /// Arrays. Captured arrays are constants if they are small, else the program's last parameters.
  template <typename... Args>
  std::string hlo_text(const Args&... args) const {
    const ArgumentsOf<vmap_detail::Abstract<Args>...> arguments(vmap_detail::abstract(args)...);
    return jit_detail::hlo_text(describe(arguments), state_.options().name, state_.location());
  }
  /// Returns the traced program as HLO text with captured arrays as constants, so that it needs only its arguments.
  /// Errors     FAILED_PRECONDITION if the function captures a tracer of a surrounding transformation
  template <typename... Args>
  std::string closed_hlo_text(const Args&... args) const {
    const ArgumentsOf<vmap_detail::Abstract<Args>...> arguments(vmap_detail::abstract(args)...);
    return jit_detail::closed_hlo_text(describe(arguments), state_.options().name, state_.location());
  }

  /// Returns two <section> elements for an HTML page: the program's graph as traced, and after all passes of the
  /// engine.
  /// Cost       a trace, and a compilation if no program of this meaning has been compiled yet
  template <typename... Args>
  std::string graph_html(const Args&... args) const {
    const ArgumentsOf<Args...> arguments(args...);
    return jit_detail::graph_html(describe(arguments), state_.options().name, state_.location());
  }

 private:
  template <size_t I, size_t N>
  static constexpr bool is_static =
      ((static_cast<int>(I) == (StaticArgnums < 0 ? StaticArgnums + static_cast<int>(N) : StaticArgnums)) || ...);

  template <typename Positions, typename... Args> struct Marked;
  template <size_t... I, typename... Args> struct Marked<std::index_sequence<I...>, Args...> {
    using Type =
        flat_call::Arguments<F, std::conditional_t<is_static<I, sizeof...(Args)>, flat_call::Kept<Args>, Args>...>;
    static std::vector<bool> flags() { return {is_static<I, sizeof...(Args)>...}; }
  };
  template <typename... Args>
  using ArgumentsOf = typename Marked<std::index_sequence_for<Args...>, Args...>::Type;

  template <typename Arguments, typename... Args>
  static auto list(const Args&... args) {
    return [&]<size_t... I>(std::index_sequence<I...>) {
      return std::array<jit_detail::CallArgument, sizeof...(Args)>{
          host_memory_detail::listed<std::tuple_element_t<I, Arguments>>(args)...};
    }(std::index_sequence_for<Args...>());
  }

  /// Marks static arguments by their position.
  template <typename... Args>
  static void mark(jit_detail::Call& call, const std::tuple<Args...>& arguments) {
    if constexpr (sizeof...(StaticArgnums) > 0) {
      call.is_static = Marked<std::index_sequence_for<Args...>, Args...>::flags();
      call.leaf_counts = flat_call::leaf_counts(arguments);
    }
  }

  template <typename Arguments>
  jit_detail::Call describe(const Arguments& arguments) const {
    using Result = std::remove_cvref_t<typename flat_call::CallOf<F, Arguments>::Result>;
    jit_detail::Call call =
        state_.describe({&f_, &arguments, jit_detail::run<F, Arguments, Result>, tree_detail::walk_value<Result>},
                        hilo::walk_of(arguments), jit_detail::leaf_counts<Arguments>);
    mark(call, arguments);
    return call;
  }

  F f_;
  jit_detail::State state_;
};

/// Compiles `f`: jax.jit. The compiled program is cached by shapes and types of the arguments and by static values.
/// Types      arguments and result are trees: Array, structs, tuples, vectors, maps of Arrays. Numbers passed where `f`
///            takes an Array become weakly typed scalars. Numbers where `f` takes a number, enums and strings are
///            static: they are part of the program. jit<1>(f) makes argument 1 static as a whole, as static_argnums of
///            jax.jit.
/// Devices    If arguments are sharded, or in_shardings, out_shardings or with_sharding_constraint specify a sharding,
///            the program is partitioned and each device runs one part; see mesh/sharded_program.h
/// Errors     what `f` throws while it is traced; those of Executable::execute; INVALID_ARGUMENT for an Array in a
///            static argument or unknown compiler options; UNIMPLEMENTED for compiler options under another
///            transformation
/// Warnings   one after eight traces of jits that were created on one line, and one for donated arguments whose memory
///            no result can reuse
/// Cost       first call: a trace and a compilation; later calls: flattening of the arguments and one execution
/// Differs    from JAX: static arguments follow from the C++ types of the parameters; jit<1>(f) corresponds to
///            static_argnums=1
/// Example    const auto f = jit([](Array x) { return numpy::sum(x * x); });
///            f(numpy::arange(4))  // 14
///            jit<1>([](Array x, int n) { return x * n; })(Array(2.0f), 3)  // 6.0
template <int... StaticArgnums, typename F>
Jitted<F, StaticArgnums...> jit(F f, JitOptions options = {},
                                std::source_location location = std::source_location::current()) {
  return Jitted<F, StaticArgnums...>(std::move(f), std::move(options), location);
}

/// Traces `f` for these arguments without compiling it: jax.jit(f).lower.
/// Example    lower([](Array x) { return x * 2.0f; }, ShapeDtypeStruct({3}, float32)).cost_analysis().flops  // 3
template <typename F, typename... Args>
auto lower(const F& f, const Args&... args) {
  // a parameter pack has to be last, so no default argument for the line can follow
  return hilo::jit(f, {}, std::source_location()).lower(args...);
}

/// Returns a function that traces `f` for its arguments and returns the HLO text; the counterpart of jax.make_jaxpr.
template <typename F>
auto make_hlo(F f, std::string name = "f", std::source_location location = std::source_location::current()) {
  return [jitted = hilo::jit(std::move(f), JitOptions{.name = std::move(name)}, location)](const auto&... args) {
    return jitted.hlo_text(args...);
  };
}

/// Doesn't compile: hilo traces to HLO, not to jaxprs.
template <typename F>
auto make_jaxpr(const F&) {
  static_assert(
      kNever<F>,
      "hilo traces to HLO, not to jaxprs: make_hlo(f)(arguments...), or jit(f).lower(arguments...).as_text()");
  return [](const auto&...) { return std::string(); };
}

}  // namespace hilo
