// SPDX-License-Identifier: Apache-2.0
// tests/support/error_of.h -- the error of a call, as text.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "hilo/array/error.h"

namespace hilo {

/// Returns the text of the hilo::Error that `f` throws; its code must be `code`.
template <typename F>
std::string error_of(F&& f, StatusCode code) {
  try {
    f();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return "";
}

}  // namespace hilo
