// SPDX-License-Identifier: Apache-2.0
// trace/named_scope.h -- named_scope and named_call: names for parts of a program in dumps and profiles.
#pragma once

#include <string>
#include <utility>

namespace hilo {

/// Names the operations that are traced during its lifetime: op_name in each instruction's metadata, "outer/inner".
class [[nodiscard("the name ends with the object: const auto scope = named_scope(\"attention\");")]] NamedScope {
 public:
  explicit NamedScope(std::string name);
  ~NamedScope();
  NamedScope(const NamedScope&) = delete;
  NamedScope& operator=(const NamedScope&) = delete;

  /// Returns "outer/inner"; empty outside of any scope.
  static const std::string& current();

 protected:
  NamedScope();  ///< has no effect yet

 private:
  std::string before_;
};

/// Names the operations that are traced until the returned object is destroyed: jax.named_scope. Derivatives keep the
/// names of the operations they belong to.
/// Errors     INVALID_ARGUMENT for an empty name
/// Example    const auto scope = named_scope("attention");
inline NamedScope named_scope(std::string name) { return NamedScope(std::move(name)); }

/// Returns `f` with a name around all of its operations: jax.named_call.
/// Example    const auto layer = named_call([](Array x) { return numpy::tanh(x); }, "layer");
template <typename F>
auto named_call(F f, std::string name) {
  return [f = std::move(f), name = std::move(name)](const auto&... args) -> decltype(f(args...)) {
    const NamedScope scope(name);
    return f(args...);
  };
}

}  // namespace hilo
