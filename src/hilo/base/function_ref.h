// SPDX-License-Identifier: Apache-2.0
// base/function_ref.h -- a reference to a callable, of two words and without allocation.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

namespace hilo {

template <typename Signature>
class FunctionRef;

/// Refers to a callable, which must outlive the reference. For parameters, not for members.
template <typename Result, typename... Args>
class FunctionRef<Result(Args...)> {
 public:
  template <typename F>
    requires(!std::is_same_v<std::remove_cvref_t<F>, FunctionRef> && std::is_object_v<std::remove_reference_t<F>> &&
             std::is_invocable_r_v<Result, F&, Args...>)
  FunctionRef(F&& callable)  // implicit, so that lambdas can be passed
      : object_(const_cast<void*>(static_cast<const void*>(std::addressof(callable)))),
        call_([](void* object, Args... args) -> Result {
          return (*static_cast<std::remove_reference_t<F>*>(object))(std::forward<Args>(args)...);
        }) {}

  Result operator()(Args... args) const { return call_(object_, std::forward<Args>(args)...); }

 private:
  void* object_;
  Result (*call_)(void*, Args...);
};

}  // namespace hilo
