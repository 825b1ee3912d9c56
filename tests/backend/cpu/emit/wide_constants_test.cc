// SPDX-License-Identifier: Apache-2.0
// Arithmetic with many constants, including zero and all ones: in sums, products, and pairs of compare and select.
#include "tests/backend/cpu/engine_check.h"

namespace hilo::cpu {
namespace {

TEST(WideConstants, GiveWhatTheyGaveBefore) {
  for (const std::string_view type : {"f32", "f64", "s32", "s64", "bf16", "s8"}) {
    for (const int64_t n : {1, 5, 31, 64, 100, 1031}) {
      check_text(fmt::format(R"(HloModule constants
ENTRY main {{
  x = {0}[{1}] parameter(0)
  c0 = {0}[] constant(0)
  c1 = {0}[] constant(-1)
  c2 = {0}[] constant(3)
  c3 = {0}[] constant(5)
  zero = {0}[{1}] broadcast(c0), dimensions={{}}
  ones = {0}[{1}] broadcast(c1), dimensions={{}}
  three = {0}[{1}] broadcast(c2), dimensions={{}}
  five = {0}[{1}] broadcast(c3), dimensions={{}}
  product = {0}[{1}] multiply(x, three)
  sum = {0}[{1}] add(product, five)
  most = {0}[{1}] minimum(sum, five)
  least = {0}[{1}] maximum(most, ones)
  less = pred[{1}] compare(least, three), direction=LT
  either = {0}[{1}] select(less, least, three)
  minus = {0}[{1}] subtract(three, either)
  ROOT y = {0}[{1}] maximum(minus, zero)
}}
)",
                             type, n));
    }
  }
}

}  // namespace
}  // namespace hilo::cpu
