// SPDX-License-Identifier: Apache-2.0
// hlo/ir/opcode.h -- all opcodes of XLA, expanded from two lists; those of extension ops are in hlo/ir/extensions.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace hilo::hlo {

/// Elementwise ops come first, so that is_elementwise() is one comparison. Extension ops have the values after the last
/// enumerator: check is_extension() before a switch over XLA's opcodes.
enum class Opcode : uint8_t {
#define HILO_ELEMENTWISE(enumerator, ...) k##enumerator,
#include "hilo/hlo/ir/elementwise.inc"
#undef HILO_ELEMENTWISE
#define HILO_STRUCTURAL(enumerator, ...) k##enumerator,
#include "hilo/hlo/ir/structural.inc"
#undef HILO_STRUCTURAL
};

inline constexpr int kElementwiseOpcodeCount = 0
#define HILO_ELEMENTWISE(...) +1
#include "hilo/hlo/ir/elementwise.inc"
#undef HILO_ELEMENTWISE
    ;
inline constexpr int kHloOpcodeCount = kElementwiseOpcodeCount
#define HILO_STRUCTURAL(...) +1
#include "hilo/hlo/ir/structural.inc"
#undef HILO_STRUCTURAL
    ;

/// Returns whether the op maps element i of its operands to element i of its result.
constexpr bool is_elementwise(Opcode opcode) { return static_cast<int>(opcode) < kElementwiseOpcodeCount; }

constexpr bool is_extension(Opcode opcode) { return static_cast<int>(opcode) >= kHloOpcodeCount; }

/// Returns the name in HLO text, such as "dynamic-slice". Names of extension ops start with "hilo.".
std::string_view opcode_name(Opcode opcode);
std::optional<Opcode> opcode_from_name(std::string_view name);

}  // namespace hilo::hlo
