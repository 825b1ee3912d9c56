// SPDX-License-Identifier: Apache-2.0
// transform/jit.h -- jit: trace a function once per kind of arguments, then run it compiled.
#pragma once

#include <functional>
#include <source_location>

#include "hilo/base/caches.h"
#include "hilo/mesh/sharding_list.h"
#include "hilo/transform/compiler_options.h"
#include "hilo/transform/flat_call.h"
#include "hilo/transform/shape_dtype_struct.h"
#include "hilo/transform/stages.h"

namespace hilo {

/// A number that is part of the program where `f` would also take an Array: a new value retraces. For one call; to say
/// it once for all calls there is jit<argnums...>.
/// Example    power(x, Static{3})
template <typename T>
struct Static {
  T value;
  operator const T&() const { return value; }
};
template <typename T>
Static(T) -> Static<T>;

struct JitOptions {
  ArgnumsInAngles static_argnums = {};
  std::vector<int> donate_argnums = {};  ///< arguments whose memory results may take; using them later is an error
  std::string name = "f";                ///< of the module, in dumps and messages
  bool inline_ = false;                  ///< under other transformations, what the function does instead of a call
  bool keep_unused = false;  ///< arguments that the function doesn't use are given to the program all the same
  /// How devices share arguments and results: one sharding for all, or one an argument, or an element of a result tuple;
  /// where none is said, arguments are as they come and results as propagation finds.
  ShardingList in_shardings = {}, out_shardings = {};
  CompilerOptions compiler_options = {};  ///< of the program, where it is called from outside of transformations
  bool operator==(const JitOptions&) const = default;
};

class JitCache;

namespace jit_detail {

/// A user's function and its arguments without their types: what `trace` of a call runs.
struct Typeless {
  const void* f;
  const void* arguments;
  std::vector<Array> (*run)(const Typeless& call, std::span<const Array> leaves, std::shared_ptr<void>& prototype,
                            std::vector<size_t>& result_leaves);
};
template <typename F, typename Arguments, typename Result>
std::vector<Array> run(const Typeless& call, std::span<const Array> leaves, std::shared_ptr<void>& prototype,
                       std::vector<size_t>& result_leaves) {
  const auto result = std::make_shared<Result>(flat_call::call(
      *static_cast<const F*>(call.f), hilo::unflatten(*static_cast<const Arguments*>(call.arguments), leaves)));
  std::vector<Array> out = hilo::flatten(*result).leaves;
  result_leaves = flat_call::element_leaf_counts(*result);
  flat_call::drop_arrays(hilo::walk_of(*result));
  prototype = result;
  return out;
}
/// One call of a jitted function, without templates.
struct Call {
  // Not inline: what they need of the standard library is compiled once.
  Call();
  Call(Call&& other) noexcept;
  ~Call();
  FlatTree arguments;
  std::vector<bool> donated;                             ///< one a leaf
  std::vector<bool> is_static;                           ///< one an argument; empty: none is
  std::vector<size_t> leaf_counts;                       ///< of the arguments, if `is_static` isn't empty
  std::function<std::string(size_t leaf)> path_of_leaf;  ///< "args[0].w"
  std::vector<size_t> argument_leaves;                   ///< of the arguments, if in_shardings are said
  Typeless typeless = {};
  /// Runs the function on tracers; stores its result's tree in `prototype`, and in `result_leaves` how many leaves each
  /// element of a result tuple has.
  std::vector<Array> trace(std::span<const Array> leaves, std::shared_ptr<void>& prototype,
                           std::vector<size_t>& result_leaves) const {
    return typeless.run(typeless, leaves, prototype, result_leaves);
  }
};
struct Outcome {
  std::vector<Array> leaves;
  std::shared_ptr<void> prototype;
};

/// A new cache; or the one of all functions with this `shared` tag and equal options, if that isn't null.
std::shared_ptr<JitCache> make_cache(JitOptions options, const void* shared, const std::source_location& location);

/// Its address tells types apart.
template <typename T>
inline constexpr char type_tag = 0;
/// What a Jitted is beside its function.
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
  /// `leaf_counts` are those of each argument.
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
size_t cache_size(const JitCache& cache);
void clear_cache(JitCache& cache);
stages_detail::ProgramPtr lower(const Call& call, const JitOptions& options, const std::source_location& location);
std::string hlo_text(const Call& call, const std::string& name, const std::source_location& location);
std::string closed_hlo_text(const Call& call, const std::string& name, const std::source_location& location);
std::string graph_html(const Call& call, const std::string& name, const std::source_location& location);

}  // namespace jit_detail

/// A function that compiles itself for every new combination of argument shapes, types and static values. Copies share
/// what has been compiled, and so do all functions of one type that captures nothing. A call with other shapes retraces;
/// captured arrays are constants of the program.
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
    Arguments arguments(args...);
    const jit_detail::Outcome outcome = jit_detail::call(state_.cache(), describe(arguments));
    return hilo::unflatten(*static_cast<const Result*>(outcome.prototype.get()), outcome.leaves);
  }

  /// Traces for such arguments, of which only shapes and types count, and neither compiles nor runs: a stage to look at,
  /// and to compile. ShapeDtypeStructs stand for Arrays.
  /// Example    jit(f).lower(ShapeDtypeStruct({3}, float32)).compile().memory_analysis().temp_size_in_bytes
  template <typename... Args>
  auto lower(const Args&... args) const {
    using Arguments = ArgumentsOf<vmap_detail::Abstract<Args>...>;
    using Result = std::remove_cvref_t<typename flat_call::CallOf<F, Arguments>::Result>;
    const Arguments arguments(vmap_detail::abstract(args)...);
    return Lowered<Arguments, Result>(jit_detail::lower(describe(arguments), state_.options(), state_.location()));
  }

  /// Kinds of arguments that there are traces for. Those under other flags count until they are forgotten.
  size_t cache_size() const { return jit_detail::cache_size(state_.cache()); }
  /// Forgets them. Functions of one type that captures nothing share what they forget, too.
  void clear_cache() const { jit_detail::clear_cache(state_.cache()); }

  /// The traced program as HLO text, before any pass; compiles nothing. ShapeDtypeStructs stand for Arrays. Arrays that the
  /// function captures are its last parameters.
  template <typename... Args>
  std::string hlo_text(const Args&... args) const {
    const ArgumentsOf<vmap_detail::Abstract<Args>...> arguments(vmap_detail::abstract(args)...);
    return jit_detail::hlo_text(describe(arguments), state_.options().name, state_.location());
  }
  /// The same with captured arrays as constants: a program that needs nothing but its arguments.
  /// Errors     FAILED_PRECONDITION if the function captures a value of a transformation around it
  template <typename... Args>
  std::string closed_hlo_text(const Args&... args) const {
    const ArgumentsOf<vmap_detail::Abstract<Args>...> arguments(vmap_detail::abstract(args)...);
    return jit_detail::closed_hlo_text(describe(arguments), state_.options().name, state_.location());
  }

  /// Two <section> elements for an HTML page: the program's graph as traced, and after all passes of the engine.
  /// Cost    a trace, and a compilation if no program of this meaning has been compiled yet
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

  /// Static arguments, told apart from others by their number alone.
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
    jit_detail::Call call = state_.describe({&f_, &arguments, jit_detail::run<F, Arguments, Result>},
                                            hilo::walk_of(arguments), jit_detail::leaf_counts<Arguments>);
    mark(call, arguments);
    return call;
  }

  F f_;
  jit_detail::State state_;
};

