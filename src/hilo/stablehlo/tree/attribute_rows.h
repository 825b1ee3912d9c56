// SPDX-License-Identifier: Apache-2.0
// stablehlo/tree/attribute_rows.h -- the form of each StableHLO attribute, used by the writers.
#pragma once

#include "hilo/stablehlo/tree/vhlo.h"

namespace hilo::stablehlo {

/// How an attribute is written in StableHLO's text and in VHLO.
enum class AttributeForm : uint8_t {
  kInteger64,
  kInteger32,
  kFloat32,
  kBool,
  kUnit,      ///< present or absent; in VHLO a truth value
  kIntegers,  ///< array<i64: 1, 2>; in VHLO a tensor
  kBools,     ///< array<i1: true>; in VHLO a tensor
  kMatrix,    ///< dense<[[0, 1]]> : tensor<1x2xi64>
  kElements,  ///< dense<...>
  kWord,      ///< #stablehlo<fft_type FFT>
  kWords,     ///< a list of words
  kString,
  kSymbol,      ///< @f; in VHLO a string
  kSymbols,     ///< [@f]; in VHLO a list of strings
  kLayouts,     ///< [dense<[1, 0]> : tensor<2xindex>]
  kAliases,     ///< [#stablehlo.output_operand_alias<...>]
  kApiVersion,  ///< 4 : i32
  kAccuracy,    ///< accuracy of a function; always the default
  kNoType,      ///< a part of a dot's algorithm; always absent
  kDictionary,
  kType,
  kTypeLists,  ///< a list of dictionaries, one per argument
};

struct AttributeRow {
  std::string_view name;
  AttributeForm form;
  VhloAttribute word = VhloAttribute::kType;  ///< the enum of kWord and kWords
  std::string_view mnemonic = {};             ///< name of the enum in text
};

/// Returns null for a name that no operation of StableHLO has.
const AttributeRow* find_attribute_row(std::string_view name);

}  // namespace hilo::stablehlo
