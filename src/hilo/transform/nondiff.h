// SPDX-License-Identifier: Apache-2.0
// transform/nondiff.h -- separates the arguments that a custom rule differentiates from the others (nondiff_argnums).
// Not for users.
#pragma once

#include "hilo/transform/flat_call.h"

namespace hilo::nondiff {

/// Whether argument I of N is in Argnums. Negative numbers count from the end.
template <size_t I, size_t N, int... Argnums>
inline constexpr bool is_numbered =
    ((static_cast<int>(I) == (Argnums < 0 ? Argnums + static_cast<int>(N) : Argnums)) || ...);

template <bool Expected, typename Sequence, size_t N, int... Argnums> struct Filter;
template <bool Expected, size_t... I, size_t N, int... Argnums>
struct Filter<Expected, std::index_sequence<I...>, N, Argnums...> {
  static constexpr auto positions() {
    std::array<size_t, (0 + ... + (is_numbered<I, N, Argnums...> == Expected ? 1 : 0))> out{};
    size_t next = 0;
    ((is_numbered<I, N, Argnums...> == Expected ? void(out[next++] = I) : void()), ...);
    return out;
  }
};

/// Returns the elements of `all` whose positions are in Argnums, or the others, as a tuple.
template <bool Numbered, int... Argnums, typename... Args>
auto chosen(const std::tuple<Args...>& all) {
  using Positions = Filter<Numbered, std::index_sequence_for<Args...>, sizeof...(Args), Argnums...>;
  constexpr auto positions = Positions::positions();
  return [&]<size_t... K>(std::index_sequence<K...>) {
    return std::tuple<std::tuple_element_t<positions[K], std::tuple<Args...>>...>(std::get<positions[K]>(all)...);
  }(std::make_index_sequence<positions.size()>());
}

/// Returns `all` with the differentiated arguments replaced by `diff`.
template <int... Argnums, typename... Args, typename Diff>
std::tuple<Args...> replaced(std::tuple<Args...> all, const Diff& diff) {
  constexpr auto positions = Filter<false, std::index_sequence_for<Args...>, sizeof...(Args), Argnums...>::positions();
  [&]<size_t... K>(std::index_sequence<K...>) {
    ((std::get<positions[K]>(all) = std::get<K>(diff)), ...);
  }(std::make_index_sequence<positions.size()>());
  return all;
}

/// The tuple of arguments for a call of F: those in Argnums are unchanged.
template <typename F, typename Sequence, typename ArgumentList, int... Argnums> struct TravelOf;
template <typename F, size_t... I, typename... Args, int... Argnums>
struct TravelOf<F, std::index_sequence<I...>, std::tuple<Args...>, Argnums...> {
  using Type = flat_call::Arguments<
      F, std::conditional_t<is_numbered<I, sizeof...(Args), Argnums...>, flat_call::Kept<Args>, Args>...>;
};
template <typename F, typename ArgumentList, int... Argnums>
using Arguments =
    typename TravelOf<F, std::make_index_sequence<std::tuple_size_v<ArgumentList>>, ArgumentList, Argnums...>::Type;

/// Throws JAX's error for a tracer among `leaves` of nondiff arguments. `kind` is "custom_vjp" or similar.
void refuse_tracers(std::string_view kind, std::span<const Array> leaves);

/// Does the same for one argument, if it holds arrays.
template <typename T>
void refuse_tracers_in(std::string_view kind, const T& argument) {
  if constexpr (std::is_same_v<T, Array>) nondiff::refuse_tracers(kind, std::span(&argument, 1));
  else if constexpr (tree_detail::IsVector<T>::value || tree_detail::IsMap<T>::value || tree_detail::HasFields<T>)
    nondiff::refuse_tracers(kind, hilo::flatten(argument).leaves);
}

using flat_call::path_of;
using flat_call::without_arrays;

}  // namespace hilo::nondiff
