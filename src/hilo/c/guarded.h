// SPDX-License-Identifier: Apache-2.0
// c/guarded.h -- the seam to C: no exception crosses it, and errors become a code and a text.
#pragma once

#include <exception>
#include <new>
#include <string_view>

#include "hilo/array/error.h"
#include "hilo/base/out_of_memory.h"
#include "hilo/base/status.h"

namespace hilo::c {

/// Stores the text of an error in *error, unless `error` is null. Returns the code. If no memory is left for the text,
/// *error stays null.
int report(const Status& status, char** error);

/// Returns a copy that free() frees, with a final NUL; null if no memory is left.
char* c_copy(std::string_view bytes);

/// Returns the error of a null parameter `name`.
Status null_parameter(std::string_view function, std::string_view name);

/// Runs `work`, which returns a Status, and reports it. The caller of C can't catch what a user's callback throws.
template <typename Work>
int guarded(char** error, const Work& work) noexcept {
  if (error != nullptr) *error = nullptr;
  try {
    const Status status = work();
    return status.ok() ? 0 : report(status, error);
  } catch (const Error& thrown) {
    return report(thrown.status(), error);
  } catch (const std::bad_alloc&) {
    return report(out_of_memory(), error);
  } catch (const std::exception& thrown) {
    return report(Status(StatusCode::kUnknown, thrown.what()), error);
  } catch (...) {  // NOLINT: of a user's callback
    return report(Status(StatusCode::kUnknown, "an exception was thrown"), error);
  }
}

}  // namespace hilo::c
