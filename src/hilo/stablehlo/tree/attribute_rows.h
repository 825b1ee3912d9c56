// SPDX-License-Identifier: Apache-2.0
// stablehlo/tree/attribute_rows.h -- what kind of value each attribute of StableHLO has; the writers go by it.
#pragma once

#include "hilo/stablehlo/tree/vhlo.h"

namespace hilo::stablehlo {

/// How an attribute is written: as text of StableHLO, and what VHLO has instead.
enum class AttributeForm : uint8_t {
  kInteger64,
  kInteger32,
  kFloat32,
  kBool,
  kUnit,      ///< there or not; a truth value of VHLO
  kIntegers,  ///< array<i64: 1, 2>; a tensor of VHLO
  kBools,     ///< array<i1: true>; a tensor of VHLO
  kMatrix,    ///< dense<[[0, 1]]> : tensor<1x2xi64>
  kElements,  ///< dense<...>
  kWord,      ///< #stablehlo<fft_type FFT>
  kWords,     ///< a list of them
  kString,
  kSymbol,      ///< @f; a string of VHLO
  kSymbols,     ///< [@f]; a list of strings of VHLO
  kLayouts,     ///< [dense<[1, 0]> : tensor<2xindex>]
  kAliases,     ///< [#stablehlo.output_operand_alias<...>]
  kApiVersion,  ///< 4 : i32
  kAccuracy,    ///< how exact a function is; always the default
  kNoType,      ///< a part of a dot's algorithm; always absent
  kDictionary,
  kType,
  kTypeLists,  ///< a list of dictionaries, one an argument
};

struct AttributeRow {
  std::string_view name;
  AttributeForm form;
  VhloAttribute word = VhloAttribute::kType;  ///< of kWord and kWords: the enum
  std::string_view mnemonic = {};             ///< of the enum, in text
};

/// Null for a name that no operation of StableHLO has.
const AttributeRow* find_attribute_row(std::string_view name);

}  // namespace hilo::stablehlo