/// Compiles `f`, as jax.jit. Numbers given where `f` takes an Array become weakly typed scalars; where `f` takes a number
/// they are static.
/// Types      arguments and result: trees (Array, structs, tuples, vectors, maps of Arrays). Numbers, enums and strings
///            in them are static: part of the program. jit<1>(f) makes argument 1 static as a whole, as static_argnums of
///            jax.jit: numbers stay numbers there although `f` would take an Array.
/// Devices    arguments that several devices share, in_shardings, out_shardings and with_sharding_constraint make it a
///            program of one device each; see mesh/sharded_program.h
/// Errors     what `f` throws while it is traced; as Executable::execute; INVALID_ARGUMENT for an Array in a static
///            argument, or compiler options that there aren't; UNIMPLEMENTED for those of a function under another
///            transformation. After eight traces for jits made in one place a warning names it; one names the donated
///            arguments whose memory no result can take.
/// Cost       a call that hits the cache: the flattening and one execute
/// Example    auto g = jit([](Array x) { return x * 2.0f; });  g(Array(3.0f)).item<float>() == 6
template <int... StaticArgnums, typename F>
Jitted<F, StaticArgnums...> jit(F f, JitOptions options = {},
                                std::source_location location = std::source_location::current()) {
  return Jitted<F, StaticArgnums...>(std::move(f), std::move(options), location);
}

/// jit(f).lower(args...): `f` traced for such arguments. jax.jit(f).lower.
/// Example    lower(f, x).as_text("hlo")
template <typename F, typename... Args>
auto lower(const F& f, const Args&... args) {
  return hilo::jit(f, {}, std::source_location()).lower(args...);  // a pack leaves no place for the line
}

/// HLO text of `f` traced on such arguments; the counterpart of jax.make_jaxpr.
template <typename F>
auto make_hlo(F f, std::string name = "f", std::source_location location = std::source_location::current()) {
  return [jitted = hilo::jit(std::move(f), JitOptions{.name = std::move(name)}, location)](const auto&... args) {
    return jitted.hlo_text(args...);
  };
}

/// Doesn't compile: hilo's language is HLO.
template <typename F>
auto make_jaxpr(const F&) {
  static_assert(
      sizeof(F) == 0,
      "hilo traces to HLO, not to jaxprs: make_hlo(f)(arguments...), or jit(f).lower(arguments...).as_text()");
  return [](const auto&...) { return std::string(); };
}

}  // namespace hilo
