// SPDX-License-Identifier: Apache-2.0
// tests/alone/array.cc -- arrays without traces: linked with array/ and the folders below it only.
#include "hilo/array/array.h"
#include "hilo/array/device_put.h"
#include "tests/alone/check.h"

using namespace hilo;

int main() {
  const Array number = 2.5;
  CHECK(number.item() == 2.5 && number.weak_type() && number.to_string() == "2.5");
  CHECK(number.device() == devices()[0] && !number.is_deleted());
  const Array x = Array::from_vector<float>({1, 2, 3}, {3});
  CHECK(x.to_vector<int>() == std::vector<int>({1, 2, 3}) && x.to_string() == "[1. 2. 3.]");
  CHECK(x.data<float>()[2] == 3 && x.devices() == std::vector{devices()[0]});
  const Array there = device_put(x, devices()[0]);
  CHECK(block_until_ready(there).to_literal().identical(x.to_literal()));
  x.delete_();
  CHECK(x.is_deleted() && there.is_deleted());  // they share the memory
  CHECK_THROWS(x.to_literal(), Error);
  return failures;
}
