// SPDX-License-Identifier: Apache-2.0
// stablehlo/tree/vhlo.h -- VHLO, the dialect of portable artefacts: its operations, versions and codes.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "hilo/types/element_type.h"

namespace hilo::stablehlo {

/// An operation in bytecode, and the names of its properties in the order of their indices.
struct BytecodeOperation {
  std::string name;        ///< "vhlo.add_v1"
  std::string tree_name;   ///< "stablehlo.add"
  std::string properties;  ///< separated by blanks; optional ones end in '?'
  bool read_only = false;  ///< newer than kWrittenVhlo, or only in modules that aren't portable artefacts
};

/// Returns null for an unknown operation or version.
const BytecodeOperation* find_bytecode_operation(std::string_view name);

/// Returns the form of "stablehlo.add" in kWrittenVhlo; null if VHLO lacks it.
const BytecodeOperation* find_written_operation(std::string_view tree_name);

/// Codes of VHLO's attributes and types in bytecode.
enum class VhloAttribute : uint64_t {
  kArray = 1,
  kBoolean,
  kComparisonDirection,
  kComparisonType,
  kCustomCallApiVersion,
  kDictionary,
  kFftType,
  kFloat,
  kInteger,
  kOutputOperandAlias,
  kPrecision,
  kRngAlgorithm,
  kRngDistribution,
  kString,
  kTensor,
  kTranspose,
  kType,
  kTypeExtensions,
  kResultAccuracyMode,
  kResultAccuracy,
  kSubAxisInfo,
  kAxisRef,
  kReplicaGroupMeshAxes,
  kMeshAxis,
  kMesh,
};
enum class VhloType : uint64_t {
  kBoolean = 0,
  kComplex = 1,
  kFunction = 8,
  kIndex = 9,
  kRankedTensor = 20,
  kRankedTensorWithEncoding = 21,
  kToken = 22,
  kTuple = 23,
  kUniformQuantized = 24,
  kUnrankedTensor = 25,
  kWitness = 26,
  kUniformQuantizedPerAxis = 30,
  kNone = 33,
  kTf32 = 34,
  kF6E2M3Fn = 38,
  kF6E3M2Fn = 39,
  kBuffer = 41,
  kFuture = 42,
};

/// Codes of the attributes of dialect 'builtin'.
enum class BuiltinAttribute : uint64_t {
  kArray,
  kDictionary,
  kString,
  kStringWithType,
  kFlatSymbolRef,
  kSymbolRef,
  kType,
  kUnit,
  kInteger,
  kFloat,
  kCallSiteLoc,
  kFileLineColLoc,
  kFusedLoc,
  kFusedLocWithMetadata,
  kNameLoc,
  kUnknownLoc,
  kDenseResource,
  kDenseArray,
  kDenseElements,
  kDenseString,
  kSparse,
  kDistinct,
  kFileLineColRange,
};

/// Returns the element type of a code; kOpaque for codes of other types.
ElementType vhlo_element_type(uint64_t code);

/// Returns the code of an element type; nullopt for types without one, such as complex types.
std::optional<uint64_t> vhlo_type_code(ElementType type);

/// Returns the values of the enum with this code; empty for other codes.
std::span<const std::string_view> vhlo_words(VhloAttribute code);

/// First bytes of bytecode.
inline constexpr std::string_view kMagic = "ML\xefR";

/// Ids of sections.
enum Section : uint8_t {
  kStrings,
  kDialects,
  kAttributeTypes,
  kOffsets,
  kIr,
  kResources,
  kResourceOffsets,
  kVersions,
  kProperties,
  kSections
};

/// Bits of an operation's mask for its parts.
enum Mask : uint8_t {
  kHasAttributes = 1,
  kHasResults = 2,
  kHasOperands = 4,
  kHasSuccessors = 8,
  kHasRegions = 16,
  kHasUseLists = 32,
  kHasProperties = 64
};

/// Newest supported version of MLIR bytecode; kNewestVhlo is that of VHLO.
inline constexpr uint64_t kNewestBytecode = 6;
inline constexpr std::string_view kNewestVhlo = "1.22";

/// The version of VHLO that is written: the first one in which all operations have their current forms, except those of
/// marked rows.
inline constexpr std::string_view kWrittenVhlo = "1.9.0";

}  // namespace hilo::stablehlo
