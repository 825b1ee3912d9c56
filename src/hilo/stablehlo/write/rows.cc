// SPDX-License-Identifier: Apache-2.0
// Which rows of op_rows.cc stand for an opcode, and what undoes their handlers.
#include <algorithm>
#include <map>

#include "hilo/stablehlo/write/parts.h"

namespace hilo::stablehlo {
namespace {

struct Pair {
  Handler translate;
  Inverse write;
};
constexpr Pair kInverses[] = {
    {translate_plain, write_plain},
    {translate_elementwise, write_elementwise},
    {translate_bitcast, write_bitcast},
    {translate_cbrt, write_elementwise},
    {translate_convert, write_elementwise},
    {translate_extreme, write_elementwise},
    {translate_hyperbolic, write_elementwise},
    {translate_reduce_precision, write_plain},
    {translate_sort, write_plain},
    {translate_partition_id, write_plain},
    {translate_replica_id, write_plain},
    {translate_constant, write_constant},
    {translate_broadcast, write_broadcast},
    {translate_compare, write_compare},
    {translate_select, write_elementwise},
    {translate_clamp, write_elementwise},
    {translate_slice, write_slice},
    {translate_pad, write_pad},
    {translate_dot, write_dot},
    {translate_random, write_random},
    {translate_random_bits, write_random_bits},
    {translate_while, write_while},
    {translate_case, write_case},
    {translate_if, write_if},
    {translate_map, write_map},
    {translate_barrier, write_barrier},
    {translate_call, write_call},
    {translate_custom_call, write_custom_call},
    {translate_convolution, write_convolution},
    {translate_window, write_window},
    {translate_all_reduce, write_all_reduce},
    {translate_reduce_scatter, write_reduce_scatter},
    {translate_all_gather, write_all_gather},
    {translate_collective_broadcast, write_collective_broadcast},
    {translate_collective_permute, write_collective_permute},
    {translate_all_to_all, write_all_to_all},
};

std::map<hlo::Opcode, std::vector<const OpRow*>> index_of_rows() {
  std::map<hlo::Opcode, std::vector<const OpRow*>> index;
  for (const bool own :
       {true, false}) {  // ops of StableHLO before those of CHLO; those of other dialects are read only
    for (const OpRow& row : op_rows()) {
      const bool is_own = row.name.find('.') == std::string_view::npos || row.name.starts_with("func.");
      if (inverse_of(row.translate) == nullptr || is_own != own) continue;
      if (is_own || row.name.starts_with("chlo.")) index[row.opcode].push_back(&row);
    }
  }
  return index;
}

}  // namespace

Inverse inverse_of(Handler translate) {
  const auto* const pair = std::ranges::find(kInverses, translate, &Pair::translate);
  return pair == std::end(kInverses) ? nullptr : pair->write;
}

std::span<const OpRow* const> rows_of(hlo::Opcode opcode) {
  static const std::map<hlo::Opcode, std::vector<const OpRow*>> kIndex = index_of_rows();
  const auto found = kIndex.find(opcode);
  return found == kIndex.end() ? std::span<const OpRow* const>() : std::span<const OpRow* const>(found->second);
}

}  // namespace hilo::stablehlo
